package learn

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

// validatedLearner returns a learner with some random games in its windows, whose middle searched position is proven, and
// weights that differ between positions.
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
	trainer, err := NewTrainer(game, &settings, weights, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := newLearner(game, &settings, 1, trainer, parallel.Runner(3))
	var records []*record.Record
	for range 40 {
		r := recordtest.Random(game, rng)
		r.Plies[len(r.Plies)/2].Proven = int8(rng.IntN(len(game.Classes)))
		records = append(records, r)
	}
	l.Add(records, 0, Counts{})
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

// TestPredict replays the games of the validation set and evaluates each of their positions.
func TestPredict(t *testing.T) {
	for _, name := range games.Names() {
		game := recordtest.Game(t, name)
		l, weights := validatedLearner(t, game)
		network := newNetwork(t, game, weights)
		e := l.predict(network, l.validation.positions)

		evaluator := network.NewEvaluator(1)
		logits, classes := make([]float32, game.NumActions()), make([]float32, len(game.Classes))
		entropy, i := 0.0, 0
		for _, r := range l.validation.records() {
			state := game.NewState()
			for _, a := range r.Opening {
				state.Apply(a)
			}
			movers, middle := recordtest.Movers(game, r), len(r.Plies)/2
			for j, p := range r.Plies {
				evaluator.Evaluate([]env.State{state}, logits, classes, nil)
				mover := state.Player()
				var ps []float64
				z := 0.0
				for _, a := range state.Legal(nil) {
					ps = append(ps, math.Exp(float64(logits[game.Frame(mover)[a]])))
					z += ps[len(ps)-1]
				}
				for _, p := range ps {
					entropy -= p / z * math.Log(p/z)
				}
				expected := 0.0
				for k, p := range classes {
					expected += float64(p) * float64(game.Classes[k].Utility)
				}
				class := r.Outcome
				if j <= middle {
					class = game.ClassFor(movers[middle], int(r.Plies[middle].Proven))
				}
				actual := game.UtilityFor(mover, class)
				if math.Abs(2*e.predicted[i]-1-expected) > 1e-5 || math.Abs(2*e.actual[i]-1-actual) > 1e-6 {
					t.Fatalf("%s: position %d expects %v and gets %v, want utilities %v and %v",
						name, i, e.predicted[i], e.actual[i], expected, actual)
				}
				state.Apply(p.Action)
				i++
			}
		}
		if got, want := e.entropy(), entropy/float64(i); math.Abs(got-want) > 1e-5 || i != len(e.actual) {
			t.Errorf("%s: entropy %v over %d positions, want %v over %d", name, got, len(e.actual), want, i)
		}
	}
}

// TestPredictChangesNothing: a learner that validates learns what another learns, and predictions do not depend on the
// number of goroutines.
func TestPredictChangesNothing(t *testing.T) {
	game := recordtest.Game(t, "quad-5x5")
	a, weights := validatedLearner(t, game)
	b, _ := validatedLearner(t, game)
	b.parallel = parallel.Runner(1)
	network := newNetwork(t, game, weights)
	for generation := 1; generation <= 3; generation++ {
		x, y := a.predict(network, 50), b.predict(network, 50)
		if !reflect.DeepEqual(x, y) || len(x.actual) != 50 {
			t.Fatal("the predictions depend on the goroutines")
		}
		b.predict(network, 3) // fewer than the parts of a batch
		for _, l := range []*Learner{a, b} {
			if err := l.Train(t.Context(), &rundir.Metrics{Generation: generation}, 2, 0.5, func(float64) {}); err != nil {
				t.Fatal(err)
			}
		}
		c, _ := validatedLearner(t, game)
		for g := 1; g <= generation; g++ {
			if err := c.Train(t.Context(), &rundir.Metrics{Generation: g}, 2, 0.5, func(float64) {}); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(a.trainer.AverageWeights().Marshal(), c.trainer.AverageWeights().Marshal()) ||
			!bytes.Equal(a.trainer.MarshalState(), b.trainer.MarshalState()) {
			t.Fatal("validation changes what is learned")
		}
	}
}

func TestCalibration(t *testing.T) {
	e := &predictions{
		predicted: []float64{0.05, 0.07, 0.35, 1, 0.98},
		actual:    []float64{0, 1, 0.5, 1, 1},
	}
	bins := e.calibration()
	want := []rundir.CalibrationBin{
		{Predicted: 0.06, Actual: 0.5, Count: 2}, {Predicted: 0.35, Actual: 0.5, Count: 1}, {Predicted: 0.99, Actual: 1, Count: 2},
	}
	if len(bins) != len(want) {
		t.Fatalf("bins %+v, want %+v", bins, want)
	}
	for i, b := range bins {
		w := want[i]
		if math.Abs(b.Predicted-w.Predicted) > 1e-12 || math.Abs(b.Actual-w.Actual) > 1e-12 || b.Count != w.Count {
			t.Errorf("bin %+v, want %+v", b, w)
		}
	}
	if got, want := calibrationError(bins), (2*0.44+0.15+2*0.01)/5; math.Abs(got-want) > 1e-12 {
		t.Errorf("error %v, want %v", got, want)
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
