package gdl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/network"
)

// turns says whose turn it is. At most one fluent of a set is true in every position; it decides who moves. If none is,
// nobody can move.
type turns struct {
	fluents []int     // numbers of the fluents of the set that may be true
	mover   []int     // by entry of fluents: the role that moves
	idle    []int     // by entry of fluents: the move of the other role; -1 if it has none
	modes   []int     // by entry of fluents: the network's mode, see setPlay
	moves   [2][]bool // by role, then move: possible when the role is to move
}

// Limits of the sets that are tried: fluents of one name, and of two names together.
const (
	maxTurns = 256
	maxUnion = 16
)

// maxTurnWork bounds the gates looked at in the search for a set.
const maxTurnWork = 1 << 31

// findTurns proves that players take turns. The error says why that fails.
func findTurns(n *network.Network, f *network.Folder) (*turns, error) {
	var reason error
	sets := turnSets(n.Program)
	for _, prove := range []func(*network.Network, *network.Folder, []int) (*turns, error){proveTurns, proveWithGroups} {
		for _, set := range sets {
			if f.Work() > maxTurnWork {
				break
			}
			t, err := prove(n, f, set)
			if err == nil {
				return t, nil
			}
			if reason == nil {
				reason = err
			}
		}
	}
	if err := findChoices(n); err != nil {
		return nil, err
	}
	if reason == nil {
		reason = errors.New("no fluent says whose turn it is")
	}
	return nil, fmt.Errorf("it is not shown that players take turns: %w", reason)
}

// turnSets lists sets of fluents of which exactly one is true at the start: those of one name, pairs without arguments,
// and those of two names. Sets whose names suggest turns come first.
func turnSets(p *ground.Program) [][]int {
	initial := map[ground.Term]bool{}
	for _, f := range p.Init {
		initial[f] = true
	}
	names, groups := groupsOf(p, p.Fluents)
	var first, rest [][]int
	add := func(set []int) {
		count := 0
		for _, i := range set {
			if initial[p.Fluents[i]] {
				count++
			}
		}
		if count != 1 || len(set) > maxTurns {
			return
		}
		name := p.Terms.Name(p.Fluents[set[0]])
		if strings.Contains(name, "control") || strings.Contains(name, "turn") {
			first = append(first, set)
		} else {
			rest = append(rest, set)
		}
	}
	for _, name := range names {
		if len(groups[name]) > 1 {
			add(groups[name])
		}
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if len(groups[name])+len(groups[other]) <= maxUnion {
				add(slices.Concat(groups[other], groups[name]))
			}
		}
	}
	return append(first, rest...)
}

// groupName returns the name and number of arguments of a term.
func groupName(p *ground.Program, f ground.Term) string {
	return fmt.Sprintf("%s/%d", p.Terms.Name(f), len(p.Terms.Args(f)))
}

// proof is an attempt to prove that players take turns.
type proof struct {
	net    *network.Network
	folder *network.Folder
	set    []int
	groups [][]int // of fluents of which at most one is true; to be proven, too
}

// errGroup says that a group is not proven.
type errGroup int

func (e errGroup) Error() string { return "a group of fluents is not proven to exclude each other" }

// proveTurns proves that at most one fluent of the set is true, that it leaves a choice to one role only, and that
// nobody can move without one.
func proveTurns(n *network.Network, f *network.Folder, set []int) (*turns, error) {
	f.Exclude(nil)
	p := &proof{net: n, folder: f, set: set}
	return p.try()
}

// proveWithGroups is proveTurns with the help of groups of fluents that exclude each other, such as (hand x 0) and
// (hand x 1). It assumes that all groups do, and drops those of which that does not follow for the next position.
func proveWithGroups(n *network.Network, f *network.Folder, set []int) (*turns, error) {
	p := &proof{net: n, folder: f, set: set}
	p.findGroups()
	for {
		f.Exclude(p.groups)
		t, err := p.try()
		var group errGroup
		if !errors.As(err, &group) {
			return t, err
		}
		p.groups = slices.Delete(p.groups, int(group), int(group)+1)
	}
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
	stuck := false // none of the set may be true
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		mover, idle, moves, err := p.choices(c)
		if err != nil {
			return nil, err
		}
		t.fluents, t.mover, t.idle = append(t.fluents, c), append(t.mover, mover), append(t.idle, idle)
		for _, m := range moves {
			t.moves[mover][m] = true
			next, complete, err := p.next(c, mover, m, idle)
			if err != nil {
				return nil, err
			}
			stuck = stuck || !complete
			for _, i := range next {
				reach(i)
			}
		}
	}
	if stuck && !p.nobodyMoves() {
		return nil, fmt.Errorf("it is not shown that a fluent like %s is always true", p.text(p.set[0]))
	}
	return t, nil
}

