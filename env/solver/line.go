package solver

import "ludus/env"

// Line appends to dst moves of best play from state on, whose value is known to be class: at most so many plies, and
// only as far as the table remembers them; it searches nothing. The winner ends the game if a move does, the other
// player plays what took most work to refute. The state may be done; it is neither changed nor retained.
func (s *Solver) Line(dst []env.Action, state env.State, class, plies int) []env.Action {
	p, next := s.ply(0), s.ply(1).state
	p.state.CopyFrom(state)
	for ; plies > 0 && !p.state.Done(); plies-- {
		a := s.lineMove(p, next, class)
		if a < 0 {
			break
		}
		dst = append(dst, a)
		p.state.Apply(a)
	}
	return dst
}

// lineMove returns the move of a line at p.state, whose value is class, or -1 if none is known to keep that value. next
// is scratch.
func (s *Solver) lineMove(p *plyScratch, next env.State, class int) env.Action {
	player := p.state.Player()
	after := s.findMoves(p, player)
	own := s.game.ClassFor(player, class)
	wins, lost := s.game.Classes[own].Utility > 0, own == len(s.game.Classes)-1
	ending := p.cutoffMove
	if after != class {
		ending = -1
	}
	if wins && ending >= 0 {
		return ending
	}
	chosen, most, remembered := env.Action(-1), -1, s.tableMove(p.state)
	for _, a := range p.moves {
		next.CopyFrom(p.state)
		next.Apply(a)
		key, _ := next.CanonicalKey()
		e := s.table.find(hashOf(&key))
		work := 0
		switch {
		case e != nil && (player == env.First && int(e.high) <= class || player == env.Second && int(e.low) >= class):
			work = int(e.work)
		case !lost: // the move may be worth less
			continue
		}
		if wins {
			work = -work // a win that is easy to see
			if a == remembered {
				work = 1
			}
		}
		if chosen < 0 || work > most {
			chosen, most = a, work
		}
	}
	if chosen < 0 {
		return ending
	}
	return chosen
}
