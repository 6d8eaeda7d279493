package gates

import (
	"cmp"
	"slices"
)

// Matcher finds automorphisms of a circuit: permutations of its inputs (fluents and moves) that preserve all its
// results. Input k is gate 1+k: first the fluents, then the moves of each role.
//
// It copies the circuit into gates in a normal form, so that the way in which rules were written and grounded does not
// matter: nested conjunctions become one gate, and (a and (b or c)) or d becomes (a and b) or (a and c) or d.
type Matcher struct {
	circuit *Circuit
	goals   [][]Goal // by role: goals that automorphisms must preserve
	table   *table
	becomes []Ref // the matcher's literal for each gate of the circuit that results need
	inputs  int
	needed  []int32 // conjunctions that results need, ascending
	loops   []int32 // gates that stand for propositions of blocks, see package doc
	defs    []Ref   // definition of each loop
	from    colouring
	to      colouring
	images  []Ref // scratch of verify: image of each gate
	work    int   // inputs visited, of gates and of the circuit
	limit   int   // Match gives up when work exceeds it
}

// colouring is the state of colour refinement, with values per gate. colour is that of an input or loop. hash sums up
// what a gate computes, from the inputs up. context sums up where it is used, from the results down.
type colouring struct{ colour, hash, context []uint64 }

// NewMatcher returns a matcher for automorphisms that preserve the given goals of each role: all of its goals or none.
// It gives up after visiting limit inputs of gates in all calls of Match together.
func (c *Circuit) NewMatcher(limit int, goals [][]Goal) *Matcher {
	m := &Matcher{circuit: c, goals: goals, inputs: c.firstGate() - 1, limit: limit}
	need := c.newMarker(c.table)
	c.eachResult(goals, need.mark)
	if !m.copyGates(need.marked, true) { // in normal form
		m.copyGates(need.marked, false)
	}
	m.setLeaves(need.marked)
	m.images = make([]Ref, m.table.n())
	for _, x := range []*colouring{&m.from, &m.to} {
		x.colour, x.hash, x.context = make([]uint64, m.table.n()), make([]uint64, m.table.n()), make([]uint64, m.table.n())
	}
	return m
}

// setLeaves sets m.loops, m.defs and m.needed: the loops and conjunctions that results depend on. marked tells which
// gates of the circuit they depend on.
func (m *Matcher) setLeaves(marked []bool) {
	c := m.circuit
	for _, bl := range c.blocks {
		for i, l := range bl.loops {
			if marked[l.Gate()] {
				m.loops, m.defs = append(m.loops, int32(m.of(l).Gate())), append(m.defs, m.of(bl.defs[i]))
			}
		}
	}
	t := m.table
	used := make([]bool, t.n())
	mark := func(r Ref) { used[r.Gate()] = true }
	c.eachResult(m.goals, func(r Ref) { mark(m.of(r)) })
	for _, r := range m.defs {
		mark(r)
	}
	for gate := t.n() - 1; gate > m.inputs; gate-- {
		if refs := t.of(gate); used[gate] && len(refs) > 0 {
			m.needed = append(m.needed, int32(gate))
			for _, r := range refs {
				mark(r)
			}
		}
	}
	slices.Reverse(m.needed)
}

// of returns the matcher's literal for a literal of the circuit.
func (m *Matcher) of(r Ref) Ref { return m.becomes[r.Gate()] ^ r&1 }

// maxGrowth is how many times the inputs of all gates may grow by the normal form.
const maxGrowth = 4

// maxMembers is the size of the largest disjunction that the normal form distributes.
const maxMembers = 16

// copyGates copies the marked gates of the circuit, in normal form if form is true. It reports false if they grow too
// much.
func (m *Matcher) copyGates(marked []bool, form bool) bool {
	old, t := m.circuit.table, newTable(m.inputs)
	t.stopped = old.stopped
	m.table, m.becomes = t, make([]Ref, old.n())
	for gate := 1; gate <= m.inputs; gate++ {
		m.becomes[gate] = Ref(2 * gate)
	}
	var refs []Ref
	for gate := m.inputs + 1; gate < old.n(); gate++ {
		switch inputs := old.of(gate); {
		case !marked[gate]:
		case len(inputs) == 0:
			m.becomes[gate] = t.loop()
		default:
			refs = refs[:0]
			for _, r := range inputs {
				if form {
					refs = t.appendForm(refs, m.of(r))
				} else {
					refs = append(refs, m.of(r))
				}
			}
			m.becomes[gate] = t.and(refs)
		}
		if form && len(t.inputs) > maxGrowth*len(old.inputs) {
			return false
		}
	}
	return true
}

