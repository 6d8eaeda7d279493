package gates

import "slices"

// Mode is a set of positions in which one role, the mover, has a choice and the other one has one move or none.
type Mode struct {
	Mover int   // the role that chooses
	Moves []int // its possible moves
	Idle  int   // the move of the other role; -1 if it has none
	// Known are literals of fluents that hold in every position of the mode.
	Known []Ref
}

// Play is a circuit specialised for a game in which players take turns, which updates positions move by move: see
// [Position]. It is immutable.
//
// It numbers its gates anew: false, the fluents, the gates whose values a position keeps, and those that are computed on
// demand.
type Play struct {
	circuit *Circuit
	modes   []playMode
	goals   [][]Goal // by role

	first  []int32 // by gate: where its inputs begin in inputs; one more entry at the end
	inputs []Ref
	kept   int // the number of gates whose values a position keeps; these come first
	blocks []playBlock
	bits   []Ref   // outputs that a position keeps: legal moves and terminal by mode; False where a bit is unused
	uses   []uses  // by kept gate
	users  []int32 // see uses
}

// uses is the fan-out of a gate as ranges of Play.users: gates (2 x number, + 1 if they use the negation) begin at gates,
// output bits at bits, blocks at blocks; the last range ends at end.
type uses struct{ gates, bits, blocks, end int32 }

// playBlock is a block of the circuit: the gates from..to-1, of which the loops come first.
type playBlock struct {
	from, to    int32
	loops, defs []Ref
}

// playMode is a mode with its outputs and the effects of its moves.
type playMode struct {
	Mode
	legal    int      // first word of the legal moves in bits
	terminal int      // index in bits
	always   effect   // part of the effect that all moves share
	effects  []effect // by entry of Moves; nil if the whole circuit computes moves
}

// NewPlay specialises a circuit for a game of which each position belongs to exactly one mode. It adds gates to the folder.
func NewPlay(c *Circuit, f *Folder, modes []Mode) *Play {
	p := &Play{circuit: c}
	b := newEffects(c, f.table)
	complete := true
	for _, mode := range modes {
		b.fold(mode)
		m := playMode{Mode: mode, legal: len(p.bits) / 64}
		for _, i := range mode.Moves {
			p.bits = append(p.bits, b.of(c.Legal[mode.Mover][i]))
		}
		p.fillWord()
		m.terminal = len(p.bits)
		p.bits = append(p.bits, b.of(c.Terminal))
		p.fillWord()
		complete = complete && b.find(&m)
		p.modes = append(p.modes, m)
	}
	if !complete {
		for k := range p.modes {
			p.modes[k].always, p.modes[k].effects = effect{}, nil
		}
	}
	for _, goals := range c.Goals {
		p.goals = append(p.goals, slices.Clone(goals))
	}
	p.number(f.table)
	p.findUses()
	return p
}

// fillWord adds unused bits up to the end of a word.
func (p *Play) fillWord() {
	for len(p.bits)%64 != 0 {
		p.bits = append(p.bits, False)
	}
}

// eachResult calls visit with the outputs that are computed on demand.
func (p *Play) eachResult(visit func(r *Ref)) {
	for k := range p.modes {
		m := &p.modes[k]
		for i := range m.always.rest {
			visit(&m.always.rest[i].value)
		}
		for _, e := range m.effects {
			for i := range e.rest {
				visit(&e.rest[i].value)
			}
		}
	}
	for _, goals := range p.goals {
		for i := range goals {
			visit(&goals[i].Holds)
		}
	}
}

// number copies the gates of a table that are needed, with new numbers.
func (p *Play) number(t *table) {
	c := p.circuit
	needed, kept := p.needed(t)
	numbers := make([]Ref, t.n())
	to := func(r Ref) Ref { return numbers[r.Gate()] ^ r&1 }
	p.first = []int32{0}
	for _, keep := range []bool{true, false} {
		for gate := range t.n() {
			if !needed[gate] || kept[gate] != keep {
				continue
			}
			numbers[gate] = Ref(2 * (len(p.first) - 1))
			for _, r := range t.of(gate) {
				p.inputs = append(p.inputs, to(r))
			}
			p.first = append(p.first, int32(len(p.inputs)))
		}
		if keep {
			p.kept = len(p.first) - 1
		}
	}
	for i := range p.bits {
		p.bits[i] = to(p.bits[i])
	}
	p.eachResult(func(r *Ref) { *r = to(*r) })
	for _, bl := range c.blocks {
		if !needed[bl.loops[0].Gate()] {
			continue
		}
		b := playBlock{from: int32(numbers[bl.loops[0].Gate()].Gate())}
		for i, l := range bl.loops {
			b.loops = append(b.loops, to(l))
			b.defs = append(b.defs, to(bl.defs[i]))
		}
		b.to = b.from
		for gate := bl.from; gate < bl.to; gate++ {
			b.to += int32(b2i(kept[gate]))
		}
		p.blocks = append(p.blocks, b)
	}
}

// needed returns which gates of a table are needed, and which of these a position keeps: the cones of bits and blocks.
func (p *Play) needed(t *table) (needed, kept []bool) {
	keep := p.circuit.newMarker(t)
	for i := range 1 + len(p.circuit.Next) {
		keep.marked[i] = true
	}
	for _, r := range p.bits {
		keep.mark(r)
	}
	needed = make([]bool, t.n())
	var stack []int
	need := func(r Ref) {
		gate := r.Gate()
		switch {
		case keep.marked[gate] || needed[gate]:
		case keep.blockOf[gate] != nil:
			keep.mark(r)
		default:
			needed[gate] = true
			stack = append(stack, gate)
		}
	}
	p.eachResult(func(r *Ref) { need(*r) })
	for len(stack) > 0 {
		gate := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, r := range t.of(gate) {
			need(r)
		}
	}
	for gate, k := range keep.marked {
		needed[gate] = needed[gate] || k
	}
	return needed, keep.marked
}

// findUses lists the fan-out of each kept gate.
func (p *Play) findUses() {
	gates, bits, blocks := make([][]int32, p.kept), make([][]int32, p.kept), make([][]int32, p.kept)
	next := 0 // the next block
	for gate := range int32(p.kept) {
		if next < len(p.blocks) && gate >= p.blocks[next].to {
			next++
		}
		if next == len(p.blocks) || gate < p.blocks[next].from {
			for _, r := range p.of(gate) {
				gates[r.Gate()] = append(gates[r.Gate()], 2*gate+int32(r&1))
			}
			continue
		}
		for _, r := range p.of(gate) {
			if i := r.Gate(); int32(i) < p.blocks[next].from && !slices.Contains(blocks[i], int32(next)) {
				blocks[i] = append(blocks[i], int32(next))
			}
		}
	}
	for i, r := range p.bits {
		if r.Gate() != 0 {
			bits[r.Gate()] = append(bits[r.Gate()], int32(i))
		}
	}
	for gate := range p.kept {
		u := uses{gates: int32(len(p.users))}
		p.users = append(p.users, gates[gate]...)
		u.bits = int32(len(p.users))
		p.users = append(p.users, bits[gate]...)
		u.blocks = int32(len(p.users))
		p.users = append(p.users, blocks[gate]...)
		u.end = int32(len(p.users))
		p.uses = append(p.uses, u)
	}
}

func (p *Play) of(gate int32) []Ref { return p.inputs[p.first[gate]:p.first[gate+1]] }
