package gates

import "slices"

// effect lists the fluents that a move changes. All others keep their value.
type effect struct {
	sets []Ref    // in every position: these literals of fluents become true
	rest []change // depending on the position
}

// change sets a fluent to the value that a gate has before the move.
type change struct {
	fluent int32
	value  Ref
}

// add adds a fluent to the effect: f is its literal, r its next value.
func (e *effect) add(fluent int32, f, r Ref) {
	switch r {
	case f: // unchanged
	case True:
		e.sets = append(e.sets, f)
	case False:
		e.sets = append(e.sets, f.Not())
	default:
		e.rest = append(e.rest, change{fluent, r})
	}
}

// effects computes the effect of each move by partial evaluation of the circuit. It folds the circuit once with no move
// of the mover, then for each move only the gates that depend on the move, with the move true.
type effects struct {
	circuit *Circuit
	table   *table // contains the circuit's gates
	limit   int    // largest number of gates in the table
	work    int    // inputs of gates visited so far

	becomes []Ref     // literal of each of the circuit's gates after folding
	users   [][]int32 // for each gate: the gates that use it and depend on moves
	nextOf  [][]int32 // for each gate: the fluents whose next value it computes
	reached []bool    // scratch of changed, for each gate
	scratch []Ref
}

// Limits beyond which precomputed effects cost more time than they save.
const (
	maxEffectGates = 1 << 19
	maxEffectWork  = 1 << 29
)

// newEffects finds, for each gate of c, the gates that use it and depend on moves, and the fluents that it computes.
func newEffects(c *Circuit, t *table) *effects {
	e := &effects{circuit: c, table: t, limit: t.n() + maxEffectGates}
	e.reached = make([]bool, c.table.n())
	e.users, e.nextOf = make([][]int32, c.table.n()), make([][]int32, c.table.n())
	for _, s := range c.plan[ofMoves] {
		for _, gate := range s.gates {
			for _, r := range c.table.of(int(gate)) {
				e.users[r.Gate()] = append(e.users[r.Gate()], gate)
			}
		}
	}
	for i, r := range c.Next {
		e.nextOf[r.Gate()] = append(e.nextOf[r.Gate()], int32(i))
	}
	return e
}

// fold sets what each gate becomes in positions of a mode (whose turn it is) in which the mover plays no move.
func (e *effects) fold(m Mode) {
	c := e.circuit
	e.becomes = make([]Ref, c.table.n())
	for gate := range e.becomes {
		e.becomes[gate] = Ref(2 * gate)
	}
	for role, moves := range c.Program.Moves {
		for i := range moves {
			e.becomes[c.Move(role, i).Gate()] = False
		}
	}
	if m.Idle >= 0 {
		e.becomes[c.Move(1-m.Mover, m.Idle).Gate()] = True
	}
	for _, r := range m.Known {
		e.becomes[r.Gate()] = True ^ r&1 // so the literal r is true
	}
	for _, plan := range c.plan {
		for _, s := range plan {
			for _, gate := range s.gates {
				e.becomes[gate] = e.foldGate(gate)
			}
		}
	}
}

// foldGate returns what a gate becomes: the conjunction of what its inputs become.
func (e *effects) foldGate(gate int32) Ref {
	refs := e.circuit.table.of(int(gate))
	e.work += len(refs)
	e.scratch = e.scratch[:0]
	for _, r := range refs {
		switch x := e.of(r); x {
		case False:
			return False
		case True:
		default:
			e.scratch = append(e.scratch, x)
		}
	}
	return e.table.and(e.scratch)
}

// of returns a literal of the circuit after folding.
func (e *effects) of(r Ref) Ref { return e.becomes[r.Gate()] ^ r&1 }

// find computes the effects of a mode's moves; fold must have been called for the mode. What all moves change alike
// becomes m.always. It reports false if a block (propositions that depend on each other) depends on moves, or if the
// effects need too many gates.
func (e *effects) find(m *playMode) bool {
	c := e.circuit
	for _, s := range c.plan[ofMoves] {
		if s.block != nil {
			return false
		}
	}
	base := make([]Ref, len(c.Next))
	for i, r := range c.Next {
		base[i] = e.of(r)
	}
	changed := make([]map[int32]Ref, len(m.Moves))
	special := make([]bool, len(c.Next)) // fluents whose next value depends on the move
	for k, i := range m.Moves {
		var ok bool
		changed[k], ok = e.changed(c.Move(m.Mover, i))
		if !ok {
			return false
		}
		for f := range changed[k] {
			special[f] = true
		}
	}
	m.effects = make([]effect, len(m.Moves))
	for i := range c.Next {
		f := int32(i)
		if !special[f] {
			m.always.add(f, c.Fluent(i), base[f])
			continue
		}
		for k := range m.effects {
			r, ok := changed[k][f]
			if !ok {
				r = base[f]
			}
			m.effects[k].add(f, c.Fluent(i), r)
		}
	}
	return true
}

// changed returns the next value of each fluent for which the move matters. It reports false if that takes too much
// work.
func (e *effects) changed(move Ref) (map[int32]Ref, bool) {
	// The gates that depend on the move, in topological order.
	reached := []int32{int32(move.Gate())}
	e.reached[reached[0]] = true
	for i := 0; i < len(reached); i++ {
		for _, u := range e.users[reached[i]] {
			if !e.reached[u] {
				e.reached[u] = true
				reached = append(reached, u)
			}
		}
	}
	slices.Sort(reached)
	result := map[int32]Ref{}
	before := make([]Ref, len(reached))
	for i, gate := range reached {
		e.reached[gate] = false // for the next call
		before[i] = e.becomes[gate]
		if i == 0 {
			e.becomes[gate] = True
		} else if e.work <= maxEffectWork && e.table.n() <= e.limit {
			e.becomes[gate] = e.foldGate(gate)
		}
		for _, f := range e.nextOf[gate] {
			result[f] = e.of(e.circuit.Next[f])
		}
	}
	for i, gate := range reached {
		e.becomes[gate] = before[i]
	}
	return result, e.work <= maxEffectWork && e.table.n() <= e.limit
}
