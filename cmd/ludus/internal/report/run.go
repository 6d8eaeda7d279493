package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/arena"
	"ludus/train/ratings"
)

// Run is what a run's folder holds for people.
type Run struct {
	Dir     string
	Name    string // the folder's own name
	Game    *env.Game
	Config  *train.Config // nil where config.json cannot be read
	Weights *infer.Weights
	Origin  arena.Origin // of Weights, which are nil where no checkpoint can be read

	Generations []Generation // ascending
	Matches     []train.Judged
	Ratings     *ratings.Table // nil where there are none
	Suite       []train.Checked

	Warnings []string // what could not be read
}

// Generation is a line of metrics.jsonl.
type Generation struct {
	train.Metrics
	Seconds float64 `json:"-"` // of playing and learning since the run began
}

// ReadRun reads a run's folder. The error is that of a folder that is no run, or whose game is not known.
func ReadRun(dir string) (*Run, error) {
	r := &Run{Dir: dir, Name: filepath.Base(dir)}
	if absolute, err := filepath.Abs(dir); err == nil {
		r.Name = filepath.Base(absolute)
	}
	name, err := r.readConfig()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w: it has no config.json", dir, train.ErrNoRun)
	}
	if err != nil {
		r.warn(err)
	}
	r.readWeights()
	if name == "" && r.Weights != nil {
		name = r.Weights.Config.Game
	}
	if name == "" {
		return nil, fmt.Errorf("%s: neither config.json nor a checkpoint tells the game: %w", dir, err)
	}
	if r.Game, err = games.New(name); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r.Generations = ascending(readLines[Generation](r, "metrics.jsonl"))
	r.Matches = readLines[train.Judged](r, "arena.jsonl")
	r.Suite = readLines[train.Checked](r, "suite.jsonl")
	r.readRatings()
	return r, nil
}

func (r *Run) warn(err error) { r.Warnings = append(r.Warnings, err.Error()) }

// readConfig reads config.json and returns the game's name, if it gets that far.
func (r *Run) readConfig() (game string, err error) {
	path := filepath.Join(r.Dir, "config.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	config := new(train.Config)
	if err := json.Unmarshal(data, config); err != nil {
		return config.Game, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	r.Config = config
	return config.Game, nil
}

// readWeights reads the newest whole checkpoint.
func (r *Run) readWeights() {
	weights, origin, err := arena.ReadWeights(r.Dir)
	r.Origin = origin
	for _, damaged := range origin.Damaged {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%v; passed over", damaged))
	}
	if err != nil {
		r.warn(err)
		return
	}
	r.Weights = weights
}

func (r *Run) readRatings() {
	table, err := ratings.ReadTable(r.Dir)
	if err == nil {
		r.Ratings = table
	} else if !errors.Is(err, fs.ErrNotExist) {
		r.warn(err)
	}
}

// readLines reads a file of JSON lines in the run's folder. A missing one has none; damaged lines are told and left out.
func readLines[T any](r *Run, name string) []T {
	path := filepath.Join(r.Dir, name)
	lines, err := checkpoints.ReadLines(path)
	if err != nil {
		r.warn(err)
	}
	var list []T
	damaged, first := 0, error(nil)
	for i, line := range lines {
		var x T
		if err := json.Unmarshal(line, &x); err != nil {
			if damaged++; damaged == 1 {
				first = fmt.Errorf("line %d: %w", i+1, err)
			}
			continue
		}
		list = append(list, x)
	}
	if damaged > 0 {
		r.warn(fmt.Errorf("%s: %d of %d lines cannot be read and are left out; the first: %w", path, damaged, len(lines), first))
	}
	return list
}

// ascending drops generations that a later line tells again, or that go back, and lines of none, and adds up the
// seconds.
func ascending(lines []Generation) []Generation {
	var list []Generation
	for _, g := range lines {
		if g.Generation < 1 {
			continue
		}
		for len(list) > 0 && list[len(list)-1].Generation >= g.Generation {
			list = list[:len(list)-1]
		}
		if g.Seconds = g.PlaySeconds + g.LearnSeconds; len(list) > 0 {
			g.Seconds += list[len(list)-1].Seconds
		}
		list = append(list, g)
	}
	return list
}

// Trained is how far the run was at the end of a generation: games finished, and seconds of playing and learning.
func (r *Run) Trained(generation int) (games int, seconds float64) {
	after := sort.Search(len(r.Generations), func(i int) bool { return r.Generations[i].Generation > generation })
	if after == 0 {
		return 0, 0
	}
	g := &r.Generations[after-1]
	return g.AllGames, g.Seconds
}

// newest is the last generation told of, nil before one is.
func (r *Run) newest() *Generation {
	if len(r.Generations) == 0 {
		return nil
	}
	return &r.Generations[len(r.Generations)-1]
}
