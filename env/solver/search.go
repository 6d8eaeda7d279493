package solver

import (
	"ludus/env"
)

// begin sets the root of a call.
func (s *Solver) begin(state env.State, l Limits) {
	s.frames[0].state.CopyFrom(state)
	s.table.age++
	s.nodes, s.stop, s.told = 0, l.Stop, false
}

// allow lets the next search visit so many nodes, and no more than are left of the limit.
func (s *Solver) allow(nodes int, l Limits) {
	s.limit = s.nodes + min(nodes, l.most()-s.nodes)
	s.stopped = s.told
	s.pause = s.nodes
}

// after is First's class after the root's move a, or Unknown; guess is what it may be.
func (s *Solver) after(a env.Action, guess int) int {
	next := s.frames[1].state
	next.CopyFrom(s.frames[0].state)
	if next.Apply(a); next.Done() {
		return next.Outcome()
	}
	return s.solve(1, guess)
}

// solve is First's class at ply, or Unknown; it is found soonest where guess is right or next to it.
func (s *Solver) solve(ply, guess int) int {
	low, high := 0, len(s.game.Classes)-1
	for low < high {
		k := min(max(guess, low), high-1)
		switch class := s.search(ply, k); {
		case s.stopped:
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

// search asks whether First reaches class k or better from the position at ply. The answer is a bound: a class c <= k
// says that First reaches c or better, a class c > k that Second keeps First to c or worse. It means nothing if the
// search was stopped.
func (s *Solver) search(ply, k int) int {
	if s.nodes >= s.pause && s.exhausted() {
		return k
	}
	s.nodes++
	before := s.nodes
	f := &s.frames[ply]
	player := f.state.Player()
	best := s.findMoves(f, player)
	if f.answer >= 0 && reaches(player, best, k) {
		return best
	}
	f.answer = -1
	if len(f.moves) == 0 {
		return best
	}
	key, symmetry := f.state.CanonicalKey()
	h := hashOf(&key)
	e := s.table.find(h)
	switch {
	case e == nil:
	case int(e.high) <= k:
		return int(e.high)
	case int(e.low) > k:
		return int(e.low)
	}
	s.order(f, player, s.moveOf(e, symmetry))
	next := &s.frames[ply+1]
	for i := range f.moves {
		a := f.pick(i)
		next.state.CopyFrom(f.state)
		next.state.Apply(a)
		class := s.search(ply+1, k)
		if s.stopped {
			return k
		}
		if better(player, class, best) {
			best = class
		}
		if reaches(player, class, k) {
			s.learn(f, player, a)
			f.answer = a
			s.store(h, player == env.First, best, uint16(s.game.Symmetries[symmetry].Actions[a]), before)
			return best
		}
		f.promote(i+1, next.answer)
	}
	s.store(h, player == env.Second, best, none, before)
	return best
}

// remembered is the best move that the table knows in state, or -1.
func (s *Solver) remembered(state env.State) env.Action {
	key, symmetry := state.CanonicalKey()
	return s.moveOf(s.table.find(hashOf(&key)), symmetry)
}

// moveOf is the best move that an entry, which may be nil, tells for the position that the symmetry turns into the
// canonical one; -1 if there is none.
func (s *Solver) moveOf(e *entry, symmetry int) env.Action {
	if e == nil || e.move == none {
		return -1
	}
	return s.inverse[symmetry][e.move]
}

// exhausted reports whether the limits have run out, and otherwise says when to look again.
func (s *Solver) exhausted() bool {
	if s.stop != nil && !s.told {
		s.told = s.stop()
	}
	s.stopped = s.stopped || s.told || s.nodes >= s.limit
	s.pause = min(s.limit, s.nodes+patience)
	return s.stopped
}

// store writes a bound into the table: First reaches best, or, if not atMost, Second keeps First to it.
func (s *Solver) store(h hash, atMost bool, best int, move uint16, before int) {
	low, high := 0, len(s.game.Classes)-1
	if atMost {
		high = best
	} else {
		low = best
	}
	s.table.store(h, low, high, move, s.nodes-before+1)
}

// better reports whether p would rather have class a than b.
func better(p env.Player, a, b int) bool { return a != b && (a < b) == (p == env.First) }

// reaches reports whether class is what p wants of the question whether First reaches k.
func reaches(p env.Player, class, k int) bool { return (class <= k) == (p == env.First) }

// findMoves fills f.moves with the legal moves that do not end the game. It returns the best class that p reaches by one
// that does, f.answer; if there is none, f.answer is -1 and the class is worse than all.
func (s *Solver) findMoves(f *frame, p env.Player) (best int) {
	best, f.answer = len(s.game.Classes), -1
	if p == env.Second {
		best = -1
	}
	f.endings = f.state.TerminalActions(f.endings[:0])
	for _, e := range f.endings {
		if better(p, e.Outcome, best) {
			best, f.answer = e.Outcome, e.Action
		}
	}
	f.moves = f.state.Legal(f.moves[:0])
	if len(f.endings) == 0 {
		return best
	}
	kept, ends := f.moves[:0], f.endings
	for _, a := range f.moves {
		if len(ends) > 0 && ends[0].Action == a {
			ends = ends[1:]
		} else {
			kept = append(kept, a)
		}
	}
	f.moves = kept
	return best
}

// Scores of moves that come before all others; those of the history stay below certain.
const (
	tableScore  = 4 * certain
	answerScore = 2 * certain // what the opponent would answer with is often worth taking away
	certain     = 1 << 16     // of a move that always answers the question
)

// order scores the moves: first the one that the table knows, then by how often they answered the question elsewhere.
func (s *Solver) order(f *frame, p env.Player, known env.Action) {
	f.scores = f.scores[:0]
	for _, a := range f.moves {
		score := s.history[p][a]
		if a == known {
			score = tableScore
		}
		f.scores = append(f.scores, score)
	}
}

// pick moves the best of the moves from index i on to i and returns it.
func (f *frame) pick(i int) env.Action {
	best := i
	for j := i + 1; j < len(f.moves); j++ {
		if f.scores[j] > f.scores[best] {
			best = j
		}
	}
	f.moves[i], f.moves[best] = f.moves[best], f.moves[i]
	f.scores[i], f.scores[best] = f.scores[best], f.scores[i]
	return f.moves[i]
}

// promote lets a, if it is among the moves from index i on, come next.
func (f *frame) promote(i int, a env.Action) {
	for j := i; j < len(f.moves); j++ {
		if f.moves[j] == a {
			f.scores[j] = max(f.scores[j], answerScore)
			return
		}
	}
}

// memory is how many tries a move's score looks back on, more or less.
const memory = 64

// learn moves the scores of p's moves that were tried: a, the last, answered the question, those before it did not.
func (s *Solver) learn(f *frame, p env.Player, a env.Action) {
	history := s.history[p]
	history[a] += (certain - history[a]) / memory
	for _, tried := range f.moves {
		if tried == a {
			return
		}
		history[tried] -= history[tried] / memory
	}
}
