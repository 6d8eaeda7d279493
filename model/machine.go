package model

import (
	"slices"

	"gorgonia.org/gorgonia"
)

// machine runs graphs of inputs, constants and ops of this package. It resolves all memory when it is built, so a run
// allocates nothing. Gorgonia's tape machine allocates a goroutine, two channels and about ten small objects per
// operation in every run.
type machine struct{ steps []step }

// step is one op of the graph: out = run(in), in memory that is fixed.
type step struct {
	run func(in [][]float32, out []float32)
	in  [][]float32
	out []float32
}

// newMachine returns a machine that runs the ops of g in topological order.
func newMachine(g *gorgonia.ExprGraph) *machine {
	m := new(machine)
	memory := make(map[*gorgonia.Node][]float32)
	for _, n := range slices.Backward(must(gorgonia.Sort(g))) { // Sort returns dependents first
		o, ok := n.Op().(*op)
		if !ok {
			memory[n] = memoryOf(n.Value())
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

// run runs every op once.
func (m *machine) run() {
	for _, s := range m.steps {
		s.run(s.in, s.out)
	}
}
