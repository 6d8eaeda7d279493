package analysis

import (
	"context"
	"slices"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/agent"
)

// BestPlay says who wins with best play from the start, such as "x wins", or "it is a draw"; "" if that is not known.
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
	return "it is a draw"
}

// Mistake is a move that gave value away. Values are the mover's, in [-1, 1]: of the best move, and of the move played.
// They are exact if the solver knows the positions before and after the move, and otherwise the agent's estimates.
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
// false if the agent does not evaluate positions. Errors are those of [agent.Agent.Analyze].
//
// Estimates of the best move and the move played come from one analysis, so a network's bias towards one player
// cancels. If that analysis does not value both, or the position after the move is solved, the positions after the two
// moves are analysed instead.
func Review(ctx context.Context, game *env.Game, a agent.Agent, moves []env.Action) (values []float64, list []Mistake, ok bool, err error) {
	state := game.NewState()
	here, err := judge(ctx, game, a, state, nil)
	if here == nil {
		return nil, nil, false, err
	}
	values = append(values, here.value)
	other := game.NewState()
	for i, action := range moves {
		player, best := state.Player(), env.Action(slices.Index(game.ActionNames, here.best))
		other.CopyFrom(state)
		state.Apply(action)
		there, err := judge(ctx, game, a, state, moves[:i+1])
		if there == nil {
			return nil, nil, false, err
		}
		values = append(values, there.value)
		m := Mistake{
			Ply: i + 1, Player: player, Move: game.ActionNames[action], Best: here.best,
			Before: player.Sign() * here.value, After: player.Sign() * there.value, Exact: here.exact && there.exact,
		}
		before, after := here.moves[m.Best], here.moves[m.Move]
		switch {
		case m.Exact || m.Move == m.Best:
		case before != nil && after != nil && !there.exact:
			m.Before, m.After = *before, *after
		default:
			other.Apply(best)
			instead, err := judge(ctx, game, a, other, append(moves[:i:i], best))
			if instead == nil {
				return nil, nil, false, err
			}
			m.Before = player.Sign() * instead.value
		}
		if loss := m.Before - m.After; m.Move != m.Best && (m.Exact && loss > 0 || loss >= leastLoss) {
			list = append(list, m)
		}
		here = there
	}
	return values, list, true, nil
}

// judgement is the value of a position for the first player. best and moves, the values of moves for the player who
// makes them, are empty if the game is over.
type judgement struct {
	value float64
	exact bool
	best  string
	moves map[string]*float64 // nil: unknown
}

// judge returns nil if the agent does not evaluate positions. moves lead to the state. Errors are those of Analyze.
func judge(ctx context.Context, game *env.Game, a agent.Agent, state env.State, moves []env.Action) (*judgement, error) {
	if state.Done() {
		return &judgement{value: game.UtilityFor(env.First, state.Outcome()), exact: true}, nil
	}
	r, err := Analyze(ctx, game, a, state, moves, 0)
	if err != nil || r.Value == nil {
		return nil, err
	}
	values := map[string]*float64{}
	for _, m := range r.Moves {
		values[m.Move] = m.Value
	}
	return &judgement{state.Player().Sign() * *r.Value, r.Proven, r.Best, values}, nil
}
