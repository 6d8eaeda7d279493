package gdl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ludus/env"
	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// turns tells whose turn it is in a position, by control fluents such as (control x). At most one control fluent is
// true in a position; which one, or that none is, decides who moves.
type turns struct {
	fluents []int     // control fluents that may be true; the entry none if all may be false
	mover   []int     // for each entry of fluents: the role that moves
	idle    []int     // for each entry of fluents: the only move of the other role, such as noop; -1 if it has none
	modes   []int     // for each entry of fluents: the circuit's mode, see setPlay
	moves   [2][]bool // moves[r][m]: move m may be legal when role r is the mover
}

// movesOf lists the moves that a role may have as the mover.
func (t *turns) movesOf(role int) (moves []int) {
	for m, possible := range t.moves[role] {
		if possible {
			moves = append(moves, m)
		}
	}
	return moves
}

// playerOf returns the player of a role: First is the role that moves in the initial position.
func (t *turns) playerOf(role int) env.Player { return env.Player(role ^ t.mover[0]) }

// at returns the index in t.fluents of the control fluent that is true in a position; if all are false, the index of
// the entry none. on is the position's bit set of true fluents.
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

// where returns the set of those of the 64 positions of v in which control fluent t.fluents[k] is true; for none, those
// in which all are false.
func (t *turns) where(c *gates.Circuit, v gates.Values, k int) uint64 {
	if t.fluents[k] != none {
		return v.Get(c.Fluent(t.fluents[k]))
	}
	word := ^uint64(0)
	for _, i := range t.fluents {
		if i != none {
			word &^= v.Get(c.Fluent(i))
		}
	}
	return word
}

// Largest sets of control fluents that findTurns tries: of one functor, and of two functors together.
const (
	maxTurns = 256
	maxUnion = 16
)

// maxTurnWork bounds the gates folded in the search for control fluents.
const maxTurnWork = 1 << 30

// findTurns looks for control fluents by which it can prove that players take turns. If it fails, the error is the reason
// why the first set failed.
func findTurns(c *gates.Circuit, f *gates.Folder) (*turns, error) {
	var reason error
	for _, withGroups := range []bool{false, true} {
		for _, set := range controlSets(c.Program, maxTurns) {
			p := &proof{circuit: c, folder: f, set: set}
			if withGroups {
				p.findGroups()
			}
			t, err := p.proveTurns()
			if err == nil {
				return t, nil
			}
			reason = cmp.Or(reason, err)
			if f.Work() > maxTurnWork {
				break
			}
		}
	}
	return nil, fmt.Errorf("it is not shown that players take turns: %w", reason)
}

// controlSets lists candidate sets of control fluents, of at most largest fluents of which at most one is true
// initially: the fluents of one functor, of two functors, and the empty set. Sets named like control or turn come
// first; sets of which none is true initially come last.
func controlSets(p *ground.Program, largest int) [][]int {
	functors := functorsOf(p, p.Fluents)
	starts := p.Starts()
	var sets [3][][]int // named like turns; others with one true initially; those with none
	add := func(set []int) {
		count := countTrue(starts, set)
		if count > 1 || len(set) > largest {
			return
		}
		order := 2 - count
		if count == 1 && suggestsTurns(p.Terms.Name(p.Fluents[set[0]])) {
			order = 0
		}
		sets[order] = append(sets[order], set)
	}
	for _, x := range functors {
		add(x.members)
	}
	for i, x := range functors {
		for _, other := range functors[:i] {
			if len(x.members)+len(other.members) <= maxUnion {
				add(slices.Concat(other.members, x.members))
			}
		}
	}
	return append(slices.Concat(sets[:]...), nil)
}

func suggestsTurns(name string) bool {
	return strings.Contains(name, "control") || strings.Contains(name, "turn")
}

// brokenLaw returns an error that says which law position i of v breaks, and lists the position's facts.
func brokenLaw(c *gates.Circuit, law string, v gates.Values, i int) error {
	return fmt.Errorf("%s, in the position %s", law, cmp.Or(strings.Join(factsIn(c, v, i), " "), "without facts"))
}

