package agent

import (
	"context"
	"math/rand/v2"

	"ludus/env"
)

// random plays a random legal move.
type random struct {
	memoryless
	legal []env.Action
}

func newRandom() *random { return &random{memoryless: memoryless{newRand(0)}} }

// Choose implements [Agent].
func (r *random) Choose(ctx context.Context, state env.State) (env.Action, error) {
	r.legal = state.Legal(r.legal[:0])
	return r.legal[r.rng.IntN(len(r.legal))], ctx.Err()
}

// Analyze implements [Agent].
func (r *random) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	return BestOnly(ctx, state, r.Choose)
}

// greedy looks one move ahead, and checks whether the opponent's reply ends the game. It breaks ties at random.
type greedy struct {
	memoryless
	game   *env.Game
	states [greedyPlies + 1]env.State
	legal  [greedyPlies + 1][]env.Action
	ends   []env.TerminalAction // replies that end the game
	scores []float64
}

// greedyPlies is the search depth of greedy: two moves of its own, if it moves twice in a row, and a reply.
const greedyPlies = 3

func newGreedy(game *env.Game) *greedy {
	g := &greedy{memoryless: memoryless{newRand(0)}, game: game}
	for i := range g.states {
		g.states[i] = game.NewState()
	}
	return g
}

// Choose implements [Agent].
func (g *greedy) Choose(ctx context.Context, state env.State) (env.Action, error) {
	me, before := state.Player(), goalLead(state, state.Player())
	g.legal[0] = state.Legal(g.legal[0][:0])
	g.scores = g.scores[:0]
	for _, a := range g.legal[0] {
		next := g.apply(state, a, 1)
		g.scores = append(g.scores, g.score(next, me, before, 1)) // after ply 1
	}
	return g.legal[0][randomMax(g.rng, g.scores)], ctx.Err()
}

// Analyze implements [Agent].
func (g *greedy) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	return BestOnly(ctx, state, g.Choose)
}

// apply returns the state after a, stored at the given ply.
func (g *greedy) apply(state env.State, a env.Action, ply int) env.State {
	next := g.states[ply]
	next.CopyFrom(state)
	next.Apply(a)
	return next
}

// score evaluates state for player me. If the game is over, the score is me's utility. If the opponent is to move, it
// is the minimum over the replies: me's utility for a reply that ends the game, otherwise me's gain in goal lead since
// before. If me moves again (a block in Quad), it is the best score of a move that passes the turn, or the gain if
// there is none.
func (g *greedy) score(state env.State, me env.Player, before float64, ply int) float64 {
	if state.Done() {
		return g.game.UtilityFor(me, state.Outcome())
	}
	gain := goalLead(state, me) - before
	again := state.Player() == me
	if ply == greedyPlies {
		return gain
	}
	g.legal[ply] = state.Legal(g.legal[ply][:0])
	if !again {
		g.ends = state.TerminalActions(g.ends[:0])
		worst := gain
		if len(g.ends) == len(g.legal[ply]) { // every reply ends the game
			worst = 1
		}
		for _, end := range g.ends {
			worst = min(worst, g.game.UtilityFor(me, end.Outcome))
		}
		return worst
	}
	best := -2.0 // below all utilities
	for _, a := range g.legal[ply] {
		next := g.apply(state, a, ply+1)
		if !next.Done() && next.Player() == me { // me could move a third time: not searched
			continue
		}
		best = max(best, g.score(next, me, before, ply+1))
		if best >= gain {
			return best
		}
	}
	if best == -2 {
		return gain
	}
	return best
}

// randomMax returns the index of one of the largest scores, each with the same probability.
func randomMax(rng *rand.Rand, scores []float64) int {
	best, count := 0, 0
	for i, s := range scores {
		if s > scores[best] {
			best, count = i, 0
		}
		if s == scores[best] {
			count++
			pick := rng.IntN(count)
			if pick == 0 {
				best = i
			}
		}
	}
	return best
}
