package train_test

import (
	"maps"
	"testing"

	"ludus/env/games"
	"ludus/model/infer/kernel"
	"ludus/train"
	"ludus/train/doctor"
)

// A trial is a small run, healthy or with a setting that keeps it from learning.
type trial struct {
	name        string
	game        string
	generations int
	settings    settings
	want        string // cause of the first finding; "": no finding
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
		{"healthy breakthrough", tiny, 32, nil, ""},
		{"healthy long breakthrough", long, 24, nil, ""},
		{"healthy hex", hex, 32, nil, ""},
		{"healthy quad", quad, 32, nil, ""},
		{"healthy tic-tac-toe", noughts, 64, settings{"samples_per_position": 20}, ""},
		{"healthy with unusual settings", tiny, 32, settings{
			"learning_rate": 0.01, "weight_decay": 1, "value_mix": 1, "exploration_plies": 0, "replay_window": 100, "simulations": 40,
		}, ""},

		{"learning rate x100", tiny, 32, settings{"learning_rate": 0.3}, "learning rate too high"},
		{"learning rate /100", tiny, 32, settings{"learning_rate": 3e-5}, "learning rate too low"},
		{"two simulations", hex, 32, settings{"simulations": 2}, "too few simulations"},
		{"values ignored", small, 32, settings{"value_scale": 0.01, "solver_nodes": 0}, "search ignores values"},
		{"overtraining", small, 8, settings{"samples_per_position": 60}, "overtraining"},
		{"too little training", tiny, 32, settings{"samples_per_position": 0.1}, "too little training"},
		{"network too small", wide, 40, settings{"channels": 4}, "network too small"},
		{"batch too large", tiny, 12, settings{"batch_size": 4096}, "no training step"},
	}
}

// base are the settings of all trials; a trial changes some.
var base = settings{
	"parallel_games": 32, "plies_per_generation": 6, "simulations": 12, "channels": 16, "blocks": 1, "batch_size": 32,
	"samples_per_position": 6, "replay_window": 4000, "rating_share": 0,
}

// TestDoctor trains healthy runs, which must have no finding, and others with one bad setting, which must be the most
// likely cause.
func TestDoctor(t *testing.T) {
	if testing.Short() || kernel.InstructionSet() == "Go" {
		t.Skip("it trains 14 runs, which is slow in plain Go")
	}
	const seed = 13 // thresholds were chosen with seeds 1 to 4
	for _, c := range trials() {
		t.Run(c.name, func(t *testing.T) {
			d := c.diagnose(t, seed)
			for _, f := range d.Findings {
				t.Logf("%s: %s %s", f.Cause, f.Evidence, f.Fix)
			}
			switch {
			case c.want == "" && len(d.Findings) > 0:
				t.Errorf("a healthy run has the finding %q", d.Findings[0].Cause)
			case c.want != "" && (len(d.Findings) == 0 || d.Findings[0].Cause != c.want):
				t.Errorf("the cause is not %q", c.want)
			}
		})
	}
}

// diagnose trains the trial's run and diagnoses it.
func (t *trial) diagnose(test *testing.T, seed uint64) *doctor.Diagnosis {
	test.Helper()
	game, err := games.New(t.game)
	if err != nil {
		test.Fatal(err)
	}
	o := train.Options{Dir: test.TempDir(), Game: game, Seed: &seed, Generations: t.generations, Threads: 1, Settings: maps.Clone(base)}
	maps.Copy(o.Settings, t.settings)
	if _, err := train.Train(test.Context(), o); err != nil {
		test.Fatal(err)
	}
	d, err := doctor.Diagnose(o.Dir)
	if err != nil {
		test.Fatal(err)
	}
	return d
}
