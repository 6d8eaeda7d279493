package network

import (
	"fmt"
	"slices"

	"ludus/env/gdl/ground"
)

// Network computes what holds in positions, and the positions after moves. It is immutable.
type Network struct {
	Program  *ground.Program
	Next     []Ref   // by fluent of the program
	Legal    [][]Ref // by role, then move
	Terminal Ref
	Goals    [][]Goal // by role

	gates  *gates
	blocks []block
	moves  []int  // by role: the gate of its first move
	late   []bool // by gate: depends on moves
	plan   [2][]step
}

// Goal says that a role gets Value points where Holds is true.
type Goal struct {
	Value int
	Holds Ref
}

// block are gates that depend on each other: gates from to to are computed again until the loops equal their
// definitions.
type block struct {
	from, to    int
	loops, defs []Ref
}

// step is a run of gates to compute, or a block if it has loops.
type step struct {
	gates []int32
	block *block
}

// New returns the network of a program. The error is about a size beyond maxGates.
func New(p *ground.Program) (*Network, error) {
	n := &Network{Program: p}
	inputs := len(p.Fluents)
	for _, moves := range p.Moves {
		n.moves = append(n.moves, 1+inputs)
		inputs += len(moves)
	}
	b := &builder{network: n, refs: map[ground.Term]Ref{}}
	n.gates = newGates(inputs)
	for i, f := range p.Fluents {
		b.refs[p.True[f]] = n.Fluent(i)
	}
	for role, moves := range p.Moves {
		for i, m := range moves {
			b.refs[p.Does[role][m]] = n.Move(role, i)
		}
	}
	for _, f := range p.Fluents {
		n.Next = append(n.Next, b.ref(p.Next, f))
	}
	for role, moves := range p.Moves {
		var list []Ref
		for _, m := range moves {
			list = append(list, b.ref(p.Legal[role], m))
		}
		n.Legal = append(n.Legal, list)
		var goals []Goal
		for v := range 101 {
			if a, ok := p.Goal[role][v]; ok {
				if r := b.atom(a); r != False {
					goals = append(goals, Goal{v, r})
				}
			}
		}
		n.Goals = append(n.Goals, goals)
	}
	n.Terminal = False
	if p.Terminal >= 0 {
		n.Terminal = b.atom(p.Terminal)
	}
	if n.gates.n() > maxGates {
		return nil, fmt.Errorf("the game needs more than %d gates", maxGates)
	}
	n.order()
	return n, nil
}

const maxGates = 8 << 20

// Fluent returns the input of a fluent.
func (n *Network) Fluent(i int) Ref { return Ref(2 * (1 + i)) }

// Move returns the input of a role's move.
func (n *Network) Move(role, i int) Ref { return Ref(2 * (n.moves[role] + i)) }

// Size returns the numbers of gates that are computed for a position and for a move.
func (n *Network) Size() (position, move int) {
	var sizes [2]int
	for late, plan := range n.plan {
		for _, s := range plan {
			sizes[late] += len(s.gates)
		}
	}
	return sizes[0], sizes[1]
}

// builder makes the gates of atoms.
type builder struct {
	network *Network
	refs    map[ground.Term]Ref
	number  map[ground.Term]int // Tarjan's algorithm
	low     map[ground.Term]int
	stack   []ground.Term
}

// ref returns the gate of the atom that the map has for key; false if it has none.
func (b *builder) ref(atoms map[ground.Term]ground.Term, key ground.Term) Ref {
	if a, ok := atoms[key]; ok {
		return b.atom(a)
	}
	return False
}

// atom returns the gate of an atom.
func (b *builder) atom(a ground.Term) Ref {
	if r, ok := b.refs[a]; ok {
		return r
	}
	if b.number == nil {
		b.number, b.low = map[ground.Term]int{}, map[ground.Term]int{}
	}
	b.visit(a)
	return b.refs[a]
}

// visit builds the atoms that a depends on, and a, strongly connected component by component.
func (b *builder) visit(a ground.Term) {
	type frame struct {
		atom    ground.Term
		body, k int
	}
	open := func(a ground.Term) frame {
		b.number[a] = len(b.number) + 1
		b.low[a] = b.number[a]
		b.stack = append(b.stack, a)
		return frame{atom: a}
	}
	rules := b.network.Program.Rules
	frames := []frame{open(a)}
frames:
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		bodies := rules[f.atom]
		for ; f.body < len(bodies); f.body, f.k = f.body+1, 0 {
			for ; f.k < len(bodies[f.body]); f.k++ {
				l := bodies[f.body][f.k]
				to := ground.Term(l)
				if l < 0 {
					to = ground.Term(^l)
				}
				if _, built := b.refs[to]; built {
					continue
				}
				if b.number[to] == 0 {
					frames = append(frames, open(to))
					continue frames
				}
				b.low[f.atom] = min(b.low[f.atom], b.low[to])
			}
		}
		done := f.atom
		frames = frames[:len(frames)-1]
		if b.low[done] < b.number[done] {
			continue
		}
		i := slices.Index(b.stack, done)
		component := slices.Clone(b.stack[i:])
		b.stack = b.stack[:i]
		b.build(component)
	}
}

