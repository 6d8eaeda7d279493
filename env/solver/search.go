package solver

import (
	"ludus/env"
)

// begin sets the root of a call.
func (s *Solver) begin(state env.State, l Limits) {
	s.stack[0].state.CopyFrom(state)
	s.table.age++
	s.nodes, s.stop, s.stopped = 0, l.Stop, false
}

// limitNodes sets the node limit of the next search, at most what is left of the call's.
func (s *Solver) limitNodes(nodes int, l Limits) {
	s.nodeLimit = s.nodes + min(nodes, l.nodes()-s.nodes)
	s.aborted = s.stopped
	s.nextCheck = s.nodes
}

// solveAfter is First's class after the root's move a, or Unknown; see solve.
func (s *Solver) solveAfter(a env.Action, guess int) int {
	next := s.stack[1].state
	next.CopyFrom(s.stack[0].state)
	if next.Apply(a); next.Done() {
		return next.Outcome()
	}
	return s.solve(1, guess)
}

// solve is First's class at ply, or Unknown. It is fastest if guess is the class or next to it.
func (s *Solver) solve(ply, guess int) int {
	low, high := 0, len(s.game.Classes)-1
	for low < high {
		k := min(max(guess, low), high-1)
		switch class := s.search(ply, k); {
		case s.aborted:
			return Unknown
		case class <= k:
			high = class
			guess = (low + high - 1) / 2
		default:
			low = class
			guess = (low + high) / 2
		}
	}
	return low
}

// search decides whether First reaches class k or better from the position at ply. It returns a bound: a class c <= k
// means that First reaches c or better, a class c > k that Second keeps First to c or worse. The result is meaningless
// if s.aborted.
func (s *Solver) search(ply, k int) int {
	if s.nodes >= s.nextCheck && s.limitReached() {
		return k
	}
	s.nodes++
	before := s.nodes
	p := &s.stack[ply]
	player := p.state.Player()
	best := s.findMoves(p, player)
	if p.cutoff >= 0 && cutsOff(player, best, k) {
		return best
	}
	p.cutoff = -1
	if len(p.moves) == 0 {
		return best
	}
	key, symmetry := p.state.CanonicalKey()
	h := hashOf(&key)
	e := s.table.find(h)
	switch {
	case e == nil:
	case int(e.high) <= k:
		return int(e.high)
	case int(e.low) > k:
		return int(e.low)
	}
	s.scoreMoves(p, player, s.entryMove(e, symmetry))
	next := &s.stack[ply+1]
	for i := range p.moves {
		a := p.pickMove(i)
		next.state.CopyFrom(p.state)
		next.state.Apply(a)
		class := s.search(ply+1, k)
		if s.aborted {
			return k
		}
		if better(player, class, best) {
			best = class
		}
		if cutsOff(player, class, k) {
			s.updateHistory(p, player, a)
			p.cutoff = a
			s.store(h, player == env.First, best, uint16(s.game.Symmetries[symmetry].Actions[a]), before)
			return best
		}
		p.promote(i+1, next.cutoff)
	}
	s.store(h, player == env.Second, best, noMove, before)
	return best
}

// tableMove is the table's best move in state, or -1.
func (s *Solver) tableMove(state env.State) env.Action {
	key, symmetry := state.CanonicalKey()
	return s.entryMove(s.table.find(hashOf(&key)), symmetry)
}

// entryMove is the best move of an entry, or -1 if e is nil or has none. The symmetry turns the position into the
// canonical one.
func (s *Solver) entryMove(e *entry, symmetry int) env.Action {
	if e == nil || e.move == noMove {
		return -1
	}
	return s.inverse[symmetry][e.move]
}

// limitReached checks the limits and, if none is reached, schedules the next check.
func (s *Solver) limitReached() bool {
	if s.stop != nil && !s.stopped {
		s.stopped = s.stop()
	}
	s.aborted = s.aborted || s.stopped || s.nodes >= s.nodeLimit
	s.nextCheck = min(s.nodeLimit, s.nodes+checkInterval)
	return s.aborted
}

// store writes a bound into the table: First reaches best or better if upper is set, otherwise Second keeps First to
// best or worse. before is the node count at the start of the position's search.
func (s *Solver) store(h hash, upper bool, best int, move uint16, before int) {
	low, high := 0, len(s.game.Classes)-1
	if upper {
		high = best
	} else {
		low = best
	}
	s.table.store(h, low, high, move, s.nodes-before+1)
}

// better reports whether p prefers class a to b.
func better(p env.Player, a, b int) bool { return a != b && (a < b) == (p == env.First) }

// cutsOff reports whether a move to class decides the search for k in p's favour.
func cutsOff(p env.Player, class, k int) bool { return (class <= k) == (p == env.First) }

// findMoves fills p.moves with the legal moves that do not end the game. It returns player's best class by a move that
// ends it and sets p.cutoff to that move; without one, the class is worse than all and p.cutoff is -1.
func (s *Solver) findMoves(p *plyScratch, player env.Player) (best int) {
	best, p.cutoff = len(s.game.Classes), -1
	if player == env.Second {
		best = -1
	}
	p.terminal = p.state.TerminalActions(p.terminal[:0])
	for _, t := range p.terminal {
		if better(player, t.Outcome, best) {
			best, p.cutoff = t.Outcome, t.Action
		}
	}
	p.moves = p.state.Legal(p.moves[:0])
	if len(p.terminal) == 0 {
		return best
	}
	others, terminal := p.moves[:0], p.terminal
	for _, a := range p.moves {
		if len(terminal) > 0 && terminal[0].Action == a {
			terminal = terminal[1:]
		} else {
			others = append(others, a)
		}
	}
	p.moves = others
	return best
}

// Scores of moves: the table's, the opponent's refutation of another move, then by history, always below maxHistory.
const (
	tableScore      = 4 * maxHistory
	refutationScore = 2 * maxHistory
	maxHistory      = 1 << 16 // of a move that always causes a cutoff
)

// scoreMoves scores p.moves; tableMove may be -1.
func (s *Solver) scoreMoves(p *plyScratch, player env.Player, tableMove env.Action) {
	p.scores = p.scores[:0]
	for _, a := range p.moves {
		score := s.history[player][a]
		if a == tableMove {
			score = tableScore
		}
		p.scores = append(p.scores, score)
	}
}

// pickMove moves the best of the moves from index i on to i and returns it.
func (p *plyScratch) pickMove(i int) env.Action {
	best := i
	for j := i + 1; j < len(p.moves); j++ {
		if p.scores[j] > p.scores[best] {
			best = j
		}
	}
	p.moves[i], p.moves[best] = p.moves[best], p.moves[i]
	p.scores[i], p.scores[best] = p.scores[best], p.scores[i]
	return p.moves[i]
}

// promote gives a, if it is among the moves from index i on, the score of a refutation.
func (p *plyScratch) promote(i int, a env.Action) {
	for j := i; j < len(p.moves); j++ {
		if p.moves[j] == a {
			p.scores[j] = max(p.scores[j], refutationScore)
			return
		}
	}
}

// historySpan is about how many tries of a move its history covers.
const historySpan = 64

// updateHistory raises the history of a, which caused a cutoff, and lowers that of the moves tried before it.
func (s *Solver) updateHistory(p *plyScratch, player env.Player, a env.Action) {
	history := s.history[player]
	history[a] += (maxHistory - history[a]) / historySpan
	for _, tried := range p.moves {
		if tried == a {
			return
		}
		history[tried] -= history[tried] / historySpan
	}
}
