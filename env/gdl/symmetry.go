package gdl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// maxMatchWork bounds the inputs of gates looked at in the search for symmetries.
const maxMatchWork = 1 << 28

// spot says where an input of the network, a fluent or a move, is on the board.
type spot struct {
	name  uint64  // the same for inputs that differ in their place only
	cells []int32 // the cells that it names, in order; or those of its line
	line  bool
}

// finder looks for symmetries of a game. A symmetry is a map of the board's cells and a proof: an automorphism of the
// network that maps inputs as the cells.
type finder struct {
	game    *game
	spots   []spot
	matcher *gates.Matcher
	offset  [2]int // by role: the input of its first move
	list    []symmetry
}

// frame says how Second sees the board: as First would, if the sides were exchanged.
type frame struct {
	symmetry
	actions  []env.Action // see [env.Game.Finish]; nil if there is no frame
	ownGoals bool         // the sides are alike but for their goals, so the network must know who is to move
}

// What roles become: themselves, or each other.
var kept, exchanged = [2]int{0, 1}, [2]int{1, 0}

// symmetry is a map of the board's cells with its automorphism.
type symmetry struct {
	name   string
	cells  []int32
	inputs []int32 // by input: its image
}

// boardMap is a rotation or reflection of the board.
type boardMap struct {
	name string
	cell func(r, c, height, width int) (int, int)
}

// boardMaps lists them; the last four are for square boards.
var boardMaps = []boardMap{
	{"", func(r, c, h, w int) (int, int) { return r, c }},
	{"rows in reverse", func(r, c, h, w int) (int, int) { return h - 1 - r, c }},
	{"columns in reverse", func(r, c, h, w int) (int, int) { return r, w - 1 - c }},
	{"turned by 180 degrees", func(r, c, h, w int) (int, int) { return h - 1 - r, w - 1 - c }},
	{"rows and columns exchanged", func(r, c, h, w int) (int, int) { return c, r }},
	{"reflected in the other diagonal", func(r, c, h, w int) (int, int) { return w - 1 - c, h - 1 - r }},
	{"turned by 90 degrees", func(r, c, h, w int) (int, int) { return c, h - 1 - r }},
	{"turned by 270 degrees", func(r, c, h, w int) (int, int) { return w - 1 - c, r }},
}

// newFinder returns a finder. The tensor must be laid out.
func (g *game) newFinder(b *board) *finder {
	f := &finder{game: g, matcher: g.net.NewMatcher(maxMatchWork, g.net.Goals)}
	for role := range 2 {
		f.offset[role] = g.net.Move(role, 0).Gate() - 1
	}
	f.setSpots(b)
	return f
}

// findSymmetries sets the game's symmetries and returns the frame of Second, if the layout has one and the sides are proven
// to be alike, at least but for their goals.
func (f *finder) findSymmetries(ctx context.Context, layout int) (second frame, err error) {
	g := f.game
	shape := g.env.Tensor
	var maps []symmetry
	for i, m := range boardMaps {
		s := symmetry{name: m.name}
		if i >= 4 && shape.H != shape.W {
			break
		}
		for cell := range shape.Cells() {
			r, c := m.cell(cell/shape.W, cell%shape.W, shape.H, shape.W)
			s.cells = append(s.cells, int32(r*shape.W+c))
		}
		if !slices.ContainsFunc(maps, func(o symmetry) bool { return slices.Equal(o.cells, s.cells) }) {
			maps = append(maps, s)
		}
	}
	identity := maps[0]
	for k := range f.spots {
		identity.inputs = append(identity.inputs, int32(k))
	}
	f.list = []symmetry{identity}
	for _, s := range maps[1:] {
		if err := ctx.Err(); err != nil {
			return second, fmt.Errorf("the search for symmetries was not finished: %w", err)
		}
		f.trySymmetry(s)
	}
	for _, s := range f.list {
		actions, _ := f.actions(s, kept)
		g.env.Symmetries = append(g.env.Symmetries, env.Symmetry{Cells: s.cells, Actions: actions})
		g.images = append(g.images, s.inputs[:len(g.net.Next)])
	}
	if layout < withFrames {
		return second, nil
	}
	if second, err = f.findFrame(ctx, f.matcher, maps); err != nil || second.actions != nil || layout < withFigures {
		return second, err
	}
	noGoals := make([][]gates.Goal, len(g.net.Goals))
	second, err = f.findFrame(ctx, g.net.NewMatcher(maxMatchWork, noGoals), maps)
	second.ownGoals = second.actions != nil
	return second, err
}

