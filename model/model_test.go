package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/model/infer"
	"ludus/train/parallel"
)

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// randomWeights returns weights without zero tensors, so every part of the network matters. The network is pooled if
// the game's default network is.
func randomWeights(game *env.Game, channels, blocks int, seed uint64) *infer.Weights {
	config := infer.DefaultConfig(game)
	config.Channels, config.Blocks = channels, blocks
	return randomNetwork(game, config, seed)
}

func randomNetwork(game *env.Game, config infer.Config, seed uint64) *infer.Weights {
	rng := newRand(seed)
	w := infer.NewWeights(game, config, rng)
	for _, t := range w.Tensors {
		deviation := 0.2
		if fan := len(t.Data) / t.Shape[0]; fan > 1 {
			deviation = math.Sqrt(1 / float64(fan))
		}
		if strings.HasPrefix(t.Name, "blocks.") && strings.HasSuffix(t.Name, ".cells.weight") {
			// The activations of deep networks would grow beyond the range of exp, those of figures with their number.
			deviation /= float64(4 + 4*len(game.Figures)/game.Tensor.Cells())
		}
		for i := range t.Data {
			t.Data[i] += float32(deviation * rng.NormFloat64())
		}
	}
	return w
}

// randomBatch returns random boards, with about half of the actions legal, and soft targets.
func randomBatch(game *env.Game, size int, seed uint64) *Batch {
	rng := newRand(seed)
	b := NewBatch(game, size)
	actions, k := game.NumActions(), len(game.Classes)
	for i := range b.Inputs {
		b.Inputs[i] = float32(rng.IntN(2))
	}
	for r := range size {
		for _, x := range [][2][]float32{{b.LegalMask, b.Policy}, {b.ReplyMask, b.Reply}} {
			legal, policy := x[0][r*actions:(r+1)*actions], x[1][r*actions:(r+1)*actions]
			legal[rng.IntN(actions)] = 1
			for i := range legal {
				if rng.IntN(2) == 0 {
					legal[i] = 1
				}
				policy[i] = legal[i] * rng.Float32()
			}
			normalise(policy)
		}
		for i := range k {
			b.Outcome[r*k+i] = rng.Float32()
		}
		normalise(b.Outcome[r*k : (r+1)*k])
		b.PolicyWeight[r], b.ReplyWeight[r] = float32(rng.IntN(3))/2, float32(rng.IntN(3))/2
		b.Goals[2*r], b.Goals[2*r+1] = rng.Float32(), rng.Float32()
	}
	return b
}

// withFigures returns the game with three figures that leave out some cells.
func withFigures(game *env.Game) *env.Game {
	changed := *game
	n := int32(game.Tensor.Cells())
	changed.Figures = [][]int32{{0, 1, n - 1}, {1, 3}, {0, 2, 3, n - 2}}
	return &changed
}

// withManyFigures returns the game with more figures than cells, so that the products are computed in another order.
func withManyFigures(game *env.Game) *env.Game {
	changed := withFigures(game)
	for cell := range int32(game.Tensor.Cells() - 1) {
		changed.Figures = append(changed.Figures, []int32{cell, cell + 1})
	}
	return changed
}

func normalise(x []float32) {
	sum := float32(0)
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}

