package gdl

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ludus/env/gdl/ground"
)

// axis is an ordered set of constants.
type axis struct {
	values []ground.Term
	index  map[ground.Term]int
	order  string // for people: what orders the constants
}

// board is the pair of arguments that says where things are. Fluents and moves name a cell by a constant of first, then
// one of second.
type board struct {
	first, second axis
	rowsFirst     bool // first is the row
	group         string
	apart         int  // places from the first to the second argument: 1 if they stand side by side
	allLines      bool // see placeOf
	fewerLines    bool // placeOf has found terms that name too few lines
}

// equals reports whether two boards, which may be nil, are the same.
func (b *board) equals(o *board) bool {
	if b == nil || o == nil {
		return b == o
	}
	return b.group == o.group && b.apart == o.apart && slices.Equal(b.first.values, o.first.values) && slices.Equal(b.second.values, o.second.values)
}

// Limits of a board's sides.
const (
	maxColumns    = 26
	maxRows       = 60
	maxCoordinate = 16 // arguments of a fluent that may be coordinates: the first ones
)

func (b *board) height() int {
	if b.rowsFirst {
		return len(b.first.values)
	}
	return len(b.second.values)
}

func (b *board) width() int { return len(b.first.values) + len(b.second.values) - b.height() }

// cell returns the cell of two indices.
func (b *board) cell(first, second int) int {
	if b.rowsFirst {
		return first*b.width() + second
	}
	return second*b.width() + first
}

// at returns the cell that args[i] and args[j] name.
func (b *board) at(args []ground.Term, i, j int) (int, bool) {
	x, ok := b.first.index[args[i]]
	y, ok2 := b.second.index[args[j]]
	if !ok || !ok2 {
		return 0, false
	}
	return b.cell(x, y), true
}

// groupsOf returns terms by name and number of arguments, as indices, in the order found.
func groupsOf(p *ground.Program, terms []ground.Term) (names []string, groups map[string][]int) {
	groups = map[string][]int{}
	for i, t := range terms {
		key := groupName(p, t)
		if groups[key] == nil {
			names = append(names, key)
		}
		groups[key] = append(groups[key], i)
	}
	return names, groups
}

// exclusive reports whether at most one fluent of each group is proven to be true in every position.
type exclusive func(groups [][]int) bool

// findBoard returns the pair of ordered arguments that covers most fluents; nil if there is none. Roles are no places, and
// neither are values: an argument of which the others always decide which constant stands there, as far as that is proven.
// Without a proof function it is as in old versions, which did not ask for that.
func findBoard(p *ground.Program, proven exclusive) *board {
	var best *board
	most := 0
	names, groups := groupsOf(p, p.Fluents)
	for _, name := range names {
		group := groups[name]
		if len(group) <= most || len(group) < 4 {
			continue
		}
		if b := boardOfGroup(p, name, group, proven); b != nil {
			best, most = b, len(group)
		}
	}
	return best
}

// boardOfGroup returns the board of the first pair of arguments of a group of fluents that are coordinates, or nil.
func boardOfGroup(p *ground.Program, name string, group []int, proven exclusive) *board {
	arity := min(len(p.Terms.Args(p.Fluents[group[0]])), maxCoordinate)
	axes, ok := make([]axis, arity), make([]bool, arity)
	for i := range axes {
		axes[i], ok[i] = axisOf(p, group, i)
		ok[i] = ok[i] && len(axes[i].values) > 1 && (proven == nil || !axes[i].hasRoles(p))
	}
	for i := range axes {
		for j := i + 1; j < arity; j++ {
			if !ok[i] || !ok[j] {
				continue
			}
			b := &board{group: name, apart: j - i, first: axes[i], second: axes[j]}
			if b.fits(p, group, i, j) && (proven == nil || !isValue(p, group, i, proven) && !isValue(p, group, j, proven)) {
				return b
			}
		}
	}
	return nil
}

// hasRoles reports whether the constants are roles: all of them, or some that are no numbers.
func (a *axis) hasRoles(p *ground.Program) bool {
	count := 0
	for _, t := range a.values {
		if slices.Contains(p.Roles, t) {
			if count++; !isNumber(p.Terms.Name(t)) {
				return true
			}
		}
	}
	return count == len(a.values)
}