func (p *proof) text(fluent int) string {
	return p.net.Program.Terms.Text(p.net.Program.Fluents[fluent])
}

// assume sets the fluent c of a set to true and the others to false; further lists are added.
func assume(n *network.Network, f *network.Folder, set []int, c int, isTrue, isFalse []network.Ref) {
	for _, i := range set {
		if i == c {
			isTrue = append(isTrue, n.Fluent(i))
		} else {
			isFalse = append(isFalse, n.Fluent(i))
		}
	}
	f.Reset(isTrue, isFalse)
}

// possible returns the possible moves of a role under what is assumed. Positions in which the game is over do not count.
func (p *proof) possible(role int) []int {
	f := p.folder
	running := f.Fold(p.net.Terminal).Not()
	var list []int
	for i, r := range p.net.Legal[role] {
		legal := f.Fold(r)
		if f.And(legal, running) != network.False && (p.groups == nil || f.Possible(legal, running)) {
			list = append(list, i)
		}
	}
	return list
}

// choices returns who moves if c is true, the only possible move of the other role, and the possible moves of the mover.
func (p *proof) choices(c int) (mover, idle int, moves []int, err error) {
	n := p.net
	assume(n, p.folder, p.set, c, nil, nil)
	possible := [2][]int{p.possible(0), p.possible(1)}
	switch {
	case len(possible[0]) > 1 && len(possible[1]) > 1:
		return 0, 0, nil, fmt.Errorf("with %s both players may have a choice", p.text(c))
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

// nobodyMoves reports whether some role has no possible move if no fluent of the set is true.
func (p *proof) nobodyMoves() bool {
	assume(p.net, p.folder, p.set, -1, nil, nil)
	return len(p.possible(0)) == 0 || len(p.possible(1)) == 0
}

// next returns which fluents of the set may be true after a move, and proves that at most one will be; complete says
// whether one will be. It proves the same of the groups.
func (p *proof) next(c, mover, move, idle int) (possible []int, complete bool, err error) {
	n, f := p.net, p.folder
	isTrue, isFalse := moveInputs(n, mover, move, idle)
	assume(n, f, p.set, c, isTrue, isFalse)
	var refs []network.Ref
	for _, i := range p.set {
		if r := f.Fold(n.Next[i]); r != network.False {
			possible = append(possible, i)
			refs = append(refs, r)
		}
	}
	complete = len(refs) == 1 && refs[0] == network.True || len(refs) == 2 && refs[0] == refs[1].Not()
	if complete && len(p.groups) == 0 {
		return possible, true, nil
	}
	given := []network.Ref{f.Fold(n.Legal[mover][move]), f.Fold(n.Terminal).Not()}
	if !complete {
		if !p.exclusive(refs, given) {
			return nil, false, fmt.Errorf("several fluents like %s may be true after %s", p.text(c),
				n.Program.Terms.Text(n.Program.Moves[mover][move]))
		}
		none := slices.Clone(given)
		for _, r := range refs {
			none = append(none, r.Not())
		}
		complete = !f.Possible(none...)
	}
	for k, group := range p.groups {
		refs = refs[:0]
		for _, i := range group {
			if r := f.Fold(n.Next[i]); r != network.False {
				refs = append(refs, r)
			}
		}
		if !p.exclusive(refs, given) {
			return nil, false, errGroup(k)
		}
	}
	return possible, complete, nil
}

// exclusive proves that at most one gate of a list is true where the given ones are.
func (p *proof) exclusive(refs, given []network.Ref) bool {
	for k, r := range refs {
		for _, other := range refs[:k] {
			if p.folder.Possible(r, other) && p.folder.Possible(append([]network.Ref{r, other}, given...)...) {
				return false
			}
		}
	}
	return true
}

// maxGroup is the largest size of a group.
const maxGroup = 64

// findGroups sets groups of fluents on which the next fluents of the set depend, directly or through others: those that
// differ in one argument only, at most one of which is true at the start.
func (p *proof) findGroups() {
	n, program := p.net, p.net.Program
	needed := map[int]bool{}
	queue := slices.Clone(p.set)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		p.folder.Inputs(n.Next[i], func(r network.Ref) {
			if k := r.Gate() - 1; k < len(program.Fluents) && !needed[k] {
				needed[k] = true
				queue = append(queue, k)
			}
		})
	}
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
	for _, key := range order {
		group := groups[key]
		count := 0
		for _, i := range group {
			count += b2i(slices.Contains(program.Init, program.Fluents[i]))
		}
		if len(group) > 1 && len(group) <= maxGroup && count <= 1 && !slices.ContainsFunc(group, func(i int) bool { return !needed[i] }) {
			p.groups = append(p.groups, group)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// playerOf returns the player of each role: First is who moves at the start.
func (t *turns) playerOf(role int) env.Player { return env.Player(role ^ t.mover[0]) }
