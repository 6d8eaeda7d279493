package agent

import (
	"context"
	"math/rand/v2"

	"ludus/env"
)

// alphaBeta searches the rules to a fixed depth. Inside, a value is First's utility: First maximises and Second
// minimises, whoever moved before. Endings are exact, less a little for each ply so that wins come soon and losses late;
// at the horizon a position is worth the lead in goals (0 where goals are not earned before the end).
// Source: Knuth and Moore 1975.
type alphaBeta struct {
	game    *env.Game
	depth   int
	rng     *rand.Rand
	states  []env.State     // one a ply
	legal   [][]env.Action  // one a ply
	ctx     context.Context // of the search in progress
	visited int
	stopped bool // ctx was cancelled
}

// delay is what one ply costs, small against the difference of any two classes' utilities.
const delay = 1e-5

func newAlphaBeta(game *env.Game, depth int) *alphaBeta {
	ab := &alphaBeta{game: game, depth: depth, rng: newRand(0), legal: make([][]env.Action, depth+1)}
	for range depth + 1 {
		ab.states = append(ab.states, game.NewState())
	}
	return ab
}

func (ab *alphaBeta) Reset(seed uint64)  { ab.rng = newRand(seed) }
func (ab *alphaBeta) Observe(env.Action) {}

func (ab *alphaBeta) Choose(ctx context.Context, state env.State) (env.Action, error) {
	ab.begin(ctx, state)
	best, low, high := env.Action(-1), -2.0, 2.0
	for _, a := range ab.legal[0] {
		value := ab.after(a, low, high)
		switch {
		case state.Player() == env.First && (best < 0 || value > low):
			best, low = a, value
		case state.Player() == env.Second && (best < 0 || value < high):
			best, high = a, value
		}
	}
	return best, ctx.Err()
}

// Analyze values every move by itself, which alpha-beta's cuts at the root would hide.
func (ab *alphaBeta) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	ab.begin(ctx, state)
	player := state.Player()
	a := &Analysis{Player: player}
	var best env.Action
	for _, action := range ab.legal[0] {
		value := ab.after(action, -2, 2)
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

// begin sets the root; its moves stand in random order, so that the first of the best is drawn among equals.
func (ab *alphaBeta) begin(ctx context.Context, state env.State) {
	ab.ctx, ab.visited, ab.stopped = ctx, 0, false
	ab.states[0].CopyFrom(state)
	ab.legal[0] = state.Legal(ab.legal[0][:0])
	moves := ab.legal[0]
	ab.rng.Shuffle(len(moves), func(i, j int) { moves[i], moves[j] = moves[j], moves[i] })
}

// after is the value of the root's move a within (low, high).
func (ab *alphaBeta) after(a env.Action, low, high float64) float64 {
	ab.states[1].CopyFrom(ab.states[0])
	ab.states[1].Apply(a)
	return ab.value(1, low, high)
}

// value is First's utility of the state at ply, exact within (low, high), otherwise a bound (fail-soft).
func (ab *alphaBeta) value(ply int, low, high float64) float64 {
	state := ab.states[ply]
	if state.Done() {
		u := utility(ab.game, state, env.First)
		switch {
		case u > 0:
			u -= delay * float64(ply)
		case u < 0:
			u += delay * float64(ply)
		}
		return u
	}
	if ab.visited++; ab.visited%4096 == 0 {
		ab.stopped = ab.ctx.Err() != nil
	}
	if ply == ab.depth || ab.stopped {
		return lead(state, env.First) * 0.99 // never as good as an ending
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
