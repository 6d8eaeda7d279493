package model

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// families are sizes of games without and with figures, with goals, square and oblong, small and larger than the
// default network's limit for flattened cells.
var families = [][]string{
	{"hex(size=5)", "hex(size=9)"}, {"quad-7x7", "quad(size=6,quads=9,whites=4)"}, {"golden-rectangle(columns=9,rows=8)", "golden-rectangle(columns=6,rows=7)"},
	{"line-up(width=7,height=6,line=4,gravity=1)", "line-up(width=4,height=5,line=4,gravity=1)"},
}

// newSizes returns games and pooled weights of the last of them.
func newSizes(t *testing.T, names []string) (sizes []*env.Game, w *infer.Weights) {
	t.Helper()
	for _, name := range names {
		game := games.Must(name)
		sizes = append(sizes, game)
	}
	last := sizes[len(sizes)-1]
	return sizes, randomNetwork(last, infer.Config{Game: last.Name, Channels: 8, Blocks: 2, Pooled: true}, 1)
}

func newSizesTrainer(t *testing.T, sizes []*env.Game, w *infer.Weights, parallel func(int, func(int))) *Trainer {
	t.Helper()
	tr, err := NewTrainer(sizes, w, DefaultConfig(), parallel)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func resized(t *testing.T, w *infer.Weights, from, to *env.Game) *infer.Weights {
	t.Helper()
	if from == to {
		return w
	}
	r, err := w.Resize(from, to)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSizes takes steps on two sizes of a game in turn. Before each, the gradients of a batch are bit for bit those of
// a trainer of its size alone, and inference agrees with the training graph.
func TestSizes(t *testing.T) {
	for _, names := range families {
		sizes, w := newSizes(t, names)
		tr := newSizesTrainer(t, sizes, w, parallel.Runner(1))
		for step := range 4 {
			game := sizes[step%2]
			weights := resized(t, tr.params.weights, tr.game, game)
			b := randomBatch(game, 2*partRows+3, uint64(step))
			alone := newSizesTrainer(t, []*env.Game{game}, weights, parallel.Runner(1))
			for i, values := range alone.params.values { // the reply head has no weights in a network
				copy(values, tr.params.values[i])
			}
			want, err := alone.computeGradients(b)
			if err != nil {
				t.Fatal(err)
			}
			got, err := tr.computeGradients(b)
			if err != nil {
				t.Fatal(err)
			}
			if got != want || !slices.EqualFunc(tr.gradients, alone.gradients, slices.Equal[[]float32]) {
				t.Errorf("%s among other sizes, step %d: other losses or gradients than alone", game.Name, step)
			}
			checkAgrees(t, tr, game, weights)
			if _, err := tr.Step(b, 1e-3); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestSizesLearn learns a batch of each of two sizes by heart.
func TestSizesLearn(t *testing.T) {
	for _, names := range families[:2] {
		sizes, w := newSizes(t, names)
		tr := newSizesTrainer(t, sizes, w, parallel.Runner(1))
		batches := []*Batch{randomBatch(sizes[0], partRows, 1), randomBatch(sizes[1], partRows, 2)}
		var before [2]Losses
		for i, b := range batches {
			before[i], _ = tr.Losses(b)
		}
		for step := range 200 {
			if _, err := tr.Step(batches[step%2], 3e-3); err != nil {
				t.Fatal(err)
			}
		}
		for i, b := range batches {
			after, err := tr.Losses(b)
			least := meanEntropy(b.Policy, b.PolicyWeight)
			if err != nil || after.Policy-least > (before[i].Policy-least)/2 || after.Outcome > before[i].Outcome-0.2 {
				t.Errorf("%s: losses %+v, before %+v, error %v", b.Game.Name, after, before[i], err)
			}
		}
	}
}

// TestSizesParallel trains two sizes on one to seven goroutines: the bits are the same.
func TestSizesParallel(t *testing.T) {
	for _, names := range families {
		sizes, w := newSizes(t, names)
		var want []byte
		for _, threads := range []int{1, 2, 7} {
			tr := newSizesTrainer(t, sizes, w, parallel.Runner(threads))
			for step := range 4 {
				if _, err := tr.Step(randomBatch(sizes[step%2], 3*partRows+7, uint64(step)), 1e-3); err != nil {
					t.Fatal(err)
				}
			}
			if got := tr.MarshalState(); want == nil {
				want = got
			} else if !bytes.Equal(got, want) {
				t.Errorf("%s: %d goroutines changed the result", names, threads)
			}
		}
	}
}

// TestSizesAllocateNothing counts the allocations of warm steps on two sizes in turn.
func TestSizesAllocateNothing(t *testing.T) {
	sizes, w := newSizes(t, families[1])
	tr := newSizesTrainer(t, sizes, w, parallel.Runner(1))
	batches := []*Batch{randomBatch(sizes[0], partRows+3, 1), randomBatch(sizes[1], partRows+3, 2)}
	steps := func() {
		for _, b := range batches {
			if _, err := tr.Step(b, 1e-3); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		steps()
	}
	if n := testing.AllocsPerRun(10, steps); n != 0 {
		t.Errorf("two warm steps allocate %v objects; want 0", n)
	}
}

func TestSizesErrors(t *testing.T) {
	sizes, w := newSizes(t, []string{"othello-6x6", "hex(size=3)", "hex(size=4)"})
	check := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want one with %q", err, want)
		}
	}
	_, err := NewTrainer(sizes, w, DefaultConfig(), nil)
	check(err, "no other size")
	flat := randomNetwork(sizes[2], infer.Config{Game: sizes[2].Name, Channels: 4}, 1)
	_, err = NewTrainer(sizes[1:], flat, DefaultConfig(), nil)
	check(err, "a weight per cell")
	tr := newSizesTrainer(t, sizes[1:], w, parallel.Runner(1))
	beside := false
	_, err = tr.Step(randomBatch(sizes[0], 4, 1), 1e-3, func() { beside = true })
	check(err, "a batch of othello")
	if _, err := tr.Losses(randomBatch(sizes[1], 4, 1)); err != nil || beside {
		t.Errorf("after a refused batch: error %v, its tasks run %v", err, beside)
	}
}
