package bench

import (
	"context"
	"math/rand/v2"

	"ludus/env"
	"ludus/mcts"
	"ludus/train/agent"
)

// simulations is the number of simulations of a search.
const simulations = 1000

// search measures one game on one core: random games, PUCT with free evaluations, and the agent mcts:N. It returns one
// row; it is a list because stepsFor takes one.
func (o *Options) search(ctx context.Context, game *env.Game) ([]Search, error) {
	rng := rand.NewPCG(1, 0)
	state, start := game.NewState(), game.NewState()
	randomGames := func() (moves int) {
		for moves < simulations {
			state.CopyFrom(start)
			moves += env.Playout(state, rng)
		}
		return moves
	}
	config := mcts.DefaultConfig()
	config.Rule = mcts.PUCT
	search, batcher := mcts.New(game, config), mcts.NewBatcher(game, mcts.Uniform{}, 1, 0)
	puct := func() int {
		search.Start(start, simulations, nil)
		search.Run(batcher)
		return search.Simulations()
	}
	uctAgent, err := agent.NewFactory(game, agent.Spec{Kind: agent.MCTS, Simulations: simulations}, nil).New(1)
	if err != nil {
		return nil, err
	}
	uct := func() int {
		_, _ = uctAgent.Choose(ctx, start) // the only error is ctx's, which measure checks
		return simulations
	}
	s, err := o.measure(ctx, loop(1, randomGames), loop(1, puct), loop(1, uct))
	if err != nil {
		return nil, err
	}
	return []Search{{
		Game: game.Name, Moves: s[0].median(), PUCT: s[1].median(), UCT: s[2].median(),
		CPU: min(s[0].cpu, s[1].cpu, s[2].cpu),
	}}, nil
}
