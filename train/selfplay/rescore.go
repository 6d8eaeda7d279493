package selfplay

import (
	"context"
	"slices"
	"sync"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/memory"
	"ludus/train/parallel"
	"ludus/train/record"
)

const (
	rescoreTableBytes = 4 << 20 // size of a solver's table
	// Games are rescored in groups, in parallel. The games of a group share a solver table, so common positions are solved
	// once.
	maxRescoreGroups = 32
	minRescoreGames  = 12 // least number of games in a group, if there are several groups
)

// Rescorer replaces search results in finished games by exact ones, from the end of a game backwards, as lc0's rescorer
// does with endgame tables. Each group of games starts with an empty table, and groups do not depend on threads, so results
// do not either.
type Rescorer struct {
	game     *env.Game
	nodes    int                         // solver's node limit per position; 0: no rescoring
	parallel func(n int, do func(i int)) // see [parallel.Runner]
	idle     sync.Pool                   // of *gameSolver
}

// NewRescorer returns a rescorer with a limit of solver nodes per position, on several threads, or as many as there is memory
// for. 0 nodes mean no rescoring.
func NewRescorer(game *env.Game, nodes, threads int) *Rescorer {
	r := &Rescorer{game: game, nodes: nodes, parallel: parallel.Runner(memory.Threads(threads, rescoreTableBytes))}
	r.idle.New = func() any {
		return &gameSolver{Rescorer: r, solver: solver.New(game, rescoreTableBytes), next: game.NewState()}
	}
	return r
}

// Rescore sets exact classes, and removes refuted moves from policy targets, in finished games. If ctx ends it returns
// ctx's error; then only some games are rescored.
func (r *Rescorer) Rescore(ctx context.Context, games []*record.Record) error {
	if r.nodes == 0 || len(games) == 0 {
		return ctx.Err()
	}
	groups := min(max(1, len(games)/minRescoreGames), maxRescoreGroups)
	r.parallel(groups, func(i int) {
		s := r.idle.Get().(*gameSolver)
		s.solver.Clear()
		s.stop = func() bool { return ctx.Err() != nil }
		for _, game := range games[i*len(games)/groups : (i+1)*len(games)/groups] {
			s.rescore(game)
		}
		r.idle.Put(s)
	})
	return ctx.Err()
}

// gameSolver rescores one game at a time.
type gameSolver struct {
	*Rescorer
	solver *solver.Solver
	left   int         // nodes left for the current position
	stop   func() bool // reports whether the solver must stop
	states []env.State // states before each searched ply
	next   env.State   // scratch
	legal  []env.Action
}

// rescore solves the positions of r from the last to the first, until one exceeds the limit.
func (s *gameSolver) rescore(r *record.Record) {
	s.replay(r)
	for i := len(r.Plies) - 1; i >= 0; i-- {
		if !s.rescorePly(&r.Plies[i], s.states[i]) {
			return
		}
	}
}

// replay sets s.states to the positions of the searched plies of r.
func (s *gameSolver) replay(r *record.Record) {
	state := s.game.NewState()
	for i := range r.Positions(state) {
		if i == len(s.states) {
			s.states = append(s.states, s.game.NewState())
		}
		s.states[i].CopyFrom(state)
	}
}

// minCheckedShare is the least share of a move in the policy target, relative to the largest, at which the solver checks
// the move. Moves below it are removed.
const minCheckedShare = 0.05

// rescorePly sets p.Proven to the exact class of its position, and removes unlikely and refuted moves from the policy
// target. It returns false if the position exceeds the node limit. The refutations use the nodes that solving has left.
func (s *gameSolver) rescorePly(p *record.Ply, state env.State) bool {
	s.left = s.nodes
	class, ok := s.solver.Solve(state, s.limits())
	s.left -= s.solver.Nodes()
	if !ok {
		return false
	}
	p.Proven = int8(s.game.ClassFor(state.Player(), class))
	s.legal = state.Legal(s.legal[:0])
	least, kept := minCheckedShare*float64(slices.Max(p.Policy)), false
	for i, a := range s.legal {
		if float64(p.Policy[i]) < least || s.refutes(state, a, class) {
			p.Policy[i] = 0
		}
		kept = kept || p.Policy[i] > 0
	}
	if kept {
		return true
	}
	// The solver has refuted all likely moves, so its own best move becomes the target.
	s.left = s.nodes
	if best, _, ok := s.solver.BestMove(state, s.limits()); ok {
		p.Policy[slices.Index(s.legal, best)] = record.Unit
	} else {
		p.TrainPolicy = false
	}
	return true
}

// limits are the solver's limits for its next call.
func (s *gameSolver) limits() solver.Limits { return solver.Limits{Nodes: s.left, Stop: s.stop} }

// refutes reports whether move a is known to lose value in a position whose exact class, First's, is class. It returns
// false if that would take more nodes than are left.
func (s *gameSolver) refutes(state env.State, a env.Action, class int) bool {
	s.next.CopyFrom(state)
	s.next.Apply(a)
	if s.next.Done() {
		return s.next.Outcome() != class
	}
	mover := state.Player()
	if mover == env.Second && class == 0 || s.left <= 0 { // the class is already Second's worst, or no nodes are left
		return false
	}
	reached, ok := s.solver.ReachesFor(mover, s.next, s.game.ClassFor(mover, class), s.limits())
	s.left -= s.solver.Nodes()
	return ok && !reached
}
