package gates

import "slices"

// Position is a position of a [Play]. It keeps how many inputs of each gate are false, and updates what a move changes.
// It has one owner.
type Position struct {
	play  *Play
	on    []uint64 // set of the fluents that are true
	bits  []uint64 // outputs: legal moves and the end, by mode
	count []int32  // by gate that is kept: how many inputs are false, so that 0 means true; or just 0 and 1

	// Scratch.
	changed []int32 // gates to pass on: 2 x their number, + 1 if they became true
	dirty   []bool  // by block: to compute again
	others  []truth // by gate - Play.kept, of those that are not kept; nil until one is asked for
	found   []int32 // entries of others that are known now
	flips   []int32 // fluents to change
	before  []int32 // values of a block
	values  Values  // of the whole network; nil until it is needed
	next    []uint64
}

// truth is the value of a gate, if it is known.
type truth uint8

const (
	unknown truth = iota
	isTrue
	isFalse
)

// NewPosition returns the position in which the fluents of a set are true.
func (p *Play) NewPosition(on []uint64) *Position {
	s := &Position{
		play: p, on: make([]uint64, len(on)), bits: make([]uint64, len(p.bits)/64), count: make([]int32, p.kept),
		dirty: make([]bool, len(p.blocks)),
	}
	copy(s.on, on)
	s.count[0] = 1
	for i := range p.circuit.Next {
		s.count[1+i] = 1 - int32(on[i/64]>>(i%64)&1)
	}
	s.computeKept()
	return s
}

// Clone returns an independent copy. It only reads s, so goroutines may copy a position that nobody changes at the same time.
func (s *Position) Clone() *Position {
	return &Position{
		play: s.play, on: slices.Clone(s.on), bits: slices.Clone(s.bits), count: slices.Clone(s.count), dirty: make([]bool, len(s.dirty)),
	}
}

// computeKept computes the gates that are kept, and the bits, from the fluents.
func (s *Position) computeKept() {
	p := s.play
	next := 0
	for gate := 1 + int32(len(p.circuit.Next)); gate < int32(p.kept); gate++ {
		if next < len(p.blocks) && gate == p.blocks[next].from {
			s.compute(&p.blocks[next])
			gate = p.blocks[next].to - 1
			next++
			continue
		}
		s.count[gate] = 0
		for _, r := range p.of(gate) {
			s.count[gate] += int32(b2i(!s.holds(r)))
		}
	}
	clear(s.bits)
	for i, r := range p.bits {
		if s.holds(r) {
			s.bits[i/64] |= 1 << (i % 64)
		}
	}
	clear(s.dirty)
}

// CopyFrom makes the position equal to another one of the same Play.
func (s *Position) CopyFrom(o *Position) {
	copy(s.on, o.on)
	copy(s.bits, o.bits)
	copy(s.count, o.count)
}

// On returns the set of the fluents that are true. It belongs to the position.
func (s *Position) On() []uint64 { return s.on }

// Legal returns the set of the mover's legal moves in a mode, as entries of Mode.Moves. It belongs to the position.
func (s *Position) Legal(mode int) []uint64 {
	m := &s.play.modes[mode]
	return s.bits[m.legal : m.terminal/64]
}

// Terminal reports whether the game is over in a mode.
func (s *Position) Terminal(mode int) bool {
	bit := s.play.modes[mode].terminal
	return s.bits[bit/64]>>(bit%64)&1 != 0
}

// Goal returns the least goal of a role; 0 if it has none.
func (s *Position) Goal(role int) (value int) {
	for _, goal := range s.play.goals[role] {
		if s.find(goal.Holds) {
			value = goal.Value
			break
		}
	}
	s.forget()
	return value
}

// Apply plays a legal move: entry k of the mode's moves.
func (s *Position) Apply(mode, k int) {
	m := &s.play.modes[mode]
	s.flips = s.flips[:0]
	if m.effects == nil {
		s.compare(mode, k)
	} else {
		// What depends on the position comes first.
		s.flipRest(m.always.rest)
		s.flipRest(m.effects[k].rest)
		s.forget()
		s.flipSets(m.always.sets)
		s.flipSets(m.effects[k].sets)
	}
	for _, f := range s.flips {
		s.on[f/64] ^= 1 << (f % 64)
		s.count[1+f] ^= 1
		s.changed = append(s.changed, 2*(1+f)+1-s.count[1+f])
	}
	s.update()
}

func (s *Position) flipSets(sets []Ref) {
	for _, r := range sets {
		if !s.holds(r) {
			s.flips = append(s.flips, int32(r.Gate()-1))
		}
	}
}

func (s *Position) flipRest(rest []change) {
	for _, c := range rest {
		if s.find(c.value) != (s.count[1+c.fluent] == 0) {
			s.flips = append(s.flips, c.fluent)
		}
	}
}

// compare finds the fluents that a move changes by the whole network.
func (s *Position) compare(mode, k int) {
	if s.values == nil {
		s.values = s.play.circuit.NewValues()
	}
	s.After(mode, []int32{int32(k)}, s.values)
	for i := range s.play.circuit.Next {
		if s.values.Get(s.play.circuit.Fluent(i))&1 != s.on[i/64]>>(i%64)&1 {
			s.flips = append(s.flips, int32(i))
		}
	}
}