// newTrainer returns a trainer; with run nil it uses one goroutine.
func newTrainer(t testing.TB, game *env.Game, w *infer.Weights, config Config, run func(int, func(int))) *Trainer {
	t.Helper()
	if run == nil {
		run = parallel.Runner(1)
	}
	tr, err := NewTrainer([]*env.Game{game}, w, config, run)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// withReplies sets the weights of the trainer's reply head, which are 0 at first, to random numbers.
func withReplies(tr *Trainer) *Trainer {
	rng := newRand(9)
	for _, t := range tr.params.tensors[len(tr.params.weights.Tensors):] {
		for i := range t.Data {
			t.Data[i] = float32(0.2 * rng.NormFloat64())
		}
	}
	return tr
}

// meanEntropy is the mean over the rows of a target, of which each has a weight, of weight times entropy, in nats: the
// lower limit of the loss.
func meanEntropy(target, weights []float32) (mean float64) {
	for i, p := range target {
		if p > 0 {
			row := i * len(weights) / len(target)
			mean -= float64(weights[row]) * float64(p) * math.Log(float64(p)) / float64(len(weights))
		}
	}
	return mean
}

// apart is the largest difference between the terms of two losses.
func apart(a, b Losses) float64 {
	return max(math.Abs(a.Policy-b.Policy), math.Abs(a.Reply-b.Reply), math.Abs(a.Outcome-b.Outcome),
		math.Abs(a.Goals-b.Goals), math.Abs(a.Total-b.Total))
}

// TestLoss compares the losses with those of the float64 reference, on boards that are not square and batches that do
// not fill their last part.
func TestLoss(t *testing.T) {
	board := envtest.Board(3, 3, 4, 2, 2, 3, true)
	for i, size := range []int{1, partRows - 1, partRows, partRows + 1, 2*partRows + 6, 5, 3 * partRows} {
		game := []*env.Game{withFigures(board), withManyFigures(board)}[i/2%2]
		w := randomNetwork(game, infer.Config{Game: game.Name, Channels: 8, Blocks: 2, Pooled: i%2 > 0}, 1)
		tr := withReplies(newTrainer(t, game, w, DefaultConfig(), nil))
		b := randomBatch(game, size, uint64(size))
		got, err := tr.Losses(b)
		if err != nil {
			t.Fatal(err)
		}
		want := newReference(tr).losses(b, DefaultConfig())
		if apart(got, want) > 2e-5 {
			t.Fatalf("batch of %d: losses %+v; want %+v", size, got, want)
		}
	}
}

// TestGradients compares the gradient of the total loss with central differences of the float64 reference, for every
// tensor and every kind of head.
func TestGradients(t *testing.T) {
	for _, c := range []struct {
		game   *env.Game
		pooled bool
		size   int
	}{
		{envtest.Board(3, 3, 4, 2, 2, 3, true), false, partRows + 1}, // all heads
		{envtest.Board(3, 3, 4, 2, 2, 3, true), true, partRows + 1},
		{envtest.Board(5, 4, 3, 1, 0, 7, false), false, 8}, // input planes above 4
		{envtest.Board(4, 5, 3, 1, 0, 2, true), true, 8},   // goals without single policy entries
		{envtest.Board(4, 3, 3, 4, 1, 2, false), false, 8}, // single entries without goals
		{envtest.Board(3, 2, 9, 2, 1, 3, true), false, 8},  // no transforms for this size
		{envtest.Board(3, 2, 9, 2, 1, 3, true), true, 8},
		{withFigures(envtest.Board(3, 3, 4, 2, 2, 3, true)), false, partRows + 1},
		{withManyFigures(envtest.Board(3, 3, 4, 2, 2, 3, true)), false, partRows + 1},
		{withFigures(envtest.Board(3, 2, 9, 2, 1, 3, true)), true, 8},
	} {
		game := c.game
		w := randomNetwork(game, infer.Config{Game: game.Name, Channels: 4, Blocks: 2, Pooled: c.pooled}, 1)
		config := DefaultConfig()
		config.GoalWeight, config.ReplyWeight = 0.5, 0.75
		tr := withReplies(newTrainer(t, game, w, config, nil))
		b := randomBatch(game, c.size, 2)
		if _, err := tr.computeGradients(b); err != nil {
			t.Fatal(err)
		}
		r, rng := newReference(tr), newRand(3)
		for i, w := range tr.params.tensors {
			name := w.Name
			for range min(4, len(tr.params.values[i])) {
				j := rng.IntN(len(tr.params.values[i]))
				got := float64(tr.gradients[i][j])
				x := &r.weights[name][j]
				was, h := *x, 1e-6
				*x = was + h
				above := r.losses(b, config).Total
				*x = was - h
				below := r.losses(b, config).Total
				*x = was
				if want := (above - below) / (2 * h); math.Abs(got-want) > 2e-5+2e-4*math.Abs(want) {
					t.Errorf("%s %s[%d], pooled %v: gradient %.7f, by differences %.7f", game.Name, name, j, c.pooled, got, want)
				}
			}
		}
	}
}
