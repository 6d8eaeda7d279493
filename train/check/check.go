package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/model/infer"
	"ludus/train/record"
	"ludus/train/rundir"
)

// Report is the result of checking a run.
type Report struct {
	Game        string   `json:"game"`
	Generation  int      `json:"generation"`  // newest intact checkpoint's generation
	Checkpoints int      `json:"checkpoints"` // number of intact checkpoints
	Games       int      `json:"games"`       // number of games replayed by the rules
	Positions   int      `json:"positions"`   // number of searched positions in these games
	Faults      []string `json:"faults"`      // problems found; each names its file
}

// Run checks the run in dir. Errors are those of reading, and wrap fs.ErrNotExist and [rundir.ErrNoRun] if dir is no run;
// faults of the files are in the report.
func Run(ctx context.Context, dir string) (*Report, error) {
	config, game, err := rundir.Open(dir)
	if err != nil {
		return nil, err
	}
	boards, err := config.Settings.Sizes.Games(game)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	c := &checker{
		dir: dir, game: game, boards: boards, report: &Report{Game: game.Name, Faults: []string{}},
		totals: map[int]totals{}, metrics: map[int]*rundir.Metrics{},
	}
	for _, step := range []func(context.Context) error{c.readCheckpoints, c.readMetrics, c.readGames, c.readResults} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return c.report, nil
}

// checker is a check in progress. Its fields stand in the order in which the steps fill them.
type checker struct {
	dir    string
	game   *env.Game
	boards []*env.Game // the sizes of the game's board that the run trains
	report *Report

	totals  map[int]totals          // of the intact checkpoints, by generation
	metrics map[int]*rundir.Metrics // by generation, up to the newest checkpoint
}

// totals are the counts in a checkpoint's manifest, up to and including its generation.
type totals struct {
	Generation int
	Steps      int
	Games      int
	Plies      int // plies of the finished games, openings included
	Positions  int // searched positions
}

func (c *checker) fault(format string, args ...any) {
	c.report.Faults = append(c.report.Faults, fmt.Sprintf(format, args...))
}

func (c *checker) metricsPath() string { return filepath.Join(c.dir, rundir.MetricsFile.Name) }

// readCheckpoints verifies every byte of each checkpoint, and that its network fits the game.
func (c *checker) readCheckpoints(ctx context.Context) error {
	store := rundir.Checkpoints(c.dir)
	ids, err := store.List()
	if err != nil {
		return err
	}
	for _, id := range ids {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		checkpoint, err := store.Load(id)
		if errors.Is(err, checkpoints.ErrNoCheckpoint) { // pruned since List
			continue
		}
		t := totals{}
		if err == nil {
			t, err = c.openCheckpoint(checkpoint)
		}
		if err != nil {
			c.fault("%v", err)
			continue
		}
		c.totals[id] = t
		c.report.Checkpoints++
		c.report.Generation = id
	}
	if len(c.totals) == 0 {
		c.fault("%s: there is no intact checkpoint", filepath.Join(c.dir, rundir.CheckpointsDir))
	}
	return nil
}

// openCheckpoint returns the totals of a checkpoint whose checksums are right.
func (c *checker) openCheckpoint(checkpoint *checkpoints.Checkpoint) (t totals, err error) {
	weights, err := infer.Unmarshal(checkpoint.Part(rundir.WeightsPart))
	if err == nil {
		err = weights.Validate(c.game)
	}
	if err == nil {
		err = json.Unmarshal(checkpoint.Meta, &t)
	}
	if err == nil && t.Generation != checkpoint.ID {
		err = fmt.Errorf("its manifest counts %d generations", t.Generation)
	}
	if err != nil {
		err = fmt.Errorf("checkpoint %d: %w", checkpoint.ID, err)
	}
	return t, err
}

// readMetrics checks that every generation up to the newest checkpoint has one line, and that the lines agree with the
// checkpoints.
func (c *checker) readMetrics(context.Context) error {
	lines, warnings, err := rundir.MetricsFile.Read(c.dir)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		c.fault("%v", w)
	}
	for i := range lines {
		m := &lines[i]
		switch {
		case m.Generation > c.report.Generation: // a line whose checkpoint is missing: a crash came between
		case c.metrics[m.Generation] != nil:
			c.fault("%s: generation %d has two lines", c.metricsPath(), m.Generation)
		default:
			c.metrics[m.Generation] = m
		}
	}
	positions, complete := 0, true
	for g := 1; g <= c.report.Generation; g++ {
		m := c.metrics[g]
		if m == nil {
			c.fault("%s: generation %d has no line", c.metricsPath(), g)
			complete = false
			continue
		}
		positions += m.Positions
		t, ok := c.totals[g]
		if !ok {
			continue
		}
		if m.TotalGames != t.Games || m.Steps != t.Steps {
			c.fault("%s: generation %d counts %d games and %d training steps, its checkpoint %d and %d",
				c.metricsPath(), g, m.TotalGames, m.Steps, t.Games, t.Steps)
		}
		if complete && positions != t.Positions {
			c.fault("%s: %d positions up to generation %d, its checkpoint counts %d",
				c.metricsPath(), positions, g, t.Positions)
		}
	}
	return nil
}

// readGames replays every finished game and compares their numbers and lengths with metrics and checkpoints.
func (c *checker) readGames(ctx context.Context) error {
	total, plies, complete := 0, 0, true
	for g := 1; g <= c.report.Generation; g++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		records, first, err := record.Read(c.game, c.dir, g)
		if record.IsLost(err) || errors.Is(err, checkpoints.ErrVersion) {
			c.fault("%v", err)
			complete = false
			continue
		}
		if err != nil {
			return err
		}
		if complete && first != total {
			c.fault("%s: its first game is number %d of the run, after %d games", rundir.GamesPath(c.dir, g), first, total)
		}
		if m := c.metrics[g]; m != nil && m.Games != len(records) {
			c.fault("%s: %d games, %s counts %d", rundir.GamesPath(c.dir, g), len(records), rundir.MetricsFile.Name, m.Games)
		}
		total = first + len(records)
		for i, r := range records {
			plies += r.Length()
			if !slices.Contains(c.boards, r.Game) {
				c.fault("%s: game %d: the run does not train %s", rundir.GamesPath(c.dir, g), i, r.Game.Name)
			}
			if len(r.Plies) == 0 {
				continue
			}
			if err := r.CheckSearch(); err != nil {
				c.fault("%s: game %d: %v", rundir.GamesPath(c.dir, g), i, err)
			}
		}
		c.report.Games += len(records)
		c.report.Positions += record.Count(records)
		if t, ok := c.totals[g]; ok && complete && (t.Games != total || t.Plies != plies) {
			c.fault("checkpoint %d: it counts %d games of %d plies, the files hold %d of %d", g, t.Games, t.Plies, total, plies)
		}
	}
	return nil
}

// readResults checks that the results of matches and suites and the ratings can be read.
func (c *checker) readResults(context.Context) error {
	_, matches, err := rundir.MatchesFile.Read(c.dir)
	if err != nil {
		return err
	}
	_, suites, err := rundir.SuiteFile.Read(c.dir)
	if err != nil {
		return err
	}
	for _, w := range append(matches, suites...) {
		c.fault("%v", w)
	}
	if _, err := rundir.ReadRatings(c.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.fault("%v", err)
	}
	return nil
}
