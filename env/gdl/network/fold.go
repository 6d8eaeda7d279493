package network

import "slices"

// Folder computes what becomes of gates if some inputs are constants. It adds gates to a table of its own. Loops stay as
// they are, which is always right, but may hide that a gate is constant.
type Folder struct {
	gates *gates
	given map[int]Ref // by gate
	done  map[int]Ref // by gate
}

// NewFolder returns a folder in which no input is constant.
func (n *Network) NewFolder() *Folder {
	g := &gates{first: slices.Clone(n.gates.first), inputs: slices.Clone(n.gates.inputs), table: map[uint64][]int32{}}
	for gate := range g.n() {
		if refs := g.of(gate); len(refs) > 0 {
			h := hashOf(refs)
			g.table[h] = append(g.table[h], int32(gate))
		}
	}
	return &Folder{gates: g, given: map[int]Ref{}, done: map[int]Ref{}}
}

// Reset forgets all constants and sets new ones: each input of the list is true.
func (f *Folder) Reset(isTrue []Ref, isFalse []Ref) {
	clear(f.given)
	clear(f.done)
	for _, r := range isTrue {
		f.given[r.Gate()] = True ^ r&1
	}
	for _, r := range isFalse {
		f.given[r.Gate()] = False ^ r&1
	}
}

// And returns the conjunction of two gates.
func (f *Folder) And(a, b Ref) Ref { return f.gates.and([]Ref{a, b}) }

// Fold returns what becomes of a gate.
func (f *Folder) Fold(r Ref) Ref { return f.fold(r.Gate()) ^ r&1 }

func (f *Folder) fold(gate int) Ref {
	if r, ok := f.given[gate]; ok {
		return r
	}
	refs := f.gates.of(gate)
	if len(refs) == 0 {
		return Ref(2 * gate)
	}
	if r, ok := f.done[gate]; ok {
		return r
	}
	folded := make([]Ref, 0, len(refs))
	result := True
	for _, r := range refs {
		x := f.fold(r.Gate()) ^ r&1
		if x == False {
			result = False
			break
		}
		folded = append(folded, x)
	}
	if result != False {
		result = f.gates.and(folded)
	}
	f.done[gate] = result
	return result
}

// Inputs calls visit with each input and loop that a gate depends on.
func (f *Folder) Inputs(r Ref, visit func(r Ref)) {
	seen := map[int]bool{}
	var walk func(gate int)
	walk = func(gate int) {
		if seen[gate] {
			return
		}
		seen[gate] = true
		refs := f.gates.of(gate)
		if len(refs) == 0 && gate != 0 {
			visit(Ref(2 * gate))
		}
		for _, r := range refs {
			walk(r.Gate())
		}
	}
	walk(r.Gate())
}

// Needs reports whether the gate is false wherever the input x is, as far as folding shows.
func (f *Folder) Needs(r, x Ref) bool {
	given := f.given[x.Gate()]
	_, was := f.given[x.Gate()]
	f.given[x.Gate()] = False ^ x&1
	done := f.done
	f.done = map[int]Ref{}
	result := f.Fold(r) == False
	f.done = done
	if delete(f.given, x.Gate()); was {
		f.given[x.Gate()] = given
	}
	return result
}
