package train

import (
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/solver"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// TestProbe learns a game small enough to be solved, and compares the network alone and its first choices with
// the exact values. A wrong sign, player, mask or frame anywhere between self-play and inference fails it.
func TestProbe(t *testing.T) {
	if testing.Short() {
		t.Skip("learns for some seconds")
	}
	o := Options{
		Dir: t.TempDir(), Game: games.Must("breakthrough(columns=3,rows=5)"), Generations: 32, Threads: 2,
		Settings: map[string]float64{
			"parallel_games": 32, "plies_per_generation": 6, "simulations": 12, "channels": 16, "blocks": 1, "batch_size": 32, "learning_rate": 0.005, "samples_per_position": 6,
		},
	}
	mustTrain(t, o)
	weights, _, err := rundir.LoadWeights(agent.Reference{Path: o.Dir})
	if err != nil {
		t.Fatal(err)
	}
	network, err := infer.NewNetwork(o.Game, weights)
	if err != nil {
		t.Fatal(err)
	}
	evaluator := network.NewEvaluator(1)
	search := mcts.New(o.Game, mcts.DefaultConfig())
	batcher := mcts.NewBatcher(o.Game, evaluator, 1, 0)
	exactly := solver.New(o.Game, 16<<20)
	solve := func(state env.State) int {
		if state.Done() {
			return state.Outcome()
		}
		class, _ := exactly.Solve(state, solver.Limits{}) // without a limit it always knows
		return class
	}
	child := o.Game.NewState()
	right, values, kept, choices := 0, 0, 0, 0
	for _, state := range envtest.Positions(o.Game, 1, 400) {
		exact := solve(state)
		logits, classes := make([]float32, o.Game.NumActions()), make([]float32, len(o.Game.Classes))
		evaluator.Evaluate([]env.State{state}, logits, classes, nil)
		values++
		if classes[o.Game.ClassFor(state.Player(), exact)] > 0.5 {
			right++
		}
		if o.Game.ClassFor(state.Player(), exact) != 0 {
			continue // the mover has lost: no choice to make
		}
		search.Start(state, 0, nil)
		search.Run(batcher)
		moves := search.Moves()
		best := 0
		for i := range moves {
			if moves[i].Prior > moves[best].Prior {
				best = i
			}
		}
		child.CopyFrom(state)
		child.Apply(moves[best].Action)
		choices++
		if solve(child) == exact {
			kept++
		}
	}
	t.Logf("value right in %d of %d positions, policy in %d of %d", right, values, kept, choices)
	if float64(right) < 0.8*float64(values) || float64(kept) < 0.8*float64(choices) {
		t.Errorf("value right in %d of %d positions, policy in %d of %d: less than 80 %%", right, values, kept, choices)
	}
}
