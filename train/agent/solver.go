package agent

import (
	"context"

	"ludus/env"
	"ludus/env/solver"
)

// solving plays a move that keeps the value of the position, if the solver finds one within its nodes. Otherwise, and
// if every move loses, it plays as UCT, which resists.
type solving struct {
	game     *env.Game
	solver   *solver.Solver
	nodes    int // per move
	fallback *uct
	legal    []env.Action
	classes  []int
}

// The solver's table has 16 bytes per node, within bounds.
const (
	minTableBytes       = 1 << 16
	maxTableBytes       = 64 << 20
	fallbackSimulations = 1000
)

func tableBytes(nodes int) int {
	return min(max(minTableBytes, 16*min(nodes, maxTableBytes/16)), maxTableBytes)
}

// solvingBytes estimates the memory of an agent.
func solvingBytes(nodes int) int { return tableBytes(nodes) + simulationBytes*fallbackSimulations }

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
	if ok && s.game.ClassFor(state.Player(), class) < len(s.game.Classes)-1 {
		return a, ctx.Err()
	}
	return s.fallback.Choose(ctx, state)
}

// Analyze implements [Agent]. The nodes are for all moves together; moves that remain unsolved have no value. The
// position's value is known, and proven, if a move reaches the best class or all moves are solved.
func (s *solving) Analyze(ctx context.Context, state env.State, _ int) (*Analysis, error) {
	player, worst := state.Player(), len(s.game.Classes)-1
	s.legal = state.Legal(s.legal[:0])
	s.classes = s.solver.SolveMoves(state, s.limits(ctx), s.classes[:0])
	a := &Analysis{Player: player}
	best, bestClass, all := env.Action(-1), worst+1, true // the mover's class
	for i, action := range s.legal {
		info := MoveInfo{Action: action}
		if all = all && s.classes[i] != solver.Unknown; s.classes[i] != solver.Unknown {
			class := s.game.ClassFor(player, s.classes[i])
			value := float64(s.game.Classes[class].Utility)
			info.Value = &value
			if class < bestClass {
				best, bestClass = action, class
			}
		}
		a.Moves = append(a.Moves, info)
	}
	if bestClass == 0 || all {
		s.prove(a, bestClass)
	}
	if !a.Proven || bestClass == worst {
		var err error
		if best, err = s.fallback.Choose(ctx, state); err != nil {
			return nil, err
		}
	}
	sortMoves(a.Moves, best)
	return a, ctx.Err()
}

// prove sets the proven value of the mover's class.
func (s *solving) prove(a *Analysis, class int) {
	c := s.game.Classes[class]
	value := float64(c.Utility)
	a.Value, a.Proven = &value, true
	if s.game.GoalHead {
		return
	}
	goals := env.ByPlayer(a.Player, [2]float64{float64(c.Goals[0]), float64(c.Goals[1])})
	a.Goals = &goals
}
