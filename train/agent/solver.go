package agent

import (
	"context"
	"slices"

	"ludus/env"
	"ludus/env/solver"
)

// solving plays a move that keeps the position's value, if the solver finds one within its node limit. Otherwise, and
// if every move loses, UCT chooses the move: it makes the opponent's win harder.
type solving struct {
	game     *env.Game
	solver   *solver.Solver
	nodes    int // node limit per move
	fallback *uct
	legal    []env.Action
	classes  []int
}

// The solver's table has 16 bytes per node of the limit, clamped to these bounds.
const (
	minTableBytes       = 1 << 16
	maxTableBytes       = 64 << 20
	fallbackSimulations = 1000
)

func tableBytes(nodes int) int {
	return min(max(minTableBytes, 16*min(nodes, maxTableBytes/16)), maxTableBytes)
}

func newSolving(game *env.Game, nodes int) *solving {
	return &solving{
		game:     game,
		solver:   solver.New(game, tableBytes(nodes)),
		nodes:    nodes,
		fallback: newUCT(game, fallbackSimulations),
	}
}

// Reset implements [Agent]. It clears the table: a game must not depend on earlier ones.
func (s *solving) Reset(seed uint64) {
	s.solver.Clear()
	s.fallback.Reset(seed)
}

// Observe implements [Agent].
func (s *solving) Observe(a env.Action) { s.fallback.Observe(a) }

func (s *solving) limits(ctx context.Context) solver.Limits {
	return solver.Limits{Nodes: s.nodes, Stop: func() bool { return ctx.Err() != nil }}
}

// Choose implements [Agent].
func (s *solving) Choose(ctx context.Context, state env.State) (env.Action, error) {
	a, class, ok := s.solver.BestMove(state, s.limits(ctx))
	if ok && s.game.ClassFor(state.Player(), class) < len(s.game.Classes)-1 { // not lost, which is the last class
		return a, ctx.Err()
	}
	return s.fallback.Choose(ctx, state)
}

// Analyze implements [Agent]. All moves share one node budget; unsolved moves have no value. The position is proven if
// a move reaches the best class or all moves are solved. If it is not proven, or is lost, the fallback agent picks the
// move, unless that move is solved as worse than another.
func (s *solving) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	player, worst := state.Player(), len(s.game.Classes)-1
	s.legal = state.Legal(s.legal[:0])
	s.classes = s.solver.SolveMoves(state, s.limits(ctx), s.classes[:0])
	a := &Analysis{Player: player}
	best, bestClass := env.Action(-1), worst+1 // best solved move and its class; classes are the mover's
	for i, action := range s.legal {
		info := MoveInfo{Action: action}
		if s.classes[i] != solver.Unknown {
			class := s.game.ClassFor(player, s.classes[i])
			value := float64(s.game.Classes[class].Utility)
			info.Value = &value
			info.Line = lineAfter(s.solver, s.game.NewState(), state, action, s.classes[i])
			if class < bestClass {
				best, bestClass = action, class
			}
		}
		a.Moves = append(a.Moves, info)
	}
	if bestClass == 0 || !slices.Contains(s.classes, solver.Unknown) {
		markProven(s.game, a, bestClass)
	}
	if !a.Proven || bestClass == worst {
		move, err := s.fallback.Choose(ctx, state)
		if err != nil {
			return nil, err
		}
		class := s.classes[slices.Index(s.legal, move)]
		if class == solver.Unknown || s.game.ClassFor(player, class) == bestClass {
			best = move
		}
	}
	sortMoves(a.Moves, best)
	return a, ctx.Err()
}

// lineAfter returns a move whose value (First's class) is known, and the best play after it as far as the solver
// remembers it. after is scratch.
func lineAfter(s *solver.Solver, after, state env.State, move env.Action, class int) []env.Action {
	after.CopyFrom(state)
	after.Apply(move)
	return s.Line([]env.Action{move}, after, class, lineLength-1)
}

// markProven sets the proven value of an analysis, and its goals if the class determines them. class is the mover's.
func markProven(game *env.Game, a *Analysis, class int) {
	c := game.Classes[class]
	value := float64(c.Utility)
	a.Value, a.Proven = &value, true
	if game.GoalHead {
		return
	}
	goals := env.ByPlayer(a.Player, [2]float64{float64(c.Goals[0]), float64(c.Goals[1])})
	a.Goals = &goals
}
