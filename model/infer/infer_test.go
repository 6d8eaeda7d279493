package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// randomWeights returns weights without tensors that are zero: every part of the network matters.
func randomWeights(game *env.Game, config Config, seed uint64) *Weights {
	rng := newRand(seed)
	w := NewWeights(game, config, rng)
	for _, t := range w.Tensors {
		deviation := 0.2
		if len(t.Shape) > 1 {
			deviation = math.Sqrt(1 / float64(product(t.Shape[1:])))
		}
		for i := range t.Data {
			t.Data[i] += float32(deviation * rng.NormFloat64())
		}
	}
	return w
}

func randomInputs(game *env.Game, batch int, seed uint64) []float32 {
	rng := newRand(seed)
	inputs := make([]float32, batch*game.Tensor.Size())
	for i := range inputs {
		inputs[i] = float32(rng.IntN(2))
	}
	return inputs
}

func evaluate(t *testing.T, game *env.Game, w *Weights, inputs []float32) (logits, classes, goals []float32) {
	t.Helper()
	n, err := NewNetwork(game, w)
	if err != nil {
		t.Fatal(err)
	}
	batch := len(inputs) / game.Tensor.Size()
	logits, classes = make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
	if game.GoalHead {
		goals = make([]float32, 2*batch)
	}
	n.NewEvaluator(batch).EvaluateTensors(inputs, logits, classes, goals)
	return logits, classes, goals
}

func TestFreshNetworkIsUniform(t *testing.T) {
	game := envtest.Board(7, 5, 5, 2, 1, 3, true)
	w := NewWeights(game, DefaultConfig(game), newRand(1))
	logits, classes, goals := evaluate(t, game, w, randomInputs(game, 4, 1))
	for _, v := range logits {
		if v != 0 {
			t.Fatalf("logit %v of a fresh network; want 0", v)
		}
	}
	for _, v := range classes {
		if math.Abs(float64(v)-1./3) > 1e-6 {
			t.Fatalf("class probability %v of a fresh network; want 1/3", v)
		}
	}
	if len(goals) != 8 {
		t.Fatalf("%d goals; want 8", len(goals))
	}
}

// TestFreshTowerIsItsStem compares fresh networks with and without blocks that have the same stem and heads.
func TestFreshTowerIsItsStem(t *testing.T) {
	plain := envtest.Board(7, 5, 5, 2, 1, 3, true)
	figures := *plain
	figures.Figures = [][]int32{{0, 1, 24}, {1, 3}, {0, 2, 3, 23}}
	for _, game := range []*env.Game{plain, &figures} {
		deep := NewWeights(game, Config{Game: game.Name, Channels: 8, Blocks: 3}, newRand(1))
		last := deep.Lookup("policy.planes.weight").Data
		for i := range last {
			last[i] = float32(i%7) - 3
		}
		flat := NewWeights(game, Config{Game: game.Name, Channels: 8}, newRand(1))
		for _, tensor := range flat.Tensors {
			copy(tensor.Data, deep.Lookup(tensor.Name).Data)
		}
		inputs := randomInputs(game, 4, 1)
		want, _, _ := evaluate(t, game, flat, inputs)
		if got, _, _ := evaluate(t, game, deep, inputs); !slices.Equal(got, want) {
			t.Errorf("%d figures: logits %v, without blocks %v", len(game.Figures), got, want)
		}
	}
}

// TestPooled: the default network of boards of up to 64 cells flattens them; that of larger ones pools.
func TestPooled(t *testing.T) {
	for name, want := range map[string]bool{"othello": false, "hex(size=9)": true} {
		game := games.Must(name)
		if got := DefaultConfig(game).Pooled; got != want {
			t.Errorf("%s: pooled is %v", name, got)
		}
	}
}
