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
	states  []env.State     // by ply
	legal   [][]env.Action  // by ply
	ctx     context.Context // of the search in progress
	nodes   int             // visited by it
	stopped bool            // ctx was cancelled
}

// plyPenalty is small against the difference between any two utilities.
const plyPenalty = 1e-5

func newAlphaBeta(game *env.Game, depth int) *alphaBeta {
	ab := &alphaBeta{memoryless: memoryless{newRand(0)}, game: game, depth: depth, legal: make([][]env.Action, depth+1)}
	for range depth + 1 {
		ab.states = append(ab.states, game.NewState())
	}
	return ab
}

// Choose implements [Agent].
func (ab *alphaBeta) Choose(ctx context.Context, state env.State) (env.Action, error) {
	ab.begin(ctx, state)
	best, low, high := env.Action(-1), -2.0, 2.0
	for _, a := range ab.legal[0] {
		value := ab.valueAfter(a, low, high)
		switch {
		case state.Player() == env.First && (best < 0 || value > low):
			best, low = a, value
		case state.Player() == env.Second && (best < 0 || value < high):
			best, high = a, value
		}
	}
	return best, ctx.Err()
}

// Analyze implements [Agent]. It searches every move with a full window, because cutoffs at the root would hide values.
func (ab *alphaBeta) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	ab.begin(ctx, state)
	player := state.Player()
	a := &Analysis{Player: player}
	var best env.Action
	for _, action := range ab.legal[0] {
		value := ab.valueAfter(action, -2, 2)
		if player == env.Second {
			value = -value
		}
		if a.Value == nil || value > *a.Value {
			best, a.Value = action, &value
		}
		a.Moves = append(a.Moves, MoveInfo{Action: action, Value: &value})
	}
	sortMoves(a.Moves, best)
	return a, ctx.Err()
}

// begin sets the root and shuffles its moves. The search keeps the first of equal moves, so ties break at random.
func (ab *alphaBeta) begin(ctx context.Context, state env.State) {
	ab.ctx, ab.nodes, ab.stopped = ctx, 0, false
	ab.states[0].CopyFrom(state)
	ab.legal[0] = state.Legal(ab.legal[0][:0])
	moves := ab.legal[0]
	ab.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
}

// valueAfter is First's value after the root's move a, with the bounds of value.
func (ab *alphaBeta) valueAfter(a env.Action, low, high float64) float64 {
	ab.states[1].CopyFrom(ab.states[0])
	ab.states[1].Apply(a)
	return ab.value(1, low, high)
}

// value is First's value of the state at ply: exact if within (low, high), otherwise a bound (fail-soft).
func (ab *alphaBeta) value(ply int, low, high float64) float64 {
	state := ab.states[ply]
	if state.Done() {
		u := ab.game.UtilityFor(env.First, state.Outcome())
		switch {
		case u > 0:
			u -= plyPenalty * float64(ply)
		case u < 0:
			u += plyPenalty * float64(ply)
		}
		return u
	}
	if ab.nodes++; ab.nodes%4096 == 0 {
		ab.stopped = ab.ctx.Err() != nil
	}
	if ply == ab.depth || ab.stopped {
		return goalLead(state, env.First) * 0.99 // worth less than a terminal state
	}
	ab.legal[ply] = state.Legal(ab.legal[ply][:0])
	first := state.Player() == env.First
	best := 2.0
	if first {
		best = -2
	}
	for _, a := range ab.legal[ply] {
		ab.states[ply+1].CopyFrom(state)
		ab.states[ply+1].Apply(a)
		v := ab.value(ply+1, low, high)
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
