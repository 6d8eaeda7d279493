package gdl

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// tensor tells which entries of the network's input each true fluent sets.
type tensor struct {
	entries  [][]entry  // what each fluent sets when First is to move
	framed   [][]entry  // what each fluent sets when Second is to move
	constant []entry    // always set
	first    []entry    // set when First is to move
	numbers  []*counter // mutex groups shown as one number on one plane
}

// entry is a value of the tensor.
type entry struct {
	index int32
	value float32
}

// encode fills the network's input for a position, given the bit set of its true fluents.
func (t *tensor) encode(dst []float32, on []uint64, mover env.Player) {
	clear(dst)
	entries, first := t.entries, t.first
	if mover == env.Second {
		entries, first = t.framed, nil
	}
	for _, list := range [][]entry{t.constant, first} {
		for _, e := range list {
			dst[e.index] = e.value
		}
	}
	for w, word := range on {
		for ; word != 0; word &= word - 1 {
			for _, e := range entries[64*w+bits.TrailingZeros64(word)] {
				dst[e.index] = max(dst[e.index], e.value) // several fluents may set one entry
			}
		}
	}
}

// setTensor lays out the planes of the network's input, and what the fluents draw on the board. Fluents that name cells
// or lines get planes with these cells set; other fluents get planes that hold one value everywhere. The last planes
// are the board itself and, if there is a cap of plies, the plies left.
func (g *game) setTensor(b *board, f *gates.Folder) {
	p, e := g.circuit.Program, g.env
	functors := functorsOf(p, p.Fluents)
	places, counters := make([]place, len(functors)), make([][]*counter, len(functors))
	for k, x := range functors {
		places[k] = b.placeOf(p, x.terms)
		if places[k].kind == nowhere {
			counters[k] = countersOf(p, x.members)
		}
	}
	g.findNumbers(f, slices.Concat(counters...))
	g.tensor.entries = make([][]entry, len(p.Fluents))
	g.drawing.pieces = make([]piece, len(p.Fluents))
	l := planes{env: e, cells: e.Tensor.Cells(), numbers: map[plane]int{}}
	named := make([]bool, l.cells)
	for k, x := range functors {
		for _, c := range counters[k] {
			for i, fluent := range c.fluents {
				title, value := c.plane(p, i)
				g.tensor.entries[fluent] = append(g.tensor.entries[fluent], l.fill(plane{x.name, title}, value)...)
			}
		}
		if places[k].kind == nowhere {
			continue
		}
		g.setCellPlanes(b, places[k], x, &l, named)
		if b.functor == x.name {
			g.setPieces(places[k], x, b)
		}
	}
	named[0] = named[0] || b == nil
	g.setCells(named)
	onBoard := l.number(plane{text: "board: 1 on every cell that exists, 0 elsewhere"})
	for cell, exists := range e.Drawing.Cells {
		if exists {
			g.tensor.constant = append(g.tensor.constant, entry{int32(onBoard*l.cells + cell), 1})
		}
	}
	if g.limit > 0 {
		l.number(plane{text: fmt.Sprintf("plies left: on every cell the plies before the game is a draw / %d", g.limit)})
	}
	g.setDetails(b)
}

// setCellPlanes lays out the fluents of a functor that name cells or lines: one plane for all that differ only in their
// cell.
func (g *game) setCellPlanes(b *board, pl place, f functor, l *planes, named []bool) {
	p := g.circuit.Program
	pl.pairs = pl.pairs[:1] // fluents with different second cells, as in (line 1 1 1 2), go to different planes
	for k, i := range f.members {
		at := l.number(plane{f.name, pl.others(p, f.terms[k]) + ": 1 where it is true, 0 elsewhere"})
		for _, cell := range b.cells(p, pl, f.terms[k]) {
			g.tensor.entries[i] = append(g.tensor.entries[i], entry{int32(at*l.cells) + cell, 1})
			named[cell] = named[cell] || pl.kind == onCell
		}
	}
}

// planes numbers the planes of the network's input in order of first use.
type planes struct {
	env     *env.Game
	cells   int
	numbers map[plane]int
}

