package gates

import "slices"

// search is the state of a DPLL search (Davis, Logemann and Loveland 1962) for values of the inputs that make given
// literals true.
type search struct {
	value   []int8 // of each gate: 1 true, -1 false, 0 unassigned
	trail   []int  // assigned gates, oldest first
	next    int    // index in trail of the first gate not yet propagated
	clauses []int  // gates known to be false: at least one input of each must be false
	left    int    // decisions left
}

// of returns the value of a literal.
func (s *search) of(r Ref) int8 { return s.value[r.Gate()] * (1 - 2*int8(r&1)) }

// maxTried bounds the decisions of one search.
const maxTried = 2000

// Exclude tells searches that groups of fluents are mutex: at most one of each group is true. It replaces earlier
// groups.
func (f *Folder) Exclude(groups [][]int) {
	f.groups = groups
	f.exclusive = make([][]int32, len(f.given))
	for i, group := range groups {
		for _, fluent := range group {
			f.exclusive[fluent] = append(f.exclusive[fluent], int32(i))
		}
	}
}

// Possible reports whether some values of the inputs may make all literals true. False is a proof that none do. True
// may be wrong, because the search gives up after maxTried decisions. Possible ignores the constants of Reset: pass folded
// literals.
func (f *Folder) Possible(refs ...Ref) bool {
	possible := f.assumeAll(refs) && f.solve()
	f.undo(0, 0) // everything
	return possible
}

// Exclusive reports whether at most one of the literals can be true when all given ones are. True is a proof; false may
// be wrong. For each pair it tries cheap propagation first, then a search without the given literals, then with them.
func (f *Folder) Exclusive(refs, given []Ref) bool {
	var open []Ref
	for k, r := range refs {
		open = open[:0]
		if f.assumeAll(refs[k:k+1]) && f.propagate() {
			for _, other := range refs[:k] {
				if !f.isFalse(other) {
					open = append(open, other)
				}
			}
		}
		f.undo(0, 0) // everything
		for _, other := range open {
			if f.Possible(r, other) && f.Possible(slices.Concat([]Ref{r, other}, given)...) {
				return false
			}
		}
	}
	return true
}

// isFalse reports whether a literal is known to be false: by its own value or, for a conjunction, by that of an input.
func (f *Folder) isFalse(r Ref) bool {
	s := &f.search
	return s.of(r) < 0 || r&1 == 0 && slices.ContainsFunc(f.table.of(r.Gate()), func(x Ref) bool { return s.of(x) < 0 })
}

// assumeAll starts a search by assuming that literals are true. It reports false if two contradict each other.
func (f *Folder) assumeAll(refs []Ref) bool {
	s := &f.search
	if n := f.table.n(); len(s.value) < n {
		s.value = append(s.value, make([]int8, n-len(s.value))...)
	}
	s.left = maxTried
	for _, r := range refs {
		if !f.assume(r) {
			return false
		}
	}
	return true
}

// assume assigns true to a literal. It reports false if the literal is already false.
func (f *Folder) assume(r Ref) bool {
	s := &f.search
	gate, value := r.Gate(), 1-2*int8(r&1) // -1 for a negation
	if gate == 0 {
		return r == True // gate 0 is the constant false
	}
	if s.value[gate] == 0 {
		f.work++
		s.value[gate] = value
		s.trail = append(s.trail, gate)
	}
	return s.value[gate] == value
}

// undo backtracks: it cuts the trail and the clauses to earlier lengths.
func (f *Folder) undo(trail, clauses int) {
	s := &f.search
	for _, gate := range s.trail[trail:] {
		s.value[gate] = 0
	}
	s.trail, s.clauses, s.next = s.trail[:trail], s.clauses[:clauses], trail
}

// solve reports whether the current assignment can be completed. It branches on the clause with the fewest unassigned
// inputs.
func (f *Folder) solve() bool {
	if !f.propagate() {
		return false
	}
	s := &f.search
	var choice []Ref
	for _, gate := range s.clauses {
		if open, kept := f.open(gate); !kept && (choice == nil || len(open) < len(choice)) {
			choice = open
		}
	}
	if choice == nil {
		return true
	}
	trail, clauses := len(s.trail), len(s.clauses)
	for _, r := range choice {
		s.left--
		if s.left < 0 {
			return true // given up
		}
		if f.assume(r.Not()) && f.solve() {
			return true
		}
		f.undo(trail, clauses)
	}
	return false
}

// open returns the unassigned inputs of a clause. It reports kept if an input is false already, which satisfies the
// clause.
func (f *Folder) open(gate int) (open []Ref, kept bool) {
	for _, r := range f.table.of(gate) {
		switch f.search.of(r) {
		case -1:
			return nil, true
		case 0:
			open = append(open, r)
		}
	}
	return open, false
}

// propagate assigns all values that follow from the assumptions (unit propagation). It reports false on a conflict.
func (f *Folder) propagate() bool {
	s := &f.search
	for {
		for ; s.next < len(s.trail); s.next++ {
			gate := s.trail[s.next]
			refs := f.table.of(gate)
			f.work += 1 + len(refs)
			switch {
			case s.value[gate] < 0 && len(refs) > 0:
				s.clauses = append(s.clauses, gate)
			case s.value[gate] > 0:
				for _, r := range refs {
					if !f.assume(r) {
						return false
					}
				}
				if !f.exclude(gate) {
					return false
				}
			}
		}
		for _, gate := range s.clauses {
			open, kept := f.open(gate)
			if kept || len(open) > 1 {
				continue
			}
			if len(open) == 0 || !f.assume(open[0].Not()) {
				return false
			}
		}
		if s.next == len(s.trail) {
			return true
		}
	}
}

// exclude assigns false to all other fluents of the mutex groups of a true fluent. It reports false on a conflict.
func (f *Folder) exclude(gate int) bool {
	if gate == 0 || gate > len(f.exclusive) { // not a fluent; gate 1+i is fluent i
		return true
	}
	for _, group := range f.exclusive[gate-1] {
		for _, other := range f.groups[group] {
			if other != gate-1 && !f.assume(Ref(2*(1+other)).Not()) {
				return false
			}
		}
	}
	return true
}
