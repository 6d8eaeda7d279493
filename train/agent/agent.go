package agent

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"ludus/env"
	"ludus/train/seed"
)

// Agent plays one game at a time. It belongs to one goroutine.
//
// The only error of its methods is that of a cancelled ctx, but an agent that is an [Outside] program may also fail
// (see [Failed]).
type Agent interface {
	// Reset starts a new game: the agent forgets the last one, and seed determines its random choices.
	Reset(seed uint64)
	// Choose returns a legal move in state, which is not terminal. It neither changes nor retains state.
	Choose(ctx context.Context, state env.State) (env.Action, error)
	// Observe shows the agent a move of the game, by either player, so it can keep its tree from move to move. After
	// Reset an outside program must observe every move from the start, in order; other agents need not.
	Observe(a env.Action)
	// Analyze evaluates state, which is not terminal, with a number of simulations (0: the agent's own). Agents without
	// simulations ignore the number.
	Analyze(ctx context.Context, state env.State, simulations int) (*Analysis, error)
}

// Restart resets an agent with a seed and shows it the moves of a game from the start.
func Restart(a Agent, seed uint64, moves []env.Action) {
	a.Reset(seed)
	for _, move := range moves {
		a.Observe(move)
	}
}

// Timed is an agent that can choose within a time limit. Agents of the kinds MCTS, Net and Policy are.
type Timed interface {
	Agent
	// ChooseWithin is Choose for a move that must be chosen within the limit. The agent also keeps its own limits.
	ChooseWithin(ctx context.Context, state env.State, limit time.Duration) (env.Action, error)
}

// Analysis is an agent's evaluation of a position. Values are expected utilities in [-1, 1] for Player; nil: unknown.
type Analysis struct {
	Player      env.Player // the player to move
	Value       *float64
	Goals       *[2]float64 // expected goals of First and Second, 0 to 100
	Proven      bool        // Value is proven exact
	Simulations int         // simulations of this analysis; those kept from earlier searches do not count
	// Moves holds every legal move: the best first, then by visits and by prior, both descending, then by action.
	Moves []MoveInfo
}

// MoveInfo is an agent's evaluation of a move: visits, value for the player to move at the root, and prior probability.
// A field is nil if the agent does not know it.
type MoveInfo struct {
	Action env.Action
	Visits *int
	Value  *float64
	Prior  *float64
	Line   []env.Action // principal variation, of at most lineLength moves: Action and what is played after it
}

// lineLength is the largest length of a line in plies.
const lineLength = 12

// sortMoves sorts moves in the order of Analysis.Moves: best first, the others by visits and so on.
func sortMoves(moves []MoveInfo, best env.Action) {
	slices.SortStableFunc(moves, func(a, b MoveInfo) int {
		switch best {
		case a.Action:
			return -1
		case b.Action:
			return 1
		}
		return cmp.Or(cmp.Compare(orZero(b.Visits), orZero(a.Visits)), cmp.Compare(orZero(b.Prior), orZero(a.Prior)),
			cmp.Compare(a.Action, b.Action))
	})
}

// orZero returns what p points to, or zero if p is nil.
func orZero[T any](p *T) (x T) {
	if p != nil {
		x = *p
	}
	return x
}

// BestOnly returns the analysis of state by an agent that knows only which move it would play, by choose.
func BestOnly(ctx context.Context, state env.State, choose func(context.Context, env.State) (env.Action, error)) (*Analysis, error) {
	best, err := choose(ctx, state)
	if err != nil {
		return nil, err
	}
	a := &Analysis{Player: state.Player()}
	for _, action := range state.Legal(nil) {
		a.Moves = append(a.Moves, MoveInfo{Action: action})
	}
	sortMoves(a.Moves, best)
	return a, nil
}

// goalLead is the difference of the goals that p and its opponent have earned so far, divided by 100.
func goalLead(state env.State, p env.Player) float64 {
	goals := state.Goals()
	return float64(goals[p]-goals[p.Opponent()]) / 100
}

// newRand returns an agent's random number generator.
func newRand(s uint64) *rand.Rand { return rand.New(seed.New(s, "agent", 0)) }

// memoryless implements Reset and Observe for agents that keep only a random number generator from move to move.
type memoryless struct{ rng *rand.Rand }

// Reset implements [Agent].
func (m *memoryless) Reset(seed uint64) { m.rng = newRand(seed) }

// Observe implements [Agent].
func (*memoryless) Observe(env.Action) {}