// findFrame returns the first of the maps that is a frame by a matcher's automorphism.
func (f *finder) findFrame(ctx context.Context, m *gates.Matcher, maps []symmetry) (second frame, err error) {
	for _, s := range maps[:min(6, len(maps))] {
		if err := ctx.Err(); err != nil {
			return second, fmt.Errorf("the search for symmetries was not finished: %w", err)
		}
		if f.tryFrame(m, &s) {
			if actions, ok := f.actions(s, exchanged); ok {
				return frame{symmetry: s, actions: actions}, nil
			}
		}
	}
	return second, nil
}

// setSpots finds out where inputs are on the board.
func (f *finder) setSpots(b *board) {
	p := f.game.net.Program
	names := map[string]uint64{}
	for kind, terms := range [][]ground.Term{p.Fluents, p.Moves[0], p.Moves[1]} {
		first := len(f.spots)
		f.spots = append(f.spots, make([]spot, len(terms))...)
		order, groups := groupsOf(p, terms)
		for _, name := range order {
			var group []ground.Term
			for _, i := range groups[name] {
				group = append(group, terms[i])
			}
			pl := b.placeOf(p, group)
			pairs := b.pairs(p, group, pl)
			for _, i := range groups[name] {
				s := &f.spots[first+i]
				s.line = pl.kind == onFirst || pl.kind == onSecond
				if s.line {
					s.cells = b.cells(p, pl, terms[i])
				}
				var others []string
				for k, a := range p.Terms.Args(terms[i]) {
					if slices.ContainsFunc(pairs, func(pair [2]int) bool { return k == pair[0] || k == pair[1] }) || s.line && k == pl.i {
						continue
					}
					others = append(others, p.Terms.Text(a))
				}
				for _, pair := range pairs {
					cell, _ := b.at(p.Terms.Args(terms[i]), pair[0], pair[1])
					s.cells = append(s.cells, int32(cell))
				}
				text := fmt.Sprintln(kind, name, strings.Join(others, " "))
				if _, ok := names[text]; !ok {
					names[text] = uint64(len(names))
				}
				s.name = names[text]
			}
		}
	}
}

// pairs returns all pairs of arguments of a group that name cells, of which a place has two at most.
func (b *board) pairs(p *ground.Program, terms []ground.Term, pl place) (list [][2]int) {
	if pl.kind != onCell {
		return nil
	}
	arity, apart := len(p.Terms.Args(terms[0])), pl.j-pl.i
	used := make([]bool, arity)
	for i := 0; i+apart < arity; i++ {
		ok := !used[i] && !used[i+apart]
		for _, t := range terms {
			if !ok {
				break
			}
			_, ok = b.at(p.Terms.Args(t), i, i+apart)
		}
		if ok {
			used[i], used[i+apart] = true, true
			list = append(list, [2]int{i, i + apart})
		}
	}
	return list
}

// labels returns what must be equal of an input and of its image: the place, after a map of the cells; the role that a
// move belongs to, after the roles are exchanged or not; and, if names count, the name.
func (f *finder) labels(cells []int32, roles [2]int, names bool) []uint64 {
	list := make([]uint64, len(f.spots))
	for k, s := range f.spots {
		kind := uint64(0)
		if role := f.roleOf(k); role >= 0 {
			kind = uint64(1 + roles[role])
		}
		x := gates.Mix(kind, uint64(len(s.cells)))
		if names {
			x = gates.Mix(x, s.name)
		}
		if s.line {
			sum := uint64(0)
			for _, cell := range s.cells {
				sum += gates.Mix(0, uint64(cells[cell]))
			}
			x = gates.Mix(x, sum)
		} else {
			for _, cell := range s.cells {
				x = gates.Mix(x, uint64(cells[cell]))
			}
		}
		list[k] = x
	}
	return list
}

// roleOf returns the role of an input that is a move, -1 for a fluent.
func (f *finder) roleOf(input int) int {
	switch {
	case input < f.offset[0]:
		return -1
	case input < f.offset[1]:
		return 0
	}
	return 1
}