// number returns the index of a plane, and adds the plane if it is new.
func (p *planes) number(x plane) int {
	i, ok := p.numbers[x]
	if !ok {
		i = len(p.env.Planes)
		p.numbers[x] = i
		p.env.Planes = append(p.env.Planes, x.text)
	}
	return i
}

// fill returns entries that set every cell of a plane to a value.
func (p *planes) fill(x plane, value float32) (list []entry) {
	at := p.number(x)
	for cell := range p.cells {
		list = append(list, entry{int32(at*p.cells + cell), value})
	}
	return list
}

// setFrame lays out the network's input for positions with Second to move, given Second's frame, and adapts the titles
// of the planes. If the frame does not keep the goals, it adds a plane that shows who is to move.
func (g *game) setFrame(f frame) {
	t, e := &g.tensor, g.env
	t.framed = t.entries
	if f.actions == nil {
		return
	}
	cells := e.Tensor.Cells()
	if f.ownGoals {
		at := len(e.Planes)
		if g.limit > 0 {
			at-- // the plies left stay the last plane
		}
		title := fmt.Sprintf("%[1]s to move: 1 on every cell if %[1]s is to move, 0 elsewhere", e.Players[env.First])
		e.Planes = slices.Insert(e.Planes, at, title)
		for cell := range cells {
			t.first = append(t.first, entry{int32(at*cells + cell), 1})
		}
	}
	t.framed = make([][]entry, len(t.entries))
	others := map[int]string{} // by plane: the title of what it shows for Second; "" if that is several things
	planeOf := func(fluent int) int { return int(t.entries[fluent][0].index) / cells }
	for i := range t.framed {
		to := int(f.inputs[i])
		t.framed[i] = t.entries[to]
		title, _, _ := strings.Cut(e.Planes[planeOf(i)], ": ")
		if other, ok := others[planeOf(to)]; ok && other != title {
			title = ""
		}
		others[planeOf(to)] = title
	}
	for i, title := range others {
		own, values, _ := strings.Cut(e.Planes[i], ": ")
		if title != "" && title != own {
			e.Planes[i] = fmt.Sprintf("%s, for %s %s: %s", own, e.Players[env.Second], title, values)
		}
	}
}

// counter is a list of fluents that differ only in a number as their last argument, such as (step 1) and (step 2).
type counter struct {
	text    string // text of the fluents, with n for the number
	fluents []int  // by ascending number
	number  bool   // at most one fluent is true, so one plane shows its number
}

// plane returns the title of the plane that shows fluent k of the counter, and the value that the fluent sets there.
func (c *counter) plane(p *ground.Program, k int) (title string, value float32) {
	if n := len(c.fluents); c.number {
		return fmt.Sprintf("%s: on every cell the place of n among its %d values / %d", c.text, n, n), float32(1+k) / float32(n)
	}
	return p.Terms.Text(p.Fluents[c.fluents[k]]) + ": 1 on every cell if it is true, otherwise 0", 1
}

// countersOf splits the fluents of one functor into counters. A fluent without a number at its end is a counter by
// itself.
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

// findNumbers finds the counters that are mutex groups, so that one plane can show their number. It proves this by
// induction over the moves or, if that takes too much work, for any moves.
func (g *game) findNumbers(f *gates.Folder, counters []*counter) {
	p := &proof{circuit: g.circuit, folder: f, set: g.turns.fluents}
	byFluent, starts := map[int]*counter{}, g.circuit.Program.Starts()
	for _, c := range counters {
		if len(c.fluents) > 2 && countTrue(starts, c.fluents) <= 1 {
			p.groups = append(p.groups, c.fluents)
			byFluent[c.fluents[0]] = c
		}
	}
	defer f.Exclude(nil)
	candidates := p.groups
	if !p.induce(g.turns, p.checkMoves) {
		p.groups = candidates
		if !p.induce(g.turns, p.checkTurns) {
			return
		}
	}
	for _, group := range p.groups {
		c := byFluent[group[0]]
		c.number = true
		g.tensor.numbers = append(g.tensor.numbers, c)
	}
}
