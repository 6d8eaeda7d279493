package gdl

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ludus/env/gdl/ground"
)

// axis is one dimension of a board: the constants that are its coordinates, in order.
type axis struct {
	values []ground.Term
	index  map[ground.Term]int
}

// board is the grid on which a sheet's fluents lie. Fluents and moves such as (cell 1 2 x) name a cell by two
// arguments: a constant of first, then one of second.
type board struct {
	first, second axis
	rowsFirst     bool   // first is the row
	functor       string // name/arity of the fluents in which the board was found, such as cell/3
	apart         int    // distance of the two coordinates in the list of arguments: 1 if they are neighbours
}

// Limits of the search for a board.
const (
	maxColumns    = 26
	maxRows       = 60
	maxCoordinate = 16 // only the first 16 arguments of a fluent may be coordinates
)

func (b *board) height() int {
	if b.rowsFirst {
		return len(b.first.values)
	}
	return len(b.second.values)
}

func (b *board) width() int { return len(b.first.values) + len(b.second.values) - b.height() }

// cell returns the index of the cell with the given indices in the first and the second axis.
func (b *board) cell(first, second int) int {
	if b.rowsFirst {
		return first*b.width() + second
	}
	return second*b.width() + first
}

// at returns the index of the cell that args[i] and args[j] name. It reports false if they are not coordinates.
func (b *board) at(args []ground.Term, i, j int) (int, bool) {
	x, ok := b.first.index[args[i]]
	y, ok2 := b.second.index[args[j]]
	if !ok || !ok2 {
		return 0, false
	}
	return b.cell(x, y), true
}

// findBoard infers the board from the fluents: two arguments whose constants have an order. Of several functors the one
// with the most fluents wins; nil means that there is no board. Then large is one with too many rows or columns, or
// nil.
//
// Roles are not coordinates. Neither are values, such as the number in (heap left 3): arguments that the others
// determine. exclusive tells whether it can prove that each group of fluents is mutex; if it is nil, values count as
// coordinates.
func findBoard(p *ground.Program, exclusive func(groups [][]int) bool) (best, large *board) {
	most := 0
	for _, f := range functorsOf(p, p.Fluents) {
		if len(f.members) <= most || len(f.members) < 4 { // the smallest board has 2 x 2 cells
			continue
		}
		switch b := boardOf(p, f, exclusive); {
		case b != nil && b.isLarge():
			large = b
		case b != nil:
			best, most = b, len(f.members)
		}
	}
	return best, large
}

// isLarge reports whether the board has more rows or columns than can be drawn.
func (b *board) isLarge() bool { return b.width() > maxColumns || b.height() > maxRows }

// boardOf returns the board of a functor: the first pair of its arguments that are coordinates, if possible of a board
// that is not too large; nil if there is none.
func boardOf(p *ground.Program, f functor, exclusive func(groups [][]int) bool) *board {
	arity := min(len(p.Terms.Args(f.terms[0])), maxCoordinate)
	axes, ok := make([]axis, arity), make([]bool, arity)
	for i := range axes {
		axes[i], ok[i] = axisOf(p, f, i)
		ok[i] = ok[i] && len(axes[i].values) > 1 && !axes[i].hasRoles(p)
	}
	var large *board
	isCoordinate := func(i int) bool { return exclusive == nil || !isValue(p, f, i, exclusive) }
	for i := range axes {
		for j := i + 1; j < arity; j++ {
			if !ok[i] || !ok[j] {
				continue
			}
			b := &board{functor: f.name, apart: j - i, first: axes[i], second: axes[j]}
			if !b.fits(p, f, i, j) || !isCoordinate(i) || !isCoordinate(j) {
				continue
			}
			if !b.isLarge() {
				return b
			}
			large = b
		}
	}
	return large
}

// hasRoles reports whether the constants of an axis look like players: one is a role whose name is not a number, or all
// are roles.
func (a *axis) hasRoles(p *ground.Program) bool {
	count := 0
	for _, t := range a.values {
		if slices.Contains(p.Roles, t) {
			count++
			if !isNumber(p.Terms.Name(t)) {
				return true
			}
		}
	}
	return count == len(a.values)
}

// isValue reports whether an argument is a value that the other arguments determine. Group the fluents that differ only
// in this argument: in each group exactly one is true initially, and at most one is proven to be true later.
func isValue(p *ground.Program, f functor, arg int, exclusive func(groups [][]int) bool) bool {
	groups := differingIn(p, f.members, arg)
	starts := p.Starts()
	return !slices.ContainsFunc(groups, func(group []int) bool { return countTrue(starts, group) != 1 }) && exclusive(groups)
}

