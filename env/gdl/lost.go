package gdl

import (
	"math/bits"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/kif"
)

// maxLostWork bounds the gates that lostFluents computes.
const maxLostWork = 1 << 26

// kind is a group of fluents that lostFluents watches: those of one functor, or fluents of the board that differ only
// in their cell.
type kind struct {
	fluents  []int
	starts   int  // how many of them are true initially
	survives bool // a move has left one of them true
}

// lostFluents looks in 64 random games for a common mistake, the frame problem: facts that vanish because no rule for
// next keeps them. A kind of fluents is lost if several are true initially, every first move reduces their number, and
// none is ever true both before and after a move. It returns an initial fluent of each functor with a lost kind.
func lostFluents(c *gates.Circuit) (lost []int) {
	p := c.Program
	kinds := kindsOf(c)
	w := newWalk(c, 0, 64)
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

// kindsOf returns the kinds of fluents of which several are true initially: whole functors first, then kinds of the
// board.
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

// fewer reports whether in every game of a walk fewer fluents of the kind are true than initially.
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

// warnLost warns about facts that no rule for next keeps, see lostFluents.
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
