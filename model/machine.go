package model

import (
	"slices"

	"gorgonia.org/gorgonia"
)

// machine is a [gorgonia.VM] for graphs whose nodes are inputs, constants and ops of this package. It finds all memory
// once, so that a run allocates nothing; Gorgonia's own tape machine makes a goroutine, two channels and some ten small
// objects an operation in every run.
type machine struct {
	g     *gorgonia.ExprGraph
	steps []step
}

// step is one op with the memory of its inputs.
type step struct {
	run func(in [][]float32, out []float32)
	in  [][]float32
	out []float32
}

// newMachine orders the ops of a graph.
func newMachine(g *gorgonia.ExprGraph) *machine {
	m := &machine{g: g}
	memory := make(map[*gorgonia.Node][]float32)
	for _, n := range slices.Backward(check(gorgonia.Sort(g))) { // Sort puts results before what they depend on
		o, ok := n.Op().(*op)
		if !ok {
			memory[n] = check(memoryOf(n.Value()))
			continue
		}
		memory[n] = o.out
		s := step{run: o.run, out: o.out}
		for _, input := range o.inputs {
			s.in = append(s.in, memory[input])
		}
		m.steps = append(m.steps, s)
	}
	return m
}

// RunAll runs every op once. It never fails.
func (m *machine) RunAll() error {
	for _, s := range m.steps {
		s.run(s.in, s.out)
	}
	return nil
}

// Reset does nothing: a run leaves no state behind.
func (m *machine) Reset() {}

// Close does nothing: there is nothing to free.
func (m *machine) Close() error { return nil }
