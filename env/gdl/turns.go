package gdl

import (
	"errors"
	"fmt"
	"strings"

	"ludus/env"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/network"
)

// turns says whose turn it is. Exactly one fluent of a set is true in every position; it decides who moves.
type turns struct {
	fluents []int     // numbers of the fluents of the set that may be true
	mover   []int     // by entry of fluents: the role that moves
	idle    []int     // by entry of fluents: the move of the other role; -1 if it has none
	modes   []int     // by entry of fluents: the network's mode, see setPlay
	moves   [2][]bool // by role, then move: possible when the role is to move
}

// maxTurns is the largest number of fluents that are tried as a set.
const maxTurns = 256

// findTurns proves that players take turns. The error says why that fails.
func findTurns(n *network.Network, f *network.Folder) (*turns, error) {
	var reasons []string
	for _, set := range turnSets(n) {
		t, err := proveTurns(n, f, set)
		if err == nil {
			return t, nil
		}
		reasons = append(reasons, err.Error())
	}
	if len(reasons) == 0 {
		return nil, errors.New("it is not shown that players take turns: no fluent says whose turn it is")
	}
	return nil, fmt.Errorf("it is not shown that players take turns: %s", reasons[0])
}

// turnSets lists sets of fluents of which exactly one is true at the start: those of one name, and pairs without
// arguments. Sets whose names suggest turns come first.
func turnSets(n *network.Network) [][]int {
	p := n.Program
	initial := map[ground.Term]bool{}
	for _, f := range p.Init {
		initial[f] = true
	}
	groups := map[string][]int{}
	var order []string
	var plain []int
	for i, f := range p.Fluents {
		key := groupName(p, f)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
		if len(p.Terms.Args(f)) == 0 {
			plain = append(plain, i)
		}
	}
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
	for _, key := range order {
		if len(groups[key]) > 1 {
			add(groups[key])
		}
	}
	for i := range plain {
		for j := range i {
			if len(plain) < 20 {
				add([]int{plain[j], plain[i]})
			}
		}
	}
	return append(first, rest...)
}

// groupName returns the name and number of arguments of a term.
func groupName(p *ground.Program, f ground.Term) string {
	return fmt.Sprintf("%s/%d", p.Terms.Name(f), len(p.Terms.Args(f)))
}

// proveTurns proves that exactly one fluent of the set stays true, and that it leaves a choice to one role only.
func proveTurns(n *network.Network, f *network.Folder, set []int) (*turns, error) {
	p := n.Program
	initial := map[ground.Term]bool{}
	for _, t := range p.Init {
		initial[t] = true
	}
	t := &turns{moves: [2][]bool{make([]bool, len(p.Moves[0])), make([]bool, len(p.Moves[1]))}}
	known := map[int]bool{}
	var queue []int
	reach := func(i int) {
		if !known[i] {
			known[i] = true
			queue = append(queue, i)
		}
	}
	for _, i := range set {
		if initial[p.Fluents[i]] {
			reach(i)
		}
	}
	for len(queue) > 0 {
		c := queue[0]
		queue = queue[1:]
		mover, idle, moves, err := choices(n, f, set, c)
		if err != nil {
			return nil, err
		}
		t.fluents, t.mover, t.idle = append(t.fluents, c), append(t.mover, mover), append(t.idle, idle)
		for _, m := range moves {
			t.moves[mover][m] = true
			next, err := nextOfSet(n, f, set, c, mover, m, idle)
			if err != nil {
				return nil, err
			}
			for _, i := range next {
				reach(i)
			}
		}
	}
	return t, nil
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

// choices returns who moves if c is true, the only possible move of the other role, and the possible moves of the mover.
func choices(n *network.Network, f *network.Folder, set []int, c int) (mover, idle int, moves []int, err error) {
	assume(n, f, set, c, nil, nil)
	// Positions in which the game is over do not count.
	running := f.Fold(n.Terminal).Not()
	var possible [2][]int
	for role := range possible {
		for i, legal := range n.Legal[role] {
			if f.And(f.Fold(legal), running) != network.False {
				possible[role] = append(possible[role], i)
			}
		}
	}
	name := n.Program.Terms.Text(n.Program.Fluents[c])
	switch {
	case len(possible[0]) > 1 && len(possible[1]) > 1:
		return 0, 0, nil, fmt.Errorf("with %s both players have a choice", name)
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

// nextOfSet returns which fluents of the set may be true after a move, and proves that exactly one will be.
func nextOfSet(n *network.Network, f *network.Folder, set []int, c, mover, move, idle int) ([]int, error) {
	isTrue := []network.Ref{n.Move(mover, move)}
	var isFalse []network.Ref
	for role := range 2 {
		for i := range n.Legal[role] {
			if role == mover && i != move || role != mover && i != idle {
				isFalse = append(isFalse, n.Move(role, i))
			}
		}
	}
	if idle >= 0 {
		isTrue = append(isTrue, n.Move(1-mover, idle))
	}
	assume(n, f, set, c, isTrue, isFalse)
	var possible []int
	var refs []network.Ref
	for _, i := range set {
		if r := f.Fold(n.Next[i]); r != network.False {
			possible = append(possible, i)
			refs = append(refs, r)
		}
	}
	p := n.Program
	if len(refs) == 1 && refs[0] == network.True || len(refs) == 2 && refs[0] == refs[1].Not() {
		return possible, nil
	}
	return nil, fmt.Errorf("it depends on the position whether %s is followed by one fluent like it, after %s",
		p.Terms.Text(p.Fluents[c]), p.Terms.Text(p.Moves[mover][move]))
}

// playerOf returns the player of each role: First is who moves at the start.
func (t *turns) playerOf(role int) env.Player { return env.Player(role ^ t.mover[0]) }
