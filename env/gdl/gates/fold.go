package gates

import "slices"

// Folder simplifies a circuit for inputs that are known to be true or false (partial evaluation). It adds the
// simplified gates to a table of its own. It also searches for satisfying assignments, see [Folder.Possible].
//
// Loops, which stand for propositions that depend on each other, stay variables. So Fold may miss that a gate is
// constant, but never claims a wrong constant.
type Folder struct {
	circuit *Circuit
	table   *table
	given   []Ref    // constant of each input, or notGiven
	set     []int    // inputs that have a constant
	done    []Ref    // folded literal of each gate; valid where stamp equals now
	stamp   []uint32 // value of now when done was set, for each gate
	now     uint32   // grows whenever constants change
	scratch []Ref
	seen    []uint32 // for each gate: the last call of Inputs that visited it
	visit   uint32
	work    int // inputs of gates visited so far

	exclusive [][]int32 // for each fluent: the mutex groups that contain it
	groups    [][]int   // see Exclude
	search    search
}

const notGiven Ref = -1

// NewFolder returns a folder without constants.
func (c *Circuit) NewFolder() *Folder {
	f := &Folder{circuit: c, table: c.table.clone(), given: make([]Ref, c.firstGate()), now: 1}
	for i := range f.given {
		f.given[i] = notGiven
	}
	return f
}

// Reset replaces all constants: these literals of inputs are true.
func (f *Folder) Reset(literals []Ref) {
	for _, gate := range f.set {
		f.given[gate] = notGiven
	}
	f.set = f.set[:0]
	for _, r := range literals {
		f.Set(r)
	}
	f.now++
}

// Set makes a literal of an input true and keeps the other constants.
func (f *Folder) Set(r Ref) {
	gate := r.Gate()
	if f.given[gate] == notGiven {
		f.set = append(f.set, gate)
	}
	f.given[gate] = True ^ r&1 // bit 0 of r negates: then the input is false
	f.work++
	f.now++
}

// maxAdded is the number of added gates that Trim lets a folder keep.
const maxAdded = 1 << 22

// Trim removes all gates that the folder has added if there are many. Literals that Fold returned before are then
// invalid.
func (f *Folder) Trim() {
	if f.table.n() > f.circuit.table.n()+maxAdded {
		f.table = f.circuit.table.clone()
		f.now++
	}
}

// Work returns the number of inputs of gates visited so far, as a measure of time.
func (f *Folder) Work() int { return f.work }

// And returns the conjunction of literals. It reorders refs.
func (f *Folder) And(refs ...Ref) Ref { return f.table.and(refs) }

// Fold returns the literal that r is equal to under the constants.
func (f *Folder) Fold(r Ref) Ref { return f.fold(r.Gate()) ^ r&1 }

// fold is Fold for a gate. It caches results until the constants change; a gate without changed inputs stays itself.
func (f *Folder) fold(gate int) Ref {
	if gate < len(f.given) && f.given[gate] != notGiven { // an input with a constant
		return f.given[gate]
	}
	refs := f.table.of(gate)
	if len(refs) == 0 {
		return Ref(2 * gate)
	}
	if n := f.table.n(); len(f.done) < n {
		f.done = append(f.done, make([]Ref, n-len(f.done))...)
		f.stamp = append(f.stamp, make([]uint32, n-len(f.stamp))...)
	}
	if f.stamp[gate] == f.now {
		return f.done[gate]
	}
	f.work += len(refs)
	start := len(f.scratch)
	result, same := True, true
	for _, r := range refs {
		x := f.fold(r.Gate()) ^ r&1
		if x == False {
			result = False
			break
		}
		same = same && x == r
		f.scratch = append(f.scratch, x)
	}
	switch {
	case result == False:
	case same:
		result = Ref(2 * gate)
	default:
		result = f.table.and(f.scratch[start:])
	}
	f.scratch = f.scratch[:start]
	f.done[gate], f.stamp[gate] = result, f.now
	return result
}

// Inputs calls visit for each input and loop that a literal depends on.
func (f *Folder) Inputs(r Ref, visit func(r Ref)) {
	if n := f.table.n(); len(f.seen) < n {
		f.seen = append(f.seen, make([]uint32, n-len(f.seen))...)
	}
	f.visit++
	stack := []int{r.Gate()}
	for len(stack) > 0 {
		gate := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f.seen[gate] == f.visit {
			continue
		}
		f.seen[gate] = f.visit
		f.work++
		refs := f.table.of(gate)
		if len(refs) == 0 && gate != 0 {
			visit(Ref(2 * gate))
		}
		for _, r := range refs {
			stack = append(stack, r.Gate())
		}
	}
}

// Under calls do while further literals, of different inputs, are true. do must not change constants itself. Under
// discards the cached results of Fold.
func (f *Folder) Under(literals []Ref, do func()) {
	before := make([]Ref, len(literals))
	for i, x := range literals {
		before[i] = f.given[x.Gate()]
		f.given[x.Gate()] = True ^ x&1 // bit 0 of x negates: then the input is false
	}
	f.now++
	do()
	for i, x := range literals {
		f.given[x.Gate()] = before[i]
	}
	f.now++
}

// FoldUnder is Fold while further literals of inputs are true. It discards the cached results of Fold.
func (f *Folder) FoldUnder(r Ref, literals ...Ref) (result Ref) {
	f.Under(literals, func() { result = f.Fold(r) })
	return result
}

// clone returns a copy.
func (t *table) clone() *table {
	return &table{
		first: slices.Clone(t.first), inputs: slices.Clone(t.inputs), slots: slices.Clone(t.slots), count: t.count, stopped: t.stopped,
	}
}
