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

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/plan"
	"ludus/train/rundir"
	"ludus/train/suite"
)

// smallSuite makes a suite of the game that tiny runs learn.
func smallSuite(t *testing.T) *suite.Suite {
	t.Helper()
	game := tiny(t, "", 1).Game
	random, err := agent.ParseFactory(game, "random", rundir.LoadWeights)
	if err != nil {
		t.Fatal(err)
	}
	s, err := suite.Make(t.Context(), suite.Options{
		Game: game, Positions: 40, Seed: 1, Agents: []*agent.Factory{random}, Nodes: 5_000, PerGame: 2, Memory: 1, Threads: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSuite tests a run's checkpoints on a suite: each once, always in the same positions, without and with search.
func TestSuite(t *testing.T) {
	dir := trained(t, 5)
	results, _, err := rundir.SuiteFile.Read(dir)
	if err != nil || len(results) > 0 {
		t.Fatalf("a game without a suite was tested: %+v, %v", results, err)
	}
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	var notified []rundir.SuiteResult
	o := tiny(t, dir, 1)
	o.Observe = func(e Event) {
		if e.Suite != nil {
			notified = append(notified, *e.Suite)
		}
	}
	s := &state{Options: o, config: config, games: []*env.Game{o.Game}, clock: plan.Start()}
	tester := &meter{state: s, suite: smallSuite(t)}
	for _, count := range []counters{
		{Generation: 1, Positions: (suite.MinPositions - 1) * searchedPerTested}, // too few for a test
		{Generation: 3, Positions: suite.MinPositions * searchedPerTested},
		{Generation: 5, Positions: 2 * suite.MinPositions * searchedPerTested},
	} {
		s.count = count
		for range 2 {
			if err := tester.testOnSuite(t.Context(), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	results, _, err = rundir.SuiteFile.Read(dir)
	if err != nil || len(results) != 4 || !reflect.DeepEqual(results, notified) {
		t.Fatalf("results %+v, notified %+v, %v", results, notified, err)
	}
	for i, c := range results {
		kind, generation := []string{"policy", "net"}[i%2], 3+i/2*2
		if c.Agent != kind || c.Generation != generation || c.Positions != 40 {
			t.Errorf("result %d is %+v, want one of %s at generation %d in 40 positions", i, c, kind, generation)
		}
		spec := agent.Spec{Kind: agent.Kind(kind), Network: agent.CheckpointOf(dir, generation)}
		factory := agent.NewFactory(o.Game, spec, rundir.LoadWeights)
		report, err := tester.suite.Test(t.Context(), factory, suite.TestOptions{Threads: 1, Positions: 40, Seed: config.Seed})
		if err != nil {
			t.Fatal(err)
		}
		if c.Error != report.Error.Value || c.Low != report.Error.Low || c.Loss != report.Loss.Value || c.LossHigh != report.Loss.High {
			t.Errorf("result %+v, the suite says %+v", c, report)
		}
	}
	if err := rundir.DropAfter(dir, 4); err != nil {
		t.Fatal(err)
	}
	if kept, _, err := rundir.SuiteFile.Read(dir); err != nil || !reflect.DeepEqual(kept, results[:2]) {
		t.Errorf("gone back to generation 4, %s has %+v, %v", filepath.Join(dir, "suite.jsonl"), kept, err)
	}
}

// A run whose board has no suite is tested on that of its largest smaller board that has one.
func TestSmallerSuite(t *testing.T) {
	o := tiny(t, t.TempDir(), 1)
	o.Game = games.Must("hex(size=9)")
	sizes, err := rundir.SizesOf(5, 7, 9)
	if err != nil {
		t.Fatal(err)
	}
	o.Settings["sizes"] = float64(sizes)
	summary := mustTrain(t, o)
	s := &state{Options: o, config: &summary.Config, clock: plan.Start()}
	s.Observe, s.count = func(Event) {}, committed(t, o.Dir)
	if s.games, err = sizes.Games(o.Game); err != nil {
		t.Fatal(err)
	}
	if err := (&meter{state: s}).testOnSuite(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	results, _, err := rundir.SuiteFile.Read(o.Dir)
	if err != nil || len(results) != 2 {
		t.Fatalf("%+v, %v; want two tests at the run's end", results, err)
	}
	for _, r := range results {
		if r.Game != "hex-7x7" || r.Positions < suite.MinPositions {
			t.Errorf("%+v; want one of hex-7x7", r)
		}
	}
	if got := rundir.TestedGame(results, o.Game); got != "hex-7x7" {
		t.Error(got)
	}
}

// TestRunIsTested: a run of a game with a suite is tested once whenever it is rated, though it stops between the two
// agents; and tests change neither games nor weights.
func TestRunIsTested(t *testing.T) {
	defer func(before int) { searchedPerTested = before }(searchedPerTested)
	searchedPerTested = 1
	const generations, positions = 3, 40 * 3
	options := func(dir string) Options {
		o := measured(t, dir, generations)
		o.Game = games.Must("quad-5x5")
		o.Settings["parallel_games"] = 40
		return o
	}
	never, dir := t.TempDir(), t.TempDir()
	o := options(never)
	o.Settings["rating_share"] = 0
	mustTrain(t, o)
	if _, err := os.Stat(filepath.Join(never, "suite.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not rated was tested: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o = options(dir)
	o.Observe = func(e Event) {
		if e.Suite != nil && e.Suite.Generation == 2 {
			cancel()
		}
	}
	if _, err := Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	mustTrain(t, options(dir))
	sameRun(t, never, dir, generations)

	results, _, err := rundir.SuiteFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range results {
		got = append(got, fmt.Sprintf("%s@%d", c.Agent, c.Generation))
		if c.Positions != positions {
			t.Errorf("%+v: want %d positions", c, positions)
		}
	}
	if want := []string{"policy@1", "net@1", "policy@2", "net@2", "policy@3", "net@3"}; !slices.Equal(got, want) {
		t.Errorf("tested %v, want %v", got, want)
	}
}
