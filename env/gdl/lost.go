package gdl

import (
	"math/bits"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/kif"
)

// maxLostWork bounds the gates computed by lostFluents.
const maxLostWork = 1 << 26

// kind is the fluents of one functor, or those of a board's functor that differ in their cell only.
type kind struct {
	fluents  []int
	starts   int  // number of those that are true initially
	survives bool // a move has left one of them true
}

// lostFluents looks for the frame problem: kinds of fluents that no rule for next carries over. It returns a fluent of each
// functor with a kind of which several are true initially, fewer after the first move in each of 64 random games, and none
// both before and after any move.
func lostFluents(c *gates.Circuit) (lost []int) {
	p := c.Program
	kinds := kindsOf(c)
	w := newWalk(c, 0)
	position, moves, goals := c.Size()
	before := make([]uint64, len(p.Fluents))
	for step := range 1 + maxLostWork/(1+position+moves+goals) {
		for i := range before {
			before[i] = w.values.Get(c.Fluent(i))
		}
		if law, _ := w.step(); law != "" || w.playing == 0 {
			if step == 0 {
				return nil
			}
			break
		}
		left := kinds[:0]
		for _, k := range kinds {
			for _, i := range k.fluents {
				k.survives = k.survives || before[i]&w.values.Get(c.Fluent(i))&w.playing != 0
			}
			if !k.survives && (step > 0 || k.fewer(w)) {
				left = append(left, k)
			}
		}
		if kinds = left; len(kinds) == 0 {
			return nil
		}
	}
	named := map[string]bool{}
	for _, k := range kinds {
		if name := functorOf(p, p.Fluents[k.fluents[0]]); !named[name] {
			named[name] = true
			starts := p.Starts()
			first := slices.IndexFunc(k.fluents, func(i int) bool { return starts[i] })
			lost = append(lost, k.fluents[first])
		}
	}
	return lost
}

// kindsOf returns the kinds of which several fluents are true initially: those of whole functors, then those of the board.
func kindsOf(c *gates.Circuit) (kinds []*kind) {
	p := c.Program
	starts := p.Starts()
	add := func(fluents []int) {
		if count := countTrue(starts, fluents); count > 1 {
			kinds = append(kinds, &kind{fluents: fluents, starts: count})
		}
	}
	b := findBoard(p, nil)
	var onBoard functor
	for _, f := range functorsOf(p, p.Fluents) {
		add(f.members)
		if b != nil && f.name == b.functor {
			onBoard = f
		}
	}
	if b == nil {
		return kinds
	}
	pl := b.placeOf(p, onBoard.terms)
	var others []string
	byOthers := map[string][]int{}
	for _, i := range onBoard.members {
		text := pl.others(p, p.Fluents[i])
		if byOthers[text] == nil {
			others = append(others, text)
		}
		byOthers[text] = append(byOthers[text], i)
	}
	for _, text := range others {
		add(byOthers[text])
	}
	return kinds
}

// fewer reports whether fewer of the fluents are true in each game of a walk than initially.
func (k *kind) fewer(w *walk) bool {
	for rest := w.playing; rest != 0; rest &= rest - 1 {
		game, count := bits.TrailingZeros64(rest), 0
		for _, i := range k.fluents {
			count += int(w.values.Get(w.circuit.Fluent(i)) >> game & 1)
		}
		if count >= k.starts {
			return false
		}
	}
	return true
}

// warnLost adds a warning about each fluent that is not carried over.
func (c *checker) warnLost() {
	if c.circuit == nil {
		return
	}
	p := c.circuit.Program
	for _, i := range lostFluents(c.circuit) {
		term := p.Fluents[i]
		name := p.Terms.Name(term)
		var pos kif.Pos
		for _, r := range c.rules {
			if r.Head.Name == "init" && len(r.Head.Args) == 1 && r.Head.Args[0].Name == name {
				pos = r.Head.Args[0].Pos
				break
			}
		}
		c.warn(pos, "every move makes all facts like %s false. Facts that a move does not change need a rule "+
			"for next, too, such as (<= (next (%s ...)) (true (%s ...)) ...)", p.Terms.Text(term), name, name)
	}
}
