package agent

import (
	"context"

	"ludus/env"
)

// alphaBeta is an alpha-beta search to a fixed depth. Values inside are First's utility: First maximises and Second
// minimises, whoever moved before. The value of a terminal state is its utility, moved towards 0 by plyPenalty per ply:
// quick wins and slow losses are better. At the depth limit the value is the lead in goals, 0 in games that give goals
// only at the end.
// Source: Knuth and Moore 1975.
type alphaBeta struct {
	memoryless
	game    *env.Game
	depth   int
	states  []env.State    // scratch states, one per ply
	legal   [][]env.Action // scratch lists of legal moves, one per ply
	nodes   int            // nodes visited by the search in progress
	stopped bool           // the search was cancelled
}

// plyPenalty is added per ply to prefer quick wins; it is much smaller than any difference between two utilities.
const plyPenalty = 1e-5

func newAlphaBeta(game *env.Game, depth int) *alphaBeta {
	a := &alphaBeta{memoryless: memoryless{newRand(0)}, game: game, depth: depth, legal: make([][]env.Action, depth+1)}
	for range depth + 1 {
		a.states = append(a.states, game.NewState())
	}
	return a
}

// Choose implements [Agent].
func (a *alphaBeta) Choose(ctx context.Context, state env.State) (env.Action, error) {
	a.begin(state)
	// No move yet; (low, high) is the window, which begins beyond all utilities.
	best, low, high := env.Action(-1), -2.0, 2.0
	for _, move := range a.legal[0] {
		value := a.valueAfter(ctx, move, low, high)
		switch {
		case state.Player() == env.First && (best < 0 || value > low):
			best, low = move, value
		case state.Player() == env.Second && (best < 0 || value < high):
			best, high = move, value
		}
	}
	return best, ctx.Err()
}

// Analyze implements [Agent]. It searches every move with a full window, because cutoffs at the root would hide values.
func (a *alphaBeta) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	a.begin(state)
	player := state.Player()
	analysis := &Analysis{Player: player}
	var best env.Action
	for _, move := range a.legal[0] {
		value := player.Sign() * a.valueAfter(ctx, move, -2, 2)
		if analysis.Value == nil || value > *analysis.Value {
			best, analysis.Value = move, &value
		}
		analysis.Moves = append(analysis.Moves, MoveInfo{Action: move, Value: &value})
	}
	sortMoves(analysis.Moves, best)
	return analysis, ctx.Err()
}

// begin sets the root and shuffles its moves. The search keeps the first of equal moves, so ties break at random.
func (a *alphaBeta) begin(state env.State) {
	a.nodes, a.stopped = 0, false
	a.states[0].CopyFrom(state)
	a.legal[0] = state.Legal(a.legal[0][:0])
	moves := a.legal[0]
	a.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
}

// valueAfter is First's value after a move at the root: exact within (low, high), otherwise a bound.
func (a *alphaBeta) valueAfter(ctx context.Context, move env.Action, low, high float64) float64 {
	a.states[1].CopyFrom(a.states[0])
	a.states[1].Apply(move)
	return a.value(ctx, 1, low, high)
}

// value is First's value of the state at ply: exact if within (low, high), otherwise a bound (fail-soft).
func (a *alphaBeta) value(ctx context.Context, ply int, low, high float64) float64 {
	state := a.states[ply]
	if state.Done() {
		u := a.game.UtilityFor(env.First, state.Outcome())
		switch {
		case u > 0:
			u -= plyPenalty * float64(ply)
		case u < 0:
			u += plyPenalty * float64(ply)
		}
		return u
	}
	a.nodes++
	if a.nodes%4096 == 0 {
		a.stopped = ctx.Err() != nil
	}
	if ply == a.depth || a.stopped {
		return goalLead(state, env.First) * 0.99 // worth less than a terminal state
	}
	a.legal[ply] = state.Legal(a.legal[ply][:0])
	first := state.Player() == env.First
	best := 2.0 // beyond all utilities
	if first {
		best = -2
	}
	for _, move := range a.legal[ply] {
		a.states[ply+1].CopyFrom(state)
		a.states[ply+1].Apply(move)
		v := a.value(ctx, ply+1, low, high)
		if first {
			best = max(best, v)
			low = max(low, v)
		} else {
			best = min(best, v)
			high = min(high, v)
		}
		if low >= high {
			break
		}
	}
	return best
}
