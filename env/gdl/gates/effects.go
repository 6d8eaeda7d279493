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
// but for the mover's moves that stay open.
func (f *Folder) assumeMode(m Mode, open []int) {
	c := f.circuit
	isOpen := make([]bool, len(c.Legal[m.Mover]))
	for _, i := range open {
		isOpen[i] = true
	}
	literals := slices.Clone(m.Known)
	for role, legal := range c.Legal {
		for i := range legal {
			switch {
			case role != m.Mover && i == m.Idle:
				literals = append(literals, c.Move(role, i))
			case role != m.Mover || !isOpen[i]:
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
	f.assumeMode(m.Mode, nil)
	base := make([]Ref, len(c.Next)) // next values without a move
	for i, r := range c.Next {
		base[i] = f.Fold(r)
	}
	f.assumeMode(m.Mode, m.Moves)
	open := make([]Ref, len(c.Next))                // next values if any of the moves is made
	special := make([]bool, len(c.Next))            // fluents whose next value depends on the move
	changes := make([][]int, len(c.Legal[m.Mover])) // for each move of the mover: these fluents
	for i, r := range c.Next {
		open[i] = f.Fold(r)
		f.Inputs(open[i], func(r Ref) {
			if k := r.Gate() - c.moves[m.Mover]; k >= 0 && k < len(changes) {
				changes[k], special[i] = append(changes[k], i), true
			}
		})
		if !special[i] {
			m.always.add(int32(i), c.Fluent(i), base[i])
		}
	}
	m.effects = make([]effect, len(m.Moves))
	// halve adds the effects of moves first to end-1, given the next values if one of them is made. It evaluates these for
	// each half of the moves, with those of the other half false, so that they are short when it comes to single moves.
	var halve func(next []Ref, first, end int) bool
	halve = func(next []Ref, first, end int) bool {
		if f.work > maxWork || f.table.n() > maxGates {
			return false
		}
		if end-first == 1 {
			move, values := m.Moves[first], slices.Clone(base)
			f.Reset([]Ref{c.Move(m.Mover, move)})
			for _, i := range changes[move] {
				values[i] = f.Fold(next[i])
			}
			for i, value := range values {
				if special[i] {
					m.effects[first].add(int32(i), c.Fluent(i), value)
				}
			}
			return true
		}
		middle := (first + end) / 2
		for _, half := range [][2]int{{first, middle}, {middle, end}} {
			var others []Ref
			values := slices.Clone(next)
			for k := first; k < end; k++ {
				if k < half[0] || k >= half[1] {
					others = append(others, c.Move(m.Mover, m.Moves[k]).Not())
				}
			}
			f.Reset(others)
			for _, move := range m.Moves[half[0]:half[1]] {
				for _, i := range changes[move] {
					values[i] = f.Fold(next[i])
				}
			}
			if !halve(values, half[0], half[1]) {
				return false
			}
		}
		return true
	}
	return len(m.Moves) == 0 || halve(open, 0, len(m.Moves))
}
