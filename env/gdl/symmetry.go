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

// maxMatchWork bounds the inputs of gates visited in the search for symmetries.
const maxMatchWork = 1 << 28

// spot is the place of an input of the circuit, a fluent or a move, on the board.
type spot struct {
	name  uint64  // equal for inputs that differ in their coordinates only
	cells []int32 // the cells that it names, in order of its arguments; or those of its line
	line  bool
}

// finder looks for symmetries of a game: maps of the board's cells that extend to automorphisms of the circuit.
type finder struct {
	game    *game
	spots   []spot // by input
	matcher *gates.Matcher
	offset  [2]int // by role: the input of its first move
	list    []symmetry
}

// frame is the symmetry that exchanges the sides. Second sees the board through it, as First would.
type frame struct {
	symmetry
	actions  []env.Action // see [env.Game.Finish]; nil if there is no frame
	ownGoals bool         // the sides are alike but for their goals, so the network must know who is to move
}

// A symmetry keeps the roles; a frame exchanges them.
var kept, exchanged = [2]int{0, 1}, [2]int{1, 0}

// symmetry is a map of the board's cells with its automorphism.
type symmetry struct {
	name   string
	cells  []int32
	inputs []int32 // by input of the circuit: its image
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

// setSymmetries finds the game's symmetries, Second's frame and the figures, which follow from the board's layout.
func (g *game) setSymmetries(ctx context.Context, b *board) (second frame, err error) {
	f := &finder{game: g, matcher: g.circuit.NewMatcher(maxMatchWork, g.circuit.Goals)}
	for role := range 2 {
		f.offset[role] = g.circuit.Move(role, 0).Gate() - 1
	}
	f.setSpots(b)
	maps := boardMapsOf(g.env.Tensor)
	if err := f.findSymmetries(ctx, maps); err != nil {
		return second, err
	}
	for _, s := range f.list {
		actions, _ := f.actions(s, kept)
		g.env.Symmetries = append(g.env.Symmetries, env.Symmetry{Cells: s.cells, Actions: actions})
		g.keys.images = append(g.keys.images, s.inputs[:len(g.circuit.Next)])
	}
	if second, err = f.findFrame(ctx, f.matcher, maps); err == nil && second.actions == nil {
		noGoals := make([][]gates.Goal, len(g.circuit.Goals))
		second, err = f.findFrame(ctx, g.circuit.NewMatcher(maxMatchWork, noGoals), maps)
		second.ownGoals = second.actions != nil
	}
	if err != nil {
		return second, err
	}
	g.setFrame(second)
	g.env.Figures = f.figures(second)
	return second, nil
}

// boardMapsOf returns the different maps of a board of some shape; the identity comes first.
func boardMapsOf(shape env.Shape) (maps []symmetry) {
	for i, m := range boardMaps {
		if i >= 4 && shape.H != shape.W {
			break
		}
		s := symmetry{name: m.name}
		for cell := range shape.Cells() {
			r, c := m.cell(cell/shape.W, cell%shape.W, shape.H, shape.W)
			s.cells = append(s.cells, int32(r*shape.W+c))
		}
		if !slices.ContainsFunc(maps, func(o symmetry) bool { return slices.Equal(o.cells, s.cells) }) {
			maps = append(maps, s)
		}
	}
	return maps
}

// findSymmetries lists the maps that are symmetries, and their products.
func (f *finder) findSymmetries(ctx context.Context, maps []symmetry) error {
	identity := maps[0]
	for k := range f.spots {
		identity.inputs = append(identity.inputs, int32(k))
	}
	f.list = []symmetry{identity}
	for _, s := range maps[1:] {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("the search for symmetries was not finished: %w", err)
		}
		f.trySymmetry(s)
	}
	return nil
}

// findFrame returns the first of the maps that is a frame by an automorphism of the matcher. The last two maps of a square
// board are no involutions.
func (f *finder) findFrame(ctx context.Context, m *gates.Matcher, maps []symmetry) (second frame, err error) {
	for _, s := range maps[:min(6, len(maps))] {
		if err := ctx.Err(); err != nil {
			return second, fmt.Errorf("the search for symmetries was not finished: %w", err)
		}
		if !f.tryFrame(m, &s) {
			continue
		}
		if actions, ok := f.actions(s, exchanged); ok {
			return frame{symmetry: s, actions: actions}, nil
		}
	}
	return second, nil
}

// setSpots finds the places of the inputs on the board.
func (f *finder) setSpots(b *board) {
	p := f.game.circuit.Program
	names := map[string]uint64{}
	for kind, terms := range [][]ground.Term{p.Fluents, p.Moves[0], p.Moves[1]} {
		first := len(f.spots)
		f.spots = append(f.spots, make([]spot, len(terms))...)
		for _, x := range functorsOf(p, terms) {
			pl := b.placeOf(p, x.terms)
			pairs := b.pairs(p, x.terms, pl)
			for k, i := range x.members {
				s, name := b.spotOf(p, x.terms[k], pl, pairs)
				text := fmt.Sprintln(kind, x.name, name)
				if _, ok := names[text]; !ok {
					names[text] = uint64(len(names))
				}
				s.name = names[text]
				f.spots[first+i] = s
			}
		}
	}
}

// spotOf returns the place of a term, and the text of its arguments that are not coordinates.
func (b *board) spotOf(p *ground.Program, t ground.Term, pl place, pairs [][2]int) (s spot, name string) {
	args := p.Terms.Args(t)
	isPair := func(k int) bool {
		return slices.ContainsFunc(pairs, func(pair [2]int) bool { return k == pair[0] || k == pair[1] })
	}
	if s.line = pl.kind == onFirst || pl.kind == onSecond; s.line {
		s.cells = b.cells(p, pl, t)
	}
	for _, pair := range pairs {
		cell, _ := b.at(args, pair[0], pair[1])
		s.cells = append(s.cells, int32(cell))
	}
	var others []string
	for k, a := range args {
		if !isPair(k) && !(s.line && k == pl.i) {
			others = append(others, p.Terms.Text(a))
		}
	}
	return s, strings.Join(others, " ")
}

