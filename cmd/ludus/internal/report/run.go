package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// Run is what a run's folder holds for people.
type Run struct {
	Dir     string
	Name    string // the folder's own name
	Game    *env.Game
	Config  *rundir.Config // nil where config.json cannot be read
	Weights *infer.Weights
	Origin  agent.Origin // of Weights, which are nil where no checkpoint can be read

	Generations []Generation // ascending
	Matches     []rundir.MatchResult
	Ratings     *rundir.Ratings // nil where there are none
	Suite       []rundir.SuiteResult

	Warnings []string // what could not be read

	warned                  [parts][]string // by part of the folder
	config, ratings         checkpoints.FileWatcher
	looked                  bool // for checkpoints
	newestKept              int  // of them, -1 for none
	metrics, matches, suite lines
}

// Generation is a line of metrics.jsonl.
type Generation struct {
	rundir.Metrics
	Seconds float64 `json:"-"` // of playing and learning since the run began
}

// The parts of a run's folder, in the order in which what is wrong with them is told.
const (
	configPart = iota
	weightsPart
	metricsPart
	matchesPart
	suitePart
	ratingsPart
	parts
)

// ReadRun reads a run's folder. The error is that of a folder that is no run, or whose game is not known.
func ReadRun(dir string) (*Run, error) {
	path := func(name string) string { return filepath.Join(dir, name) }
	r := &Run{
		Dir: dir, Name: filepath.Base(dir),
		config: checkpoints.FileWatcher{Path: path("config.json")}, ratings: checkpoints.FileWatcher{Path: path("ratings.json")},
		metrics: followLines(path("metrics.jsonl")), matches: followLines(path("arena.jsonl")), suite: followLines(path("suite.jsonl")),
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		r.Name = filepath.Base(absolute)
	}
	if _, err := r.Refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads what the folder has got since it was read last, and reports whether that is anything. Of checkpoints that
// come after the first it reads the names alone. The error is ReadRun's, or that the folder holds another game's run now;
// then r is of no more use.
func (r *Run) Refresh() (changed bool, err error) {
	name := ""
	if r.Game != nil {
		name = r.Game.Name
	}
	if changed, err = r.refreshConfig(&name); err != nil {
		return false, err
	}
	changed = r.refreshWeights() || changed
	if r.Game == nil {
		if name == "" && r.Weights != nil {
			name = r.Weights.Config.Game
		}
		if name == "" {
			return false, fmt.Errorf("%s: neither config.json nor a checkpoint tells the game: %s",
				r.Dir, strings.Join(r.warned[configPart], "; "))
		}
		if r.Game, err = games.New(name); err != nil {
			return false, fmt.Errorf("%s: %w", r.Dir, err)
		}
	}
	changed = refreshLines(r, &r.metrics, metricsPart, r.forgetGenerations, r.addGeneration) || changed
	changed = refreshLines(r, &r.matches, matchesPart, func() { r.Matches = nil },
		func(m *rundir.MatchResult) { r.Matches = append(r.Matches, *m) }) || changed
	changed = refreshLines(r, &r.suite, suitePart, func() { r.Suite = nil },
		func(c *rundir.SuiteResult) { r.Suite = append(r.Suite, *c) }) || changed
	changed = r.refreshRatings() || changed
	r.Warnings = slices.Concat(r.warned[:]...)
	return changed, nil
}

// warn notes what is wrong with a part of the folder, in place of what was noted of it before.
func (r *Run) warn(part int, errs ...error) {
	r.warned[part] = nil
	for _, err := range errs {
		if err != nil {
			r.warned[part] = append(r.warned[part], err.Error())
		}
	}
}

// refreshConfig reads config.json, and the game's name if it gets that far.
func (r *Run) refreshConfig(game *string) (changed bool, err error) {
	changed, err = r.config.Changed()
	if errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%s: %w: it has no config.json", r.Dir, rundir.ErrNoRun)
	}
	if !changed {
		return false, err
	}
	data, err := os.ReadFile(r.config.Path)
	config := new(rundir.Config)
	if err == nil {
		err = json.Unmarshal(data, config)
	}
	if *game != "" && config.Game != *game && err == nil {
		return false, fmt.Errorf("%s: the run was of %s, and is of %s now", r.config.Path, *game, config.Game)
	}
	*game = cmp.Or(config.Game, *game)
	r.Config = config
	if err != nil {
		r.Config, err = nil, fmt.Errorf("%s cannot be read: %w", r.config.Path, err)
	}
	r.warn(configPart, err)
	return true, nil
}

