package gates

import (
	"context"
	"slices"
)

// Ref is a literal, a gate or its negation: 2 x the gate's number, + 1 if negated. x ^ r&1 negates x if r is negated.
type Ref int32

// The constant literals.
const (
	False Ref = 0
	True  Ref = 1
)

// Not returns the negation.
func (r Ref) Not() Ref { return r ^ 1 }

// Gate returns the number of the gate.
func (r Ref) Gate() int { return int(r >> 1) }

// table holds gates with structural hashing: equal conjunctions are one gate. Gate 0 is false, the inputs follow, then
// conjunctions of earlier gates, and loops.
type table struct {
	first  []int32 // index in inputs of each gate's first input; one more entry at the end
	inputs []Ref
	slots  []int32 // hash table of conjunctions by their inputs, with open addressing; 0 is empty
	count  int     // number of conjunctions

	stopped func() bool // reports that work on the table must stop; nil: it goes on. See Until
	ticks   int         // calls of tick
}

func newTable(inputs int) *table {
	return &table{first: make([]int32, inputs+2), slots: make([]int32, 1<<10)}
}

// n returns the number of gates.
func (t *table) n() int { return len(t.first) - 1 }

// of returns the inputs of a gate; none for gate 0, inputs of the circuit and loops.
func (t *table) of(gate int) []Ref {
	if t.stopped != nil {
		t.tick()
	}
	return t.inputs[t.first[gate]:t.first[gate+1]]
}

// interruption is the panic of tick.
type interruption struct{}

// tick now and then panics with an interruption if work on the table must stop.
func (t *table) tick() {
	t.ticks++
	if t.ticks&0xfff == 0 && t.stopped != nil && t.stopped() {
		panic(interruption{})
	}
}

// Until calls f, which may use the circuit and what was made from it, and stops it soon after ctx ends. Then the error
// is ctx's cause. Nobody else may use the circuit meanwhile.
func (c *Circuit) Until(ctx context.Context, f func() error) (err error) {
	t := c.table
	t.stopped = func() bool { return ctx.Err() != nil }
	defer func() {
		t.stopped = nil
		fault := recover()
		if _, interrupted := fault.(interruption); interrupted {
			err = context.Cause(ctx)
		} else if fault != nil {
			panic(fault)
		}
	}()
	return f()
}

// and returns the literal of a conjunction, a new gate if there is none yet. It reorders refs.
func (t *table) and(refs []Ref) Ref {
	slices.Sort(refs)
	kept := refs[:0]
	for _, r := range refs {
		switch {
		case r == False:
			return False
		case r == True || len(kept) > 0 && kept[len(kept)-1] == r:
		default:
			kept = append(kept, r)
		}
	}
	for i := 1; i < len(kept); i++ {
		// Sorting makes a literal and its negation neighbours.
		if kept[i] == kept[i-1].Not() {
			return False
		}
	}
	switch len(kept) {
	case 0:
		return True
	case 1:
		return kept[0]
	}
	slot := t.find(kept)
	if gate := t.slots[slot]; gate != 0 {
		return Ref(2 * gate)
	}
	gate := t.n()
	t.inputs = append(t.inputs, kept...)
	t.first = append(t.first, int32(len(t.inputs)))
	t.slots[slot] = int32(gate)
	t.count++
	if 2*t.count > len(t.slots) {
		t.grow()
	}
	return Ref(2 * gate)
}

// find returns the slot of a conjunction in the hash table, or the empty one where it belongs.
func (t *table) find(refs []Ref) int {
	mask := uint64(len(t.slots) - 1)
	for i := hashOf(refs) & mask; ; i = (i + 1) & mask {
		if gate := t.slots[i]; gate == 0 || slices.Equal(t.of(int(gate)), refs) {
			return int(i)
		}
	}
}

// grow doubles the hash table.
func (t *table) grow() {
	old := t.slots
	t.slots = make([]int32, 2*len(old))
	for _, gate := range old {
		if gate != 0 {
			t.slots[t.find(t.of(int(gate)))] = gate
		}
	}
}

// hashOf hashes the sorted inputs of a conjunction.
func hashOf(refs []Ref) uint64 {
	h := uint64(len(refs))
	for _, r := range refs {
		h = (h ^ uint64(r)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// or returns the literal of a disjunction, by De Morgan's law. It changes refs.
func (t *table) or(refs []Ref) Ref {
	for i := range refs {
		refs[i] = refs[i].Not()
	}
	return t.and(refs).Not()
}

// loop adds a gate without inputs, a variable of a block, see block.
func (t *table) loop() Ref {
	t.first = append(t.first, int32(len(t.inputs)))
	return Ref(2 * (t.n() - 1))
}
