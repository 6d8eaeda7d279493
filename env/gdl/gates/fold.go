package gates

import "slices"

// Folder computes what becomes of gates if some inputs are constants. It adds gates to a table of its own. Loops stay as
// they are, which is always right, but may hide that a gate is constant.
type Folder struct {
	circuit *Circuit
	table   *table
	given   []Ref    // by input: the constant that it is, or notGiven
	set     []int    // inputs that are given
	done    []Ref    // by gate: what it becomes, where stamp is now
	stamp   []uint32 // by gate
	now     uint32
	scratch []Ref
	seen    []uint32 // by gate: see Inputs
	visit   uint32
	work    int

	exclusive [][]int32 // by fluent: the groups that contain it, see Exclude
	groups    [][]int
	search    search
	budget    int // see Budget
	limited   bool
}

const notGiven Ref = -1

// NewFolder returns a folder in which no input is constant.
func (n *Circuit) NewFolder() *Folder {
	f := &Folder{circuit: n, table: n.table.clone(), given: make([]Ref, n.firstGate()), now: 1}
	for i := range f.given {
		f.given[i] = notGiven
	}
	return f
}

// Reset forgets all constants and sets new ones: each input of the list is true.
func (f *Folder) Reset(isTrue []Ref, isFalse []Ref) {
	for _, gate := range f.set {
		f.given[gate] = notGiven
	}
	f.set = f.set[:0]
	for _, r := range isTrue {
		f.give(r.Gate(), True^r&1)
	}
	for _, r := range isFalse {
		f.give(r.Gate(), False^r&1)
	}
	f.now++
}

func (f *Folder) give(gate int, r Ref) {
	if f.given[gate] == notGiven {
		f.set = append(f.set, gate)
	}
	f.given[gate] = r
	f.work++
}

// Set makes an input true, whatever Reset has said about it.
func (f *Folder) Set(r Ref) {
	f.give(r.Gate(), True^r&1)
	f.now++
}

// maxAdded is the number of gates that Trim lets a folder keep beyond the network's.
const maxAdded = 1 << 22

// Trim forgets the gates that the folder has added, if they are many. Gates that Fold has returned are no longer known.
func (f *Folder) Trim() {
	if f.table.n() > f.circuit.table.n()+maxAdded {
		f.table = f.circuit.table.clone()
		f.now++
	}
}

// Work returns how many gates the folder has looked at so far, as a measure of time.
func (f *Folder) Work() int { return f.work }

// And returns the conjunction of some gates. It reorders refs.
func (f *Folder) And(refs ...Ref) Ref { return f.table.and(refs) }

// Fold returns what becomes of a gate.
func (f *Folder) Fold(r Ref) Ref { return f.fold(r.Gate()) ^ r&1 }

func (f *Folder) fold(gate int) Ref {
	if gate < len(f.given) && f.given[gate] != notGiven {
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

// Inputs calls visit with each input and loop that a gate depends on.
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

// Needs reports whether the gate is false wherever the input x is, as far as folding shows. What Fold has computed since
// Reset is computed anew afterwards.
func (f *Folder) Needs(r, x Ref) bool {
	gate := x.Gate()
	given := f.given[gate]
	f.given[gate] = False ^ x&1
	f.now++
	result := f.Fold(r) == False
	f.given[gate] = given
	f.now++
	return result
}

// clone returns a copy.
func (g *table) clone() *table {
	return &table{first: slices.Clone(g.first), inputs: slices.Clone(g.inputs), table: slices.Clone(g.table), count: g.count}
}
