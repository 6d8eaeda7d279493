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

// Limits beyond which precomputed effects cost more time than they save.
const (
	maxEffectGates = 1 << 19
	maxEffectWork  = 1 << 29
)

// assumeMode gives the folder the constants of a mode (whose turn it is): its known literals, and the moves of both roles,
// but for the mover's if these stay open.
func (f *Folder) assumeMode(m Mode, open bool) {
	c := f.circuit
	literals := slices.Clone(m.Known)
	for role, legal := range c.Legal {
		for i := range legal {
			switch {
			case role != m.Mover && i == m.Idle:
				literals = append(literals, c.Move(role, i))
			case role != m.Mover || !open:
				literals = append(literals, c.Move(role, i).Not())
			}
		}
	}
	f.Reset(literals)
}

// findEffects computes the effects of a mode's moves by partial evaluation of the next values. What all moves change alike
// becomes m.always. It reports false if a block (propositions that depend on each other) depends on moves, or if the
// effects need more gates or work than the limits.
func (f *Folder) findEffects(m *playMode, maxGates, maxWork int) bool {
	c := f.circuit
	if slices.ContainsFunc(c.plan[ofMoves], func(s step) bool { return s.block != nil }) {
		return false
	}
	f.assumeMode(m.Mode, true) // the mover's moves stay open
	next := slices.Clone(c.Next)
	changes := make([][]int, len(c.Legal[m.Mover])) // for each move of the mover: the fluents whose next value depends on it
	for i := range next {
		next[i] = f.Fold(next[i])
		f.Inputs(next[i], func(r Ref) {
			if k := r.Gate() - c.moves[m.Mover]; k >= 0 && k < len(changes) {
				changes[k] = append(changes[k], i)
			}
		})
	}
	special := make([]bool, len(next)) // fluents whose next value depends on the move
	for _, move := range m.Moves {
		for _, i := range changes[move] {
			special[i] = true
		}
	}
	f.assumeMode(m.Mode, false)
	base := make([]Ref, len(next)) // next values without a move
	for i, r := range next {
		base[i] = f.Fold(r)
		if !special[i] {
			m.always.add(int32(i), c.Fluent(i), base[i])
		}
	}
	m.effects = make([]effect, len(m.Moves))
	for k, move := range m.Moves {
		r := c.Move(m.Mover, move)
		f.Set(r)
		values := slices.Clone(base)
		for _, i := range changes[move] {
			values[i] = f.Fold(next[i])
		}
		f.Set(r.Not())
		for i, value := range values {
			if special[i] {
				m.effects[k].add(int32(i), c.Fluent(i), value)
			}
		}
		if f.work > maxWork || f.table.n() > maxGates {
			return false
		}
	}
	return true
}
