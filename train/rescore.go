package train

import (
	"slices"
	"sync"
	"time"

	"ludus/env"
	"ludus/env/solver"
	"ludus/train/rundir"
)

const (
	// rescoreTableBytes is the size of a solver's table.
	rescoreTableBytes = 4 << 20
	// Games that share a table are solved one after another, so a generation has up to maxRescoreGroups groups of games
	// for as many cores. A group has at least minRescoreGames games if there are that many: most positions that games
	// share are solved once.
	maxRescoreGroups = 32
	minRescoreGames  = 48
)

// rescorer replaces results of the search in finished games by exact ones, from the end of a game backwards, as lc0's
// rescorer does with endgame tables. The games of a group share a solver's table, which is empty at first. Groups do not
// depend on threads, so neither do results.
type rescorer struct {
	game     *env.Game
	nodes    int // the solver's limit per position; 0: no rescoring
	parallel func(n int, do func(i int))
	idle     sync.Pool // of *gameSolver
}

// newRescorer returns a rescorer that runs groups of games with parallel.
func newRescorer(game *env.Game, nodes int, parallel func(n int, do func(i int))) *rescorer {
	r := &rescorer{game: game, nodes: nodes, parallel: parallel}
	r.idle.New = func() any {
		return &gameSolver{game: game, solver: solver.New(game, rescoreTableBytes), limits: solver.Limits{Nodes: nodes}}
	}
	return r
}

// rescore rescores finished games.
func (r *rescorer) rescore(games []*record) {
	if r.nodes == 0 || len(games) == 0 {
		return
	}
	groups := min(max(1, len(games)/minRescoreGames), maxRescoreGroups)
	r.parallel(groups, func(i int) {
		s := r.idle.Get().(*gameSolver)
		s.solver.Clear()
		for _, game := range games[i*len(games)/groups : (i+1)*len(games)/groups] {
			s.rescore(game)
		}
		r.idle.Put(s)
	})
}

// rescore rescores the finished games of a generation and sets its time and the share of proven positions in m.
func (r *run) rescore(games []*record, m *rundir.Metrics) {
	start := time.Now()
	r.rescorer.rescore(games)
	m.SolveSeconds = time.Since(start).Seconds()
	proven := 0
	for _, g := range games {
		for i := range g.plies {
			if g.plies[i].proven >= 0 {
				proven++
			}
		}
	}
	m.SolvedShare = float64(proven) / float64(max(1, positionsOf(games)))
}

// gameSolver rescores one game at a time.
type gameSolver struct {
	game   *env.Game
	solver *solver.Solver
	limits solver.Limits
	states []env.State // before each searched ply
	values []int       // of the legal moves
}

// rescore solves the positions of r from the last to the first, until one exceeds the limit.
func (s *gameSolver) rescore(r *record) {
	s.replay(r)
	for i := len(r.plies) - 1; i >= 0; i-- {
		if !s.rescorePly(&r.plies[i], s.states[i]) {
			return
		}
	}
}

// replay sets s.states to the positions of the searched plies of r.
func (s *gameSolver) replay(r *record) {
	state := s.game.NewState()
	for _, a := range r.opening {
		state.Apply(a)
	}
	for i := range r.plies {
		if i == len(s.states) {
			s.states = append(s.states, s.game.NewState())
		}
		s.states[i].CopyFrom(state)
		state.Apply(r.plies[i].action)
	}
}

// rescorePly sets p.proven to the exact class of its position and leaves only moves in the policy target that are not
// known to lose value. It returns false if the position exceeds the limit.
func (s *gameSolver) rescorePly(p *ply, state env.State) bool {
	mover := state.Player()
	s.values = s.solver.SolveMoves(state, s.limits, s.values[:0])
	best, unknown := len(s.game.Classes), false
	for i, class := range s.values {
		if class == solver.Unknown {
			unknown = true
			continue
		}
		s.values[i] = s.game.ClassFor(mover, class)
		best = min(best, s.values[i])
	}
	if unknown && best > 0 {
		class, ok := s.solver.Solve(state, s.limits)
		if !ok {
			return false
		}
		best = s.game.ClassFor(mover, class)
	}
	p.proven = int8(best)
	keeps := func(value int) bool { return value == solver.Unknown || value == best }
	p.trainPolicy = slices.ContainsFunc(s.values, func(v int) bool { return !keeps(v) })
	kept := 0
	for i, value := range s.values {
		if !keeps(value) {
			p.policy[i] = 0
		}
		kept += int(p.policy[i])
	}
	if kept == 0 { // the search gave all its weight to moves that lose value
		for i, value := range s.values {
			if keeps(value) {
				p.policy[i] = unit
			}
		}
	}
	return true
}
