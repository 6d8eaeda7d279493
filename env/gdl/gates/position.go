package gates

import "slices"

// Position is a position of a [Play]. It keeps the number of false inputs of each gate, and a move updates only the
// counts that change (delta propagation). It has one owner.
type Position struct {
	play  *Play
	on    []uint64 // bit set of the true fluents
	bits  []uint64 // values of Play.bits
	count []int32  // number of false inputs of each kept gate, so 0 means true; for gates of blocks just 0 or 1

	// Scratch.
	changed []int32 // gates whose change is not yet propagated: 2 x number, + 1 if it became true
	dirty   []bool  // for each block: an input has changed
	others  []int8  // values of the gates computed on demand, from gate Play.kept on: 1 true, -1 false, 0 not known
	found   []int32 // indices of the known entries of others
	flips   []int32 // fluents that the move changes
	before  []int32 // values of a block before recompute
	values  Values  // of the whole circuit; nil until it is needed
	next    []uint64
}

// NewPosition returns the position in which the fluents of a bit set are true.
func (p *Play) NewPosition(on []uint64) *Position {
	s := &Position{
		play: p, on: make([]uint64, len(on)), bits: make([]uint64, len(p.bits)/64), count: make([]int32, p.kept),
		dirty: make([]bool, len(p.blocks)),
	}
	copy(s.on, on)
	s.count[0] = 1 // gate 0 is the constant false, and gate 1+i is fluent i
	for i := range p.circuit.Next {
		s.count[1+i] = 1 - int32(on[i/64]>>(i%64)&1)
	}
	s.computeKept()
	return s
}

// Clone returns an independent copy. Several goroutines may clone one position at the same time if nobody changes it.
func (p *Position) Clone() *Position {
	return &Position{
		play: p.play, on: slices.Clone(p.on), bits: slices.Clone(p.bits), count: slices.Clone(p.count), dirty: make([]bool, len(p.dirty)),
	}
}

// computeKept computes all kept gates and output bits from the fluents.
func (p *Position) computeKept() {
	play := p.play
	next := 0
	for gate := 1 + int32(len(play.circuit.Next)); gate < int32(play.kept); gate++ {
		if next < len(play.blocks) && gate == play.blocks[next].from {
			p.compute(&play.blocks[next])
			gate = play.blocks[next].to - 1
			next++
			continue
		}
		p.count[gate] = 0
		for _, r := range play.of(gate) {
			p.count[gate] += int32(b2i(!p.holds(r)))
		}
	}
	clear(p.bits)
	for i, r := range play.bits {
		if p.holds(r) {
			p.bits[i/64] |= 1 << (i % 64)
		}
	}
	clear(p.dirty)
}

// CopyFrom makes the position equal to another one of the same Play.
func (p *Position) CopyFrom(o *Position) {
	copy(p.on, o.on)
	copy(p.bits, o.bits)
	copy(p.count, o.count)
}

// On returns the bit set of the true fluents. It belongs to the position.
func (p *Position) On() []uint64 { return p.on }

// Legal returns the bit set of the mover's legal moves, as indices in Mode.Moves. mode is the index of the position's
// mode. The set belongs to the position.
func (p *Position) Legal(mode int) []uint64 {
	m := &p.play.modes[mode]
	return p.bits[m.legal : m.terminal/64]
}

// Terminal reports whether the game is over. mode is the index of the position's mode.
func (p *Position) Terminal(mode int) bool {
	bit := p.play.modes[mode].terminal
	return p.bits[bit/64]>>(bit%64)&1 != 0
}

// Goal returns the least goal value of a role that holds; 0 if none does.
func (p *Position) Goal(role int) (value int) {
	for _, goal := range p.play.goals[role] {
		if p.find(goal.Holds) {
			value = goal.Value
			break
		}
	}
	p.forget()
	return value
}

