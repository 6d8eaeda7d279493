package learn

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

// validatedLearner returns a learner with some random games in its windows, and weights whose outputs differ between
// positions.
func validatedLearner(t *testing.T, game *env.Game) (*Learner, *infer.Weights) {
	t.Helper()
	settings := rundir.DefaultSettings(game)
	settings.BatchSize, settings.ReplayWindow, settings.ValidationShare = 32, 300, 0.3
	config := infer.DefaultConfig(game)
	config.Channels, config.Blocks = 4, 1
	rng := rand.New(rand.NewPCG(1, 1))
	weights := infer.NewWeights(game, config, rng)
	for _, tensor := range weights.Tensors {
		for i := range tensor.Data {
			tensor.Data[i] += float32(rng.NormFloat64()) / 8
		}
	}
	l, err := New([]*env.Game{game}, &settings, 1, weights, 3)
	if err != nil {
		t.Fatal(err)
	}
	var records []*record.Record
	for range 40 {
		records = append(records, recordtest.Random(game, rng))
	}
	l.Add(records, 0, make([]Counts, 1), 1)
	return l, weights
}

func newNetwork(t *testing.T, game *env.Game, weights *infer.Weights) *infer.Network {
	t.Helper()
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// TestPolicyEntropy replays the games of the validation set and evaluates each of their positions.
func TestPolicyEntropy(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		l, weights := validatedLearner(t, game)
		network := newNetwork(t, game, weights)
		evaluator := network.NewEvaluator(1)
		logits, classes := make([]float32, game.NumActions()), make([]float32, len(game.Classes))
		entropy := 0.0
		for _, r := range l.sizes[0].validation.records() {
			state := game.NewState()
			for range r.Positions(state) {
				evaluator.Evaluate([]env.State{state}, logits, classes, nil)
				var ps []float64
				for _, a := range state.Legal(nil) {
					ps = append(ps, math.Exp(float64(logits[game.Frame(state.Player())[a]])))
				}
				floats.Scale(1/floats.Sum(ps), ps)
				entropy += stat.Entropy(ps)
			}
		}
		n := l.sizes[0].validation.positions
		if got, want := l.policyEntropy(l.sizes[0], network, n), entropy/float64(n); math.Abs(got-want) > 1e-5 {
			t.Errorf("%s: entropy %v over %d positions, want %v", name, got, n, want)
		}
	}
}

// TestValidationChangesNothing: a learner that validates learns what another learns, and the entropy does not depend on
// the number of goroutines.
func TestValidationChangesNothing(t *testing.T) {
	game := games.Must("quad-5x5")
	a, weights := validatedLearner(t, game)
	b, _ := validatedLearner(t, game)
	b.parallel = parallel.Runner(1)
	network := newNetwork(t, game, weights)
	for generation := 1; generation <= 3; generation++ {
		if x, y := a.policyEntropy(a.sizes[0], network, 50), b.policyEntropy(b.sizes[0], network, 50); x != y || x == 0 {
			t.Fatalf("entropies %v and %v depend on the goroutines", x, y)
		}
		b.policyEntropy(b.sizes[0], network, 3) // fewer than the parts of a batch
		for _, l := range []*Learner{a, b} {
			if err := l.Train(t.Context(), &rundir.Metrics{Generation: generation}, game, []int{2}, 0.5, func(float64) {}); err != nil {
				t.Fatal(err)
			}
		}
		c, _ := validatedLearner(t, game)
		for g := 1; g <= generation; g++ {
			if err := c.Train(t.Context(), &rundir.Metrics{Generation: g}, game, []int{2}, 0.5, func(float64) {}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.Trainer.AverageWeights().Marshal(), c.Trainer.AverageWeights().Marshal()) ||
			!bytes.Equal(a.Trainer.MarshalState(), b.Trainer.MarshalState()) {
			t.Fatal("validation changes what is learned")
		}
	}
}

func TestMaskedEntropy(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		logits, legal []float32
		want          float64
	}{
		{[]float32{1000, 3, 3, inf}, []float32{0, 1, 1, 0}, math.Log(2)},
		{[]float32{-5, 0}, []float32{1, 0}, 0},
		{[]float32{0, float32(math.Log(3))}, []float32{1, 1}, -(0.25*math.Log(0.25) + 0.75*math.Log(0.75))},
		{[]float32{1e4, -1e4}, []float32{1, 1}, 0},
	} {
		if got := maskedEntropy(c.logits, c.legal); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("entropy of %v where %v is %v, want %v", c.logits, c.legal, got, c.want)
		}
	}
}