// appendForm appends an input of a conjunction in normal form. A conjunction becomes its inputs. The negation of a
// conjunction with exactly one disjunction, not (a and (b or c)), becomes not (a and b), not (a and c).
func (t *table) appendForm(dst []Ref, r Ref) []Ref {
	inputs := slices.Clone(t.of(r.Gate())) // the table moves when it grows
	if len(inputs) == 0 {
		return append(dst, r)
	}
	if r&1 == 0 { // a conjunction itself, not its negation
		return append(dst, inputs...)
	}
	isOr := func(r Ref) bool { return r&1 != 0 && len(t.of(r.Gate())) > 0 }
	at := slices.IndexFunc(inputs, isOr)
	if at < 0 || slices.ContainsFunc(inputs[at+1:], isOr) {
		return append(dst, r)
	}
	members := slices.Clone(t.of(inputs[at].Gate()))
	if len(members) > maxMembers {
		return append(dst, r)
	}
	rest := slices.Delete(inputs, at, at+1)
	for _, x := range members {
		product := slices.Clone(rest)
		x = x.Not()
		if x&1 == 0 && len(t.of(x.Gate())) > 0 {
			product = append(product, t.of(x.Gate())...)
		} else {
			product = append(product, x)
		}
		dst = append(dst, t.and(product).Not())
	}
	return dst
}