// Apply plays a legal move: entry k of Mode.Moves in the position's mode. It finds the fluents that change, flips them,
// and updates all that depends on them.
func (p *Position) Apply(mode, k int) {
	m := &p.play.modes[mode]
	p.flips = p.flips[:0]
	if m.effects == nil {
		p.compare(mode, k)
	} else {
		// Conditional effects come first: their conditions are about the position before the move.
		p.flipRest(m.always.rest)
		p.flipRest(m.effects[k].rest)
		p.forget()
		p.flipSets(m.always.sets)
		p.flipSets(m.effects[k].sets)
	}
	for _, f := range p.flips {
		p.on[f/64] ^= 1 << (f % 64)
		p.count[1+f] ^= 1
		p.changed = append(p.changed, 2*(1+f)+1-p.count[1+f]) // see changed
	}
	p.update()
}

// flipSets adds to p.flips the fluents that the literals of an effect change.
func (p *Position) flipSets(sets []Ref) {
	for _, r := range sets {
		if !p.holds(r) {
			p.flips = append(p.flips, int32(r.Gate()-1))
		}
	}
}

// flipRest adds to p.flips the fluents whose new value, that of a gate, differs from the old one.
func (p *Position) flipRest(rest []change) {
	for _, c := range rest {
		if p.find(c.value) != (p.count[1+c.fluent] == 0) {
			p.flips = append(p.flips, c.fluent)
		}
	}
}

// compare finds the fluents that move k, an index in Mode.Moves, changes. It computes the whole circuit; it is for plays
// whose moves have no precomputed effects.
func (p *Position) compare(mode, k int) {
	if p.values == nil {
		p.values = p.play.circuit.NewValues()
	}
	p.After(mode, []int32{int32(k)}, p.values)
	for i := range p.play.circuit.Next {
		if p.values.Get(p.play.circuit.Fluent(i))&1 != p.on[i/64]>>(i%64)&1 {
			p.flips = append(p.flips, int32(i))
		}
	}
}

// After computes the positions after up to 64 moves at once: it sets the fluents of v so that position i of v is the
// one after move moves[i], an index in Mode.Moves. mode is the index of the position's mode: whose turn it is.
func (p *Position) After(mode int, moves []int32, v Values) {
	c, m := p.play.circuit, &p.play.modes[mode]
	for i := range c.Next {
		v.Set(c.Fluent(i), -(p.on[i/64] >> (i % 64) & 1)) // all ones if the fluent is true
	}
	if m.effects == nil {
		p.computeAfter(m, moves, v)
		return
	}
	p.put(&m.always, ^uint64(0), v)
	for i, k := range moves {
		p.put(&m.effects[k], 1<<i, v)
	}
	p.forget()
}

// put applies the effect of a move from p to a set of the 64 positions of v. Conditions of the effect are about p. Entry
// r^1 of v is the negation of r.
func (p *Position) put(e *effect, positions uint64, v Values) {
	for _, r := range e.sets {
		v[r] |= positions
		v[r^1] &^= positions
	}
	for _, c := range e.rest {
		r := p.play.circuit.Fluent(int(c.fluent))
		if !p.find(c.value) {
			r = r.Not()
		}
		v[r] |= positions
		v[r^1] &^= positions
	}
}

// computeAfter does the work of After by computing the whole circuit. The fluents of v must be those of the position.
func (p *Position) computeAfter(m *playMode, moves []int32, v Values) {
	c := p.play.circuit
	c.Position(v)
	if m.Idle >= 0 {
		v.Set(c.Move(1-m.Mover, m.Idle), ^uint64(0))
	}
	for i, k := range moves {
		v.Set(c.Move(m.Mover, m.Moves[k]), 1<<i)
	}
	c.Moves(v)
	p.next = p.next[:0]
	for _, r := range c.Next {
		p.next = append(p.next, v.Get(r))
	}
	for _, k := range moves {
		v.Set(c.Move(m.Mover, m.Moves[k]), 0)
	}
	if m.Idle >= 0 {
		v.Set(c.Move(1-m.Mover, m.Idle), 0)
	}
	for i, word := range p.next {
		v.Set(c.Fluent(i), word)
	}
}

