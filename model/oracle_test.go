package model

import (
	"math"
	"slices"
	"testing"

	"gorgonia.org/tensor"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/model/infer"
)

// TestStockOracle compares loss and gradients with a graph of Gorgonia's own operations.
func TestStockOracle(t *testing.T) {
	all, plain := envtest.Board(4, 3, 4, 2, 2, 3, true), envtest.Board(3, 5, 5, 1, 0, 2, false)
	for _, c := range []struct {
		game   *env.Game
		pooled bool
	}{{all, false}, {all, true}, {plain, false}, {plain, true}, {withFigures(plain), false}, {withManyFigures(plain), true}} {
		game := c.game
		w := randomNetwork(game, infer.Config{Game: game.Name, Channels: 8, Blocks: 2, Pooled: c.pooled}, 1)
		b := randomBatch(game, 4*partRows, 2)
		tr := withReplies(newTrainer(t, game, w, DefaultConfig(), nil))
		got, err := tr.computeGradients(b)
		if err != nil {
			t.Fatal(err)
		}
		s := newStock(tr, DefaultConfig(), b.Size, 1e-3)
		defer s.Close()
		want, err := s.run(b)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Total-want) > 1e-5 {
			t.Errorf("loss %.7f; stock operations have %.7f", got.Total, want)
		}
		if len(s.names) != len(tr.params.values) {
			t.Fatalf("oracle has %d parameters; want %d", len(s.names), len(tr.params.values))
		}
		for i, name := range s.names {
			want := s.grads[i].Value().(*tensor.Dense).Float32s()
			ours := gradientOf(tr, name)
			for j, v := range want {
				if g := ours[s.places[i][j]]; math.Abs(float64(g-v)) > 1e-5 {
					t.Errorf("%s: gradient %v; stock operations have %v", name, g, v)
					break
				}
			}
		}
	}
}

// TestStockOracleDeep compares the gradients of a deep network on a large board, where rounding errors are largest.
// Rounding flips some ReLUs whose inputs are near zero, so the test compares each tensor's gradient as a whole.
func TestStockOracleDeep(t *testing.T) {
	game := withManyFigures(envtest.Board(11, 7, 7, 2, 2, 7, true))
	w := randomWeights(game, 32, 4, 1)
	b := randomBatch(game, 16, 2)
	tr := withReplies(newTrainer(t, game, w, DefaultConfig(), nil))
	if _, err := tr.computeGradients(b); err != nil {
		t.Fatal(err)
	}
	s := newStock(tr, DefaultConfig(), b.Size, 1e-3)
	defer s.Close()
	if _, err := s.run(b); err != nil {
		t.Fatal(err)
	}
	for i, name := range s.names {
		theirs := s.grads[i].Value().(*tensor.Dense).Float32s()
		ours := make([]float32, len(theirs))
		for j := range ours {
			ours[j] = gradientOf(tr, name)[s.places[i][j]]
		}
		if d := distance(ours, theirs); !(d < 5e-3) {
			t.Errorf("%s: gradient is %.1e off", name, d)
		}
	}
}

// gradientOf returns the gradient of the parameter with that name.
func gradientOf(tr *Trainer, name string) []float32 {
	return tr.gradients[slices.IndexFunc(tr.params.tensors, func(t infer.Tensor) bool { return t.Name == name })]
}
