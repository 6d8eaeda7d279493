package gates

import (
	"cmp"
	"fmt"
	"slices"

	"ludus/env/gdl/ground"
)

// Circuit computes the propositions of positions and the positions after moves. It is immutable.
type Circuit struct {
	Program  *ground.Program // without its rules
	Next     []Ref           // by fluent of the program: its value in the next position
	Legal    [][]Ref         // by role, then move
	Terminal Ref
	Goals    [][]Goal // by role

	table  *table
	blocks []block
	moves  []int         // by role: the gate of its first move
	late   []bool        // by gate: depends on moves
	plan   [plans][]step // in topological order
}

// Goal gives a role Value points in final positions where Holds is true.
type Goal struct {
	Value int
	Holds Ref
}

// block is a strongly connected component of propositions: the gates from..to-1. Its loops are variables that stand for the
// propositions; they are computed again until each equals its definition.
type block struct {
	from, to    int
	loops, defs []Ref
}

// step is a part of a plan: the gates of a block, or gates outside of blocks.
type step struct {
	gates []int32 // ascending
	runs  []run   // the same gates, ordered for speed
	block *block  // nil without loops
}

// run lists gates with the same number of inputs, each followed by its inputs, so that computing them needs few branches.
type run struct {
	inputs int
	refs   []Ref
}

// New compiles a program. It returns an error if the circuit has more than maxGates gates or is deeper than maxDepth.
func New(p *ground.Program) (*Circuit, error) {
	c := &Circuit{Program: p}
	inputs := len(p.Fluents)
	for _, moves := range p.Moves {
		c.moves = append(c.moves, 1+inputs)
		inputs += len(moves)
	}
	c.table = newTable(inputs)
	refs := c.build()
	if c.table.n() > maxGates {
		return nil, fmt.Errorf("the game needs more than %d gates", maxGates)
	}
	if c.depth() > maxDepth {
		return nil, fmt.Errorf("the game needs more than %d gates one after the other", maxDepth)
	}
	c.setResults(refs)
	c.order()
	// The rules are gates now; keep names and numbers only.
	c.Program = &ground.Program{Terms: p.Terms, Roles: p.Roles, Init: p.Init, Fluents: p.Fluents, Moves: p.Moves, Static: p.Static, Never: p.Never}
	return c, nil
}

// setResults sets the results of the circuit, given the literals of atoms.
func (c *Circuit) setResults(refs map[ground.Term]Ref) {
	p := c.Program
	find := func(atoms map[ground.Term]ground.Term, key ground.Term) Ref {
		if a, ok := atoms[key]; ok {
			return refs[a]
		}
		return False
	}
	for _, f := range p.Fluents {
		c.Next = append(c.Next, find(p.Next, f))
	}
	for role, moves := range p.Moves {
		var list []Ref
		for _, m := range moves {
			list = append(list, find(p.Legal[role], m))
		}
		c.Legal = append(c.Legal, list)
		var goals []Goal
		for v := range 101 {
			if a, ok := p.Goal[role][v]; ok && refs[a] != False {
				goals = append(goals, Goal{v, refs[a]})
			}
		}
		c.Goals = append(c.Goals, goals)
	}
	c.Terminal = False
	if p.Terminal >= 0 {
		c.Terminal = refs[p.Terminal]
	}
}

// Limits of a circuit. Functions that follow gates to their inputs recurse up to maxDepth times.
const (
	maxGates = 8 << 20
	maxDepth = 1 << 16
)

// depth returns the length of the longest path through gates.
func (c *Circuit) depth() int {
	depths, most := make([]int32, c.table.n()), int32(0)
	for gate := range depths {
		for _, r := range c.table.of(gate) {
			depths[gate] = max(depths[gate], 1+depths[r.Gate()])
		}
		most = max(most, depths[gate])
	}
	return int(most)
}

// Fluent returns the input of a fluent.
func (c *Circuit) Fluent(i int) Ref { return Ref(2 * (1 + i)) }

// Move returns the input of a role's move.
func (c *Circuit) Move(role, i int) Ref { return Ref(2 * (c.moves[role] + i)) }

// Size returns the numbers of gates that Position, Moves and FinalGoals compute.
func (c *Circuit) Size() (position, moves, goals int) {
	var sizes [plans]int
	for i, plan := range c.plan {
		for _, s := range plan {
			sizes[i] += len(s.gates)
		}
	}
	return sizes[ofPosition], sizes[ofMoves], sizes[ofGoals]
}

