package analysis

import (
	"context"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/agent"
)

// BestPlay says who wins with best play from the start, such as "x wins", or "nobody wins"; "" if that is not known.
func BestPlay(game *env.Game) string {
	result, ok := solver.BestPlay(game)
	switch {
	case !ok:
		return ""
	case result > 0:
		return game.Players[env.First] + " wins"
	case result < 0:
		return game.Players[env.Second] + " wins"
	}
	return "nobody wins"
}

// Mistake is a move that gave value away. Values are the mover's, in [-1, 1]: of the position before the move, and after
// it. They are exact if the solver knows both, and otherwise the agent's estimates.
type Mistake struct {
	Ply           int // number of the move, from 1
	Player        env.Player
	Move, Best    string // the move, and what the agent would have played
	Before, After float64
	Exact         bool
}

// leastLoss is the least estimated loss of a Mistake: 10 % of expected score. review.js has it, too.
const leastLoss = 0.2

// Review returns the value of every position of a game for the first player, and the moves that gave value away. ok is
// false if the agent does not evaluate positions. The only error is ctx's.
func Review(ctx context.Context, game *env.Game, a agent.Agent, moves []env.Action) (values []float64, list []Mistake, ok bool, err error) {
	state := game.NewState()
	var last Mistake // the move before state, whose After is not known yet
	for ply := 0; ; ply++ {
		next := Mistake{Ply: ply + 1, Player: state.Player()}
		if state.Done() {
			next.Before, next.Exact = game.UtilityFor(next.Player, state.Outcome()), true
		} else {
			r, err := Analyze(ctx, game, a, state, 0)
			if err != nil || r.Value == nil {
				return nil, nil, false, err
			}
			next.Before, next.Exact, next.Best = *r.Value, r.Proven, r.Best
		}
		values = append(values, next.Player.Sign()*next.Before)
		if ply > 0 {
			last.After = last.Player.Sign() * values[ply]
			last.Exact = last.Exact && next.Exact
			if loss := last.Before - last.After; last.Exact && loss > 0 || loss >= leastLoss {
				list = append(list, last)
			}
		}
		if ply == len(moves) {
			return values, list, true, nil
		}
		next.Move = game.ActionNames[moves[ply]]
		state.Apply(moves[ply])
		last = next
	}
}
