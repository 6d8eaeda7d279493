package gates

import "slices"

// effect is what a move changes. Fluents that it does not list stay as they are.
type effect struct {
	sets []Ref // fluents that become true; a negated one becomes false
	rest []change
}

// change is a fluent that becomes what a gate is in the position before the move.
type change struct {
	fluent int32
	value  Ref
}

// add adds a fluent that becomes r.
func (e *effect) add(fluent int32, f, r Ref) {
	switch r {
	case f: // stays
	case True:
		e.sets = append(e.sets, f)
	case False:
		e.sets = append(e.sets, f.Not())
	default:
		e.rest = append(e.rest, change{fluent, r})
	}
}

// effects finds the effects of moves: it folds the network with all moves of a mode false, and then, move by move, those
// gates that depend on the move.
type effects struct {
	circuit *Circuit
	table   *table // a table that contains the network's
	limit   int    // of gates in the table
	work    int    // inputs seen

	becomes []Ref     // by gate of the circuit: what it is in the mode
	users   [][]int32 // by gate that depends on moves: the gates that use it
	nextOf  [][]int32 // by gate that depends on moves: the fluents that become what it is
	reached []bool    // scratch by gate
	scratch []Ref
}

// More gates and more work than this cost more than effects save.
const (
	maxEffectGates = 1 << 19
	maxEffectWork  = 1 << 29
)

func newEffects(n *Circuit, g *table) *effects {
	e := &effects{circuit: n, table: g, limit: g.n() + maxEffectGates}
	e.reached = make([]bool, n.table.n())
	e.users, e.nextOf = make([][]int32, n.table.n()), make([][]int32, n.table.n())
	for _, s := range n.plan[1] {
		for _, gate := range s.gates {
			for _, r := range n.table.of(int(gate)) {
				e.users[r.Gate()] = append(e.users[r.Gate()], gate)
			}
		}
	}
	for i, r := range n.Next {
		e.nextOf[r.Gate()] = append(e.nextOf[r.Gate()], int32(i))
	}
	return e
}

// fold computes what gates become in a mode if the mover does nothing.
func (e *effects) fold(m Mode) {
	n := e.circuit
	e.becomes = make([]Ref, n.table.n())
	for gate := range e.becomes {
		e.becomes[gate] = Ref(2 * gate)
	}
	for role, moves := range n.Program.Moves {
		for i := range moves {
			e.becomes[n.Move(role, i).Gate()] = False
		}
	}
	if m.Idle >= 0 {
		e.becomes[n.Move(1-m.Mover, m.Idle).Gate()] = True
	}
	for _, r := range m.Known {
		e.becomes[r.Gate()] = True ^ r&1
	}
	for _, plan := range n.plan {
		for _, s := range plan {
			for _, gate := range s.gates {
				e.becomes[gate] = e.foldGate(gate)
			}
		}
	}
}

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

// of returns what a gate of the network has become.
func (e *effects) of(r Ref) Ref { return e.becomes[r.Gate()] ^ r&1 }

// find sets the effects of a mode's moves, after fold. It reports false if there are loops that depend on moves, or if the
// effects need too many gates.
func (e *effects) find(m *playMode) bool {
	n := e.circuit
	for _, s := range n.plan[1] {
		if s.block != nil {
			return false
		}
	}
	base := make([]Ref, len(n.Next))
	for i, r := range n.Next {
		base[i] = e.of(r)
	}
	changed := make([]map[int32]Ref, len(m.Moves))
	special := make([]bool, len(n.Next)) // by fluent: not the same after every move
	for k, i := range m.Moves {
		var ok bool
		if changed[k], ok = e.changed(n.Move(m.Mover, i)); !ok {
			return false
		}
		for f := range changed[k] {
			special[f] = true
		}
	}
	m.effects = make([]effect, len(m.Moves))
	for i := range n.Next {
		f := int32(i)
		if !special[f] {
			m.always.add(f, n.Fluent(i), base[f])
			continue
		}
		for k := range m.effects {
			r, ok := changed[k][f]
			if !ok {
				r = base[f]
			}
			m.effects[k].add(f, n.Fluent(i), r)
		}
	}
	return true
}

// changed returns what fluents become after a move, where that is not the same as after doing nothing.
func (e *effects) changed(move Ref) (map[int32]Ref, bool) {
	// What depends on the move, in ascending order, so that inputs come first.
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
		e.reached[gate] = false
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