// trySymmetry adds a symmetry, and those that follow from it and the ones before, if it is proven.
func (f *finder) trySymmetry(s symmetry) {
	known := func(s symmetry) *symmetry {
		i := slices.IndexFunc(f.list, func(o symmetry) bool { return slices.Equal(o.cells, s.cells) })
		if i < 0 {
			return nil
		}
		return &f.list[i]
	}
	if known(s) != nil {
		return
	}
	s.inputs = f.matcher.Match(f.labels(s.cells, kept, true), f.labels(f.list[0].cells, kept, true), kept[:])
	if s.inputs == nil || !f.keeps(s) {
		return
	}
	before := slices.Clone(f.list)
	f.list = append(f.list, s)
	for more := true; more; {
		more = false
		for _, x := range slices.Clone(f.list) {
			for _, y := range slices.Clone(f.list) {
				product := symmetry{cells: composed(x.cells, y.cells), inputs: composed(x.inputs, y.inputs)}
				switch o := known(product); {
				case o == nil:
					f.list, more = append(f.list, product), true
				case !slices.Equal(o.inputs, product.inputs):
					f.list = before // two automorphisms turn the board in the same way
					return
				}
			}
		}
	}
}

// composed returns the permutation x followed by y.
func composed(x, y []int32) []int32 {
	list := make([]int32, len(x))
	for i, k := range x {
		list[i] = y[k]
	}
	return list
}

// keeps reports whether an automorphism is a symmetry of package env: it keeps the first position, whose turn it is, the
// planes of the tensor and what is drawn.
func (f *finder) keeps(s symmetry) bool {
	g := f.game
	cells := len(s.cells)
	for cell, exists := range g.env.Drawing.Cells {
		if g.env.Drawing.Cells[s.cells[cell]] != exists {
			return false
		}
	}
	for i := range g.net.Next {
		to := s.inputs[i]
		if g.init[i/64]>>(i%64)&1 != g.init[to/64]>>(to%64)&1 {
			return false
		}
		image := slices.Clone(g.entries[i])
		for k, e := range image {
			image[k].index = e.index/int32(cells)*int32(cells) + s.cells[int(e.index)%cells]
		}
		byIndex := func(a, b entry) int { return int(a.index - b.index) }
		slices.SortFunc(image, byIndex)
		there := slices.SortedFunc(slices.Values(g.entries[to]), byIndex)
		p, q := g.pieces[i], g.pieces[to]
		if !slices.Equal(image, there) || p.kind != q.kind || p.kind > 0 && s.cells[p.cell] != q.cell {
			return false
		}
	}
	if !f.keepsTurns(s, kept) {
		return false
	}
	_, ok := f.actions(s, kept)
	return ok
}

// keepsTurns reports whether an automorphism takes each case of whose turn it is to one, and possible moves to possible
// ones; roles[r] is what role r becomes.
func (f *finder) keepsTurns(s symmetry, roles [2]int) bool {
	t := f.game.turns
	for k, fluent := range t.fluents {
		to := k
		if fluent != none {
			to = slices.Index(t.fluents, int(s.inputs[fluent]))
		}
		if to < 0 || t.mover[to] != roles[t.mover[k]] || (t.idle[to] < 0) != (t.idle[k] < 0) {
			return false
		}
		if idle := t.idle[k]; idle >= 0 && f.image(s, 1-t.mover[k], idle, roles) != t.idle[to] {
			return false
		}
	}
	for role, moves := range t.moves {
		for m, possible := range moves {
			if t.moves[roles[role]][f.image(s, role, m, roles)] != possible {
				return false
			}
		}
	}
	return true
}

// image returns the image of a role's move: a move of roles[role].
func (f *finder) image(s symmetry, role, move int, roles [2]int) int {
	return int(s.inputs[f.offset[role]+move]) - f.offset[roles[role]]
}

