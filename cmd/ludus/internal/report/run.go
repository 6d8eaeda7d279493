package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"ludus/checkpoints"
	"ludus/env"
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

	config, metrics, matches, suite, ratings watchedFile
}

// watchedFile is a file of a run that is read again when its size or time has changed.
type watchedFile struct {
	path    string
	seen    fs.FileInfo // of the last refresh; nil without a file
	settled bool        // whether it was read without an error of the file system
	warning error       // why it could not be read, or not all of it
}

// refresh reads the file at the first call, if it changed, appeared or disappeared since the last one, and if the system
// failed to read it then. It reports whether it did. read returns a warning.
func (f *watchedFile) refresh(read func() error) bool {
	info, _ := os.Stat(f.path) // nil without a file
	before := f.seen
	f.seen = info
	same := info == nil && before == nil ||
		os.SameFile(info, before) && info.Size() == before.Size() && info.ModTime().Equal(before.ModTime())
	switch {
	case same && f.settled:
		return false
	case info != nil && !info.Mode().IsRegular():
		f.warning = fmt.Errorf("%s: not a regular file", f.path)
	default:
		f.warning = read()
	}
	f.settled = !errors.As(f.warning, new(*fs.PathError))
	return true
}

// Generation is a line of metrics.jsonl.
type Generation struct {
	rundir.Metrics
	Seconds float64 // seconds of self-play and learning since the run began
}

// ReadRun reads the run directory dir without its lock. Without a readable config.json it returns an error, which wraps
// [rundir.ErrNoRun] if there is none; anything else that cannot be read is described in Warnings.
func ReadRun(dir string) (*Run, error) {
	r := &Run{Dir: dir, Name: filepath.Base(dir)}
	r.config.path = filepath.Join(dir, rundir.ConfigFile)
	r.metrics.path = filepath.Join(dir, rundir.MetricsFile.Name)
	r.matches.path = filepath.Join(dir, rundir.MatchesFile.Name)
	r.suite.path = filepath.Join(dir, rundir.SuiteFile.Name)
	r.ratings.path = filepath.Join(dir, rundir.RatingsFile)
	if absolute, err := filepath.Abs(dir); err == nil {
		r.Name = filepath.Base(absolute)
	}
	if _, err := r.Refresh(); err != nil {
		return nil, err
	}
	return r, nil
}

// Refresh reads the files that have changed and reports whether there were any. Problems with single files go to
// r.Warnings. An error means that the run cannot be read or is now of another game; r must not be used afterwards.
func (r *Run) Refresh() (changed bool, err error) {
	changed = r.config.refresh(r.readConfig)
	if r.config.warning != nil {
		return false, r.config.warning
	}
	before := r.Checkpoints
	r.Checkpoints, err = rundir.Checkpoints(r.Dir).List()
	changed = changed || !slices.Equal(before, r.Checkpoints)
	changed = r.metrics.refresh(r.readMetrics) || changed
	changed = r.matches.refresh(r.readMatches) || changed
	changed = r.suite.refresh(r.readSuite) || changed
	changed = r.ratings.refresh(r.readRatings) || changed
	r.Warnings = nil
	for _, warning := range []error{err, r.metrics.warning, r.matches.warning, r.suite.warning, r.ratings.warning} {
		if warning != nil {
			r.Warnings = append(r.Warnings, warning.Error())
		}
	}
	return changed, nil
}

// readConfig reads config.json.
func (r *Run) readConfig() error {
	config, game, err := rundir.Open(r.Dir)
	if errors.Is(err, rundir.ErrNoRun) { // no fs.ErrNotExist, as of a folder that is gone
		err = fmt.Errorf("%s: %w: it has no %s", r.Dir, rundir.ErrNoRun, rundir.ConfigFile)
	}
	if err != nil {
		return err
	}
	if r.Game != nil && r.Game.Name != game.Name {
		return fmt.Errorf("%s: the run was of %s and is of %s now", r.config.path, r.Game.Name, game.Name)
	}
	r.Config = config
	if r.Game == nil {
		r.Game = game
	}
	return nil
}

// readLines reads a file of lines and sets them, unless it cannot be read. It returns a warning if some lines are
// damaged.
func readLines[T any](path string, file rundir.LinesFile[T], set func(lines []T)) error {
	raw, err := checkpoints.ReadLines(path)
	if err != nil {
		return err
	}
	lines, warnings := file.Parse(raw)
	set(lines)
	if len(warnings) > 0 {
		return fmt.Errorf("%s: %d of %d lines cannot be read and are left out; the first: %w", path, len(warnings), len(raw), warnings[0])
	}
	return nil
}

func (r *Run) readMetrics() error {
	return readLines(r.metrics.path, rundir.MetricsFile, func(lines []rundir.Metrics) {
		r.Generations = nil
		for i := range lines {
			r.addGeneration(&lines[i])
		}
	})
}

func (r *Run) readMatches() error {
	return readLines(r.matches.path, rundir.MatchesFile, func(lines []rundir.MatchResult) { r.Matches = lines })
}

func (r *Run) readSuite() error {
	return readLines(r.suite.path, rundir.SuiteFile, func(lines []rundir.SuiteResult) { r.Suite = lines })
}

// readRatings reads ratings.json, if there is one.
func (r *Run) readRatings() (err error) {
	r.Ratings, err = rundir.ReadRatings(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