// builder compiles atoms (propositions) into gates.
type builder struct {
	circuit *Circuit
	refs    map[ground.Term]Ref
}

// build compiles the atoms that results need, in topological order, and returns the literals of all atoms. It stops if there
// are too many gates.
func (c *Circuit) build() map[ground.Term]Ref {
	p := c.Program
	b := &builder{circuit: c, refs: map[ground.Term]Ref{}}
	var results []ground.Term
	for i, f := range p.Fluents {
		b.refs[p.True[f]] = c.Fluent(i)
		if a, ok := p.Next[f]; ok {
			results = append(results, a)
		}
	}
	for role, moves := range p.Moves {
		for i, m := range moves {
			b.refs[p.Does[role][m]] = c.Move(role, i)
			results = append(results, p.Legal[role][m])
		}
		for v := range 101 {
			if a, ok := p.Goal[role][v]; ok {
				results = append(results, a)
			}
		}
	}
	if p.Terminal >= 0 {
		results = append(results, p.Terminal)
	}
	for _, component := range ground.Components(results, b.dependencies) {
		if _, isInput := b.refs[component[0]]; !isInput {
			b.build(component)
		}
		if c.table.n() > maxGates {
			break
		}
	}
	return b.refs
}

// dependencies lists the atoms in the rules of an atom.
func (b *builder) dependencies(a ground.Term) (list []ground.Term) {
	for _, body := range b.circuit.Program.Rules[a] {
		for _, l := range body {
			list = append(list, l.Atom())
		}
	}
	return list
}

// build compiles a strongly connected component: a single atom, or a block.
func (b *builder) build(component []ground.Term) {
	t := b.circuit.table
	rules := b.circuit.Program.Rules
	if a := component[0]; len(component) == 1 && !dependsOn(rules[a], a) {
		b.refs[a] = b.define(a)
		return
	}
	bl := block{from: t.n()}
	for _, a := range component {
		b.refs[a] = t.loop()
		bl.loops = append(bl.loops, b.refs[a])
	}
	for _, a := range component {
		bl.defs = append(bl.defs, b.define(a))
	}
	bl.to = t.n()
	b.circuit.blocks = append(b.circuit.blocks, bl)
}

func dependsOn(bodies [][]ground.Literal, a ground.Term) bool {
	return slices.ContainsFunc(bodies, func(body []ground.Literal) bool {
		return slices.Contains(body, ground.Literal(a))
	})
}

// define compiles the rules of an atom: a disjunction of conjunctions.
func (b *builder) define(a ground.Term) Ref {
	var or, and []Ref
	for _, body := range b.circuit.Program.Rules[a] {
		and = and[:0]
		for _, l := range body {
			r := b.refs[l.Atom()]
			if l < 0 {
				r = r.Not()
			}
			and = append(and, r)
		}
		or = append(or, b.circuit.table.and(and))
	}
	return b.circuit.table.or(or)
}

// Plans: lists of gates to compute.
const (
	ofPosition = iota // gates that depend on fluents alone
	ofMoves           // gates that depend on moves
	ofGoals           // gates that only goals need
	plans
)

// order plans the gates that results need, in topological order.
func (c *Circuit) order() {
	t := c.table
	play := c.newMarker(t)
	c.eachResult(play.mark)
	all := marker{t, play.blockOf, slices.Clone(play.marked)}
	for _, goals := range c.Goals {
		for _, goal := range goals {
			all.mark(goal.Holds)
		}
	}
	c.late = make([]bool, t.n())
	for gate := c.moves[0]; gate < c.firstGate(); gate++ {
		c.late[gate] = true
	}
	mark := func(gate int) {
		for _, r := range t.of(gate) {
			c.late[gate] = c.late[gate] || c.late[r.Gate()]
		}
	}
	plan := func(gate int) int {
		switch {
		case !play.marked[gate]:
			return ofGoals
		case c.late[gate]:
			return ofMoves
		}
		return ofPosition
	}
	defer c.setRuns()
	next := 0
	for gate := c.firstGate(); gate < t.n(); gate++ {
		for next < len(c.blocks) && c.blocks[next].to <= gate {
			next++
		}
		if next < len(c.blocks) && c.blocks[next].from == gate && all.marked[gate] {
			c.orderBlock(&c.blocks[next], all.marked, mark, plan)
			gate = c.blocks[next].to - 1
			continue
		}
		mark(gate)
		if all.marked[gate] {
			c.append(plan(gate), int32(gate))
		}
	}
}

