package bench

import (
	"context"
	"math/rand/v2"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/agent"
)

// budget is the number of simulations of a measured search.
const budget = 1000

// playouts measures games of random moves.
func (o *Options) playouts(ctx context.Context, game *env.Game) ([]Playouts, error) {
	rng := rand.NewPCG(1, 0)
	state, start := game.NewState(), game.NewState()
	rows, err := o.speeds(ctx, repeating(func() (moves int) {
		for moves < budget {
			state.CopyFrom(start)
			moves += env.Playout(state, rng)
		}
		return moves
	}))
	if err != nil {
		return nil, err
	}
	return []Playouts{{Game: game.Name, Moves: median(rows[0])}}, nil
}

// search measures PUCT with an evaluator that costs nothing.
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
	rows, err := o.speeds(ctx, repeating(run))
	if err != nil {
		return nil, err
	}
	return []Search{{
		Game: game.Name, Budget: budget, Speed: median(rows[0]), Allocs: allocations(func() { run() }),
	}}, nil
}

// playoutUCT measures the arena's agent that searches by random playouts.
func (o *Options) playoutUCT(ctx context.Context, game *env.Game) ([]PlayoutUCT, error) {
	agent, err := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: budget}, nil).New(1)
	if err != nil {
		return nil, err
	}
	start := game.NewState()
	rows, err := o.speeds(ctx, repeating(func() int {
		// Its only error is that of ctx, which speeds sees too.
		_, _ = agent.Choose(ctx, start)
		return budget
	}))
	if err != nil {
		return nil, err
	}
	return []PlayoutUCT{{Game: game.Name, Budget: budget, Speed: median(rows[0])}}, nil
}
