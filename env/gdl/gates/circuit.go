package gates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"ludus/env/gdl/ground"
)

// Circuit is the rules of a game as logic gates. From a position it computes legal moves, terminal and goals; from
// moves it computes the next position. It is immutable.
type Circuit struct {
	Program  *ground.Program // without its rules
	Next     []Ref           // the next value of each fluent of the program
	Legal    [][]Ref         // Legal[r][m]: move m of role r is legal
	Terminal Ref
	Goals    [][]Goal // by role

	table  *table
	blocks []block
	moves  []int         // for each role: the gate of its first move
	plan   [plans][]step // gates to compute, in topological order
}

// Goal gives a role Value points in final positions where Holds is true.
type Goal struct {
	Value int
	Holds Ref
}

// block holds propositions that depend on each other, a strongly connected component: the gates from..to-1. Its loops
// are variables that stand for the propositions; they are computed repeatedly until each equals its definition.
type block struct {
	from, to    int
	loops, defs []Ref
}

// step is a group of gates that a plan computes together: those of a block, or gates outside of blocks.
type step struct {
	gates []int32 // ascending
	runs  []run   // the same gates, ordered for speed
	block *block  // nil without loops
}

// run is a list of gates with the same number of inputs, each followed by its inputs. So a loop over them needs few
// branches.
type run struct {
	inputs int
	refs   []Ref
}

// New compiles a program. It returns an error if the circuit has more than maxGates gates or is deeper than maxDepth, and
// ctx's cause if that ends.
func New(ctx context.Context, p *ground.Program) (*Circuit, error) {
	c := &Circuit{Program: p}
	inputs := len(p.Fluents)
	for _, moves := range p.Moves {
		c.moves = append(c.moves, 1+inputs)
		inputs += len(moves)
	}
	c.table = newTable(inputs)
	if err := c.Until(ctx, c.compile); err != nil {
		return nil, err
	}
	return c, nil
}

// compile is New for a circuit that has its inputs.
func (c *Circuit) compile() error {
	refs := c.build()
	if c.table.n() > maxGates {
		return fmt.Errorf("the game needs more than %d gates", maxGates)
	}
	if c.depth() > maxDepth {
		return fmt.Errorf("the game needs more than %d gates one after the other", maxDepth)
	}
	c.setResults(refs)
	c.order()
	// The rules are gates now; keep only names and numbers.
	p := c.Program
	c.Program = &ground.Program{Terms: p.Terms, Roles: p.Roles, Init: p.Init, Fluents: p.Fluents, Moves: p.Moves, Static: p.Static, Never: p.Never}
	return nil
}

// setResults sets Next, Legal, Goals and Terminal, given the literal of each atom; those of missing atoms are False.
func (c *Circuit) setResults(refs map[ground.Term]Ref) {
	p := c.Program
	for _, f := range p.Fluents {
		c.Next = append(c.Next, refs[p.Next[f]])
	}
	for role := range p.Roles {
		var legal []Ref
		for _, a := range p.Legal[role] {
			legal = append(legal, refs[a])
		}
		c.Legal = append(c.Legal, legal)
		var goals []Goal
		for _, v := range slices.Sorted(maps.Keys(p.Goal[role])) {
			if r := refs[p.Goal[role][v]]; r != False {
				goals = append(goals, Goal{v, r})
			}
		}
		c.Goals = append(c.Goals, goals)
	}
	c.Terminal = refs[p.Terminal]
}

// Limits of a circuit. Functions that follow gates to their inputs recurse up to maxDepth times.
const (
	maxGates = 8 << 20
	maxDepth = 1 << 16
)

// depth returns the length of the longest path from an input to a gate.
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

// Fluent returns the literal of a fluent: an input of the circuit.
func (c *Circuit) Fluent(i int) Ref { return Ref(2 * (1 + i)) }

// Move returns the literal of a role's move: an input of the circuit, true if the role plays the move.
func (c *Circuit) Move(role, i int) Ref { return Ref(2 * (c.moves[role] + i)) }

// Size returns how many gates [Circuit.Position], [Circuit.Moves] and [Circuit.FinalGoals] compute together.
func (c *Circuit) Size() (gates int) {
	for _, plan := range c.plan {
		for _, s := range plan {
			gates += len(s.gates)
		}
	}
	return gates
}

// builder compiles atoms (propositions) into gates.
type builder struct {
	circuit *Circuit
	refs    map[ground.Term]Ref
}