// orderBlock plans the gates of a block. Gates that were numbered within the block but do not depend on its loops, because
// structural hashing shares them, come before it.
func (c *Circuit) orderBlock(bl *block, marked []bool, mark func(gate int), plan func(gate int) int) {
	t := c.table
	inside := make([]bool, bl.to-bl.from) // depends on loops
	for i := range bl.loops {
		inside[i] = true
	}
	late := false
	s := step{block: bl}
	for k := bl.from + len(bl.loops); k < bl.to; k++ {
		mark(k)
		for _, r := range t.of(k) {
			inside[k-bl.from] = inside[k-bl.from] || r.Gate() >= bl.from && inside[r.Gate()-bl.from]
		}
		switch {
		case !marked[k]:
		case inside[k-bl.from]:
			late = late || c.late[k]
			s.gates = append(s.gates, int32(k))
		default:
			c.append(plan(k), int32(k))
		}
	}
	for k, in := range inside {
		c.late[bl.from+k] = c.late[bl.from+k] || in && late
	}
	i := plan(bl.from)
	c.plan[i] = append(c.plan[i], s)
}

// setRuns sorts the gates of each step by depth, then by number of inputs, and splits them into runs.
func (c *Circuit) setRuns() {
	t := c.table
	depth := make([]int, t.n()) // 1 and more for gates of the step
	for _, plan := range c.plan {
		for i := range plan {
			s := &plan[i]
			for _, gate := range s.gates {
				for _, r := range t.of(int(gate)) {
					depth[gate] = max(depth[gate], depth[r.Gate()]+1)
				}
			}
			sorted := slices.Clone(s.gates)
			slices.SortFunc(sorted, func(a, b int32) int {
				return cmp.Or(cmp.Compare(depth[a], depth[b]), cmp.Compare(len(t.of(int(a))), len(t.of(int(b)))), cmp.Compare(a, b))
			})
			for _, gate := range sorted {
				depth[gate] = 0
				refs := t.of(int(gate))
				if k := len(s.runs); k == 0 || s.runs[k-1].inputs != len(refs) {
					s.runs = append(s.runs, run{inputs: len(refs)})
				}
				last := &s.runs[len(s.runs)-1]
				last.refs = append(append(last.refs, Ref(2*gate)), refs...)
			}
		}
	}
}

// marker marks the cone of gates: the gates and all that they depend on. Its table contains the circuit's.
type marker struct {
	table   *table
	blockOf map[int]*block // by loop
	marked  []bool         // by gate
}

func (c *Circuit) newMarker(t *table) *marker {
	m := &marker{t, map[int]*block{}, make([]bool, t.n())}
	for i := range c.blocks {
		for _, l := range c.blocks[i].loops {
			m.blockOf[l.Gate()] = &c.blocks[i]
		}
	}
	return m
}

func (m *marker) mark(r Ref) {
	var stack []int
	need := func(r Ref) {
		if gate := r.Gate(); !m.marked[gate] {
			m.marked[gate] = true
			stack = append(stack, gate)
		}
	}
	need(r)
	for len(stack) > 0 {
		gate := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, r := range m.table.of(gate) {
			need(r)
		}
		if bl := m.blockOf[gate]; bl != nil {
			for i := range bl.loops {
				need(bl.loops[i])
				need(bl.defs[i])
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// firstGate is the first gate that is no input.
func (c *Circuit) firstGate() int {
	last := len(c.moves) - 1
	return c.moves[last] + len(c.Program.Moves[last])
}

// append adds a gate outside of blocks to a plan.
func (c *Circuit) append(plan int, gate int32) {
	p := &c.plan[plan]
	if k := len(*p); k == 0 || (*p)[k-1].block != nil {
		*p = append(*p, step{})
	}
	s := &(*p)[len(*p)-1]
	s.gates = append(s.gates, gate)
}

// eachResult calls visit with every result of the circuit but goals.
func (c *Circuit) eachResult(visit func(r Ref)) {
	for _, r := range c.Next {
		visit(r)
	}
	visit(c.Terminal)
	for role := range c.Legal {
		for _, r := range c.Legal[role] {
			visit(r)
		}
	}
}
