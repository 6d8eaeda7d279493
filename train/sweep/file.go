package sweep

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"ludus/checkpoints"
	"ludus/train/stats"
	"ludus/train/suite"
)

// Names in a sweep directory.
const (
	File     = "sweep.json"
	lockFile = "sweep.lock"
)

// fileVersion is the format version of sweep.json.
const fileVersion = 2

// ErrConflict means that the sweep directory holds another sweep, which cannot be continued.
var ErrConflict = errors.New("the directory holds another sweep")

// Run is a finished run with its test results.
type Run struct {
	Seed        uint64  `json:"seed"`
	Dir         string  `json:"dir"` // name of its directory in the sweep directory
	Generations int     `json:"generations"`
	CPUSeconds  float64 `json:"cpu_seconds"`
	Results[stats.Estimate]
}

// Results holds one value for each test: an estimate for a run, a measure for an arm. It is nil if the test was not asked
// for.
type Results[T any] struct {
	Policy *T `json:"policy,omitempty"` // share of moves by the network without search that lose value
	Search *T `json:"search,omitempty"` // share of moves with the default search that lose value
	// The same shares in positions that are left out of training: see [suite.KeptOut].
	PolicyKeptOut *T `json:"policy_kept_out,omitempty"`
	SearchKeptOut *T `json:"search_kept_out,omitempty"`
	Score         *T `json:"score,omitempty"` // score of the network with search in a match, 0 to 1
}

// Fields returns pointers to the fields, in their order.
func (r *Results[T]) Fields() []**T {
	return []**T{&r.Policy, &r.Search, &r.PolicyKeptOut, &r.SearchKeptOut, &r.Score}
}

// file is the content of sweep.json.
type file struct {
	Version     int       `json:"version"`
	Game        string    `json:"game"`
	Generations int       `json:"generations,omitempty"` // planned generations of each run
	CPUSeconds  float64   `json:"cpu_seconds,omitempty"` // CPU time limit of each run, instead of Generations
	Tests       tests     `json:"tests"`
	Arms        []fileArm `json:"arms"`
}

// tests configure the tests of runs. After a change, the results of earlier tests are void.
type tests struct {
	Suite     string `json:"suite,omitempty"` // SHA-256 of the suite
	Positions int    `json:"positions,omitempty"`
	KeptOut   int    `json:"kept_out,omitempty"` // number of the suite's positions that arms leave out of training; 0: none, or too few to test
	Opponent  string `json:"opponent,omitempty"`
	Games     int    `json:"games,omitempty"`
}

// fileArm is an arm with its finished runs.
type fileArm struct {
	Arm
	Runs []Run `json:"runs"`
}

// openFile reads or creates sweep.json and merges the options' arms and tests into it.
func openFile(o *Options) (*file, error) {
	want := newFile(o)
	path := filepath.Join(o.Dir, File)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return want, nil
	}
	if err != nil {
		return nil, err
	}
	have := new(file)
	if err := json.Unmarshal(data, have); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, checkpoints.ErrDamaged, err)
	}
	if have.Version != fileVersion {
		return nil, fmt.Errorf("%s: format version %d, this program reads %d: %w; choose another directory",
			path, have.Version, fileVersion, checkpoints.ErrVersion)
	}
	if err := have.conflict(want); err != nil {
		return nil, fmt.Errorf("%s: %w: %w; choose another directory", o.Dir, ErrConflict, err)
	}
	a, b := &have.Tests, &want.Tests
	otherSuite := a.Suite != b.Suite || a.Positions != b.Positions
	for i := range have.Arms {
		want.Arms[i].Runs = have.Arms[i].Runs
		for r := range want.Arms[i].Runs {
			run := &want.Arms[i].Runs[r]
			if otherSuite {
				run.Policy, run.Search = nil, nil
			}
			if otherSuite || a.KeptOut != b.KeptOut {
				run.PolicyKeptOut, run.SearchKeptOut = nil, nil
			}
			if a.Opponent != b.Opponent || a.Games != b.Games {
				run.Score = nil
			}
		}
	}
	return want, nil
}

// keepOut reports whether an arm leaves positions out of training.
func (o *Options) keepOut() bool {
	return slices.ContainsFunc(o.Arms, func(a Arm) bool { return a.Settings["keep_out"] > 0 })
}

// newFile returns the sweep.json of a new sweep.
func newFile(o *Options) *file {
	f := &file{
		Version: fileVersion, Game: o.Game.Name, Generations: o.Generations, CPUSeconds: o.CPU.Seconds(),
	}
	if o.Suite != nil {
		f.Tests.Suite = fmt.Sprintf("%x", sha256.Sum256(o.Suite.Pack()))
		f.Tests.Positions = o.Positions
		if n := len(o.Suite.KeptOutPositions().Positions); n >= suite.MinPositions && o.keepOut() {
			f.Tests.KeptOut = n
		}
	}
	if o.Opponent != nil {
		f.Tests.Opponent, f.Tests.Games = o.Opponent.String(), o.Games
	}
	for _, arm := range o.Arms {
		f.Arms = append(f.Arms, fileArm{Arm: arm, Runs: []Run{}})
	}
	return f
}

// conflict returns an error if the sweep want cannot continue f. It may only add arms, seeds and tests.
func (f *file) conflict(want *file) error {
	switch {
	case f.Game != want.Game:
		return fmt.Errorf("it is of %s", f.Game)
	case f.Generations != want.Generations || f.CPUSeconds != want.CPUSeconds:
		if f.Generations > 0 {
			return fmt.Errorf("its runs have %d generations", f.Generations)
		}
		return fmt.Errorf("its runs use %v s of CPU time", f.CPUSeconds)
	case len(f.Arms) > len(want.Arms):
		return fmt.Errorf("it also has the arm %s", f.Arms[len(want.Arms)].Name)
	}
	for i := range f.Arms {
		if a, b := &f.Arms[i].Arm, &want.Arms[i].Arm; a.Name != b.Name || !maps.Equal(a.Settings, b.Settings) {
			return fmt.Errorf("its arm %d is %s with the settings %v", i+1, a.Name, a.Assignments())
		}
	}
	return nil
}

// write replaces sweep.json atomically.
func (f *file) write(dir string) error {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return checkpoints.WriteFile(filepath.Join(dir, File), append(data, '\n'))
}

// run returns the finished run of an arm with a seed; nil if there is none.
func (f *fileArm) run(seed uint64) *Run {
	for i := range f.Runs {
		if f.Runs[i].Seed == seed {
			return &f.Runs[i]
		}
	}
	return nil
}