// Mix adds x to a hash; the order matters. The multipliers are those of MurmurHash3.
func Mix(h, x uint64) uint64 {
	h = (h ^ x ^ 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	h ^= h >> 29
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>32
}

// Kinds of uses of a gate, as hashes distinguish them, and a mark for individualised vertices.
const (
	ofNext = 1 + iota
	ofLegal
	ofTerminal
	ofGoal
	ofLoop
	setApart
)

// Match returns an automorphism as the image of each input, or nil if it finds none. The automorphism maps an input
// with label l in from to one with label l in to, and the goals of role r to those of roles[r]. It is checked gate by
// gate.
//
// Match alternates colour refinement with individualisation (McKay and Piperno, Practical graph isomorphism II, 2014)
// but never backtracks: among inputs of the same colour it maps one to itself if it can, otherwise to the first.
func (m *Matcher) Match(from, to []uint64, roles []int) []int32 {
	for k := range m.inputs {
		m.from.colour[1+k], m.to.colour[1+k] = from[k], to[k]
	}
	for _, l := range m.loops {
		m.from.colour[l], m.to.colour[l] = ofLoop, ofLoop
	}
	identity := make([]int, len(roles))
	for r := range identity {
		identity[r] = r
	}
	for count := 0; m.work <= m.limit; {
		vertices, targets := m.sorted(&m.from), m.sorted(&m.to)
		now, tie := 0, int32(-1) // number of colours; first vertex that shares its colour
		for i, v := range vertices {
			if targets[i].colour != v.colour {
				return nil
			}
			if i == 0 || v.colour != vertices[i-1].colour {
				now++
			} else if first := vertices[i-1].gate; tie < 0 || first < tie {
				tie = first
			}
		}
		switch {
		case tie < 0:
			partner := make([]int32, m.table.n())
			for i, v := range vertices {
				partner[v.gate] = targets[i].gate
			}
			for k := range m.inputs {
				if p := int(partner[1+k]) - 1; p >= m.inputs || to[p] != from[k] {
					return nil
				}
			}
			return m.verify(partner, roles)
		case now == count:
			c, partner := m.from.colour[tie], tie
			if m.to.colour[tie] != c {
				i, _ := slices.BinarySearchFunc(targets, c, func(v vertex, c uint64) int { return cmp.Compare(v.colour, c) })
				partner = targets[i].gate
			}
			m.from.colour[tie], m.to.colour[partner] = Mix(c, setApart), Mix(c, setApart)
		}
		count = now
		m.refine(&m.from, roles)
		m.refine(&m.to, identity)
	}
	return nil
}

// vertex is an input or loop with its colour.
type vertex struct {
	colour uint64
	gate   int32
}

// sorted returns the inputs and loops ordered by colour, then by number.
func (m *Matcher) sorted(c *colouring) []vertex {
	list := make([]vertex, 0, m.inputs+len(m.loops))
	m.work += cap(list)
	for k := range m.inputs {
		list = append(list, vertex{c.colour[1+k], int32(1 + k)})
	}
	for _, l := range m.loops {
		list = append(list, vertex{c.colour[l], l})
	}
	slices.SortFunc(list, func(a, b vertex) int {
		return cmp.Or(cmp.Compare(a.colour, b.colour), cmp.Compare(a.gate, b.gate))
	})
	return list
}

// refine is one step of colour refinement: it computes the hash and the context of every gate, and mixes them into the
// colours of inputs and loops.
func (m *Matcher) refine(c *colouring, roles []int) {
	circuit, t := m.circuit, m.table
	hash := func(r Ref) uint64 { return Mix(c.hash[r.Gate()], uint64(r&1)) }
	copy(c.hash[1:1+m.inputs], c.colour[1:1+m.inputs])
	for _, l := range m.loops {
		c.hash[l] = c.colour[l]
	}
	for _, gate := range m.needed {
		sum, refs := uint64(0), t.of(int(gate))
		for _, r := range refs {
			sum += hash(r)
		}
		c.hash[gate] = Mix(sum, uint64(len(refs)))
		m.work += 2 * len(refs)
	}
	clear(c.context)
	use := func(r Ref, what uint64) { c.context[r.Gate()] += Mix(what, uint64(r&1)) }
	m.eachInput(func(v int, kind uint64, r Ref) { use(r, Mix(c.colour[v], kind)) })
	use(m.of(circuit.Terminal), ofTerminal)
	for role, goals := range m.goals {
		for _, goal := range goals {
			use(m.of(goal.Holds), Mix(Mix(ofGoal, uint64(goal.Value)), uint64(roles[role])))
		}
	}
	for i, l := range m.loops {
		use(m.defs[i], Mix(c.colour[l], ofLoop))
	}
	for _, gate := range slices.Backward(m.needed) {
		x := Mix(c.context[gate], c.hash[gate])
		for _, r := range t.of(int(gate)) {
			use(r, x)
		}
	}
	// Change colours only now: the hashes above need the old ones.
	m.eachInput(func(v int, kind uint64, r Ref) {
		c.colour[v] = Mix(Mix(c.colour[v], c.context[v]), hash(r))
	})
	for i, l := range m.loops {
		c.colour[l] = Mix(Mix(c.colour[l], c.context[l]), hash(m.defs[i]))
	}
}

// eachInput calls visit for each input with its gate, its kind, and the literal that belongs to it: a fluent's next
// value or a move's legality.
func (m *Matcher) eachInput(visit func(gate int, kind uint64, r Ref)) {
	c := m.circuit
	for i, r := range c.Next {
		visit(c.Fluent(i).Gate(), ofNext, m.of(r))
	}
	for role, legal := range c.Legal {
		for i, r := range legal {
			visit(c.Move(role, i).Gate(), ofLegal, m.of(r))
		}
	}
}

// verify checks that a map of inputs and loops to partners is an automorphism: each gate has an image, and the images
// of an input's results are the results of its image. It returns the images of the inputs, or nil.
func (m *Matcher) verify(partner []int32, roles []int) []int32 {
	c, t := m.circuit, m.table
	image := func(r Ref) Ref { return m.images[r.Gate()] ^ r&1 }
	m.images[0] = False
	for k := range m.inputs {
		m.images[1+k] = Ref(2 * partner[1+k])
	}
	for _, l := range m.loops {
		m.images[l] = Ref(2 * partner[l])
	}
	var refs []Ref
	for _, gate := range m.needed {
		refs = refs[:0]
		for _, r := range t.of(int(gate)) {
			refs = append(refs, image(r))
		}
		slices.Sort(refs)
		to := t.slots[t.find(refs)]
		if to == 0 { // no gate has these inputs
			return nil
		}
		m.images[gate] = Ref(2 * to)
		m.work += len(refs)
	}
	result := make([]Ref, 1+m.inputs) // by gate of an input
	m.eachInput(func(v int, _ uint64, r Ref) { result[v] = r })
	same := image(m.of(c.Terminal)) == m.of(c.Terminal)
	for v := 1; v <= m.inputs; v++ {
		same = same && image(result[v]) == result[partner[v]]
	}
	defOf := map[int32]Ref{}
	for i, l := range m.loops {
		defOf[l] = m.defs[i]
	}
	for i, l := range m.loops {
		same = same && image(m.defs[i]) == defOf[partner[l]]
	}
	for role, goals := range m.goals {
		others := m.goals[roles[role]]
		same = same && len(others) == len(goals)
		for i, goal := range goals {
			same = same && others[i].Value == goal.Value && m.of(others[i].Holds) == image(m.of(goal.Holds))
		}
	}
	if !same {
		return nil
	}
	images := make([]int32, m.inputs)
	for k := range images {
		images[k] = partner[1+k] - 1
	}
	return images
}
