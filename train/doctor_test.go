package train_test

import (
	"maps"
	"slices"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/kernel"
	"ludus/train"
	"ludus/train/doctor"
	"ludus/train/record"
)

// A trial is a small run, healthy or broken on purpose.
type trial struct {
	name        string
	game        string
	generations int
	settings    settings
	fault       func(o *train.Options) // breaks the training; nil: none
	want        string                 // cause of the first finding; "": no finding
}

type settings = map[string]float64

// Games of the trials, small enough to be learned in a second or two.
const (
	tiny    = "breakthrough(columns=3,rows=5)"
	small   = "breakthrough(columns=4,rows=5)"
	long    = "breakthrough(columns=5,rows=6)"
	hex     = "hex(size=4)"
	quad    = "quad(size=4,quads=3,whites=1)"
	wide    = "quad(size=5,quads=4,whites=2)"
	noughts = "tic-tac-toe"
)

func trials() []trial {
	return []trial{
		{"healthy breakthrough", tiny, 32, nil, nil, ""},
		{"healthy larger breakthrough", small, 32, nil, nil, ""},
		{"healthy long breakthrough", long, 24, nil, nil, ""},
		{"healthy hex", hex, 32, nil, nil, ""},
		{"healthy quad", quad, 32, nil, nil, ""},
		{"healthy tic-tac-toe", noughts, 64, settings{"samples_per_position": 20}, nil, ""},
		{"healthy with unusual settings", tiny, 32, settings{
			"learning_rate": 0.01, "weight_decay": 1, "value_mix": 1, "exploration_plies": 0, "replay_window": 100, "simulations": 40,
		}, nil, ""},

		{"learning rate x100", tiny, 32, settings{"learning_rate": 0.3}, nil, "learning rate too high"},
		{"learning rate /100", tiny, 32, settings{"learning_rate": 3e-5}, nil, "learning rate too low"},
		{"mask ignored", tiny, 32, nil, train.IgnoreMask, "illegal moves in the policy loss"},
		{"outcome sign flipped", tiny, 32, nil, train.FlipSign, "outcomes have the wrong sign"},
		{"wrong frame", tiny, 32, nil, train.WrongFrame, "training and play use different frames"},
		{"blank input", tiny, 32, nil, train.BlankInput, "the network does not see the position"},
		{"outcomes of other positions", tiny, 32, nil, train.ForeignOutcome, "values learn nothing"},
		{"identical games", tiny, 32, nil, repeatGames, "identical games"},
		{"no exploration", tiny, 32, settings{"exploration_plies": 0}, repeatGames, "no exploration"},
		{"two simulations", hex, 32, settings{"simulations": 2}, nil, "too few simulations"},
		{"values ignored", small, 32, settings{"value_scale": 0.01, "solver_nodes": 0}, nil, "search ignores values"},
		{"overtraining", small, 10, settings{"samples_per_position": 100}, nil, "overtraining"},
		{"too little training", tiny, 32, settings{"samples_per_position": 0.1}, nil, "too little training"},
		{"network too small", wide, 40, settings{"channels": 4}, nil, "network too small"},
		{"batch too large", tiny, 12, settings{"batch_size": 4096}, nil, "no training step"},
		{"tiny window", long, 24, settings{"replay_window": 100}, nil, "replay window too small"},
	}
}

// base are the settings of all trials; a trial changes some.
var base = settings{
	"parallel_games": 32, "plies_per_generation": 6, "simulations": 12, "channels": 16, "blocks": 1, "batch_size": 32,
	"samples_per_position": 6, "replay_window": 4000, "rating_share": 0,
}

// TestDoctor trains runs that are broken on purpose, by settings or by faults in the code, and healthy ones. The most
// likely cause that doctor names must be the right one, and healthy runs must have no finding.
func TestDoctor(t *testing.T) {
	if testing.Short() || kernel.InstructionSet() == "Go" {
		t.Skip("it trains 23 runs, which is slow in plain Go")
	}
	const seed = 13 // thresholds were chosen with seeds 1 to 5 and 12
	for _, c := range trials() {
		t.Run(c.name, func(t *testing.T) {
			d := doctor.Diagnose(c.train(t, seed))
			for _, f := range d.Findings {
				t.Logf("%s: %s %s", f.Cause, f.Evidence, f.Fix)
			}
			switch {
			case c.want == "" && len(d.Findings) > 0:
				t.Errorf("a healthy run has the finding %q", d.Findings[0].Cause)
			case c.want != "" && (len(d.Findings) == 0 || d.Findings[0].Cause != c.want):
				t.Errorf("the cause is not %q; evidence: %+v, %+v", c.want, d.Newest, d.Games)
			}
		})
	}
}

// repeatGames makes all games that end in a generation copies of its first, in the file, as if all drew the same numbers.
func repeatGames(o *train.Options) {
	o.Observe = func(e train.Event) {
		if e.Metrics == nil || e.Metrics.Games == 0 {
			return
		}
		games, first, err := record.Read(o.Game, o.Dir, e.Metrics.Generation)
		if err == nil {
			err = record.Write(o.Dir, e.Metrics.Generation, first, slices.Repeat(games[:1], len(games)))
		}
		if err != nil {
			panic(err)
		}
	}
}

// train trains the trial's run and reads it.
func (t *trial) train(test *testing.T, seed uint64) *doctor.Run {
	test.Helper()
	game, err := games.New(t.game)
	if err != nil {
		test.Fatal(err)
	}
	o := train.Options{Dir: test.TempDir(), Game: game, Seed: &seed, Generations: t.generations, Threads: 1, Settings: maps.Clone(base)}
	maps.Copy(o.Settings, t.settings)
	if t.fault != nil {
		t.fault(&o)
	}
	if _, err := train.Train(test.Context(), o); err != nil {
		test.Fatal(err)
	}
	run, err := doctor.Read(test.Context(), o.Dir)
	if err != nil {
		test.Fatal(err)
	}
	return run
}