// build compiles the atoms that results need into gates, in topological order, and returns the literal of each atom. It
// stops early if there are too many gates.
func (c *Circuit) build() map[ground.Term]Ref {
	p := c.Program
	b := &builder{circuit: c, refs: map[ground.Term]Ref{}}
	var results []ground.Term
	for i, f := range p.Fluents {
		b.refs[p.True[i]] = c.Fluent(i)
		if a, ok := p.Next[f]; ok {
			results = append(results, a)
		}
	}
	for role, moves := range p.Moves {
		for i := range moves {
			b.refs[p.Does[role][i]] = c.Move(role, i)
		}
		results = append(results, p.Legal[role]...)
		for _, v := range slices.Sorted(maps.Keys(p.Goal[role])) {
			results = append(results, p.Goal[role][v])
		}
	}
	if p.Terminal != 0 {
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

// dependencies lists the atoms in the bodies of an atom's rules.
func (b *builder) dependencies(a ground.Term) (list []ground.Term) {
	b.circuit.table.tick()
	for _, body := range b.circuit.Program.Rules[a] {
		for _, l := range body {
			list = append(list, l.Atom())
		}
	}
	return list
}

// build compiles a strongly connected component of atoms: a single atom becomes a gate, several become a block.
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

// dependsOn reports whether one of the bodies contains the atom a itself, not negated.
func dependsOn(bodies [][]ground.Literal, a ground.Term) bool {
	return slices.ContainsFunc(bodies, func(body []ground.Literal) bool {
		return slices.Contains(body, ground.Literal(a))
	})
}

// define compiles the rules of an atom into a disjunction of conjunctions.
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
	ofPosition = iota // gates that depend only on fluents
	ofMoves           // gates that depend on moves
	ofGoals           // gates that only goals need
	plans
)

// order makes the plans ofPosition, ofMoves and ofGoals: it appends each gate that the next position, legal moves, the end of
// the game or goals need to one of them, in topological order.
func (c *Circuit) order() {
	t := c.table
	play, all := c.newMarker(t), c.newMarker(t)
	c.eachResult(nil, play.mark)
	c.eachResult(c.Goals, all.mark)
	late := make([]bool, t.n()) // for each gate: it depends on moves
	for gate := c.moves[0]; gate < c.firstGate(); gate++ {
		late[gate] = true
	}
	mark := func(gate int) { // sets late of a gate from its inputs
		for _, r := range t.of(gate) {
			late[gate] = late[gate] || late[r.Gate()]
		}
	}
	plan := func(gate int) int {
		switch {
		case !play.marked[gate]:
			return ofGoals
		case late[gate]:
			return ofMoves
		}
		return ofPosition
	}
	next := 0
	for gate := c.firstGate(); gate < t.n(); gate++ {
		for next < len(c.blocks) && c.blocks[next].to <= gate {
			next++
		}
		if next < len(c.blocks) && c.blocks[next].from == gate && all.marked[gate] {
			c.orderBlock(&c.blocks[next], all.marked, late, mark, plan)
			gate = c.blocks[next].to - 1
			continue
		}
		mark(gate)
		if all.marked[gate] {
			c.append(plan(gate), int32(gate))
		}
	}
	c.setRuns()
}

// orderBlock adds the gates of a block to the plans. Gates that have numbers of the block but do not depend on its
// loops, because structural hashing shares them, come before the block.
func (c *Circuit) orderBlock(bl *block, marked, late []bool, mark func(gate int), plan func(gate int) int) {
	t := c.table
	inside := make([]bool, bl.to-bl.from) // gates that depend on the loops
	for i := range bl.loops {
		inside[i] = true // loops are the first gates of the block
	}
	some := false // a gate inside depends on moves
	s := step{block: bl}
	for k := bl.from + len(bl.loops); k < bl.to; k++ {
		mark(k)
		for _, r := range t.of(k) {
			inside[k-bl.from] = inside[k-bl.from] || r.Gate() >= bl.from && inside[r.Gate()-bl.from]
		}
		switch {
		case !marked[k]:
		case inside[k-bl.from]:
			some = some || late[k]
			s.gates = append(s.gates, int32(k))
		default:
			c.append(plan(k), int32(k))
		}
	}
	for k, in := range inside {
		late[bl.from+k] = late[bl.from+k] || in && some
	}
	i := plan(bl.from) // all of the block goes where its first loop belongs
	c.plan[i] = append(c.plan[i], s)
}

// setRuns fills the runs of each step: it sorts its gates by depth, then by number of inputs, and splits them where the
// number of inputs changes.
func (c *Circuit) setRuns() {
	t := c.table
	depth := make([]int, t.n()) // depth within the current step; 0 for all other gates
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

// marker marks gates and everything that they depend on. Its table contains the circuit's gates and may have more.
type marker struct {
	table   *table
	blockOf map[int]*block // the block of each loop
	marked  []bool         // for each gate
}

// newMarker returns a marker that has marked nothing; t is the circuit's table or an extension of it.
func (c *Circuit) newMarker(t *table) *marker {
	m := &marker{t, map[int]*block{}, make([]bool, t.n())}
	for i := range c.blocks {
		for _, l := range c.blocks[i].loops {
			m.blockOf[l.Gate()] = &c.blocks[i]
		}
	}
	return m
}

// mark marks the gate of r and all gates that it depends on. A loop stands for a proposition of a block, so it depends
// on all loops and definitions of the block.
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

// b2i returns 1 for true and 0 for false.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// firstGate returns the number of the first gate that is not an input.
func (c *Circuit) firstGate() int {
	last := len(c.moves) - 1
	return c.moves[last] + len(c.Program.Moves[last])
}

// append adds a gate outside of blocks to the last step of a plan.
func (c *Circuit) append(plan int, gate int32) {
	p := &c.plan[plan]
	if k := len(*p); k == 0 || (*p)[k-1].block != nil {
		*p = append(*p, step{})
	}
	s := &(*p)[len(*p)-1]
	s.gates = append(s.gates, gate)
}

// eachResult calls visit for every result of the circuit except its goals, and for the given goals of each role.
func (c *Circuit) eachResult(goals [][]Goal, visit func(r Ref)) {
	for _, r := range c.Next {
		visit(r)
	}
	visit(c.Terminal)
	for _, legal := range c.Legal {
		for _, r := range legal {
			visit(r)
		}
	}
	for _, list := range goals {
		for _, goal := range list {
			visit(goal.Holds)
		}
	}
}
