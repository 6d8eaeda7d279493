package train

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"ludus/train/plan"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Import holds games of other players. The first generations of a new run take their games from it instead of from
// self-play: all games, in their order.
type Import struct {
	Files []rundir.ImportedFile
	Games iter.Seq2[*record.Imported, error] // reads the games anew; an error ends it
}

// importShare is the largest share of a run's generations that learn from imported games. If there are more games than
// these generations would play, each has more games, and fewer samples are drawn from each position. importDensity is
// the largest number of imported positions for each position that a generation would play; of still more games a run
// learns from every second or third and so on, since reading and rescoring the others costs time, and few would be
// sampled.
const (
	importShare   = 0.25
	importDensity = 20
)

// countImport reads all games and returns what a new run's config says about them, but for the generations. Games
// without a result, or without moves to learn, do not count. It returns nil if there is no import.
func (o *opener) countImport(ctx context.Context) (*rundir.Import, error) {
	if o.Import == nil {
		return nil, nil
	}
	o.Observe(Event{Progress: &Progress{Phase: Importing}})
	c, wrong, left := &rundir.Import{Files: o.Import.Files}, 0, 0
	for imported, err := range o.Import.Games {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		g := imported.Record(o.Game)
		switch {
		case imported.Wrong != nil:
			wrong++
			o.note("%v; skipped", imported.Wrong)
		case g == nil:
			left++
		default:
			c.Games++
			c.Positions += len(g.Plies)
		}
		if c.Games%1000 == 0 {
			o.Observe(Event{Progress: &Progress{Phase: Importing, Games: c.Games}})
		}
	}
	if c.Games == 0 {
		return nil, fmt.Errorf("no games to learn from: %d are wrong, %d have no result, or no moves to learn", wrong, left)
	}
	if left > 0 {
		o.note("games without a result, or without moves to learn, are left out: %d of %d", left, left+c.Games)
	}
	return c, nil
}

// planImport sets which generations learn from which of the imported games of a new run, given its plan.
func (o *opener) planImport() {
	c := o.config.Import
	if c == nil {
		return
	}
	most, played := int(importShare*float64(o.config.Plan.Generations)), plan.Positions(&o.config.Plan)
	c.Generations = max(1, min((c.Positions+played-1)/played, most, c.Games))
	c.Every = max(1, min(c.Positions/(importDensity*played*c.Generations), c.Games/c.Generations))
	of := ""
	if c.Every > 1 {
		of = fmt.Sprintf("1 in %d of ", c.Every)
	}
	o.note("the run learns up to generation %d from %s%d games of %d positions, then from self-play", c.Generations, of, c.Games, c.Positions)
}

// checkImport returns an error if the options' import does not fit an existing run, whose config has import c.
func (o *opener) checkImport(c *rundir.Import) error {
	if o.Import == nil {
		return nil
	}
	conflict := func(why, advice string) error {
		return fmt.Errorf("%s: %w: %s; %s, or choose another directory", o.Dir, ErrConflict, why, advice)
	}
	if c == nil {
		return conflict("the run began without games of others", "leave them out to continue")
	}
	advice := fmt.Sprintf("give the files as they were or, after generation %d, none", c.Generations)
	if given, began := len(o.Import.Files), len(c.Files); given != began {
		return conflict(fmt.Sprintf("the run began with %d files of games, not %d", began, given), advice)
	}
	for i, f := range o.Import.Files {
		switch name := c.Files[i].Name; {
		case f.SHA256 == c.Files[i].SHA256:
		case f.Name == name:
			return conflict(name+" has changed since the run began", advice)
		default:
			return conflict(fmt.Sprintf("%s is not %s, with which the run began", f.Name, name), advice)
		}
	}
	return nil
}

// importing reports whether the next generation learns from imported games.
func (s *state) importing() bool {
	c := s.config.Import
	return c != nil && s.count.Generation < min(c.Generations, s.config.Plan.Last())
}

// needsImport returns an error if the next generation learns from imported games, but the options have none.
func (o *opener) needsImport() error {
	if !o.importing() || o.Import != nil {
		return nil
	}
	var names []string
	for _, f := range o.config.Import.Files {
		names = append(names, f.Name)
	}
	return fmt.Errorf("%s: %w: generation %d of %d that learn from games of others is next; give their files again: %s", o.Dir,
		ErrConflict, o.count.Generation+1, o.config.Import.Generations, strings.Join(names, " "))
}

// importer hands the imported games to one generation after the other.
type importer struct {
	next func() (*record.Imported, error, bool)
	stop func()
	read int // games that count so far
}

// importGames returns the imported games of the next generation and counts them in m.
func (r *run) importGames(ctx context.Context, m *rundir.Metrics) (games []*record.Record, err error) {
	r.progress(Importing, 0)
	c, i := r.config.Import, r.imported
	if i == nil {
		i = &importer{}
		i.next, i.stop = iter.Pull2(r.Import.Games)
		r.imported = i
	}
	from, to := r.count.Generation*c.Games/c.Generations, m.Generation*c.Games/c.Generations
	for i.read < to {
		imported, err, more := i.next()
		if !more {
			err = fmt.Errorf("%w: the files of games end after %d of %d games; they have changed", ErrConflict, i.read, c.Games)
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		g := imported.Record(r.Game)
		if g == nil {
			continue
		}
		if i.read >= from && (i.read-from)%c.Every == 0 {
			games = append(games, g)
		}
		i.read++
	}
	m.ImportedGames = len(games)
	return games, nil
}

// closeImport ends reading.
func (r *run) closeImport() {
	if r.imported != nil {
		r.imported.stop()
	}
}
