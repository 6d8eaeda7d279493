package gdl

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// counter is a list of fluents that differ only in a number at their end, such as (step 1) and (step 2).
type counter struct {
	text    string // the number is n
	fluents []int  // by ascending number
	number  bool   // there are more than two, of which at most one is true in every position: one plane shows the number
}

// plane returns the title of the plane that shows a fluent, and its value there.
func (c *counter) plane(p *ground.Program, k int) (title string, value float32) {
	if n := len(c.fluents); c.number {
		return fmt.Sprintf("%s: on every cell the place of n among its %d values / %d", c.text, n, n), float32(1+k) / float32(n)
	}
	return p.Terms.Text(p.Fluents[c.fluents[k]]) + ": 1 on every cell if it is true, otherwise 0", 1
}

// countersOf returns the counters of a group of fluents. A fluent without a number is a counter of its own.
func countersOf(p *ground.Program, fluents []int) []*counter {
	type key struct {
		text    string
		numbers bool
	}
	type number struct{ fluent, value int }
	lists := map[key][]number{}
	var order []key
	for _, i := range fluents {
		t := p.Fluents[i]
		k, x := key{text: p.Terms.Text(t)}, number{fluent: i}
		if args := p.Terms.Args(t); len(args) > 0 {
			last := p.Terms.Text(args[len(args)-1])
			if v, err := strconv.Atoi(last); err == nil {
				k, x.value = key{strings.TrimSuffix(k.text, last+")") + "n)", true}, v
			}
		}
		if lists[k] == nil {
			order = append(order, k)
		}
		lists[k] = append(lists[k], x)
	}
	var counters []*counter
	for _, k := range order {
		slices.SortStableFunc(lists[k], func(a, b number) int { return cmp.Compare(a.value, b.value) })
		c := &counter{text: k.text}
		for _, x := range lists[k] {
			c.fluents = append(c.fluents, x.fluent)
		}
		counters = append(counters, c)
	}
	return counters
}

// maxCounterWork bounds the gates looked at in the proof about counters.
const maxCounterWork = 1 << 26

// findNumbers finds out which counters are numbers. It assumes that all are of which at most one fluent is true at the
// start, and begins again without those for which that does not follow after some move, until it does for all. If that takes
// too much work and old is false, it begins with those for which it follows whatever the moves are, such as a count of steps.
func (g *game) findNumbers(f *gates.Folder, counters []*counter, old bool) {
	p := &proof{net: g.net, folder: f, set: g.turns.fluents}
	byFluent, starts := map[int]*counter{}, g.net.Program.Starts()
	for _, c := range counters {
		if len(c.fluents) > 2 && countTrue(starts, c.fluents) <= 1 {
			p.groups = append(p.groups, c.fluents)
			byFluent[c.fluents[0]] = c
		}
	}
	defer f.Exclude(nil)
	candidates := p.groups
	if !p.induce(g.turns, (*proof).checkMoves) {
		p.groups = nil
		if !old {
			p.induceInSteps(g.turns, candidates)
			g.inSteps = len(p.groups) > 0
		}
	}
	for _, group := range p.groups {
		c := byFluent[group[0]]
		c.number = true
		g.numbers = append(g.numbers, c)
	}
}

// proveExclusive reports whether at most one fluent of each group is proven to be true in every position.
func (g *game) proveExclusive(f *gates.Folder, groups [][]int) bool {
	defer f.Exclude(nil)
	p := &proof{net: g.net, folder: f, set: g.turns.fluents, groups: groups}
	return p.induce(g.turns, (*proof).checkMoves) && len(p.groups) == len(groups)
}

// induce drops groups until those that are left exclude each other after a move if they do before. check finds the groups
// that may not. It reports false if that takes too much work.
func (p *proof) induce(t *turns, check func(p *proof, t *turns, end int) bool) bool {
	for end := p.folder.Work() + maxCounterWork; len(p.groups) > 0; {
		p.exclude()
		if !check(p, t, end) {
			return false
		}
		if !p.dropBroken() {
			break
		}
	}
	return true
}

// induceInSteps is induce, first for the groups that exclude each other whatever the moves are, such as a count of steps; then
// for the others, which are left out if they take too much work.
func (p *proof) induceInSteps(t *turns, groups [][]int) {
	p.groups = groups
	if !p.induce(t, (*proof).checkTurns) {
		p.groups = nil
	}
	p.proven = len(p.groups)
	kept := map[int]bool{}
	for _, group := range p.groups {
		kept[group[0]] = true
	}
	for _, group := range groups {
		if !kept[group[0]] {
			p.groups = append(p.groups, group)
		}
	}
	if !p.induce(t, (*proof).checkMoves) {
		p.groups = p.groups[:p.proven]
	}
}

// checkTurns finds the groups of which several fluents may be true in the next position, if any moves could be made at once.
func (p *proof) checkTurns(t *turns, end int) bool {
	for _, c := range t.fluents {
		assume(p.net, p.folder, t.fluents, c, nil, nil)
		p.checkGroups(p.given(c, p.folder.Fold(p.net.Terminal).Not()))
		if p.folder.Work() > end {
			return false
		}
	}
	return true
}

// checkMoves finds the groups of which several fluents may be true after some move. It reports false if it takes too much
// work.
func (p *proof) checkMoves(t *turns, end int) bool {
	n, f := p.net, p.folder
	for k, c := range t.fluents {
		mover := t.mover[k]
		err := p.eachMove(c, mover, t.idle[k], t.movesOf(mover), func(m int) error {
			p.checkGroups(p.given(c, f.Fold(n.Legal[mover][m]), f.Fold(n.Terminal).Not()))
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

var errGivenUp = errors.New("the proof takes too long")
