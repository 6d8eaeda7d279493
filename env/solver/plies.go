package solver

import "ludus/env"

// Plies returns the value of state, as [Solver.Solve] does, and in how many plies the player who likes it better than the other
// forces a game of that value or a better one to its end: the shortest such game against the longest resistance. plies is 0 if
// the value has utility 0, or if the limits are reached before it is found. ok is false if the value was not found.
//
// The limits hold for both searches, one after the other. The state must not be done; it is neither changed nor retained.
func (s *Solver) Plies(state env.State, l Limits) (class, plies int, ok bool) {
	class, ok = s.Solve(state, l)
	if !ok || s.game.Classes[class].Utility == 0 {
		return class, 0, ok
	}
	f := forcer{solver: s, player: env.First, left: l.Nodes, stop: l.Stop, known: map[env.Key]bounds{}}
	if s.game.Classes[class].Utility < 0 {
		f.player = env.Second
	}
	f.class = s.game.ClassFor(f.player, class)
	if l.Nodes == 0 {
		f.left = -1
	}
	for depth := 1; f.left != 0; depth++ {
		if f.forces(state, depth) {
			return class, depth, true
		}
	}
	return class, 0, true
}

// forcer finds the shortest forced game by iterative deepening. Moves that give the value away are refuted by the solver.
type forcer struct {
	solver *Solver
	player env.Player // who forces
	class  int        // the worst class that will do, as player sees it
	left   int        // nodes that may be visited; 0 ends the search, less is no limit
	stop   func() bool
	known  map[env.Key]bounds // by canonical key
	stack  []*forcerPly
}

// bounds of the number of plies in which the player forces the end.
type bounds struct{ more, most int } // more than the first, at most the second unless that is 0

// forcerPly is the search's scratch for a depth.
type forcerPly struct {
	next     env.State
	legal    []env.Action
	terminal []env.TerminalAction
}

// forces reports whether the player forces the end within depth plies. It is meaningless if no nodes are left.
func (f *forcer) forces(state env.State, depth int) bool {
	for len(f.stack) <= depth {
		f.stack = append(f.stack, &forcerPly{next: f.solver.game.NewState()})
	}
	key, _ := state.CanonicalKey()
	b := f.known[key]
	if b.most > 0 && b.most <= depth || b.more >= depth || f.left == 0 {
		return b.most > 0 && b.most <= depth
	}
	f.left--
	forced := f.moves(state, depth)
	if f.left == 0 {
		return false
	}
	if forced {
		b.most = depth
	} else {
		b.more = depth
	}
	f.known[key] = b
	return forced
}

// moves is forces by the moves in state.
func (f *forcer) moves(state env.State, depth int) bool {
	p, mine := f.stack[depth], state.Player() == f.player
	p.terminal, p.legal = state.TerminalActions(p.terminal[:0]), state.Legal(p.legal[:0])
	for _, t := range p.terminal {
		if good := f.solver.game.ClassFor(f.player, t.Outcome) <= f.class; good == mine {
			return good
		}
	}
	if depth == 1 {
		return !mine && len(p.terminal) == len(p.legal)
	}
	ended := 0 // number of terminal actions before the move
	for _, a := range p.legal {
		if ended < len(p.terminal) && p.terminal[ended].Action == a {
			ended++
			continue
		}
		p.next.CopyFrom(state)
		p.next.Apply(a)
		if mine && !f.keeps(p.next) {
			continue
		}
		if f.forces(p.next, depth-1) == mine || f.left == 0 {
			return mine
		}
	}
	return !mine
}

// keeps reports whether the player still reaches the class.
func (f *forcer) keeps(state env.State) bool {
	if f.left == 0 {
		return false
	}
	reached, ok := f.solver.ReachesFor(f.player, state, f.class, Limits{Nodes: max(f.left, 0), Stop: f.stop})
	if f.left > 0 {
		f.left = max(0, f.left-f.solver.Nodes())
	}
	if !ok {
		f.left = 0
	}
	return reached
}