// factsIn lists the texts of the fluents that are true in position i of v.
func factsIn(c *gates.Circuit, v gates.Values, i int) (list []string) {
	for k, f := range c.Program.Fluents {
		if v.Get(c.Fluent(k))>>i&1 != 0 {
			list = append(list, c.Program.Terms.Text(f))
		}
	}
	return list
}

// proveTurns proves that the set consists of control fluents: in every reachable position at most one is true, and only
// one role has a choice. The induction also assumes mutex groups, sets of fluents of which at most one is true, such as
// (hand x 0) and (hand x 1). It starts from candidates that hold initially, see findGroups, and is repeated without
// those that a move may break until no move breaks any.
func (p *proof) proveTurns() (*turns, error) {
	for {
		p.exclude()
		t, err := p.followTurns()
		if err != nil || !p.dropBroken() {
			return t, err
		}
	}
}

// followTurns explores which control fluents are reachable from the initial one, and checks the moves while each is
// true.
func (p *proof) followTurns() (*turns, error) {
	c := p.circuit
	t := &turns{moves: [2][]bool{make([]bool, len(c.Legal[0])), make([]bool, len(c.Legal[1]))}}
	known := map[int]bool{}
	var queue []int
	reach := func(i int) {
		if !known[i] {
			known[i] = true
			queue = append(queue, i)
		}
	}
	for _, i := range p.set {
		if slices.Contains(c.Program.Init, c.Program.Fluents[i]) {
			reach(i)
		}
	}
	if len(queue) == 0 {
		reach(none)
	}
	for len(queue) > 0 {
		control := queue[0]
		queue = queue[1:]
		mover, idle, moves, err := p.choices(control)
		if err != nil {
			return nil, err
		}
		t.fluents, t.mover, t.idle = append(t.fluents, control), append(t.mover, mover), append(t.idle, idle)
		err = p.eachMove(control, mover, idle, moves, func(m int) error {
			if p.folder.Work() > maxTurnWork {
				return errGivenUp
			}
			t.moves[mover][m] = true
			next, err := p.next(control, mover, m)
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

// when describes, for an error, positions in which a control fluent is true.
func (p *proof) when(control int) string {
	switch {
	case control != none:
		return "with " + p.text(control)
	case len(p.set) > 0:
		return "without a fact like " + p.text(p.set[0])
	}
	return "in some position"
}

func (p *proof) text(fluent int) string {
	return p.circuit.Program.Terms.Text(p.circuit.Program.Fluents[fluent])
}

// possible returns the moves of a role that may be legal under the folder's assumptions in a position that is not
// terminal. With mutex groups (p.groups) a search excludes further moves.
func (p *proof) possible(control, role int) []int {
	f := p.folder
	running := f.Fold(p.circuit.Terminal).Not()
	given := p.given(control, running)
	var list []int
	for i, r := range p.circuit.Legal[role] {
		legal := f.Fold(r)
		if f.And(legal, running) != gates.False && (p.groups == nil || f.Possible(append(given, legal)...)) {
			list = append(list, i)
		}
	}
	return list
}

// choices returns who moves while a control fluent is true: the mover, its possible moves, and the only move of the
// other role, -1 if it has none. If both roles have just one move, the mover is the one whose move is not called noop,
// wait or pass.
func (p *proof) choices(control int) (mover, idle int, moves []int, err error) {
	program := p.circuit.Program
	assume(p.circuit, p.folder, p.set, control) // moves stay open
	possible := [2][]int{p.possible(control, 0), p.possible(control, 1)}
	switch {
	case len(possible[0]) > 1 && len(possible[1]) > 1:
		return 0, 0, nil, fmt.Errorf("%s both players may have a choice", p.when(control))
	case len(possible[1]) > 1:
		mover = 1
	case len(possible[0]) == 1 && len(possible[1]) == 1:
		if m := program.Terms.Text(program.Moves[0][possible[0][0]]); m == "noop" || m == "wait" || m == "pass" {
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

// next returns the control fluents that may be true after the move that the folder assumes; the entry none if all may
// be false. It proves that at most one is true, and marks broken groups.
func (p *proof) next(control, mover, move int) (possible []int, err error) {
	c, f := p.circuit, p.folder
	var refs []gates.Ref
	for _, i := range p.set {
		if r := f.Fold(c.Next[i]); r != gates.False {
			possible = append(possible, i)
			refs = append(refs, r)
		}
	}
	// Exactly one is true.
	one := len(refs) == 1 && refs[0] == gates.True || len(refs) == 2 && refs[0] == refs[1].Not()
	if one && len(p.groups) == 0 {
		return possible, nil
	}
	given := p.given(control, f.Fold(c.Legal[mover][move]), f.Fold(c.Terminal).Not())
	if !one {
		if !f.Exclusive(refs, given) {
			return nil, fmt.Errorf("several facts like %s may be true after %s", p.text(p.set[0]),
				c.Program.Terms.Text(c.Program.Moves[mover][move]))
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

// Limits of the candidates for mutex groups: fluents of a group, fluents of a small functor, and fluents of all small
// functors together.
const (
	maxGroup = 256
	maxFew   = 4
	maxPairs = 24
)

// findGroups collects candidates for mutex groups, of which at most one fluent is true initially. Candidates are
// fluents that differ in one argument, if the control fluents depend on all of them, and pairs of fluents of small
// functors, such as (control1 x) and (control2 o).
func (p *proof) findGroups() {
	program := p.circuit.Program
	needed := p.support()
	p.groups = [][]int{}
	starts := program.Starts()
	add := func(group []int) {
		if countTrue(starts, group) <= 1 {
			p.groups = append(p.groups, group)
		}
	}
	var few []int
	for _, x := range functorsOf(program, program.Fluents) {
		for arg := range program.Terms.Args(x.terms[0]) {
			for _, group := range differingIn(program, x.members, arg) {
				if len(group) > 1 && len(group) <= maxGroup && !slices.ContainsFunc(group, func(i int) bool { return !needed[i] }) {
					add(group)
				}
			}
		}
		if len(x.members) <= maxFew && len(few)+len(x.members) <= maxPairs {
			few = append(few, x.members...)
		}
	}
	for k, i := range few {
		for _, j := range few[:k] {
			add([]int{j, i})
		}
	}
}

// support returns the fluents on which the next values of the control fluents depend, directly or through other
// fluents.
func (p *proof) support() map[int]bool {
	needed := map[int]bool{}
	queue := slices.Clone(p.set)
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		p.folder.Inputs(p.circuit.Next[i], func(r gates.Ref) {
			if k := r.Gate() - 1; k < len(p.circuit.Program.Fluents) && !needed[k] {
				needed[k] = true
				queue = append(queue, k)
			}
		})
	}
	return needed
}

// functor is a group of terms with the same name and number of arguments.
type functor struct {
	name    string        // such as cell/3
	members []int         // indices of the terms in the list that functorsOf was given
	terms   []ground.Term // the same terms
}

// functorsOf groups a list of terms by functor, in order of first occurrence.
func functorsOf(p *ground.Program, terms []ground.Term) (list []functor) {
	index := map[string]int{}
	for i, t := range terms {
		name := functorOf(p, t)
		k, ok := index[name]
		if !ok {
			k = len(list)
			index[name], list = k, append(list, functor{name: name})
		}
		list[k].members, list[k].terms = append(list[k].members, i), append(list[k].terms, t)
	}
	return list
}

// functorOf returns a term's functor: its name and number of arguments, such as cell/3.
func functorOf(p *ground.Program, t ground.Term) string {
	return fmt.Sprintf("%s/%d", p.Terms.Name(t), len(p.Terms.Args(t)))
}

// countTrue returns how many of the given fluents are true; values has a value per fluent.
func countTrue(values []bool, fluents []int) (n int) {
	for _, i := range fluents {
		if values[i] {
			n++
		}
	}
	return n
}
