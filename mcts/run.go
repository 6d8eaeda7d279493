package mcts

import "ludus/env"

// batch is what Run hands to an evaluator.
type batch struct {
	states  []env.State
	leaves  []int
	logits  []float32 // [cfg.Leaves, A]
	classes []float32 // [cfg.Leaves, K]
}

// Run searches until [Search.Done], evaluating up to cfg.Leaves leaves at once.
func (s *Search) Run(ev Evaluator) { s.RunUntil(ev, nil) }

// RunUntil is Run with a way to end earlier: no simulation starts once stop returns true. It is asked after every
// simulation and every batch, so that a deadline is func() bool { return time.Now().After(t) }. The root at least is
// evaluated, and no leaf stays in flight. A nil stop never ends the search.
func (s *Search) RunUntil(ev Evaluator, stop func() bool) {
	for {
		leaf, progress := s.Step()
		switch {
		case progress == Selected:
			s.batch.leaves = append(s.batch.leaves, leaf)
		case len(s.batch.leaves) > 0 && progress == Blocked:
			s.evaluate(ev)
		case progress == Blocked:
			return
		}
		if stop != nil && s.tree.nodes[root].evaluated && stop() {
			break
		}
	}
	s.evaluate(ev)
	if s.taken > 0 {
		s.flush()
	}
}

// evaluate evaluates the batch and backs it up.
func (s *Search) evaluate(ev Evaluator) {
	b := &s.batch
	if len(b.leaves) == 0 {
		return
	}
	A, K := s.game.NumActions(), len(s.game.Classes)
	if b.logits == nil {
		b.logits, b.classes = make([]float32, s.cfg.Leaves*A), make([]float32, s.cfg.Leaves*K)
	}
	b.states = b.states[:0]
	for _, leaf := range b.leaves {
		b.states = append(b.states, s.Leaf(leaf))
	}
	n := len(b.leaves)
	ev.Evaluate(b.states, b.logits[:n*A], b.classes[:n*K])
	for i, leaf := range b.leaves {
		s.Backup(leaf, b.logits[i*A:(i+1)*A], b.classes[i*K:(i+1)*K])
	}
	b.leaves = b.leaves[:0]
}
