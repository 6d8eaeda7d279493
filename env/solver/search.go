package solver

import (
	"math"

	"ludus/env"
)

// begin prepares for a new solve: it copies state to the root and resets the node count and the stop condition.
func (s *Solver) begin(state env.State, l Limits) {
	s.ply(0).state.CopyFrom(state)
	s.table.age++
	if l.Nodes == 0 {
		l.Nodes = math.MaxInt
	}
	s.limits, s.nodes, s.stopped = l, 0, false
	s.limitNodes(l.Nodes)
}

// limitNodes lets the next search visit nodes more nodes, or as many as the call's limits still allow if fewer, and
// clears aborted unless the call was stopped.
func (s *Solver) limitNodes(nodes int) {
	s.nodeLimit = s.nodes + min(nodes, s.limits.Nodes-s.nodes)
	s.aborted = s.stopped
	s.nextCheck = s.nodes
}

// solveAfter returns First's class after the root's move a, or Unknown if the search is aborted; see solve for guess.
func (s *Solver) solveAfter(a env.Action, guess int) int {
	next := s.ply(1).state
	next.CopyFrom(s.ply(0).state)
	next.Apply(a)
	if next.Done() {
		return next.Outcome()
	}
	return s.solve(1, guess)
}

// solve returns First's class in the position at ply, or Unknown if the search is aborted. Its first search separates
// class guess and better ones from worse ones; each further search halves the classes still possible.
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
	p := s.ply(ply)
	player := p.state.Player()
	best := s.findMoves(p, player) // by the best move that ends the game, if any
	if p.cutoffMove >= 0 && cutsOff(player, best, k) {
		return best
	}
	p.cutoffMove = -1
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
	next := s.ply(ply + 1)
	s.scoreMoves(p, next, s.entryMove(e, symmetry))
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
			p.cutoffMove = a
			s.store(h, best, k, entryOf(s.game.Symmetries[symmetry].Actions[a]), before)
			return best
		}
		p.promote(i+1, next.cutoffMove) // the reply that refuted a may be good for the mover too
	}
	s.store(h, best, k, noMove, before)
	return best
}

// tableMove returns the table's best move in state, or -1.
func (s *Solver) tableMove(state env.State) env.Action {
	key, symmetry := state.CanonicalKey()
	return s.entryMove(s.table.find(hashOf(&key)), symmetry)
}

// entryMove returns the best move of an entry, or -1 if e is nil or has none. symmetry is the one that turns the
// position into its canonical image.
func (s *Solver) entryMove(e *entry, symmetry int) env.Action {
	if e == nil || e.move == noMove {
		return -1
	}
	return s.inverse[symmetry][e.move]
}

// entryOf returns what an entry holds of a best move: noMove if it is one of more actions than an entry can tell apart.
func entryOf(a env.Action) uint16 { return uint16(min(a, noMove)) }

// limitReached checks the limits and, if none is reached, schedules the next check.
func (s *Solver) limitReached() bool {
	if s.limits.Stop != nil && !s.stopped {
		s.stopped = s.limits.Stop()
	}
	s.aborted = s.aborted || s.stopped || s.nodes >= s.nodeLimit
	s.nextCheck = min(s.nodeLimit, s.nodes+checkInterval)
	return s.aborted
}

// store writes a result of search(ply, k) into the table: an upper bound of First's class if class <= k, otherwise a
// lower one. before is the node count at the start of the position's search.
func (s *Solver) store(h hash, class, k int, move uint16, before int) {
	low, high := class, len(s.game.Classes)-1
	if class <= k {
		low, high = 0, class
	}
	s.table.store(h, low, high, move, s.nodes-before+1)
}

// better reports whether p prefers class a to b.
func better(p env.Player, a, b int) bool { return a != b && (a < b) == (p == env.First) }

// cutsOff reports whether a move of p's to class decides in p's favour whether First reaches class k or better.
func cutsOff(p env.Player, class, k int) bool { return (class <= k) == (p == env.First) }

// findMoves fills p.moves with the legal moves that do not end the game, and sets p.cutoffMove to the best for player of
// those that do, or -1. It returns First's class after p.cutoffMove or, without one, a class worse for player than any.
func (s *Solver) findMoves(p *plyScratch, player env.Player) (class int) {
	class, p.cutoffMove = len(s.game.Classes), -1
	if player == env.Second {
		class = -1
	}
	p.terminal = p.state.TerminalActions(p.terminal[:0])
	for _, t := range p.terminal {
		if better(player, t.Outcome, class) {
			class, p.cutoffMove = t.Outcome, t.Action
		}
	}
	p.moves = p.state.Legal(p.moves[:0])
	if len(p.terminal) == 0 {
		return class
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
	return class
}

// Scores of moves, tried best first: the table's move, then the opponent's refutation of another, then by history and,
// in games with [env.Game.FewReplies], by the number of replies.
const (
	tableScore      = 4 * maxHistory
	refutationScore = 2 * maxHistory
	replyScore      = maxHistory / 8 // taken off for each reply

	maxHistory = 1 << 16 // exclusive bound of history; a move that always causes a cutoff approaches it
)

// scoreMoves fills p.scores for p.moves, with next as scratch; tableMove may be -1.
func (s *Solver) scoreMoves(p, next *plyScratch, tableMove env.Action) {
	p.scores = p.scores[:0]
	history := s.history[p.state.Player()]
	for _, a := range p.moves {
		score := history[a]
		switch {
		case a == tableMove:
			score = tableScore
		case s.game.FewReplies && len(p.moves) > 1:
			next.state.CopyFrom(p.state)
			next.state.Apply(a)
			next.moves = next.state.Legal(next.moves[:0])
			score -= replyScore * int32(len(next.moves))
		}
		p.scores = append(p.scores, score)
	}
}

// pickMove swaps the move of highest score, among those from index i on, to index i and returns it.
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

// promote raises a, if it is among the moves from index i on, to the score of a refutation. a may be -1.
func (p *plyScratch) promote(i int, a env.Action) {
	for j := i; j < len(p.moves); j++ {
		if p.moves[j] == a {
			p.scores[j] = max(p.scores[j], refutationScore)
			return
		}
	}
}

// historySpan is about the number of last tries of a move that its history covers.
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
