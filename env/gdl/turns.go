package gdl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// turns says whose turn it is. At most one fluent of a set is true in every position; it decides who moves, and so does
// that none is.
type turns struct {
	fluents []int     // numbers of the fluents of the set that may be true; none if all may be false
	mover   []int     // by entry of fluents: the role that moves
	idle    []int     // by entry of fluents: the move of the other role; -1 if it has none
	modes   []int     // by entry of fluents: the network's mode, see setPlay
	moves   [2][]bool // by role, then move: possible when the role is to move
}

// movesOf lists the moves that are possible when a role is to move.
func (t *turns) movesOf(role int) (moves []int) {
	for m, possible := range t.moves[role] {
		if possible {
			moves = append(moves, m)
		}
	}
	return moves
}

// none stands for the case that no fluent of a set is true.
const none = -1

// Limits of the sets that are tried: fluents of one name, and of two names together.
const (
	maxTurns = 256
	maxUnion = 16
)

// maxTurnWork bounds the gates looked at in the search for a set.
const maxTurnWork = 1 << 30

// findTurns proves that players take turns. The error says why that fails.
func findTurns(ctx context.Context, n *gates.Circuit, f *gates.Folder) (*turns, error) {
	sets := turnSets(n.Program, maxTurns)
	t, reason := proveTurns(ctx, n, f, sets[0])
	if reason == nil {
		return t, nil
	}
	if err := findChoices(n); err != nil {
		return nil, err
	}
	for _, prove := range []func(context.Context, *gates.Circuit, *gates.Folder, []int) (*turns, error){proveTurns, proveWithGroups} {
		for _, set := range sets {
			if f.Work() > maxTurnWork || ctx.Err() != nil {
				break
			}
			if t, err := prove(ctx, n, f, set); err == nil {
				return t, nil
			}
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("the proof that players take turns was not finished: %w", ctx.Err())
	}
	return nil, fmt.Errorf("it is not shown that players take turns: %w", reason)
}

// turnSets lists sets of fluents, up to a size, of which at most one is true at the start: those of one name, those of two
// names, and the empty set. Sets whose names suggest turns come first, and those of which none is true at the start last.
func turnSets(p *ground.Program, largest int) [][]int {
	names, groups := groupsOf(p, p.Fluents)
	starts := p.Starts()
	var sets [3][][]int
	add := func(set []int) {
		count := countTrue(starts, set)
		if count > 1 || len(set) > largest {
			return
		}
		order := 2 - count
		if name := p.Terms.Name(p.Fluents[set[0]]); count == 1 && (strings.Contains(name, "control") || strings.Contains(name, "turn")) {
			order = 0
		}
		sets[order] = append(sets[order], set)
	}
	for _, name := range names {
		add(groups[name])
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if len(groups[name])+len(groups[other]) <= maxUnion {
				add(slices.Concat(groups[other], groups[name]))
			}
		}
	}
	return append(slices.Concat(sets[:]...), nil)
}

// groupName returns the name and number of arguments of a term.
func groupName(p *ground.Program, f ground.Term) string {
	return fmt.Sprintf("%s/%d", p.Terms.Name(f), len(p.Terms.Args(f)))
}

// Limits of findChoices: moves of its games, and gates computed.
const (
	maxChoiceMoves = 2000
	maxChoiceWork  = 1 << 27
)

// findChoices plays 64 random games, and returns an error about the first position that breaks a law, such as that both
// players have a choice; nil if it finds none.
func findChoices(n *gates.Circuit) error {
	position, moves, goals := n.Size()
	w := newWalk(n, 0)
	for range min(maxChoiceMoves, maxChoiceWork/(1+position+moves+goals)) {
		if w.playing == 0 {
			break
		}
		if law, game := w.step(); law != "" {
			facts := factsIn(n, w.values, game)
			return inPosition(law+lostTurn(n.Program, facts), facts)
		}
	}
	return nil
}

// inPosition returns an error about a law that is broken in a position of some facts.
func inPosition(law string, facts []string) error {
	return fmt.Errorf("%s, in the position %s", law, cmp.Or(strings.Join(facts, " "), "without facts"))
}

