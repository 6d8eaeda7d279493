package gates

import "slices"

// Mode describes positions with the same turn: the mover chooses among its moves, and the other role has one move or
// none.
type Mode struct {
	Mover int   // the role that chooses
	Moves []int // its possible moves
	Idle  int   // the only move of the other role; -1 if it has none
	// Known are literals of fluents that are true in every position of the mode.
	Known []Ref
}

// Play is a circuit for games in which players take turns. It updates a [Position] move by move instead of computing it
// anew. It is immutable.
//
// Its gates have new numbers: false, the fluents, the gates whose values a position keeps, and those that are computed
// on demand.
type Play struct {
	circuit *Circuit
	modes   []playMode
	goals   [][]Goal // by role

	first  []int32 // index in inputs of each gate's first input; one more entry at the end
	inputs []Ref
	kept   int // number of gates whose values a position keeps; these come first
	blocks []playBlock
	bits   []Ref  // outputs that a position keeps: legal moves and terminal of each mode; False fills up words
	uses   []uses // for each kept gate
	total  int    // number of all uses
}

// uses is the fan-out of a gate: gates that use it (2 x number, + 1 for its negation), output bits that it computes,
// blocks with it as an input.
type uses struct{ gates, bits, blocks []int32 }

// playBlock is a block with the gate numbers of Play: gates from..to-1 depend on each other. The first of them, the
// loops, stand for the block's propositions; all are computed repeatedly until each loop equals its definition in defs.
type playBlock struct {
	from, to    int32
	loops, defs []Ref
}

// playMode is a mode with its output bits and the effects of its moves.
type playMode struct {
	Mode
	legal    int      // index of the first word with bits of legal moves
	terminal int      // index of the bit of terminal
	always   effect   // the part that all moves' effects share
	effects  []effect // effect of each entry of Moves; nil if the whole circuit must compute moves
}

// NewPlay prepares a circuit for play. Each position of the game must belong to exactly one mode (whose turn it is). If
// the effects of moves in one mode cannot be computed, no mode has them. NewPlay adds gates to the folder.
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

// fillWord adds unused bits up to the end of the current word, so that the next bits begin a word of their own.
func (p *Play) fillWord() {
	for len(p.bits)%64 != 0 {
		p.bits = append(p.bits, False)
	}
}

// eachResult calls visit for every output that is computed on demand: conditional effects and goals.
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

// number copies the needed gates of a table and renumbers them, gates with kept values first: false and the fluents,
// which keep their numbers, then others. It replaces all literals of the play by those with new numbers.
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

// needed tells which gates of a table are needed, and for which of these a position keeps the value: the fluents, and
// those that output bits and blocks depend on.
func (p *Play) needed(t *table) (needed, kept []bool) {
	c := p.circuit
	keep, all := c.newMarker(t), c.newMarker(t)
	for i := range 1 + len(c.Next) { // gate 0, the constant false, and the fluents
		keep.marked[i] = true
	}
	for _, r := range p.bits {
		keep.mark(r)
	}
	copy(all.marked, keep.marked)
	p.eachResult(func(r *Ref) { all.mark(*r) })
	for _, bl := range c.blocks {
		if all.marked[bl.loops[0].Gate()] {
			keep.mark(bl.loops[0])
		}
	}
	return all.marked, keep.marked
}

// findUses sets the fan-out of each kept gate, see uses: the gates, output bits and blocks to compute again when its value
// changes. Gates of a block are not listed one by one: the block as a whole is a user of its inputs.
func (p *Play) findUses() {
	p.uses = make([]uses, p.kept)
	next := 0 // index of the next block
	for gate := range int32(p.kept) {
		if next < len(p.blocks) && gate >= p.blocks[next].to {
			next++
		}
		inBlock := next < len(p.blocks) && gate >= p.blocks[next].from
		for _, r := range p.of(gate) {
			u := &p.uses[r.Gate()]
			switch {
			case !inBlock:
				u.gates = append(u.gates, 2*gate+int32(r&1)) // + 1: it uses the negation
			// Inputs from outside come before the block.
			case int32(r.Gate()) < p.blocks[next].from && !slices.Contains(u.blocks, int32(next)):
				u.blocks = append(u.blocks, int32(next))
			}
		}
	}
	for i, r := range p.bits {
		if r.Gate() != 0 {
			p.uses[r.Gate()].bits = append(p.uses[r.Gate()].bits, int32(i))
		}
	}
	for _, u := range p.uses {
		p.total += len(u.gates) + len(u.bits) + len(u.blocks)
	}
}

func (p *Play) of(gate int32) []Ref { return p.inputs[p.first[gate]:p.first[gate+1]] }