// differingIn groups fluents of one functor: those of a group differ only in argument arg.
func differingIn(p *ground.Program, fluents []int, arg int) (groups [][]int) {
	number := map[string]int{}
	for _, i := range fluents {
		args := slices.Clone(p.Terms.Args(p.Fluents[i]))
		args[arg] = none // the same for all
		key := fmt.Sprint(args)
		k, ok := number[key]
		if !ok {
			k = len(groups)
			number[key], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
}

// fits decides which axis has the rows, and reports whether at least half of the board's cells occur in fluents, named
// by arguments i and j.
func (b *board) fits(p *ground.Program, f functor, i, j int) bool {
	b.rowsFirst = rowsFirst(p, b)
	if turned := *b; b.isLarge() {
		turned.rowsFirst = !b.rowsFirst
		if !turned.isLarge() {
			b.rowsFirst = turned.rowsFirst
		}
	}
	cells := map[int]bool{}
	for _, t := range f.terms {
		cell, _ := b.at(p.Terms.Args(t), i, j)
		cells[cell] = true
	}
	return 2*len(cells) >= b.width()*b.height()
}

// rowsFirst guesses whether the first axis has the rows: its constants begin with r, or those of the second axis begin
// with c, or it has numbers where the second has names.
func rowsFirst(p *ground.Program, b *board) bool {
	x, y := p.Terms.Name(b.first.values[0]), p.Terms.Name(b.second.values[0])
	return x[0] == 'r' && y[0] != 'r' || y[0] == 'c' && x[0] != 'c' || isNumber(x) && !isNumber(y)
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// axisOf returns the axis of one argument: its constants ordered by number, by a relation of the sheet, or by name. It
// reports false if they have no order or are compound terms.
func axisOf(p *ground.Program, f functor, arg int) (axis, bool) {
	a := axis{index: map[ground.Term]int{}}
	for _, x := range f.terms {
		t := p.Terms.Args(x)[arg]
		if _, seen := a.index[t]; seen {
			continue
		}
		if len(p.Terms.Args(t)) > 0 {
			return a, false
		}
		a.index[t] = len(a.values)
		a.values = append(a.values, t)
	}
	numbers := !slices.ContainsFunc(a.values, func(t ground.Term) bool { return !isNumber(p.Terms.Name(t)) })
	ok := numbers && a.byName(p) || a.byRelation(p) || a.byName(p)
	for i, t := range a.values {
		a.index[t] = i
	}
	return a, ok
}

// byRelation orders the constants by a binary static relation that numbers them or chains them. It tries the relations
// with the fewest facts first.
func (a *axis) byRelation(p *ground.Program) bool {
	if len(a.values) < 3 {
		return false
	}
	names := slices.Sorted(maps.Keys(p.Static))
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(len(p.Static[x]), len(p.Static[y])) })
	for _, name := range names {
		facts := p.Static[name]
		if len(facts[0]) == 2 && (a.numbered(p, facts) || a.chained(facts)) {
			return true
		}
	}
	return false
}

// numbered orders the constants by a relation that maps each of them to a different number, such as (row r1 1). It
// returns false, and changes nothing, if the facts are no such relation.
func (a *axis) numbered(p *ground.Program, facts [][]ground.Term) bool {
	numbers := map[ground.Term]int{}
	taken := map[int]bool{}
	for _, args := range facts {
		if _, ok := a.index[args[0]]; !ok {
			continue
		}
		n, err := strconv.Atoi(p.Terms.Name(args[1]))
		if _, twice := numbers[args[0]]; err != nil || twice || taken[n] {
			return false
		}
		numbers[args[0]], taken[n] = n, true
	}
	if len(numbers) < len(a.values) {
		return false
	}
	slices.SortFunc(a.values, func(x, y ground.Term) int { return cmp.Compare(numbers[x], numbers[y]) })
	return true
}

// chained orders the constants by a successor relation such as (succ 1 2), if that links all of them into a single
// chain. Otherwise it returns false and changes nothing.
func (a *axis) chained(facts [][]ground.Term) bool {
	next := map[ground.Term]ground.Term{}
	hasPrevious := map[ground.Term]bool{}
	for _, args := range facts {
		_, ok := a.index[args[0]]
		_, ok2 := a.index[args[1]]
		if !ok || !ok2 {
			continue
		}
		if _, twice := next[args[0]]; twice || hasPrevious[args[1]] {
			return false
		}
		next[args[0]] = args[1]
		hasPrevious[args[1]] = true
	}
	first := slices.IndexFunc(a.values, func(t ground.Term) bool { return !hasPrevious[t] })
	if len(next) != len(a.values)-1 || first < 0 {
		return false
	}
	var chain []ground.Term
	for t, more := a.values[first], true; more; t, more = next[t] {
		chain = append(chain, t)
	}
	if len(chain) != len(a.values) {
		return false
	}
	a.values = chain
	return true
}

// byName orders the constants by their names: single letters by the alphabet, numbers and names such as c1, c2, c3 by
// the number at the end. It reports false for other names.
func (a *axis) byName(p *ground.Program) bool {
	keys := map[ground.Term]int{}
	prefix := ""
	for i, t := range a.values {
		name := p.Terms.Name(t)
		digits := len(name)
		for digits > 0 && name[digits-1] >= '0' && name[digits-1] <= '9' {
			digits--
		}
		head, key := name[:digits], 0
		switch {
		case digits < len(name) && len(name)-digits < 6: // a number of few digits
			key, _ = strconv.Atoi(name[digits:])
		case utf8.RuneCountInString(name) == 1:
			letter, _ := utf8.DecodeRuneInString(name)
			head, key = "", int(letter)
		default:
			return false
		}
		if i == 0 {
			prefix = head
		}
		if head != prefix {
			return false
		}
		keys[t] = key
	}
	slices.SortFunc(a.values, func(x, y ground.Term) int { return cmp.Compare(keys[x], keys[y]) })
	return true
}

// place tells which arguments of a functor's terms are coordinates, as in (move 1 2 3 4), where 1 2 and 3 4 are cells.
type place struct {
	kind  placeKind
	pairs [][2]int // indices of the two arguments that name a cell, for each cell; or twice that of the one that names a line
}

// placeKind tells whether terms name cells of the board, lines of it, or neither.
type placeKind uint8

const (
	nowhere placeKind = iota
	onCell
	onFirst  // on a line, which an argument names by a coordinate of the first axis
	onSecond // on a line, which an argument names by a coordinate of the second axis
)

// placeOf finds which arguments of one functor's terms are coordinates; nowhere without a board (b is nil). Terms that
// name lines must name more than half of the board's: the 1 and 2 of (turn x 1) and (turn x 2) are not rows.
func (b *board) placeOf(p *ground.Program, terms []ground.Term) place {
	if b == nil {
		return place{}
	}
	arity := len(p.Terms.Args(terms[0]))
	all := func(ok func(args []ground.Term) bool) bool {
		return !slices.ContainsFunc(terms, func(t ground.Term) bool { return !ok(p.Terms.Args(t)) })
	}
	// Coordinates of a cell stand side by side, or as far apart as in the board's fluents.
	for _, apart := range slices.Compact([]int{1, b.apart}) {
		pl := place{kind: onCell}
		for i := 0; i+apart < arity; i++ {
			used := slices.ContainsFunc(pl.pairs, func(pair [2]int) bool { return pair[1] == i })
			if !used && all(func(args []ground.Term) bool { _, ok := b.at(args, i, i+apart); return ok }) {
				pl.pairs = append(pl.pairs, [2]int{i, i + apart})
			}
		}
		if pl.pairs != nil {
			return pl
		}
	}
	for i := range arity {
		distinct := map[ground.Term]bool{}
		in := func(a axis) bool {
			return all(func(args []ground.Term) bool {
				_, ok := a.index[args[i]]
				distinct[args[i]] = true
				return ok
			}) && len(distinct) > 1 && 2*len(distinct) > len(a.values)
		}
		switch {
		case in(b.first):
			return place{onFirst, [][2]int{{i, i}}}
		case in(b.second):
			return place{onSecond, [][2]int{{i, i}}}
		}
	}
	return place{}
}

// others returns the text of a term without its coordinates, such as "cell x" for (cell 1 2 x).
func (pl place) others(p *ground.Program, t ground.Term) string {
	parts := []string{p.Terms.Name(t)}
	for i, a := range p.Terms.Args(t) {
		if !slices.ContainsFunc(pl.pairs, func(pair [2]int) bool { return i == pair[0] || i == pair[1] }) {
			parts = append(parts, p.Terms.Text(a))
		}
	}
	return strings.Join(parts, " ")
}

// cells returns the cells that a term names, in the order of its arguments, or all cells of the line that it names.
func (b *board) cells(p *ground.Program, pl place, t ground.Term) []int32 {
	args := p.Terms.Args(t)
	var list []int32
	for _, pair := range pl.pairs {
		switch pl.kind {
		case onCell:
			cell, _ := b.at(args, pair[0], pair[1])
			list = append(list, int32(cell))
		case onFirst:
			for y := range b.second.values {
				list = append(list, int32(b.cell(b.first.index[args[pair[0]]], y)))
			}
		case onSecond:
			for x := range b.first.values {
				list = append(list, int32(b.cell(x, b.second.index[args[pair[0]]])))
			}
		}
	}
	return list
}

// labels returns the names of an axis's constants, for the edge of the board.
func (a *axis) labels(p *ground.Program) []string {
	var list []string
	for _, t := range a.values {
		list = append(list, p.Terms.Name(t))
	}
	return list
}

// String describes the board in the findings about a sheet; "" if it is nil.
func (b *board) String() string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%d x %d, from facts %s", b.width(), b.height(), b.functor)
}
