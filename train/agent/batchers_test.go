package agent

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
)

// A batch in parts has the same evaluations, bit for bit, as one on one thread, whatever its size.
func TestParallelEvaluator(t *testing.T) {
	for _, name := range []string{"quad-5x5", "free-for-all-2p"} { // the second has a goal head
		game := games.Must(name)
		network, err := infer.NewNetwork(game, infertest.RandomWeights(game, 12, 2, 1))
		if err != nil {
			t.Fatal(err)
		}
		one, three := newEvaluator(network, 1), newEvaluator(network, 3)
		states := envtest.Positions(game, 1, 100)
		for _, rows := range []int{1, 2, 3, 4, 7, 32, 96, 100} {
			var want, got [3][]float32
			for i, size := range []int{game.NumActions(), len(game.Classes), 2} {
				if i == 2 && !game.GoalHead {
					continue // nil
				}
				want[i], got[i] = make([]float32, rows*size), make([]float32, rows*size)
			}
			one.Evaluate(states[:rows], want[0], want[1], want[2])
			three.Evaluate(states[:rows], got[0], got[1], got[2])
			for i := range want {
				if !slices.Equal(got[i], want[i]) {
					t.Errorf("%s, %d rows: output %d differs on three threads", name, rows, i)
				}
			}
		}
	}
}

// A search on several threads does all its simulations, each a visit of one move, and does the same again; how many cores
// there are does not matter. One thread and several may differ.
func TestThreads(t *testing.T) {
	game := quad()
	network, err := infer.NewNetwork(game, infertest.RandomWeights(game, 12, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	differ := false
	for _, option := range []string{"", ",search=puct"} {
		for seed, state := range envtest.Positions(game, 2, 5) {
			var seen []string
			for _, threads := range []int{1, 2, 2, 4} {
				a := newAgent(t, game, fmt.Sprintf("net:1,threads=%d%s", min(threads, 2), option)).(*Batched)
				if threads == 4 { // more goroutines for the same number of leaves
					a.batcher.SetEvaluator(newEvaluator(network, 4))
				} else {
					a.batcher.SetEvaluator(newEvaluator(network, threads))
				}
				const simulations = 400
				got, err := a.Analyze(context.Background(), state, simulations)
				if err != nil {
					t.Fatal(err)
				}
				visits, text := 0, fmt.Sprint(math.Float64bits(*got.Value), got.Proven, got.Simulations)
				for _, m := range got.Moves {
					visits += *m.Visits
					text += fmt.Sprint(" ", m.Action, *m.Visits)
				}
				if visits != got.Simulations || got.Simulations > simulations || got.Simulations < simulations && !decided(got) {
					t.Errorf("%d threads%s, position %d: %d visits, %d simulations of %d", threads, option, seed, visits, got.Simulations, simulations)
				}
				seen = append(seen, text)
			}
			if seen[1] != seen[2] || seen[1] != seen[3] {
				t.Errorf("position %d%s: two threads, again, on four cores:\n%s\n%s\n%s", seed, option, seen[1], seen[2], seen[3])
			}
			differ = differ || seen[0] != seen[1]
		}
	}
	if !differ {
		t.Error("two threads search as one does: their batches are not larger")
	}
}

// decided reports whether a search may end before its simulations: its position or its best move is proven.
func decided(a *Analysis) bool {
	return a.Proven || a.Moves[0].Value != nil && math.Abs(*a.Moves[0].Value) == 1
}
