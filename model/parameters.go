package model

import (
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// parameters are the tensors of a network in memory that graphs share: one aligned slice each, in the order of
// infer.Weights.
type parameters struct {
	config infer.Config
	names  []string
	shapes []tensor.Shape
	index  map[string]int
	values [][]float32
}

// newParameters copies w.
func newParameters(w *infer.Weights) *parameters {
	p := &parameters{config: w.Config, index: make(map[string]int)}
	for i, t := range w.Tensors {
		p.names = append(p.names, t.Name)
		p.shapes = append(p.shapes, t.Shape)
		p.index[t.Name] = i
		p.values = append(p.values, kernel.Aligned(len(t.Data)))
		copy(p.values[i], t.Data)
	}
	return p
}

// zeros returns one zeroed slice for each parameter.
func (p *parameters) zeros() [][]float32 {
	z := make([][]float32, len(p.values))
	for i, v := range p.values {
		z[i] = kernel.Aligned(len(v))
	}
	return z
}

// piece is a run of values of one parameter: the unit in which work on the parameters is split over goroutines.
type piece struct{ parameter, from, to int }

const pieceValues = 1 << 14

// pieces cuts all parameters.
func (p *parameters) pieces() []piece {
	var pieces []piece
	for i, values := range p.values {
		for from := 0; from < len(values); from += pieceValues {
			pieces = append(pieces, piece{i, from, min(from+pieceValues, len(values))})
		}
	}
	return pieces
}

// of is the piece of values, which has one slice a parameter.
func (p piece) of(values [][]float32) []float32 { return values[p.parameter][p.from:p.to] }

// dense wraps data as the tensor of parameter i.
func (p *parameters) dense(i int, data []float32) *tensor.Dense {
	return tensor.New(tensor.WithShape(p.shapes[i]...), tensor.WithBacking(data))
}

// nodes adds the parameters to a graph as inputs that share their memory.
func (p *parameters) nodes(g *gorgonia.ExprGraph) gorgonia.Nodes {
	nodes := make(gorgonia.Nodes, len(p.values))
	for i, name := range p.names {
		nodes[i] = gorgonia.NewTensor(g, tensor.Float32, len(p.shapes[i]), gorgonia.WithShape(p.shapes[i]...),
			gorgonia.WithName(name), gorgonia.WithValue(p.dense(i, p.values[i])))
	}
	return nodes
}