// isValue reports whether an argument of a group of fluents is a value, such as the number in (left heap number): of the
// fluents that differ in it alone exactly one is true at the start, and at most one is proven to be true later.
func isValue(p *ground.Program, group []int, arg int, proven exclusive) bool {
	sets := differingIn(p, group, arg)
	starts := p.Starts()
	return !slices.ContainsFunc(sets, func(set []int) bool { return countTrue(starts, set) != 1 }) && proven(sets)
}

// differingIn splits fluents of one name into sets that differ in an argument alone.
func differingIn(p *ground.Program, group []int, arg int) (sets [][]int) {
	number := map[string]int{}
	for _, i := range group {
		args := slices.Clone(p.Terms.Args(p.Fluents[i]))
		args[arg] = none
		key := fmt.Sprint(args)
		k, ok := number[key]
		if !ok {
			k = len(sets)
			number[key], sets = k, append(sets, nil)
		}
		sets[k] = append(sets[k], i)
	}
	return sets
}

// fits turns the board so that it is not too large, and reports whether that is possible and arguments i and j of the
// group name many of its cells.
func (b *board) fits(p *ground.Program, group []int, i, j int) bool {
	b.rowsFirst = rowsFirst(p, b)
	if b.width() > maxColumns || b.height() > maxRows {
		if b.rowsFirst = !b.rowsFirst; b.width() > maxColumns || b.height() > maxRows {
			return false
		}
	}
	// On a board half of the cells occur at least.
	cells := map[int]bool{}
	for _, k := range group {
		cell, _ := b.at(p.Terms.Args(p.Fluents[k]), i, j)
		cells[cell] = true
	}
	return 2*len(cells) >= b.width()*b.height()
}

