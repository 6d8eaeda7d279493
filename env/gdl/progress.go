package gdl

import (
	"context"
	"fmt"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// record is a group of fluents of which at most one is true, such as the numbers of stones in a heap, or a single fluent.
// Its state is the fluent that is true.
type record struct {
	families []string // see bounds
	fluents  []int
	start    int      // state in the first position; len(fluents) stands for the state in which none is true
	steps    [][]bool // by state, then state: a move may lead from one to the other
	cyclic   bool     // it may come back to a state that it has left
}

// Limits of records: fluents of one, all fluents; gates looked at in the proof, and inputs in its searches.
const (
	maxRecord         = 128
	maxRecorded       = 1 << 13
	maxProgressWork   = 1 << 26
	maxProgressSearch = 1 << 26
)

// progressGame looks for records that never come back to a state, such that every move changes one of them. Then games
// are no longer than the longest ways through their states, one after the other.
func progressGame(ctx context.Context, n *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	if len(n.Next) > maxRecorded {
		return longest{}, false
	}
	p := &proof{ctx: ctx, net: n, folder: f, set: t.fluents}
	defer f.Exclude(nil)
	defer f.Budget(0)
	f.Budget(maxProgressSearch)
	end := f.Work() + maxProgressWork
	records := p.records(t)
	if !p.eachLegal(t, end, func(next []gates.Ref, may mayBe) {
		for _, r := range records {
			r.addSteps(n, next, may)
		}
	}) {
		return longest{}, false
	}
	records = slices.DeleteFunc(records, func(r *record) bool { return r.cyclic || r.longest() == 0 })
	return p.bounds(t, end, records)
}

// records returns the records of a program: fluents that differ in one argument, of which at most one is proven to be
// true; and every fluent by itself. The folder knows the groups then.
func (p *proof) records(t *turns) (list []*record) {
	program := p.net.Program
	starts := program.Starts()
	p.groups = [][]int{}
	names, byName := groupsOf(program, program.Fluents)
	for _, name := range names {
		for arg := range program.Terms.Args(program.Fluents[byName[name][0]]) {
			for _, group := range differingIn(program, byName[name], arg) {
				if len(group) > 1 && len(group) <= maxRecord && countTrue(starts, group) <= 1 {
					p.groups = append(p.groups, group)
				}
			}
		}
	}
	if !p.induce(t, (*proof).checkMoves) {
		p.groups = nil
	}
	p.exclude() // without the groups that were dropped last
	add := func(fluents []int, families ...string) {
		r := &record{families: families, fluents: fluents, steps: make([][]bool, len(fluents)+1)}
		for k := range r.steps {
			r.steps[k] = make([]bool, len(fluents)+1)
		}
		if r.start = slices.IndexFunc(fluents, func(i int) bool { return starts[i] }); r.start < 0 {
			r.start = len(fluents)
		}
		list = append(list, r)
	}
	for _, group := range p.groups {
		add(group, fmt.Sprint(groupName(program, program.Fluents[group[0]]), " differing in ", differs(program, group)))
	}
	for i, fluent := range program.Fluents {
		name := groupName(program, fluent)
		families := []string{name}
		for k, a := range program.Terms.Args(fluent) {
			families = append(families, fmt.Sprint(name, " ", k, " ", a))
		}
		add([]int{i}, families...)
	}
	return list
}

// differs returns the argument in which fluents differ.
func differs(p *ground.Program, group []int) int {
	x, y := p.Terms.Args(p.Fluents[group[0]]), p.Terms.Args(p.Fluents[group[1]])
	for k := range x {
		if x[k] != y[k] {
			return k
		}
	}
	panic("gdl: equal fluents")
}

// eachLegal calls visit for each move that may be legal, with what becomes of each fluent and a function that reports
// whether some gates may be true when the move is legal and the game is not over. It reports false if that takes too much work.
func (p *proof) eachLegal(t *turns, end int, visit func(next []gates.Ref, may mayBe)) bool {
	n, f := p.net, p.folder
	next := make([]gates.Ref, len(n.Next))
	for k, c := range t.fluents {
		mover := t.mover[k]
		err := p.eachMove(c, mover, t.idle[k], t.movesOf(mover), func(m int) error {
			f.Trim()
			given, running := p.given(c, f.Fold(n.Legal[mover][m])), f.Fold(n.Terminal).Not()
			for i, r := range n.Next {
				next[i] = f.Fold(r)
			}
			visit(next, func(refs ...gates.Ref) bool {
				refs = append(refs, given...)
				return f.Possible(refs...) && f.Possible(append(refs, running)...) // mostly the first one says no, and is fast
			})
			if f.Work() > end || p.ctx.Err() != nil {
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

// mayBe reports whether gates may be true together; false is a proof that they may not.
type mayBe func(refs ...gates.Ref) bool

// state returns literals whose conjunction says that the record is in state k; values are its fluents, now or after a move.
func (r *record) state(k int, values []gates.Ref) (all []gates.Ref) {
	if k < len(values) {
		return values[k : k+1]
	}
	for _, x := range values {
		all = append(all, x.Not())
	}
	return all
}

// of returns the inputs of the record's fluents, and what becomes of them.
func (r *record) of(n *gates.Circuit, next []gates.Ref) (now, after []gates.Ref) {
	for _, i := range r.fluents {
		now, after = append(now, n.Fluent(i)), append(after, next[i])
	}
	return now, after
}

// addSteps adds the steps that a move may make.
func (r *record) addSteps(n *gates.Circuit, next []gates.Ref, may mayBe) {
	now, after := r.of(n, next)
	if r.cyclic || slices.Equal(now, after) {
		return
	}
	added := false
	for to := range r.steps {
		if to < len(after) && after[to] == gates.False {
			continue
		}
		for from := range r.steps {
			if from == to || r.steps[from][to] {
				continue
			}
			if may(slices.Concat(r.state(from, now), r.state(to, after))...) {
				r.steps[from][to], added = true, true
			}
		}
	}
	r.cyclic = added && r.longest() < 0
}

// longest returns the number of steps of the longest way from the first state; -1 if a way has no end.
func (r *record) longest() int {
	lengths := slices.Repeat([]int{-1}, len(r.steps))
	const open = -2
	var visit func(k int) int
	visit = func(k int) int {
		if lengths[k] != -1 {
			return lengths[k]
		}
		lengths[k] = open
		most := 0
		for to, step := range r.steps[k] {
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
	return max(visit(r.start), -1)
}

// reached returns which states the record may be in.
func (r *record) reached() []bool {
	seen := make([]bool, len(r.steps))
	var visit func(k int)
	visit = func(k int) {
		seen[k] = true
		for to, step := range r.steps[k] {
			if step && !seen[to] {
				visit(to)
			}
		}
	}
	visit(r.start)
	return seen
}

// bounds looks for the family of records that bounds games best: each move changes one of its records. All records are a
// family, too.
func (p *proof) bounds(t *turns, end int, records []*record) (best longest, ok bool) {
	const all = ""
	members := map[string][]*record{}
	var names []string
	for _, r := range records {
		for _, name := range append(r.families, all) {
			if members[name] == nil {
				names = append(names, name)
			}
			members[name] = append(members[name], r)
		}
	}
	done := p.eachLegal(t, end, func(next []gates.Ref, may mayBe) {
		names = slices.DeleteFunc(names, func(name string) bool {
			var stuck []gates.Ref
			for _, r := range members[name] {
				stuck = append(stuck, r.unchanged(p, next)...)
			}
			return may(stuck...)
		})
	})
	if !done {
		return longest{}, false
	}
	for _, name := range names {
		plies := 0
		for _, r := range members[name] {
			plies += r.longest()
		}
		if !ok || plies < best.plies {
			fluent := p.net.Program.Fluents[members[name][0].fluents[0]]
			best = longest{plies, fmt.Sprintf("every move changes facts like %s, which never return", p.net.Program.Terms.Text(fluent))}
			ok = true
		}
	}
	return best, ok
}

// unchanged returns gates that are true if a move leaves the record as it is.
func (r *record) unchanged(p *proof, next []gates.Ref) (all []gates.Ref) {
	f := p.folder
	now, after := r.of(p.net, next)
	var some []gates.Ref
	for k, may := range r.reached() {
		switch {
		case k == len(now) && !may:
			all = append(all, f.And(some...).Not()) // one of them is true
		case k == len(now):
		case !may:
			all = append(all, now[k].Not())
		default:
			some = append(some, now[k].Not())
		}
		if k < len(now) && now[k] != after[k] {
			all = append(all, f.And(now[k], after[k].Not()).Not(), f.And(now[k].Not(), after[k]).Not())
		}
	}
	return all
}
