package agent

import (
	"context"
	"math/rand/v2"
	"slices"

	"ludus/env"
	"ludus/train/seed"
)

// Agent plays one game at a time and belongs to one goroutine.
type Agent interface {
	// Reset begins another game: what was kept of the last one is forgotten, and every draw follows from seed.
	Reset(seed uint64)
	// Choose returns a legal move in state, which is not done, and is neither changed nor retained. The only error is
	// that of a cancelled ctx.
	Choose(ctx context.Context, state env.State) (env.Action, error)
	// Observe tells the agent that a was played, by either player, so that a tree can be kept from move to move.
	Observe(a env.Action)
	// Analyze judges state, which is not done, with the given number of simulations (0: the agent's own); agents that
	// do not simulate ignore it. The only error is that of a cancelled ctx.
	Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error)
}

// Analysis is what an agent thinks of a position. Values are expected utilities for Player; nil is "not known".
type Analysis struct {
	Player      env.Player // to move
	Value       *float64
	Goals       *[2]float64 // expected goals of First and Second, 0 to 100
	Proven      bool        // Value is exact
	Simulations int         // new ones, done for this analysis
	// Moves holds every legal move: the best first, then by falling visits, then by falling prior, then by number.
	Moves []MoveInfo
}

// MoveInfo is what an agent thinks of one move: visits in this analysis (or kept from earlier), value for the player
// to move at the root, and prior probability. nil is "not known".
type MoveInfo struct {
	Action env.Action
	Visits *int
	Value  *float64
	Prior  *float64
}

// sortMoves orders moves as Analysis.Moves says.
func sortMoves(moves []MoveInfo, best env.Action) {
	slices.SortStableFunc(moves, func(a, b MoveInfo) int {
		switch {
		case a.Action == best || b.Action == best:
			return truth(b.Action == best) - truth(a.Action == best)
		case known(a.Visits) != known(b.Visits):
			return known(b.Visits) - known(a.Visits)
		case known(a.Prior) > known(b.Prior):
			return -1
		case known(a.Prior) < known(b.Prior):
			return 1
		}
		return int(a.Action - b.Action)
	})
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// known returns what p points to, or zero.
func known[T any](p *T) (x T) {
	if p != nil {
		x = *p
	}
	return x
}

// ignorant is the analysis of an agent that knows nothing but which move it would play.
func ignorant(state env.State, legal []env.Action, best env.Action) *Analysis {
	a := &Analysis{Player: state.Player()}
	for _, action := range legal {
		a.Moves = append(a.Moves, MoveInfo{Action: action})
	}
	sortMoves(a.Moves, best)
	return a
}

// utility is what a finished state is worth to p.
func utility(game *env.Game, state env.State, p env.Player) float64 {
	return game.UtilityFor(p, state.Outcome())
}

// lead is the difference of the goals that p and its opponent have earned so far, as a share of 100.
func lead(state env.State, p env.Player) float64 {
	goals := state.Goals()
	return float64(goals[p]-goals[p.Opponent()]) / 100
}

// newRand returns an agent's generator.
func newRand(s uint64) *rand.Rand { return rand.New(seed.New(s, "agent", 0)) }
