package gdl

import (
	"fmt"
	"math/bits"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// maxFrameWork bounds the gates computed by lostFacts.
const maxFrameWork = 1 << 26

// kindOfFacts are fluents of one name, or those among them that differ in their cell only.
type kindOfFacts struct {
	fluents  []int
	starts   int  // number of those that are true at the start
	survives bool // some of them was true before a move and after it
}

// lostFacts returns a fluent for each kind of facts that the sheet seems to forget to carry over. A kind is forgotten if
// several of its facts are true at the start, the first move leaves fewer of them in each of 64 random games, and none of
// them is true both before and after any move. The kinds of a name that is forgotten are not looked at.
func lostFacts(n *gates.Circuit) (lost []int) {
	p := n.Program
	kinds := kindsOfFacts(n)
	w := newWalk(n, 0)
	position, moves, goals := n.Size()
	before := make([]uint64, len(p.Fluents))
	for step := range 1 + maxFrameWork/(1+position+moves+goals) {
		for i := range before {
			before[i] = w.values.Get(n.Fluent(i))
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
				k.survives = k.survives || before[i]&w.values.Get(n.Fluent(i))&w.playing != 0
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
		if name := groupName(p, p.Fluents[k.fluents[0]]); !named[name] {
			named[name] = true
			lost = append(lost, k.firstAtStart(p.Starts()))
		}
	}
	return lost
}

// kindsOfFacts returns the kinds of which several facts are true at the start: those of whole names, then those of names on
// the board.
func kindsOfFacts(n *gates.Circuit) (kinds []*kindOfFacts) {
	p := n.Program
	starts := p.Starts()
	add := func(fluents []int) {
		if count := countTrue(starts, fluents); count > 1 {
			kinds = append(kinds, &kindOfFacts{fluents: fluents, starts: count})
		}
	}
	names, groups := groupsOf(p, p.Fluents)
	for _, name := range names {
		add(groups[name])
	}
	b := findBoard(p, nil)
	if b == nil {
		return kinds
	}
	var others []string
	byOthers := map[string][]int{}
	var terms []ground.Term
	for _, i := range groups[b.group] {
		terms = append(terms, p.Fluents[i])
	}
	pl := b.placeOf(p, terms)
	for _, i := range groups[b.group] {
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

// fewer reports whether fewer of the facts are true in each game of a walk than at the start.
func (k *kindOfFacts) fewer(w *walk) bool {
	for rest := w.playing; rest != 0; rest &= rest - 1 {
		lane, count := bits.TrailingZeros64(rest), 0
		for _, i := range k.fluents {
			count += int(w.values.Get(w.net.Fluent(i)) >> lane & 1)
		}
		if count >= k.starts {
			return false
		}
	}
	return true
}

// firstAtStart returns the first of the fluents that is true at the start.
func (k *kindOfFacts) firstAtStart(starts []bool) int {
	for _, i := range k.fluents {
		if starts[i] {
			return i
		}
	}
	panic("gdl: a kind without facts at the start")
}

// hintsOnFrames are hints about facts that are not carried over.
func hintsOnFrames(rules []kif.Rule, n *gates.Circuit) (hints []Hint) {
	for _, i := range lostFacts(n) {
		term := n.Program.Fluents[i]
		name := n.Program.Terms.Name(term)
		var pos kif.Pos
		for _, r := range rules {
			if r.Head.Name == "init" && len(r.Head.Args) == 1 && r.Head.Args[0].Name == name && pos == (kif.Pos{}) {
				pos = r.Head.Args[0].Pos
			}
		}
		hints = append(hints, Hint{Pos: pos, Text: fmt.Sprintf("every move makes all facts like %s false. Facts that a move does not change need a rule "+
			"for next, too, such as (<= (next (%s ...)) (true (%s ...)) ...)", n.Program.Terms.Text(term), name, name)})
	}
	return hints
}
