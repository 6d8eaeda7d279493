package gates

import (
	"slices"
)

// Ref is a gate, or the negation of one: 2 x its number, + 1 if negated.
type Ref int32

// False and True are constants.
const (
	False Ref = 0
	True  Ref = 1
)

// Not returns the negation.
func (r Ref) Not() Ref { return r ^ 1 }

// Gate returns the number of the gate.
func (r Ref) Gate() int { return int(r >> 1) }

// gates is a table of gates. Gate 0 is false; the next ones are inputs; the others are conjunctions of gates before
// them, or loops.
type table struct {
	first  []int32 // by gate: where its inputs begin in inputs; one more entry at the end
	inputs []Ref
	table  []int32 // hash table of conjunctions by their inputs, with open addressing; 0 is empty
	count  int     // of conjunctions
}

func newTable(inputs int) *table {
	return &table{first: make([]int32, inputs+2), table: make([]int32, 1<<10)}
}

// n returns the number of gates.
func (g *table) n() int { return len(g.first) - 1 }

func (g *table) of(gate int) []Ref { return g.inputs[g.first[gate]:g.first[gate+1]] }

// and returns the conjunction. It reorders refs.
func (g *table) and(refs []Ref) Ref {
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
	slot := g.find(kept)
	if gate := g.table[slot]; gate != 0 {
		return Ref(2 * gate)
	}
	gate := g.n()
	g.inputs = append(g.inputs, kept...)
	g.first = append(g.first, int32(len(g.inputs)))
	g.table[slot] = int32(gate)
	if g.count++; 2*g.count > len(g.table) {
		g.grow()
	}
	return Ref(2 * gate)
}

// find returns the slot of a conjunction in the table: its own, or an empty one.
func (g *table) find(refs []Ref) int {
	mask := uint64(len(g.table) - 1)
	for i := hashOf(refs) & mask; ; i = (i + 1) & mask {
		if gate := g.table[i]; gate == 0 || slices.Equal(g.of(int(gate)), refs) {
			return int(i)
		}
	}
}

// grow doubles the table.
func (g *table) grow() {
	old := g.table
	g.table = make([]int32, 2*len(old))
	for _, gate := range old {
		if gate != 0 {
			g.table[g.find(g.of(int(gate)))] = gate
		}
	}
}

func hashOf(refs []Ref) uint64 {
	h := uint64(len(refs))
	for _, r := range refs {
		h = (h ^ uint64(r)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	return h
}

// or returns the disjunction. It changes refs.
func (g *table) or(refs []Ref) Ref {
	for i := range refs {
		refs[i] = refs[i].Not()
	}
	return g.and(refs).Not()
}

// loop adds a gate whose value is set from outside.
func (g *table) loop() Ref {
	g.first = append(g.first, int32(len(g.inputs)))
	return Ref(2 * (g.n() - 1))
}
