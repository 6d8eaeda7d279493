package gdl

import (
	"fmt"
	"slices"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// maxMatchWork bounds the inputs of gates that the search for symmetries visits.
const maxMatchWork = 1 << 28

// spot is where an input of the circuit, a fluent or a move, stands on the board.
type spot struct {
	name  uint64  // number of the term without its coordinates: equal for all (cell ? ? x)
	cells []int32 // the cells that it names, in the order of its arguments; or the cells of the line that it names
	line  bool    // it names a line, not cells
}

// finder searches for symmetries of a game: rotations and reflections of the board that extend to automorphisms of the
// circuit.
type finder struct {
	game    *game
	spots   []spot // one per input of the circuit
	matcher *gates.Matcher
	offset  [2]int     // by role: the input of its first move
	list    []symmetry // found so far; the identity first
}

// frame is a symmetry that exchanges the players. The network sees a position with Second to move through it, as if
// First were to move.
type frame struct {
	symmetry
	actions  []env.Action // see [env.Game.Finish]; nil if there is no frame
	ownGoals bool         // it changes the goals, so the network must know who is to move
}

// The two ways to map roles: a symmetry keeps them, a frame exchanges them.
var kept, exchanged = [2]int{0, 1}, [2]int{1, 0}

// symmetry is a rotation or reflection of the board with the automorphism of the circuit that extends it.
type symmetry struct {
	name   string
	cells  []int32
	inputs []int32 // image of each input of the circuit
}

// boardMap is a rotation or reflection of the board.
type boardMap struct {
	name string
	cell func(r, c, height, width int) (int, int)
}

// boardMaps lists the rotations and reflections; the last four are for square boards only.
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

// setSymmetries finds the game's symmetries, the frame through which Second sees the board, and the figures.
func (g *game) setSymmetries(b *board) (second frame) {
	f := &finder{game: g, matcher: g.circuit.NewMatcher(maxMatchWork, g.circuit.Goals)}
	for role := range 2 {
		f.offset[role] = g.circuit.Move(role, 0).Gate() - 1
	}
	f.setSpots(b)
	maps := boardMapsOf(g.env.Tensor)
	f.findSymmetries(maps)
	for _, s := range f.list {
		actions, _ := f.actions(s, kept)
		g.env.Symmetries = append(g.env.Symmetries, env.Symmetry{Cells: s.cells, Actions: actions})
		g.keys.images = append(g.keys.images, s.inputs[:len(g.circuit.Next)])
	}
	if second = f.findFrame(f.matcher, maps); second.actions == nil {
		noGoals := make([][]gates.Goal, len(g.circuit.Goals)) // a frame that keeps the goals comes first
		second = f.findFrame(g.circuit.NewMatcher(maxMatchWork, noGoals), maps)
		second.ownGoals = second.actions != nil
	}
	g.setFrame(second)
	g.env.Figures = f.figures()
	return second
}

// boardMapsOf returns the distinct rotations and reflections of a board of a shape; the identity comes first.
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

// findSymmetries collects in f.list the maps that are symmetries of the game, and all their products.
func (f *finder) findSymmetries(maps []symmetry) {
	identity := maps[0]
	for k := range f.spots {
		identity.inputs = append(identity.inputs, int32(k))
	}
	f.list = []symmetry{identity}
	for _, s := range maps[1:] {
		f.trySymmetry(s)
	}
}

// findFrame returns the first of the maps that exchanges the players, by an automorphism of the matcher. It skips
// rotations by 90 degrees, the last two maps of a square board: a frame must be an involution.
func (f *finder) findFrame(m *gates.Matcher, maps []symmetry) frame {
	for _, s := range maps[:min(6, len(maps))] {
		if !f.tryFrame(m, &s) {
			continue
		}
		if actions, ok := f.actions(s, exchanged); ok {
			return frame{symmetry: s, actions: actions}
		}
	}
	return frame{}
}

// setSpots finds where each input of the circuit stands on the board.
func (f *finder) setSpots(b *board) {
	p := f.game.circuit.Program
	names := map[string]uint64{}
	for kind, terms := range [][]ground.Term{p.Fluents, p.Moves[0], p.Moves[1]} {
		first := len(f.spots)
		f.spots = append(f.spots, make([]spot, len(terms))...)
		for _, x := range functorsOf(p, terms) {
			pl := b.placeOf(p, x.terms)
			for k, i := range x.members {
				text := fmt.Sprintln(kind, x.name, pl.others(p, x.terms[k]))
				if _, ok := names[text]; !ok {
					names[text] = uint64(len(names))
				}
				f.spots[first+i] = spot{names[text], b.cells(p, pl, x.terms[k]), pl.kind == onFirst || pl.kind == onSecond}
			}
		}
	}
}

// labels returns a label per input for [gates.Matcher.Match], which maps inputs only to inputs with equal labels. A
// label hashes the input's cells after a map of the board, the role of a move after a map of the roles, and, if names
// is true, the rest of its term.
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

// roleOf returns the role whose move an input is; -1 for a fluent.
func (f *finder) roleOf(input int) int {
	switch {
	case input < f.offset[0]:
		return -1
	case input < f.offset[1]:
		return 0
	}
	return 1
}

// trySymmetry adds a map to the symmetries, with all its products with others, if the circuit has a matching
// automorphism. It drops them again if that gives two automorphisms for the same map of the board.
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
	// Labels with names (true): the term must stay the same but for its cells.
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

// composed returns the permutation "first x, then y".
func composed(x, y []int32) []int32 {
	list := make([]int32, len(x))
	for i, k := range x {
		list[i] = y[k]
	}
	return list
}

// keeps reports whether an automorphism is an [env.Symmetry]: it preserves the initial position, the mover, the planes
// of the tensor, the pieces and the set of cells that exist, and it permutes the actions.
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
		image := slices.Clone(g.tensor.entries[i]) // each goes to the image of its cell in its plane
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

// keepsCells reports whether a map takes existing cells to existing cells, and others to others.
func (f *finder) keepsCells(s symmetry) bool {
	cells := f.game.env.Drawing.Cells
	for cell, exists := range cells {
		if cells[s.cells[cell]] != exists {
			return false
		}
	}
	return true
}

// keepsTurns reports whether an automorphism that takes role r to roles[r] preserves turns: control fluents go to
// control fluents with the matching mover and idle move, and possible moves to possible moves.
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

// image returns the index of the move to which a symmetry takes a role's move; it is a move of roles[role].
func (f *finder) image(s symmetry, role, move int, roles [2]int) int {
	return int(s.inputs[f.offset[role]+move]) - f.offset[roles[role]]
}

// actions returns the permutation of the actions that an automorphism gives. For a frame it comes from Second's moves
// and is an involution. It reports false if there is none: if the two roles that share an action map it differently, or
// if an action does not go to the image of its cell.
func (f *finder) actions(s symmetry, roles [2]int) ([]env.Action, bool) {
	g := f.game
	list := slices.Repeat([]env.Action{open}, len(g.env.ActionTexts)) // image of each action
	back := slices.Clone(list)
	put := func(a, to env.Action) bool {
		if list[a] != open && list[a] != to || back[to] != open && back[to] != a {
			return false
		}
		list[a], back[to] = to, a
		return true
	}
	second := 1 - g.turns.mover[0] // role of Second
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

// open marks an entry of the policy that has no image yet, or no preimage.
const open = -1

// completeActions makes list a permutation of all entries of the policy. Entries without a move, marked open, get the
// free entries on the image of their cell, in ascending order; back is the inverse of list. It reports false if some
// entry does not go to the image of its cell.
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

// tryFrame looks for an automorphism that extends a map of the board and exchanges the roles; it stores it in s.inputs.
// It must be an involution and commute with all symmetries. Then Second's view of a position is a position with First
// to move and the same future.
func (f *finder) tryFrame(m *gates.Matcher, s *symmetry) bool {
	g := f.game
	// Labels without names (false): a term may change, as the name of a piece does.
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
	// A plane may show a number only for a mutex group. So the image of such a group must be another one.
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
