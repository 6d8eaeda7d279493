package gdl

import (
	"fmt"
	"math/bits"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/kif"
)

// maxLostWork bounds the gates that lostFluents computes.
const maxLostWork = 1 << 26

// lostFluents looks in 64 random games for a common mistake, the frame problem: facts that vanish because no rule for
// next keeps them. A set of fluents, see weighedSets, is lost if several are true initially, every first move reduces their
// number, and none is ever true both before and after a move. It returns an initial fluent of each functor with a lost set.
func lostFluents(c *gates.Circuit) (lost []int) {
	p := c.Program
	starts := p.Starts()
	sets := slices.DeleteFunc(weighedSets(p), func(set []int) bool { return countTrue(starts, set) < 2 })
	w := newWalk(c, 0, 64) // seed 0, 64 games
	before := make([]uint64, len(p.Fluents))
	for step := range 1 + maxLostWork/(1+c.Size()) {
		for i := range before {
			before[i] = w.Values.Get(c.Fluent(i))
		}
		if law, _ := w.step(); law != "" || w.playing == 0 {
			if step == 0 {
				return nil
			}
			break
		}
		sets = slices.DeleteFunc(sets, func(set []int) bool {
			survives := func(i int) bool { return before[i]&w.Values.Get(c.Fluent(i))&w.playing != 0 } // in some game
			return slices.ContainsFunc(set, survives) || step == 0 && !w.fewer(set, countTrue(starts, set))
		})
		if len(sets) == 0 {
			return nil
		}
	}
	named := map[string]bool{}
	for _, set := range sets {
		if name := functorOf(p, p.Fluents[set[0]]); !named[name] {
			named[name] = true
			lost = append(lost, set[slices.IndexFunc(set, func(i int) bool { return starts[i] })])
		}
	}
	return lost
}

// fewer reports whether in every game of a walk fewer fluents of a set are true than the given number.
func (w *walk) fewer(set []int, than int) bool {
	for rest := w.playing; rest != 0; rest &= rest - 1 {
		game, count := bits.TrailingZeros64(rest), 0
		for _, i := range set {
			count += int(w.Values.Get(w.Circuit.Fluent(i)) >> game & 1)
		}
		if count >= than {
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
		c.warnings = append(c.warnings, Warning{Pos: pos, Text: fmt.Sprintf("every move makes all facts like %s false. Facts that a move "+
			"does not change need a rule for next, too, such as (<= (next (%s ...)) (true (%s ...)) ...)", p.Terms.Text(term), name, name)})
	}
}
