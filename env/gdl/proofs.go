package gdl

import (
	"errors"
	"slices"

	"ludus/env/gdl/gates"
)

// none in a list of control fluents stands for the case that all of them are false.
const none = -1

// errGivenUp ends a proof that takes too much work.
var errGivenUp = errors.New("the proof takes too long")

// proof tries to prove a property of all reachable positions, by induction over the moves. It may assume mutex groups,
// of which at most one fluent is true. They are part of the induction: if a move may make several fluents of a group
// true, the group is dropped and the proof starts again.
type proof struct {
	circuit *gates.Circuit
	folder  *gates.Folder
	set     []int   // control fluents, of which at most one is true; see turns
	groups  [][]int // assumed mutex groups
	broken  []bool  // by group: a move may make several of its fluents true
}

// maxGroupWork bounds the gates folded in an induction over mutex groups.
const maxGroupWork = 1 << 26

// exclude tells the folder to assume the proof's mutex groups.
func (p *proof) exclude() {
	p.folder.Exclude(p.groups)
	p.broken = make([]bool, len(p.groups))
}

// dropBroken removes the broken groups, and reports whether there were any.
func (p *proof) dropBroken() bool {
	groups := [][]int{}
	for k, group := range p.groups {
		if !p.broken[k] {
			groups = append(groups, group)
		}
	}
	dropped := len(groups) < len(p.groups)
	p.groups = groups
	return dropped
}

// induce removes groups until the rest are proven to be mutex (at most one fluent true) after every move. check marks
// the broken groups; it gives up, and induce reports false, when the folder's work exceeds end.
func (p *proof) induce(t *turns, check func(t *turns, end int) bool) bool {
	for end := p.folder.Work() + maxGroupWork; len(p.groups) > 0; {
		p.exclude()
		if !check(t, end) {
			return false
		}
		if !p.dropBroken() {
			break
		}
	}
	return true
}

// checkTurns marks the groups that are broken if each role may make any moves, even illegal ones and several at once. It
// is cheaper than checkMoves, and enough for groups such as a step counter. It reports false if the work exceeds end.
func (p *proof) checkTurns(t *turns, end int) bool {
	for _, control := range t.fluents {
		assume(p.circuit, p.folder, t.fluents, control) // moves stay open
		p.checkGroups(p.given(control, p.folder.Fold(p.circuit.Terminal).Not()))
		if p.folder.Work() > end {
			return false
		}
	}
	return true
}

// checkMoves marks the groups that a legal move may break. It reports false if the work exceeds end.
func (p *proof) checkMoves(t *turns, end int) bool {
	c, f := p.circuit, p.folder
	for k, control := range t.fluents {
		mover := t.mover[k]
		err := p.eachMove(control, mover, t.idle[k], t.movesOf(mover), func(m int) error {
			p.checkGroups(p.given(control, f.Fold(c.Legal[mover][m]), f.Fold(c.Terminal).Not()))
			if f.Work() > end {
				return errGivenUp
			}
			return nil
		})
		if err != nil {
			return false
		}
	}
	return true
}

// checkGroups marks as broken each group of which several fluents may be true after the move that the folder assumes,
// in positions where the given literals hold.
func (p *proof) checkGroups(given []gates.Ref) {
	var refs []gates.Ref
	for k, group := range p.groups {
		if p.broken[k] {
			continue
		}
		refs = refs[:0]
		for _, i := range group {
			if r := p.folder.Fold(p.circuit.Next[i]); r != gates.False {
				refs = append(refs, r)
			}
		}
		p.broken[k] = !p.folder.Exclusive(refs, given)
	}
}

// given appends the control fluent to literals that hold before a move. Folding has replaced the control fluent by a
// constant, but searches need it for mutex groups.
func (p *proof) given(control int, refs ...gates.Ref) []gates.Ref {
	if control != none {
		refs = append(refs, p.circuit.Fluent(control))
	}
	return slices.Clip(refs)
}

// eachMove calls visit for each of the mover's moves until visit returns an error. During a call the folder assumes
// that the control fluent is true, that the mover plays this move and the other role its idle move.
func (p *proof) eachMove(control, mover, idle int, moves []int, visit func(m int) error) error {
	c, f := p.circuit, p.folder
	var noMoves []gates.Ref
	for role, legal := range c.Legal {
		for m := range legal {
			noMoves = append(noMoves, c.Move(role, m).Not())
		}
	}
	assume(c, f, p.set, control, noMoves...)
	if idle >= 0 {
		f.Set(c.Move(1-mover, idle))
	}
	for _, m := range moves {
		f.Set(c.Move(mover, m))
		if err := visit(m); err != nil {
			return err
		}
		f.Set(c.Move(mover, m).Not())
	}
	return nil
}

// assume tells the folder that of a set of control fluents only control is true, or none of them, and that further
// literals of inputs are true.
func assume(c *gates.Circuit, f *gates.Folder, set []int, control int, literals ...gates.Ref) {
	for _, i := range set {
		switch {
		case i == none:
		case i == control:
			literals = append(literals, c.Fluent(i))
		default:
			literals = append(literals, c.Fluent(i).Not())
		}
	}
	f.Reset(literals)
}

// proveExclusive reports whether all groups are proven to be mutex: at most one fluent of each is ever true.
func proveExclusive(c *gates.Circuit, t *turns, groups [][]int) bool {
	p := &proof{circuit: c, folder: c.NewFolder(), set: t.fluents, groups: groups}
	return p.induce(t, p.checkMoves) && len(p.groups) == len(groups)
}
