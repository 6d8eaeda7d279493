package bench

import (
	"context"
	"math/rand/v2"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/agent"
)

// budget is the number of simulations of a search.
const budget = 1000

// playouts measures random games.
func (o *Options) playouts(ctx context.Context, game *env.Game) ([]Playouts, error) {
	rng := rand.NewPCG(1, 0)
	state, start := game.NewState(), game.NewState()
	s, err := o.measure(ctx, loop(func() (moves int) {
		for moves < budget {
			state.CopyFrom(start)
			moves += env.Playout(state, rng)
		}
		return moves
	}))
	if err != nil {
		return nil, err
	}
	return []Playouts{{Game: game.Name, Moves: s[0].median(), CPU: s[0].cpu}}, nil
}

// search measures PUCT with an evaluator that takes no time.
func (o *Options) search(ctx context.Context, game *env.Game) ([]Search, error) {
	config := mcts.DefaultConfig()
	config.Rule = mcts.PUCT
	search, start := mcts.New(game, config), game.NewState()
	batcher := mcts.NewBatcher(game, mcts.Uniform{}, 1, 0)
	run := func() int {
		search.Start(start, budget, nil)
		search.Run(batcher)
		return search.Simulations()
	}
	s, err := o.measure(ctx, loop(run))
	if err != nil {
		return nil, err
	}
	return []Search{{
		Game: game.Name, Budget: budget, Speed: s[0].median(), Allocs: allocations(func() { run() }), CPU: s[0].cpu,
	}}, nil
}

// playoutUCT measures the agent mcts:N.
func (o *Options) playoutUCT(ctx context.Context, game *env.Game) ([]PlayoutUCT, error) {
	agent, err := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: budget}, nil).New(1)
	if err != nil {
		return nil, err
	}
	start := game.NewState()
	s, err := o.measure(ctx, loop(func() int {
		// Choose fails only if ctx ends, which measure checks.
		_, _ = agent.Choose(ctx, start)
		return budget
	}))
	if err != nil {
		return nil, err
	}
	return []PlayoutUCT{{Game: game.Name, Budget: budget, Speed: s[0].median(), CPU: s[0].cpu}}, nil
}
