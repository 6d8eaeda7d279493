package gdl

import (
	"context"
	"fmt"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// variable is a multi-valued state variable: a mutex group of fluents, such as the possible numbers of stones in a
// heap, or a single fluent. Its value is the index of the true fluent, or len(fluents) if none is true.
type variable struct {
	families []string // names of the families that it belongs to, see bounds
	fluents  []int
	start    int      // initial value
	steps    [][]bool // steps[v][w]: a move may change value v to w
	cyclic   bool     // steps has a cycle that the initial value reaches
}

// Limits of the proof by variables: fluents of one variable, fluents of the game, gates folded, and inputs visited by
// searches.
const (
	maxVariable       = 128
	maxVariables      = 1 << 13
	maxProgressWork   = 1 << 26
	maxProgressSearch = 1 << 26
)

// progressGame tries to prove that games end by progress: it looks for variables whose values never return, such that
// every move changes one of them. The sum of the longest paths in their transition graphs bounds the plies.
func progressGame(ctx context.Context, c *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	if len(c.Next) > maxVariables {
		return longest{}, false
	}
	p := &proof{circuit: c, folder: f, set: t.fluents}
	defer f.Exclude(nil)
	defer f.Budget(0)
	f.Budget(maxProgressSearch)
	end := f.Work() + maxProgressWork
	variables := p.variables(t)
	done := p.eachLegal(ctx, t, end, func(next []gates.Ref, may mayBe) {
		for _, v := range variables {
			v.addSteps(c, next, may)
		}
	})
	if !done {
		return longest{}, false
	}
	variables = slices.DeleteFunc(variables, func(v *variable) bool { return v.cyclic || v.longest() == 0 })
	return p.bounds(ctx, t, end, variables)
}

// variables returns the variables of a program: proven mutex groups of fluents that differ in one argument, and each
// single fluent. Afterwards the folder assumes the groups.
func (p *proof) variables(t *turns) (list []*variable) {
	program := p.circuit.Program
	starts := program.Starts()
	p.groups = [][]int{}
	for _, x := range functorsOf(program, program.Fluents) {
		for arg := range program.Terms.Args(x.terms[0]) {
			for _, group := range differingIn(program, x.members, arg) {
				if len(group) > 1 && len(group) <= maxVariable && countTrue(starts, group) <= 1 {
					p.groups = append(p.groups, group)
				}
			}
		}
	}
	if !p.induce(t, p.checkMoves) {
		p.groups = nil
	}
	p.exclude() // the last groups were dropped after the last call
	add := func(fluents []int, families ...string) {
		v := &variable{families: families, fluents: fluents, steps: make([][]bool, len(fluents)+1)}
		for k := range v.steps {
			v.steps[k] = make([]bool, len(fluents)+1)
		}
		if v.start = slices.IndexFunc(fluents, func(i int) bool { return starts[i] }); v.start < 0 {
			v.start = len(fluents)
		}
		list = append(list, v)
	}
	for _, group := range p.groups {
		add(group, fmt.Sprint(functorOf(program, program.Fluents[group[0]]), " differing in ", differs(program, group)))
	}
	for i, fluent := range program.Fluents {
		add([]int{i}, keysOf(program, fluent)...)
	}
	return list
}

// keysOf returns names of the sets of fluents that a fluent belongs to: its functor, and its functor with each of its
// arguments.
func keysOf(p *ground.Program, t ground.Term) []string {
	keys := []string{functorOf(p, t)}
	for k, a := range p.Terms.Args(t) {
		keys = append(keys, fmt.Sprint(keys[0], " ", k, " ", a))
	}
	return keys
}

// differs returns the index of the argument in which the fluents of a group differ.
func differs(p *ground.Program, group []int) int {
	x, y := p.Terms.Args(p.Fluents[group[0]]), p.Terms.Args(p.Fluents[group[1]])
	for k := range x {
		if x[k] != y[k] {
			return k
		}
	}
	panic("gdl: equal fluents")
}

// mayBe reports whether literals may all hold before a legal move in a position that is not terminal. False is a proof
// that they cannot; true may be wrong.
type mayBe func(refs ...gates.Ref) bool

// eachLegal calls visit for each move that may be legal, with the next value of each fluent after the move, as
// literals. It reports false if that takes too much work.
func (p *proof) eachLegal(ctx context.Context, t *turns, end int, visit func(next []gates.Ref, may mayBe)) bool {
	c, f := p.circuit, p.folder
	next := make([]gates.Ref, len(c.Next))
	for k, control := range t.fluents {
		mover := t.mover[k]
		err := p.eachMove(control, mover, t.idle[k], t.movesOf(mover), func(m int) error {
			f.Trim()
			given, running := p.given(control, f.Fold(c.Legal[mover][m])), f.Fold(c.Terminal).Not()
			for i, r := range c.Next {
				next[i] = f.Fold(r)
			}
			visit(next, func(refs ...gates.Ref) bool {
				refs = append(refs, given...)
				return f.Possible(refs...) && f.Possible(append(refs, running)...) // the first search is fast and mostly enough
			})
			if f.Work() > end || ctx.Err() != nil {
				return errGivenUp
			}
			return nil
		})
		if err != nil {
			return false
		}
	}
	return true
}

// has returns literals that all hold if and only if the variable has value k. fluents are the literals of its fluents.
func (v *variable) has(k int, fluents []gates.Ref) (all []gates.Ref) {
	if k < len(fluents) {
		return fluents[k : k+1]
	}
	for _, x := range fluents {
		all = append(all, x.Not())
	}
	return all
}

// literals returns the literals of the variable's fluents before and after a move.
func (v *variable) literals(c *gates.Circuit, next []gates.Ref) (now, after []gates.Ref) {
	for _, i := range v.fluents {
		now, after = append(now, c.Fluent(i)), append(after, next[i])
	}
	return now, after
}

// addSteps adds to the variable's transition graph the steps that a move may make.
func (v *variable) addSteps(c *gates.Circuit, next []gates.Ref, may mayBe) {
	now, after := v.literals(c, next)
	if v.cyclic || slices.Equal(now, after) {
		return
	}
	added := false
	for to := range v.steps {
		if to < len(after) && after[to] == gates.False {
			continue
		}
		for from := range v.steps {
			if from == to || v.steps[from][to] {
				continue
			}
			if may(slices.Concat(v.has(from, now), v.has(to, after))...) {
				v.steps[from][to], added = true, true
			}
		}
	}
	v.cyclic = added && v.longest() < 0
}

// longest returns the length of the longest path from the initial value in the transition graph; -1 if a cycle can be
// reached.
func (v *variable) longest() int {
	const unknown, open = -1, -2
	lengths := slices.Repeat([]int{unknown}, len(v.steps))
	var visit func(k int) int
	visit = func(k int) int {
		if lengths[k] != unknown {
			return lengths[k]
		}
		lengths[k] = open
		most := 0
		for to, step := range v.steps[k] {
			if !step {
				continue
			}
			length := visit(to)
			if length == open {
				return open
			}
			most = max(most, length+1)
		}
		lengths[k] = most
		return most
	}
	return max(visit(v.start), -1)
}

// reached tells which values can be reached from the initial one in the transition graph.
func (v *variable) reached() []bool {
	seen := make([]bool, len(v.steps))
	var visit func(k int)
	visit = func(k int) {
		seen[k] = true
		for to, step := range v.steps[k] {
			if step && !seen[to] {
				visit(to)
			}
		}
	}
	visit(v.start)
	return seen
}

// bounds returns the least bound that a family of variables gives. A family gives a bound if every move changes one of
// its variables: the sum of their longest paths. All variables together are a family, too.
func (p *proof) bounds(ctx context.Context, t *turns, end int, variables []*variable) (best longest, ok bool) {
	const all = ""
	members := map[string][]*variable{}
	var families []string
	for _, v := range variables {
		for _, family := range append(v.families, all) {
			if members[family] == nil {
				families = append(families, family)
			}
			members[family] = append(members[family], v)
		}
	}
	done := p.eachLegal(ctx, t, end, func(next []gates.Ref, may mayBe) {
		families = slices.DeleteFunc(families, func(family string) bool {
			var stuck []gates.Ref
			for _, v := range members[family] {
				stuck = append(stuck, v.unchanged(p, next)...)
			}
			return may(stuck...)
		})
	})
	if !done {
		return longest{}, false
	}
	for _, family := range families {
		plies := 0
		for _, v := range members[family] {
			plies += v.longest()
		}
		if !ok || plies < best.plies {
			best = longest{plies, fmt.Sprintf("every move changes facts like %s, which never return", p.text(members[family][0].fluents[0]))}
			ok = true
		}
	}
	return best, ok
}

// unchanged returns literals that all hold if and only if the variable has a reachable value and a move does not change
// it.
func (v *variable) unchanged(p *proof, next []gates.Ref) (all []gates.Ref) {
	f := p.folder
	now, after := v.literals(p.circuit, next)
	var none []gates.Ref // literals: the variable has none of the reachable values
	for k, may := range v.reached() {
		switch {
		case k == len(now) && !may:
			all = append(all, f.And(none...).Not())
		case k == len(now):
		case !may:
			all = append(all, now[k].Not())
		default:
			none = append(none, now[k].Not())
		}
		if k < len(now) && now[k] != after[k] {
			all = append(all, f.And(now[k], after[k].Not()).Not(), f.And(now[k].Not(), after[k]).Not())
		}
	}
	return all
}