// build makes the gates of a component.
func (b *builder) build(component []ground.Term) {
	g := b.network.gates
	rules := b.network.Program.Rules
	if a := component[0]; len(component) == 1 && !dependsOn(rules[a], a) {
		b.refs[a] = b.define(a)
		return
	}
	bl := block{from: g.n()}
	for _, a := range component {
		b.refs[a] = g.loop()
		bl.loops = append(bl.loops, b.refs[a])
	}
	for _, a := range component {
		bl.defs = append(bl.defs, b.define(a))
	}
	bl.to = g.n()
	b.network.blocks = append(b.network.blocks, bl)
}

func dependsOn(bodies [][]ground.Literal, a ground.Term) bool {
	return slices.ContainsFunc(bodies, func(body []ground.Literal) bool {
		return slices.Contains(body, ground.Literal(a))
	})
}

// define returns the disjunction of an atom's conjunctions.
func (b *builder) define(a ground.Term) Ref {
	var or, and []Ref
	for _, body := range b.network.Program.Rules[a] {
		and = and[:0]
		for _, l := range body {
			if l < 0 {
				and = append(and, b.refs[ground.Term(^l)].Not())
			} else {
				and = append(and, b.refs[ground.Term(l)])
			}
		}
		or = append(or, b.network.gates.and(and))
	}
	return b.network.gates.or(or)
}

// order plans which gates to compute, in ascending order: those that results need, first those that depend on positions
// alone, then those that depend on moves.
func (n *Network) order() {
	g := n.gates
	needed := make([]bool, g.n())
	blockOf := map[int]*block{}
	for i := range n.blocks {
		for _, l := range n.blocks[i].loops {
			blockOf[l.Gate()] = &n.blocks[i]
		}
	}
	var stack []int
	need := func(r Ref) {
		if !needed[r.Gate()] {
			needed[r.Gate()] = true
			stack = append(stack, r.Gate())
		}
	}
	n.eachResult(need)
	for len(stack) > 0 {
		gate := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, r := range g.of(gate) {
			need(r)
		}
		if bl := blockOf[gate]; bl != nil {
			for _, d := range bl.defs {
				need(d)
			}
		}
	}
	n.late = make([]bool, g.n())
	for gate := n.moves[0]; gate < n.firstGate(); gate++ {
		n.late[gate] = true
	}
	mark := func(gate int) {
		for _, r := range g.of(gate) {
			n.late[gate] = n.late[gate] || n.late[r.Gate()]
		}
	}
	next := 0
	for gate := n.firstGate(); gate < g.n(); gate++ {
		for next < len(n.blocks) && n.blocks[next].to <= gate {
			next++
		}
		if next == len(n.blocks) || n.blocks[next].from != gate {
			mark(gate)
			if needed[gate] {
				n.append(n.late[gate], int32(gate))
			}
			continue
		}
		bl := &n.blocks[next]
		late := false
		for k := bl.from; k < bl.to; k++ {
			mark(k)
			late = late || n.late[k] && needed[k]
		}
		s := step{block: bl}
		for k := bl.from; k < bl.to; k++ {
			n.late[k] = late
			if needed[k] && len(g.of(k)) > 0 {
				s.gates = append(s.gates, int32(k))
			}
		}
		if len(s.gates) > 0 {
			i := b2i(late)
			n.plan[i] = append(n.plan[i], s)
		}
		gate = bl.to - 1
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// firstGate is the first gate that is no input.
func (n *Network) firstGate() int {
	last := len(n.moves) - 1
	return n.moves[last] + len(n.Program.Moves[last])
}

// append adds a gate to the plan for positions or for moves.
func (n *Network) append(late bool, gate int32) {
	p := &n.plan[b2i(late)]
	if k := len(*p); k == 0 || (*p)[k-1].block != nil {
		*p = append(*p, step{})
	}
	s := &(*p)[len(*p)-1]
	s.gates = append(s.gates, gate)
}

// eachResult calls visit with every result of the network.
func (n *Network) eachResult(visit func(r Ref)) {
	for _, r := range n.Next {
		visit(r)
	}
	visit(n.Terminal)
	for role := range n.Legal {
		for _, r := range n.Legal[role] {
			visit(r)
		}
		for _, goal := range n.Goals[role] {
			visit(goal.Holds)
		}
	}
}