// actions returns the permutation of actions that belongs to an automorphism. It reports false if there is none: if both
// roles have a move that becomes another one for each, or if an action leaves its cell. If roles are exchanged, only moves
// of Second count, and the permutation is its own inverse.
func (f *finder) actions(s symmetry, roles [2]int) ([]env.Action, bool) {
	g := f.game
	const open = -1
	list := slices.Repeat([]env.Action{open}, len(g.env.ActionTexts))
	back := slices.Clone(list)
	put := func(a, to env.Action) bool {
		if list[a] != open && list[a] != to || back[to] != open && back[to] != a {
			return false
		}
		list[a], back[to] = to, a
		return true
	}
	second := 1 - g.turns.mover[0]
	for role, actions := range g.actions {
		if roles == exchanged && role != second {
			continue
		}
		others := g.actions[roles[role]]
		byMove := make(map[int]env.Action, len(others))
		for _, a := range others {
			byMove[a.move] = a.id
		}
		for _, a := range actions {
			to, ok := byMove[f.image(s, role, a.move, roles)]
			if !ok || !put(a.id, to) || roles == exchanged && !put(to, a.id) {
				return nil, false
			}
		}
	}
	// Entries without an action: the first one of a cell goes to the first one of the cell's image, and so on.
	cells := len(s.cells)
	planes := (len(list) - g.env.PolicyExtras) / cells
	free := make([][]env.Action, cells+1) // by cell, those that nothing goes to; extra entries come last
	at := func(a env.Action) int {
		if int(a) < planes*cells {
			return int(a) % cells
		}
		return cells
	}
	for a, from := range back {
		if from == open {
			free[at(env.Action(a))] = append(free[at(env.Action(a))], env.Action(a))
		}
	}
	for a := range list {
		cell := at(env.Action(a))
		if cell < cells {
			cell = int(s.cells[cell])
		}
		if list[a] == open {
			if len(free[cell]) == 0 {
				return nil, false
			}
			list[a], free[cell] = free[cell][0], free[cell][1:]
		}
		if at(list[a]) != cell {
			return nil, false
		}
	}
	return list, true
}

// tryFrame reports whether an automorphism that exchanges the roles is found, and sets its inputs: then the position that
// Second sees is one in which First is to move, and it has the same future.
func (f *finder) tryFrame(m *gates.Matcher, s *symmetry) bool {
	g := f.game
	s.inputs = m.Match(f.labels(s.cells, exchanged, false), f.labels(f.list[0].cells, kept, false), exchanged[:])
	if s.inputs == nil || !slices.Equal(composed(s.inputs, s.inputs), f.list[0].inputs) || !f.keepsTurns(*s, exchanged) {
		return false
	}
	for _, o := range f.list {
		if !slices.Equal(composed(s.inputs, o.inputs), composed(o.inputs, s.inputs)) {
			return false
		}
	}
	for cell, exists := range g.env.Drawing.Cells {
		if g.env.Drawing.Cells[s.cells[cell]] != exists {
			return false
		}
	}
	// A plane that shows a number needs fluents of which one at most is true.
	numberOf := map[int32]int{}
	for k, c := range g.numbers {
		for _, i := range c.fluents {
			numberOf[int32(i)] = 1 + k
		}
	}
	for _, c := range g.numbers {
		for _, i := range c.fluents {
			if k := numberOf[s.inputs[i]]; k == 0 || k != numberOf[s.inputs[c.fluents[0]]] {
				return false
			}
		}
	}
	return true
}

// setFrame sets what fluents set in the tensor when Second is to move, and says so in the names of the planes. If goals
// differ it adds a plane that shows who is to move.
func (g *game) setFrame(f frame) {
	g.framed = g.entries
	if f.actions == nil {
		return
	}
	e := g.env
	if f.ownGoals {
		at := len(e.Planes)
		if g.limit > 0 {
			at-- // the last plane stays the last
		}
		e.Planes = slices.Insert(e.Planes, at, fmt.Sprintf("%[1]s to move: 1 on every cell if %[1]s is to move, 0 elsewhere", e.Players[env.First]))
		for cell := range e.Tensor.Cells() {
			g.first = append(g.first, entry{int32(at*e.Tensor.Cells() + cell), 1})
		}
	}
	g.framed = make([][]entry, len(g.entries))
	others := map[int]string{} // by plane, what it shows for Second; "" if that has no single name
	plane := func(fluent int) int { return int(g.entries[fluent][0].index) / e.Tensor.Cells() }
	for i := range g.framed {
		to := int(f.inputs[i])
		g.framed[i] = g.entries[to]
		name, _, _ := strings.Cut(e.Planes[plane(i)], ": ")
		if other, ok := others[plane(to)]; ok && other != name {
			name = ""
		}
		others[plane(to)] = name
	}
	for i, name := range others {
		own, values, _ := strings.Cut(e.Planes[i], ": ")
		if name != "" && name != own {
			e.Planes[i] = fmt.Sprintf("%s, for %s %s: %s", own, e.Players[env.Second], name, values)
		}
	}
}