// After sets the fluents of v: position i is the one after entry moves[i] of the mode's moves, 64 of them at most.
func (s *Position) After(mode int, moves []int32, v Values) {
	n, m := s.play.circuit, &s.play.modes[mode]
	for i := range n.Next {
		v.Set(n.Fluent(i), -(s.on[i/64] >> (i % 64) & 1))
	}
	if m.effects == nil {
		s.computeAfter(m, moves, v)
		return
	}
	s.put(&m.always, ^uint64(0), v)
	for i, k := range moves {
		s.put(&m.effects[k], 1<<i, v)
	}
	s.forget()
}

// put changes some positions of v by an effect.
func (s *Position) put(e *effect, positions uint64, v Values) {
	for _, r := range e.sets {
		v[r] |= positions
		v[r^1] &^= positions
	}
	for _, c := range e.rest {
		r := s.play.circuit.Fluent(int(c.fluent))
		if !s.find(c.value) {
			r = r.Not()
		}
		v[r] |= positions
		v[r^1] &^= positions
	}
}

// computeAfter is After by the whole network. The fluents of v are those of the position.
func (s *Position) computeAfter(m *playMode, moves []int32, v Values) {
	n := s.play.circuit
	n.Position(v)
	if m.Idle >= 0 {
		v.Set(n.Move(1-m.Mover, m.Idle), ^uint64(0))
	}
	for i, k := range moves {
		v.Set(n.Move(m.Mover, m.Moves[k]), 1<<i)
	}
	n.Moves(v)
	s.next = s.next[:0]
	for _, r := range n.Next {
		s.next = append(s.next, v.Get(r))
	}
	for _, k := range moves {
		v.Set(n.Move(m.Mover, m.Moves[k]), 0)
	}
	if m.Idle >= 0 {
		v.Set(n.Move(1-m.Mover, m.Idle), 0)
	}
	for i, word := range s.next {
		v.Set(n.Fluent(i), word)
	}
}

// holds returns the value of a gate that is kept.
func (s *Position) holds(r Ref) bool { return (s.count[r.Gate()] == 0) == (r&1 == 0) }

// find returns the value of any gate.
func (s *Position) find(r Ref) bool {
	gate := r.Gate() - s.play.kept
	if gate < 0 {
		return s.holds(r)
	}
	if s.others == nil {
		s.others = make([]truth, len(s.play.first)-1-s.play.kept)
	}
	t := s.others[gate]
	if t == unknown {
		t = s.findGate(int32(gate))
	}
	return (t == isTrue) == (r&1 == 0)
}

// findGate returns the value of an entry of others.
func (s *Position) findGate(gate int32) truth {
	t := isTrue
	for _, r := range s.play.of(gate + int32(s.play.kept)) {
		if !s.find(r) {
			t = isFalse
			break
		}
	}
	s.others[gate] = t
	s.found = append(s.found, gate)
	return t
}

// forget makes the gates that are not kept unknown again.
func (s *Position) forget() {
	for _, gate := range s.found {
		s.others[gate] = unknown
	}
	s.found = s.found[:0]
}

// update passes changes on until there are none.
func (s *Position) update() {
	ok := s.pass()
	for i := range s.dirty {
		if ok && s.dirty[i] {
			s.dirty[i] = false
			s.recompute(&s.play.blocks[i])
			ok = s.pass()
		}
	}
	if !ok {
		s.changed = s.changed[:0]
		s.computeKept()
	}
}

// pass passes changes on, but not through blocks. The order does not matter: all changes of a gate add up. It reports
// false if it gives up, because some gates change again and again: then computing all is faster.
func (s *Position) pass() bool {
	p, count, changed := s.play, s.count, s.changed
	left := 4 * len(p.users)
	for len(changed) > 0 {
		x := changed[len(changed)-1]
		changed = changed[:len(changed)-1]
		u := p.uses[x>>1]
		if left -= int(u.end - u.gates); left < 0 {
			return false
		}
		for _, user := range p.users[u.gates:u.bits] {
			gate := user >> 1
			was := count[gate]
			now := was + 1 - (x^user)&1*2 // one fewer is false if the input became true
			count[gate] = now
			switch {
			case now == 0:
				changed = append(changed, 2*gate+1)
			case was == 0:
				changed = append(changed, 2*gate)
			}
		}
		for _, bit := range p.users[u.bits:u.blocks] {
			s.bits[bit/64] ^= 1 << (bit % 64)
		}
		for _, block := range p.users[u.blocks:u.end] {
			s.dirty[block] = true
		}
	}
	s.changed = changed
	return true
}

// recompute computes a block and lists its changes.
func (s *Position) recompute(b *playBlock) {
	s.before = append(s.before[:0], s.count[b.from:b.to]...)
	s.compute(b)
	for i, was := range s.before {
		if gate := b.from + int32(i); s.count[gate] != was {
			s.changed = append(s.changed, 2*gate+1-s.count[gate])
		}
	}
}

// compute computes a block: its loops are false at first, until nothing changes.
func (s *Position) compute(b *playBlock) {
	for _, l := range b.loops {
		s.count[l.Gate()] = 1
	}
	for more := true; more; {
		more = false
		for gate := b.from + int32(len(b.loops)); gate < b.to; gate++ {
			value := int32(0)
			for _, r := range s.play.of(gate) {
				if !s.holds(r) {
					value = 1
					break
				}
			}
			s.count[gate] = value
		}
		for i, l := range b.loops {
			if value := int32(b2i(!s.holds(b.defs[i]))); value != s.count[l.Gate()] {
				s.count[l.Gate()], more = value, true
			}
		}
	}
}