// pairs returns all pairs of arguments that name cells. A [place] has the first two of them only.
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

// labels returns a label per input for [gates.Matcher.Match]: a hash of its cells under a map of the board, of the role of
// a move under a map of the roles, and, if names count, of its name.
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

// roleOf returns the role of a move; -1 for a fluent.
func (f *finder) roleOf(input int) int {
	switch {
	case input < f.offset[0]:
		return -1
	case input < f.offset[1]:
		return 0
	}
	return 1
}

// trySymmetry adds a map to the symmetries if it is one, and closes the list under composition. It drops the map again if
// two automorphisms then map the board in the same way.
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
					f.list = before
					return
				}
			}
		}
	}
}

// composed returns the permutation y after x.
func composed(x, y []int32) []int32 {
	list := make([]int32, len(x))
	for i, k := range x {
		list[i] = y[k]
	}
	return list
}

// keeps reports whether an automorphism is an [env.Symmetry]: it keeps the initial position, the mover, the planes of the
// tensor, the pieces and the cells that exist, and it permutes the actions.
func (f *finder) keeps(s symmetry) bool {
	g := f.game
	cells := len(s.cells)
	if !f.keepsCells(s) || !f.keepsTurns(s, kept) {
		return false
	}
	for i := range g.circuit.Next {
		to := s.inputs[i]
		if g.init[i/64]>>(i%64)&1 != g.init[to/64]>>(to%64)&1 {
			return false
		}
		image := slices.Clone(g.tensor.entries[i])
		for k, e := range image {
			image[k].index = e.index/int32(cells)*int32(cells) + s.cells[int(e.index)%cells]
		}
		byIndex := func(a, b entry) int { return int(a.index - b.index) }
		slices.SortFunc(image, byIndex)
		there := slices.SortedFunc(slices.Values(g.tensor.entries[to]), byIndex)
		p, q := g.drawing.pieces[i], g.drawing.pieces[to]
		if !slices.Equal(image, there) || p.kind != q.kind || p.kind > 0 && s.cells[p.cell] != q.cell {
			return false
		}
	}
	_, ok := f.actions(s, kept)
	return ok
}

// keepsCells reports whether a map takes cells of the board that exist to cells that exist.
func (f *finder) keepsCells(s symmetry) bool {
	cells := f.game.env.Drawing.Cells
	for cell, exists := range cells {
		if cells[s.cells[cell]] != exists {
			return false
		}
	}
	return true
}

// keepsTurns reports whether an automorphism maps control fluents to control fluents, with their movers and idle moves, and
// possible moves to possible moves. Role r becomes roles[r].
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

// image returns the image of a role's move, which is a move of roles[role].
func (f *finder) image(s symmetry, role, move int, roles [2]int) int {
	return int(s.inputs[f.offset[role]+move]) - f.offset[roles[role]]
}

// actions returns the permutation of the actions under an automorphism; for a frame it is an involution that is right for
// Second's moves. It reports false if there is none: if the roles' images of a shared action differ, or if an action does
// not go to the image of its cell.
func (f *finder) actions(s symmetry, roles [2]int) ([]env.Action, bool) {
	g := f.game
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
	for role, actions := range g.policy.actions {
		if roles == exchanged && role != second {
			continue
		}
		others := g.policy.actions[roles[role]]
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
	return list, f.completeActions(s, list, back)
}

// open marks an action without an image.
const open = -1

// completeActions maps the entries of the policy that are no action: the first one of a cell goes to the first one without a
// preimage in back of the cell's image, and so on. It reports false if an action does not go to the image of its cell.
func (f *finder) completeActions(s symmetry, list, back []env.Action) bool {
	cells := len(s.cells)
	planes := (len(list) - f.game.env.PolicyExtras) / cells
	cellOf := func(a env.Action) int { // cells stands for the extra entries
		if int(a) < planes*cells {
			return int(a) % cells
		}
		return cells
	}
	free := make([][]env.Action, cells+1) // by cell
	for a, from := range back {
		if from == open {
			free[cellOf(env.Action(a))] = append(free[cellOf(env.Action(a))], env.Action(a))
		}
	}
	for a := range list {
		cell := cellOf(env.Action(a))
		if cell < cells {
			cell = int(s.cells[cell])
		}
		if list[a] == open {
			if len(free[cell]) == 0 {
				return false
			}
			list[a], free[cell] = free[cell][0], free[cell][1:]
		}
		if cellOf(list[a]) != cell {
			return false
		}
	}
	return true
}

// tryFrame looks for an automorphism of a map that exchanges the roles, and sets its inputs. It must be an involution and
// commute with all symmetries, so that Second's view of a position is a position with First to move and the same future.
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
	if !f.keepsCells(*s) {
		return false
	}
	// A plane that shows a number needs a mutex group, and the image of a group is one only if all of it is known as one.
	numberOf := map[int32]int{}
	for k, c := range g.tensor.numbers {
		for _, i := range c.fluents {
			numberOf[int32(i)] = 1 + k
		}
	}
	for _, c := range g.tensor.numbers {
		for _, i := range c.fluents {
			if k := numberOf[s.inputs[i]]; k == 0 || k != numberOf[s.inputs[c.fluents[0]]] {
				return false
			}
		}
	}
	return true
}
