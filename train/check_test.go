package train

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// smallSuite makes a suite of the game that tiny runs learn.
func smallSuite(t *testing.T) *suite.Suite {
	t.Helper()
	game := tiny(t, "", 1).Game
	random, err := rundir.ParseAgent(game, "random")
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Make(t.Context(), suite.Options{
		Game: game, Positions: 40, Seed: 1, Agents: []*agent.Factory{random}, Nodes: 5_000, PerGame: 2, Threads: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheck checks a run's checkpoints in solved positions: each once, always in the same ones, without and with search.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	mustTrain(t, tiny(t, dir, 6))
	checked, _, err := rundir.SuiteFile.Read(dir)
	if err != nil || len(checked) > 0 {
		t.Fatalf("a game without a suite was checked: %+v, %v", checked, err)
	}
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	var told []rundir.SuiteResult
	r := &run{config: config, suite: smallSuite(t), Options: Options{
		Dir: dir, Game: tiny(t, "", 1).Game, Threads: 2,
		Observe: func(e Event) {
			if e.Checked != nil {
				told = append(told, *e.Checked)
			}
		},
	}}
	defer r.closeCurves()
	for _, at := range []counters{{Generation: 3, Positions: 40 * checkedEvery}, {Generation: 6, Positions: 60 * checkedEvery}} {
		r.count = at
		for range 2 {
			if err := r.check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	checked, _, err = rundir.SuiteFile.Read(dir)
	if err != nil || len(checked) != 4 || !reflect.DeepEqual(checked, told) {
		t.Fatalf("checked %+v, told %+v, %v", checked, told, err)
	}
	for i, c := range checked {
		kind, generation := []string{"policy", "net"}[i%2], 3+i/2*3
		if c.Agent != kind || c.Generation != generation || c.Positions != 40 {
			t.Errorf("check %d is %+v, want one of %s at generation %d in 40 positions", i, c, kind, generation)
		}
		spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(dir, generation)}
		factory := agent.NewFactory(r.Game, spec, rundir.LoadWeights)
		report, err := r.suite.Check(t.Context(), factory, suite.CheckOptions{Threads: 1, Positions: 40, Seed: config.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if c.Error != report.Error.Value || c.Low != report.Error.Low || c.Loss != report.Loss.Value || c.LossHigh != report.Loss.High {
			t.Errorf("check %+v, the suite says %+v", c, report.Row)
		}
	}
	r.count.Generation = 5
	if err := r.dropNewer(); err != nil {
		t.Fatal(err)
	}
	if kept, _, err := rundir.SuiteFile.Read(dir); err != nil || !reflect.DeepEqual(kept, checked[:2]) {
		t.Errorf("gone back to generation 5, %s has %+v, %v", filepath.Join(dir, "suite.jsonl"), kept, err)
	}
}

// TestRunIsChecked: a run of a game with a suite is checked wherever it is judged, once, though it stops between the two
// agents; TensorBoard has the curves; and checks change neither games nor weights.
func TestRunIsChecked(t *testing.T) {
	const generations = 3
	options := func(dir string) Options {
		o := tiny(t, dir, generations)
		o.Game = newGame(t, "quad-5x5")
		return o
	}
	never, dir := t.TempDir(), t.TempDir()
	o := options(never)
	o.Settings["rating_share"] = 0
	mustTrain(t, o)
	if _, err := os.Stat(filepath.Join(never, "suite.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not judged was checked: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o = options(dir)
	o.Observe = func(e Event) {
		if e.Checked != nil && e.Checked.Generation == 2 {
			cancel()
		}
	}
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	mustTrain(t, options(dir))
	sameRun(t, never, dir, generations)

	checked, _, err := rundir.SuiteFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	curves, _ := readCurves(t, dir)
	var got []string
	for _, c := range checked {
		got = append(got, fmt.Sprintf("%s@%d", c.Agent, c.Generation))
		if c.Positions != leastChecked {
			t.Errorf("%+v: want %d positions", c, leastChecked)
		}
		for _, p := range suiteScalars(&c) {
			if y, ok := curves[p.Tag][c.Generation]; !ok || y != float32(p.Value) {
				t.Errorf("%s at %d is %v (%v), want %v", p.Tag, c.Generation, y, ok, p.Value)
			}
		}
	}
	if want := []string{"policy@1", "net@1", "policy@2", "net@2", "policy@3", "net@3"}; !slices.Equal(got, want) {
		t.Errorf("checked %v, want %v", got, want)
	}
}