// refreshWeights reads the newest whole checkpoint, or, where one was read, notes which is the newest.
func (r *Run) refreshWeights() (changed bool) {
	store, err := checkpoints.Open(filepath.Join(r.Dir, "checkpoints"))
	if err != nil {
		r.warn(weightsPart, err)
		return false
	}
	newest := -1
	if ids, err := store.List(); err == nil && len(ids) > 0 {
		newest = ids[len(ids)-1]
	}
	if r.looked && newest == r.newestKept {
		return false
	}
	known := r.looked && r.Weights != nil
	r.looked, r.newestKept = true, newest
	if known {
		r.Origin.Generation = newest
		return true
	}
	weights, origin, err := rundir.LoadWeights(agent.Reference{Path: r.Dir})
	r.Weights, r.Origin = weights, origin
	var errs []error
	for _, damaged := range origin.Damaged {
		errs = append(errs, fmt.Errorf("%w; passed over", damaged))
	}
	r.warn(weightsPart, append(errs, err)...)
	return true
}

// refreshRatings reads ratings.json, if there is one.
func (r *Run) refreshRatings() (changed bool) {
	changed, err := r.ratings.Changed()
	if errors.Is(err, fs.ErrNotExist) {
		changed = r.Ratings != nil
		r.Ratings = nil
		r.warn(ratingsPart)
		return changed
	}
	if err == nil && !changed {
		return false
	}
	if err == nil {
		r.Ratings, err = rundir.ReadRatings(r.Dir)
	}
	r.warn(ratingsPart, err)
	return true
}

// lines is a file of JSON lines that grows.
type lines struct {
	*checkpoints.LineFollower
	path           string
	count, damaged int
	first          error // what is wrong with the first damaged one
}

func followLines(path string) lines {
	return lines{LineFollower: checkpoints.FollowLines(path), path: path}
}

// fault tells of the damaged lines, if there are any.
func (l *lines) fault() error {
	if l.damaged == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d of %d lines cannot be read and are left out; the first: %w", l.path, l.damaged, l.count, l.first)
}

// refreshLines adds the lines that a file has got, and forgets those before where it is another file. Damaged ones are
// told and left out.
func refreshLines[T any](r *Run, l *lines, part int, forget func(), add func(*T)) (changed bool) {
	for {
		more, afresh, err := l.Poll()
		if afresh {
			l.count, l.damaged, l.first = 0, 0, nil
			forget()
		}
		for _, line := range more {
			l.count++
			x := new(T)
			if err := json.Unmarshal(line, x); err == nil {
				add(x)
			} else if l.damaged++; l.damaged == 1 {
				l.first = fmt.Errorf("line %d: %w", l.count, err)
			}
		}
		changed = changed || afresh || len(more) > 0
		if err != nil || len(more) == 0 {
			r.warn(part, err, l.fault())
			return changed
		}
	}
}

func (r *Run) forgetGenerations() { r.Generations = nil }

// addGeneration adds a line of metrics.jsonl and the seconds before it. It drops generations that the line tells again, or
// goes back over, and a line of none. Of lists by ply the newest alone are kept.
func (r *Run) addGeneration(g *Generation) {
	if g.Generation < 1 {
		return
	}
	for len(r.Generations) > 0 && r.newest().Generation >= g.Generation {
		r.Generations = r.Generations[:len(r.Generations)-1]
	}
	if g.Seconds = g.PlaySeconds + g.LearnSeconds; len(r.Generations) > 0 {
		g.Seconds += r.newest().Seconds
	}
	for i := len(r.Generations) - 1; i >= 0 && g.Games > 0; i-- {
		if before := &r.Generations[i]; before.Games > 0 {
			before.Distinct, before.Entropy = nil, nil
			break
		}
	}
	r.Generations = append(r.Generations, *g)
}

// Trained is how far the run was at the end of a generation: games finished, and seconds of playing and learning.
func (r *Run) Trained(generation int) (games int, seconds float64) {
	after := sort.Search(len(r.Generations), func(i int) bool { return r.Generations[i].Generation > generation })
	if after == 0 {
		return 0, 0
	}
	g := &r.Generations[after-1]
	return g.TotalGames, g.Seconds
}

// newest is the last generation told of, nil before one is.
func (r *Run) newest() *Generation {
	if len(r.Generations) == 0 {
		return nil
	}
	return &r.Generations[len(r.Generations)-1]
}
