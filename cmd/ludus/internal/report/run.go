package report

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/rundir"
)

// Run is the content of a run directory, for reports and pages. A run in training changes; [Run.Refresh] brings it up to
// date.
type Run struct {
	Dir    string
	Name   string // name of the directory
	Game   *env.Game
	Config *rundir.Config

	Checkpoints []int        // generations of the checkpoints, ascending
	Generations []Generation // ascending
	Matches     []rundir.MatchResult
	Suite       []rundir.SuiteResult
	Ratings     *rundir.Ratings // nil if there are none

	Warnings []string // descriptions of what could not be read

	config, ratings checkpoints.FileWatcher
	metrics         *rundir.Follower[rundir.Metrics]
	matches         *rundir.Follower[rundir.MatchResult]
	suite           *rundir.Follower[rundir.SuiteResult]
	ratingsWarning  error // why ratings.json could not be read
}

// Generation is a line of metrics.jsonl without its lists by ply, which would fill the memory.
type Generation struct {
	rundir.Metrics
	Seconds float64 // seconds of self-play and learning since the run began
}

// ReadRun reads the run directory dir without its lock. Without a readable config.json it returns an error, which wraps
// [rundir.ErrNoRun] if there is none; anything else that cannot be read is described in Warnings.
func ReadRun(dir string) (*Run, error) {
	r := &Run{
		Dir: dir, Name: filepath.Base(dir),
		config:  checkpoints.FileWatcher{Path: filepath.Join(dir, rundir.ConfigFile)},
		ratings: checkpoints.FileWatcher{Path: filepath.Join(dir, rundir.RatingsFile)},
		metrics: rundir.MetricsFile.Follow(dir),
		matches: rundir.MatchesFile.Follow(dir),
		suite:   rundir.SuiteFile.Follow(dir),
	}
	if absolute, err := filepath.Abs(dir); err == nil {
		r.Name = filepath.Base(absolute)
	}
	if _, err := r.Refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads new files and lines of the directory and reports whether there were any. Problems with single files go
// to r.Warnings. An error means that the run cannot be read or is now of another game; r must not be used afterwards.
func (r *Run) Refresh() (changed bool, err error) {
	if changed, err = r.refreshConfig(); err != nil {
		return false, err
	}
	var warnings []error
	note := func(more bool, w ...error) { changed, warnings = changed || more, append(warnings, w...) }
	note(r.refreshCheckpoints())
	more, w := r.metrics.Poll(func() { r.Generations = nil }, r.addGeneration)
	note(more, w...)
	more, w = r.matches.Poll(func() { r.Matches = nil }, func(m *rundir.MatchResult) { r.Matches = append(r.Matches, *m) })
	note(more, w...)
	more, w = r.suite.Poll(func() { r.Suite = nil }, func(s *rundir.SuiteResult) { r.Suite = append(r.Suite, *s) })
	note(more, w...)
	note(r.refreshRatings(), r.ratingsWarning)
	r.Warnings = nil
	for _, warning := range warnings {
		if warning != nil {
			r.Warnings = append(r.Warnings, warning.Error())
		}
	}
	return changed, nil
}

// refreshConfig reads config.json again if it has changed.
func (r *Run) refreshConfig() (changed bool, err error) {
	if changed, err = r.config.Changed(); errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("%s: %w: it has no %s", r.Dir, rundir.ErrNoRun, rundir.ConfigFile)
	}
	if !changed {
		return false, err
	}
	config, err := rundir.ReadConfig(r.Dir)
	if err != nil {
		return false, err
	}
	game, err := games.Restore(config.Game, config.Sheet)
	if err != nil {
		return false, fmt.Errorf("%s: %w", r.config.Path, err)
	}
	if r.Game != nil && r.Game.Name != game.Name {
		return false, fmt.Errorf("%s: the run was of %s and is of %s now", r.config.Path, r.Game.Name, game.Name)
	}
	r.Config = config
	if r.Game == nil {
		r.Game = game
	}
	return true, nil
}

// refreshCheckpoints lists the checkpoints again and reports whether the list has changed.
func (r *Run) refreshCheckpoints() (changed bool, err error) {
	before := r.Checkpoints
	r.Checkpoints, err = rundir.Checkpoints(r.Dir).List()
	return !slices.Equal(before, r.Checkpoints), err
}

// refreshRatings reads ratings.json again if it has changed or is gone.
func (r *Run) refreshRatings() (changed bool) {
	changed, err := r.ratings.Changed()
	if errors.Is(err, fs.ErrNotExist) {
		changed = r.Ratings != nil
		r.Ratings, r.ratingsWarning = nil, nil
		return changed
	}
	if err == nil && !changed {
		return false
	}
	if err == nil {
		r.Ratings, err = rundir.ReadRatings(r.Dir)
	}
	r.ratingsWarning = err
	return true
}

// addGeneration adds a line of metrics.jsonl. Resumed training may repeat generations that are already in the file: the
// new line replaces all generations from its own on.
func (r *Run) addGeneration(m *rundir.Metrics) {
	if m.Generation < 1 {
		return
	}
	for r.Last() != nil && r.Last().Generation >= m.Generation {
		r.Generations = r.Generations[:len(r.Generations)-1]
	}
	g := Generation{Metrics: *m, Seconds: m.PlaySeconds + m.SolveSeconds + m.LearnSeconds}
	if r.Last() != nil {
		g.Seconds += r.Last().Seconds
	}
	r.Generations = append(r.Generations, g)
}

// Trained returns the run's progress at the end of a generation: finished self-play games, and seconds of self-play,
// rescoring and learning.
func (r *Run) Trained(generation int) (games int, seconds float64) {
	after := sort.Search(len(r.Generations), func(i int) bool { return r.Generations[i].Generation > generation })
	if after == 0 {
		return 0, 0
	}
	g := &r.Generations[after-1]
	return g.TotalGames, g.Seconds
}

// Newest returns the generation of the newest checkpoint, 0 if there is none.
func (r *Run) Newest() int {
	if len(r.Checkpoints) == 0 {
		return 0
	}
	return r.Checkpoints[len(r.Checkpoints)-1]
}

// Last returns the last generation, or nil if there is none.
func (r *Run) Last() *Generation {
	if len(r.Generations) == 0 {
		return nil
	}
	return &r.Generations[len(r.Generations)-1]
}