// holds returns the value of a literal of a gate whose value is kept: count 0 is true, bit 0 of r negates.
func (p *Position) holds(r Ref) bool { return (p.count[r.Gate()] == 0) == (r&1 == 0) }

// find returns the value of any literal, and computes it if it is not kept.
func (p *Position) find(r Ref) bool {
	gate := r.Gate() - p.play.kept
	if gate < 0 {
		return p.holds(r)
	}
	if p.others == nil {
		p.others = make([]int8, len(p.play.first)-1-p.play.kept)
	}
	value := p.others[gate]
	if value == 0 {
		value = 1
		for _, x := range p.play.of(int32(r.Gate())) {
			if !p.find(x) {
				value = -1
				break
			}
		}
		p.others[gate] = value
		p.found = append(p.found, int32(gate))
	}
	return (value > 0) == (r&1 == 0)
}

// forget discards the values that were computed on demand.
func (p *Position) forget() {
	for _, gate := range p.found {
		p.others[gate] = 0
	}
	p.found = p.found[:0]
}

// update propagates all changes through gates and blocks. Blocks are in topological order, so each is recomputed once
// at most.
func (p *Position) update() {
	ok := p.pass()
	for i := range p.dirty {
		if ok && p.dirty[i] {
			p.dirty[i] = false
			p.recompute(&p.play.blocks[i])
			ok = p.pass()
		}
	}
	if !ok {
		p.changed = p.changed[:0]
		p.computeKept()
	}
}

// pass propagates changes through gates outside of blocks, and marks blocks whose inputs change. Any order works,
// because changes of a count add up. It reports false if there are so many changes that computing all gates is faster.
func (p *Position) pass() bool {
	play, count, changed := p.play, p.count, p.changed
	left := 4 * play.total // uses left to follow
	for len(changed) > 0 {
		x := changed[len(changed)-1]
		changed = changed[:len(changed)-1]
		u := &play.uses[x>>1]
		left -= len(u.gates) + len(u.bits) + len(u.blocks)
		if left < 0 {
			return false
		}
		for _, user := range u.gates {
			gate := user >> 1
			was := count[gate]
			now := was + 1 - (x^user)&1*2 // one fewer false input if the literal became true
			count[gate] = now
			switch {
			case now == 0:
				changed = append(changed, 2*gate+1)
			case was == 0:
				changed = append(changed, 2*gate)
			}
		}
		for _, bit := range u.bits {
			p.bits[bit/64] ^= 1 << (bit % 64)
		}
		for _, block := range u.blocks {
			p.dirty[block] = true
		}
	}
	p.changed = changed
	return true
}

// recompute computes a block anew and queues the changes of its gates.
func (p *Position) recompute(b *playBlock) {
	p.before = append(p.before[:0], p.count[b.from:b.to]...)
	p.compute(b)
	for i, was := range p.before {
		if gate := b.from + int32(i); p.count[gate] != was {
			p.changed = append(p.changed, 2*gate+1-p.count[gate])
		}
	}
}

// compute computes a block: it starts with all loops false and repeats until nothing changes, at the least fixpoint.
func (p *Position) compute(b *playBlock) {
	for _, l := range b.loops {
		p.count[l.Gate()] = 1
	}
	for more := true; more; {
		more = false
		for gate := b.from + int32(len(b.loops)); gate < b.to; gate++ {
			value := int32(0)
			for _, r := range p.play.of(gate) {
				if !p.holds(r) {
					value = 1
					break
				}
			}
			p.count[gate] = value
		}
		for i, l := range b.loops {
			if value := int32(b2i(!p.holds(b.defs[i]))); value != p.count[l.Gate()] {
				p.count[l.Gate()], more = value, true
			}
		}
	}
}
