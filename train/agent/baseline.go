package agent

import (
	"context"
	"math/rand/v2"

	"ludus/env"
)

// random plays any legal move.
type random struct {
	rng   *rand.Rand
	legal []env.Action
}

func newRandom() *random { return &random{rng: newRand(0)} }

func (r *random) Reset(seed uint64)  { r.rng = newRand(seed) }
func (r *random) Observe(env.Action) {}

func (r *random) Choose(ctx context.Context, state env.State) (env.Action, error) {
	r.legal = state.Legal(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))], ctx.Err()
}

func (r *random) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	best, err := r.Choose(ctx, state)
	if err != nil {
		return nil, err
	}
	return ignorant(state, r.legal, best), nil
}

// greedy looks one move ahead, and at the opponent's answer only for what it ends. It draws among equal moves.
type greedy struct {
	game   *env.Game
	rng    *rand.Rand
	states [greedyPlies + 1]env.State
	legal  [greedyPlies + 1][]env.Action
	scores []float64
}

// greedyPlies is how far greedy looks: two moves of its own in a row, where the rules give them, and an answer.
const greedyPlies = 3

func newGreedy(game *env.Game) *greedy {
	g := &greedy{game: game, rng: newRand(0)}
	for i := range g.states {
		g.states[i] = game.NewState()
	}
	return g
}

func (g *greedy) Reset(seed uint64)  { g.rng = newRand(seed) }
func (g *greedy) Observe(env.Action) {}

func (g *greedy) Choose(ctx context.Context, state env.State) (env.Action, error) {
	me, before := state.Player(), lead(state, state.Player())
	g.legal[0] = state.Legal(g.legal[0][:0])
	g.scores = g.scores[:0]
	for _, a := range g.legal[0] {
		next := g.play(state, a, 1)
		g.scores = append(g.scores, g.worth(next, me, before, 1))
	}
	return g.legal[0][drawMax(g.rng, g.scores)], ctx.Err()
}

func (g *greedy) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	best, err := g.Choose(ctx, state)
	if err != nil {
		return nil, err
	}
	return ignorant(state, g.legal[0], best), nil
}

// play returns the state after a, held at the given ply.
func (g *greedy) play(state env.State, a env.Action, ply int) env.State {
	next := g.states[ply]
	next.CopyFrom(state)
	next.Apply(a)
	return next
}

// worth is what me may expect of state at once: its utility if it is done; if the opponent is to move, its worst ending,
// or otherwise what me has gained since its lead was before; if me moves again (a Quad block), its best next move
// that passes the turn.
func (g *greedy) worth(state env.State, me env.Player, before float64, ply int) float64 {
	if state.Done() {
		return utility(g.game, state, me)
	}
	gain := lead(state, me) - before
	again := state.Player() == me
	if ply == greedyPlies {
		return gain
	}
	g.legal[ply] = state.Legal(g.legal[ply][:0])
	best, worst, open := -2.0, 2.0, false
	for _, a := range g.legal[ply] {
		next := g.play(state, a, ply+1)
		switch {
		case again && !next.Done() && next.Player() == me: // another move that keeps the turn: no further
		case again:
			if best = max(best, g.worth(next, me, before, ply+1)); best >= gain {
				return best
			}
		case next.Done():
			if worst = min(worst, utility(g.game, next, me)); worst == -1 {
				return worst
			}
		default:
			open = true
		}
	}
	switch {
	case again && best == -2:
		return gain
	case again:
		return best
	case open:
		return min(worst, gain)
	}
	return worst
}

// drawMax returns the index of a largest score, each with the same probability.
func drawMax(rng *rand.Rand, scores []float64) int {
	best, count := 0, 0
	for i, s := range scores {
		if s > scores[best] {
			best, count = i, 0
		}
		if s == scores[best] {
			if count++; rng.IntN(count) == 0 {
				best = i
			}
		}
	}
	return best
}