// lostTurn says which facts are missing among some if a position needs them to say whose turn it is: those of a name with
// control or turn of which one is true at the start. It returns "" if none are.
func lostTurn(p *ground.Program, facts []string) string {
	names, groups := groupsOf(p, p.Fluents)
	starts := p.Starts()
	for _, name := range names {
		first := slices.IndexFunc(groups[name], func(i int) bool { return starts[i] })
		isTrue := func(i int) bool { return slices.Contains(facts, p.Terms.Text(p.Fluents[i])) }
		if isTurn := strings.Contains(name, "control") || strings.Contains(name, "turn"); !isTurn || countTrue(starts, groups[name]) != 1 {
			continue
		}
		if !slices.ContainsFunc(groups[name], isTrue) {
			return fmt.Sprintf(", and no fact like %s is true", p.Terms.Text(p.Fluents[groups[name][first]]))
		}
	}
	return ""
}

// factsIn lists the fluents that are true in a game.
func factsIn(n *gates.Circuit, v gates.Values, game int) (list []string) {
	for i, f := range n.Program.Fluents {
		if v.Get(n.Fluent(i))>>game&1 != 0 {
			list = append(list, n.Program.Terms.Text(f))
		}
	}
	return list
}

// proof is an attempt to prove that players take turns.
type proof struct {
	ctx    context.Context
	net    *gates.Circuit
	folder *gates.Folder
	set    []int
	groups [][]int // of fluents of which at most one is assumed to be true
	broken []bool  // by group: that does not follow for the next position
	proven int     // groups, the first ones, for which it follows
}

// proveTurns proves that at most one fluent of the set is true, and that this leaves a choice to one role only.
func proveTurns(ctx context.Context, n *gates.Circuit, f *gates.Folder, set []int) (*turns, error) {
	f.Exclude(nil)
	p := &proof{ctx: ctx, net: n, folder: f, set: set}
	return p.try()
}

// proveWithGroups is proveTurns with the help of groups of fluents that exclude each other, such as (hand x 0) and
// (hand x 1). It assumes that they do, and begins again without those of which that does not follow for the next position,
// until all do: then the proof is an induction.
func proveWithGroups(ctx context.Context, n *gates.Circuit, f *gates.Folder, set []int) (*turns, error) {
	p := &proof{ctx: ctx, net: n, folder: f, set: set}
	p.findGroups()
	for {
		p.exclude()
		t, err := p.try()
		if err != nil || !p.dropBroken() {
			return t, err
		}
	}
}

// exclude lets the folder assume that groups exclude each other.
func (p *proof) exclude() {
	p.folder.Exclude(p.groups)
	p.broken = make([]bool, len(p.groups))
}

// dropBroken drops the broken groups, and reports whether there are any.
func (p *proof) dropBroken() bool {
	groups := [][]int{}
	for k, group := range p.groups {
		if !p.broken[k] {
			groups = append(groups, group)
		}
	}
	dropped := len(groups) < len(p.groups)
	p.groups = groups
	return dropped
}