// rowsFirst guesses which argument is the row: one whose constants begin with r, or numbers after letters.
func rowsFirst(p *ground.Program, b *board) bool {
	x, y := p.Terms.Name(b.first.values[0]), p.Terms.Name(b.second.values[0])
	return x[0] == 'r' && y[0] != 'r' || y[0] == 'c' && x[0] != 'c' || isNumber(x) && !isNumber(y)
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// axisOf orders the constants of one argument of a group.
func axisOf(p *ground.Program, group []int, arg int) (axis, bool) {
	a := axis{index: map[ground.Term]int{}}
	for _, k := range group {
		t := p.Terms.Args(p.Fluents[k])[arg]
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

// byRelation orders the constants by a static relation that makes one chain of them: between two of its arguments, the
// others being fixed.
func (a *axis) byRelation(p *ground.Program) bool {
	if len(a.values) < 3 {
		return false
	}
	var names []string
	for name := range p.Static {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(len(p.Static[x]), len(p.Static[y])) })
	for _, name := range names {
		facts := p.Static[name]
		if arity := len(facts[0]); arity != 2 {
			continue
		}
		if a.numbered(p, facts) {
			a.order = name[:strings.Index(name, "/")]
			return true
		}
		if chain := a.chain(facts); chain != nil {
			a.values, a.order = chain, name[:strings.Index(name, "/")]
			return true
		}
	}
	return false
}

// numbered orders the constants by a relation that gives each of them a number of its own, such as (row r1 1).
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

// chain returns the constants in the order of a relation that links each to the next one only; nil if it does not.
func (a *axis) chain(facts [][]ground.Term) []ground.Term {
	next := map[ground.Term]ground.Term{}
	hasPrevious := map[ground.Term]bool{}
	for _, args := range facts {
		_, ok := a.index[args[0]]
		_, ok2 := a.index[args[1]]
		if !ok || !ok2 {
			continue
		}
		if _, twice := next[args[0]]; twice || hasPrevious[args[1]] {
			return nil
		}
		next[args[0]] = args[1]
		hasPrevious[args[1]] = true
	}
	if len(next) != len(a.values)-1 {
		return nil
	}
	var chain []ground.Term
	for _, t := range a.values {
		if hasPrevious[t] {
			continue
		}
		for more := true; more && len(chain) < len(a.values); t, more = next[t], hasNext(next, t) {
			chain = append(chain, t)
		}
		break
	}
	if len(chain) != len(a.values) {
		return nil
	}
	return chain
}

func hasNext(next map[ground.Term]ground.Term, t ground.Term) bool {
	_, ok := next[t]
	return ok
}

// byName orders numbers, and names that end in numbers or are single letters.
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
		case digits < len(name) && len(name)-digits < 6:
			key, _ = strconv.Atoi(name[digits:])
		case len(name) == 1:
			head, key = "", int(name[0])
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
	a.order = "names"
	return true
}

// place says where the terms of a group are on the board.
type place struct {
	kind placeKind
	i, j int // arguments that name the cell or line; -1 if none
	k, l int // arguments of a second cell; -1 if none
}

// placeKind says how a term is on the board.
type placeKind uint8

const (
	nowhere placeKind = iota
	onCell
	onFirst  // on a line: i is a constant of the first axis
	onSecond // on a line: i is a constant of the second axis
)

// placeOf finds the place of a group's terms; b may be nil. Terms that name lines must name more than half of those of the
// board, unless allLines says otherwise: the 1 and 2 of (turn x 1) and (turn x 2) are no rows.
func (b *board) placeOf(p *ground.Program, terms []ground.Term) place {
	pl := place{i: -1, j: -1, k: -1, l: -1}
	if b == nil {
		return pl
	}
	arity := len(p.Terms.Args(terms[0]))
	all := func(ok func(args []ground.Term) bool) bool {
		return !slices.ContainsFunc(terms, func(t ground.Term) bool { return !ok(p.Terms.Args(t)) })
	}
	for _, apart := range slices.Compact([]int{1, b.apart}) {
		for i := 0; i+apart < arity; i++ {
			if i == pl.j || !all(func(args []ground.Term) bool { _, ok := b.at(args, i, i+apart); return ok }) {
				continue
			}
			if pl.kind == nowhere {
				pl.kind, pl.i, pl.j = onCell, i, i+apart
			} else {
				pl.k, pl.l = i, i+apart
				return pl
			}
		}
		if pl.kind != nowhere {
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
			}) && len(distinct) > 1 && b.enough(len(distinct), len(a.values))
		}
		switch {
		case in(b.first):
			return place{kind: onFirst, i: i, j: -1, k: -1, l: -1}
		case in(b.second):
			return place{kind: onSecond, i: i, j: -1, k: -1, l: -1}
		}
	}
	return pl
}

// enough reports whether the lines of a group are enough to be lines of the board.
func (b *board) enough(lines, all int) bool {
	few := 2*lines <= all
	b.fewerLines = b.fewerLines || few
	return b.allLines || !few
}

// others returns the name of a term and its arguments but those that place it, as text.
func (pl place) others(p *ground.Program, t ground.Term) string {
	parts := []string{p.Terms.Name(t)}
	for i, a := range p.Terms.Args(t) {
		if i != pl.i && i != pl.j && i != pl.k && i != pl.l {
			parts = append(parts, p.Terms.Text(a))
		}
	}
	return strings.Join(parts, " ")
}

// cells returns the cells that a term is on: one, or a line.
func (b *board) cells(p *ground.Program, pl place, t ground.Term) []int32 {
	args := p.Terms.Args(t)
	var list []int32
	switch pl.kind {
	case onCell:
		cell, _ := b.at(args, pl.i, pl.j)
		list = append(list, int32(cell))
	case onFirst:
		for y := range b.second.values {
			list = append(list, int32(b.cell(b.first.index[args[pl.i]], y)))
		}
	case onSecond:
		for x := range b.first.values {
			list = append(list, int32(b.cell(x, b.second.index[args[pl.i]])))
		}
	}
	return list
}

// labels returns the texts of an axis.
func (a *axis) labels(p *ground.Program) []string {
	var list []string
	for _, t := range a.values {
		list = append(list, p.Terms.Name(t))
	}
	return list
}

func (b *board) String() string {
	return fmt.Sprintf("%d x %d, from facts %s", b.width(), b.height(), b.group)
}