// try follows the set from the first position.
func (p *proof) try() (*turns, error) {
	n := p.net
	t := &turns{moves: [2][]bool{make([]bool, len(n.Legal[0])), make([]bool, len(n.Legal[1]))}}
	known := map[int]bool{}
	var queue []int
	reach := func(i int) {
		if !known[i] {
			known[i] = true
			queue = append(queue, i)
		}
	}
	for _, i := range p.set {
		if slices.Contains(n.Program.Init, n.Program.Fluents[i]) {
			reach(i)
		}
	}
	if len(queue) == 0 {
		reach(none)
	}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		mover, idle, moves, err := p.choices(c)
		if err != nil {
			return nil, err
		}
		t.fluents, t.mover, t.idle = append(t.fluents, c), append(t.mover, mover), append(t.idle, idle)
		err = p.eachMove(c, mover, idle, moves, func(m int) error {
			if p.folder.Work() > maxTurnWork || p.ctx.Err() != nil {
				return errGivenUp
			}
			t.moves[mover][m] = true
			next, err := p.next(c, mover, m)
			for _, i := range next {
				reach(i)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// when says in words that c is true.
func (p *proof) when(c int) string {
	switch {
	case c != none:
		return "with " + p.text(c)
	case len(p.set) > 0:
		return "without a fact like " + p.text(p.set[0])
	}
	return "in some position"
}

func (p *proof) text(fluent int) string {
	return p.net.Program.Terms.Text(p.net.Program.Fluents[fluent])
}

// at returns the entry of the fluents that is the case in a position.
func (t *turns) at(on []uint64) (entry int) {
	for k, i := range t.fluents {
		if i == none {
			entry = k
		} else if on[i/64]>>(i%64)&1 != 0 {
			return k
		}
	}
	return entry
}

// where returns the positions of v in which entry k of the fluents is the case.
func (t *turns) where(n *gates.Circuit, v gates.Values, k int) uint64 {
	if t.fluents[k] != none {
		return v.Get(n.Fluent(t.fluents[k]))
	}
	word := ^uint64(0)
	for _, i := range t.fluents {
		if i != none {
			word &^= v.Get(n.Fluent(i))
		}
	}
	return word
}

// assume sets the fluent c of a set to true, or none, and the others to false; further lists are added.
func assume(n *gates.Circuit, f *gates.Folder, set []int, c int, isTrue, isFalse []gates.Ref) {
	for _, i := range set {
		switch {
		case i == none:
		case i == c:
			isTrue = append(isTrue, n.Fluent(i))
		default:
			isFalse = append(isFalse, n.Fluent(i))
		}
	}
	f.Reset(isTrue, isFalse)
}

// possible returns the possible moves of a role under what is assumed. Positions in which the game is over do not count.
func (p *proof) possible(c, role int) []int {
	f := p.folder
	running := f.Fold(p.net.Terminal).Not()
	given := p.given(c, running)
	var list []int
	for i, r := range p.net.Legal[role] {
		legal := f.Fold(r)
		if f.And(legal, running) != gates.False && (p.groups == nil || f.Possible(append(given, legal)...)) {
			list = append(list, i)
		}
	}
	return list
}

// given returns gates that are true, and the fluent c, which folding has hidden from the groups.
func (p *proof) given(c int, refs ...gates.Ref) []gates.Ref {
	if c != none {
		refs = append(refs, p.net.Fluent(c))
	}
	return refs[:len(refs):len(refs)]
}

// choices returns who moves if c is true, the only possible move of the other role, and the possible moves of the mover.
func (p *proof) choices(c int) (mover, idle int, moves []int, err error) {
	n := p.net
	assume(n, p.folder, p.set, c, nil, nil)
	possible := [2][]int{p.possible(c, 0), p.possible(c, 1)}
	switch {
	case len(possible[0]) > 1 && len(possible[1]) > 1:
		return 0, 0, nil, fmt.Errorf("%s both players may have a choice", p.when(c))
	case len(possible[1]) > 1:
		mover = 1
	case len(possible[0]) == 1 && len(possible[1]) == 1:
		// Both have a single move: the one that is not called noop or the like moves.
		if m := n.Program.Terms.Text(n.Program.Moves[0][possible[0][0]]); m == "noop" || m == "wait" || m == "pass" {
			mover = 1
		}
	case len(possible[0]) == 0:
		mover = 1
	}
	idle = -1
	if other := possible[1-mover]; len(other) == 1 {
		idle = other[0]
	}
	return mover, idle, possible[mover], nil
}

// eachMove calls visit for each of the mover's moves, until it returns an error. It assumes c, and that the roles do that
// move and the idle one, and no other.
func (p *proof) eachMove(c, mover, idle int, moves []int, visit func(m int) error) error {
	n, f := p.net, p.folder
	var all []gates.Ref
	for role, legal := range n.Legal {
		for m := range legal {
			all = append(all, n.Move(role, m))
		}
	}
	assume(n, f, p.set, c, nil, all)
	if idle >= 0 {
		f.Set(n.Move(1-mover, idle))
	}
	for _, m := range moves {
		f.Set(n.Move(mover, m))
		if err := visit(m); err != nil {
			return err
		}
		f.Set(n.Move(mover, m).Not())
	}
	return nil
}

// next returns which fluents of the set may be true after a move that is assumed, and none if all may be false. It proves
// that at most one will be true, and finds broken groups.
func (p *proof) next(c, mover, move int) (possible []int, err error) {
	n, f := p.net, p.folder
	var refs []gates.Ref
	for _, i := range p.set {
		if r := f.Fold(n.Next[i]); r != gates.False {
			possible = append(possible, i)
			refs = append(refs, r)
		}
	}
	one := len(refs) == 1 && refs[0] == gates.True || len(refs) == 2 && refs[0] == refs[1].Not()
	if one && len(p.groups) == 0 {
		return possible, nil
	}
	given := p.given(c, f.Fold(n.Legal[mover][move]), f.Fold(n.Terminal).Not())
	if !one {
		if !f.Exclusive(refs, given) {
			return nil, fmt.Errorf("several facts like %s may be true after %s", p.text(p.set[0]),
				n.Program.Terms.Text(n.Program.Moves[mover][move]))
		}
		others := slices.Clone(given)
		for _, r := range refs {
			others = append(others, r.Not())
		}
		if f.Possible(others...) {
			possible = append(possible, none)
		}
	}
	p.checkGroups(given)
	return possible, nil
}

// checkGroups finds the groups of which several fluents may be true after the move that the folder assumes.
func (p *proof) checkGroups(given []gates.Ref) {
	var refs []gates.Ref
	for k, group := range p.groups {
		if k < p.proven || p.broken[k] {
			continue
		}
		refs = refs[:0]
		for _, i := range group {
			if r := p.folder.Fold(p.net.Next[i]); r != gates.False {
				refs = append(refs, r)
			}
		}
		p.broken[k] = !p.folder.Exclusive(refs, given)
	}
}

// Limits of groups: their size, and the number of fluents of names of which few exist.
const (
	maxGroup = 256
	maxFew   = 4
	maxPairs = 24
)

// findGroups sets groups of fluents at most one of which is true at the start: those on which the next fluents of the set
// depend, directly or through others, and which differ in one argument only; and pairs of fluents of names of which few
// exist, such as (control1 x) and (control2 o).
func (p *proof) findGroups() {
	program := p.net.Program
	needed := p.support()
	names, byName := groupsOf(program, program.Fluents)
	groups := map[string][]int{}
	var order []string
	for i, fluent := range program.Fluents {
		args := program.Terms.Args(fluent)
		for k := range args {
			key := groupName(program, fluent)
			for j, a := range args {
				if j != k {
					key += fmt.Sprint(" ", j, " ", a)
				}
			}
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], i)
		}
	}
	p.groups = [][]int{}
	starts := program.Starts()
	add := func(group []int) {
		if countTrue(starts, group) <= 1 {
			p.groups = append(p.groups, group)
		}
	}
	for _, key := range order {
		group := groups[key]
		if len(group) > 1 && len(group) <= maxGroup && !slices.ContainsFunc(group, func(i int) bool { return !needed[i] }) {
			add(group)
		}
	}
	var few []int
	for _, name := range names {
		if len(byName[name]) <= maxFew && len(few)+len(byName[name]) <= maxPairs {
			few = append(few, byName[name]...)
		}
	}
	for k, i := range few {
		for _, j := range few[:k] {
			add([]int{j, i})
		}
	}
}

// support returns the fluents on which the next fluents of the set depend, directly or through others.
func (p *proof) support() map[int]bool {
	needed := map[int]bool{}
	queue := slices.Clone(p.set)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		p.folder.Inputs(p.net.Next[i], func(r gates.Ref) {
			if k := r.Gate() - 1; k < len(p.net.Program.Fluents) && !needed[k] {
				needed[k] = true
				queue = append(queue, k)
			}
		})
	}
	return needed
}

// countTrue returns how many of some fluents are true, given that of each fluent.
func countTrue(values []bool, fluents []int) (n int) {
	for _, i := range fluents {
		n += b2i(values[i])
	}
	return n
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// playerOf returns the player of each role: First is who moves at the start.
func (t *turns) playerOf(role int) env.Player { return env.Player(role ^ t.mover[0]) }
