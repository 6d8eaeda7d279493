package model

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer"
)

// op is a differentiable Gorgonia operation whose work is a Go function on slices. It owns its output and reuses it in
// every run, so running a graph allocates little; a value read from the graph is valid until the next run.
//
// Gorgonia asks that the name be unique in the graph (equal nodes merge) and that Type use no type variable 'b'.
type op struct {
	name   string
	inputs []tensor.Shape
	shape  tensor.Shape // of the output; empty for a scalar

	// forward computes out from in.
	forward  func(in [][]float32, out []float32)
	backward backward
	wrt      []bool // inputs that have a gradient; nil if none has

	out     []float32
	value   gorgonia.Value // wraps out; nil for a scalar
	in      [][]float32    // scratch of Do
	scalars [2]float32     // scratch for scalar inputs, by their place
}

// backward adds nodes for the gradients of an op's inputs, given that of its output; nil where there is none.
type backward func(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error)

func newOutput(shape tensor.Shape) ([]float32, gorgonia.Value) {
	if len(shape) == 0 {
		return make([]float32, 1), nil
	}
	out := infer.Aligned(shape.TotalSize())
	return out, tensor.New(tensor.WithShape(shape...), tensor.WithBacking(out))
}

func typeOf(shape tensor.Shape) hm.Type {
	if len(shape) == 0 {
		return tensor.Float32
	}
	return gorgonia.TensorType{Dims: len(shape), Of: tensor.Float32}
}

func (o *op) Arity() int { return len(o.inputs) }

func (o *op) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.inputs)+1)
	for _, s := range o.inputs {
		types = append(types, typeOf(s))
	}
	return hm.NewFnType(append(types, typeOf(o.shape))...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape, nil }

// Do runs the op. Gorgonia hands scalars over as numbers and all else as dense tensors.
func (o *op) Do(values ...gorgonia.Value) (gorgonia.Value, error) {
	o.in = o.in[:0]
	for i, v := range values {
		switch v := v.(type) {
		case *tensor.Dense:
			o.in = append(o.in, v.Float32s())
		case *gorgonia.F32:
			o.scalars[i] = float32(*v)
			o.in = append(o.in, o.scalars[i:i+1])
		default:
			return nil, fmt.Errorf("%s: input of type %T; want a dense float32 tensor", o.name, v)
		}
	}
	o.forward(o.in, o.out)
	if o.value == nil {
		return gorgonia.NewF32(o.out[0]), nil
	}
	return o.value, nil
}

func (o *op) DiffWRT(int) []bool { return o.wrt }

func (o *op) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	return o.backward(in, out, grad)
}

func (o *op) ReturnsPtr() bool      { return false }
func (o *op) CallsExtern() bool     { return false }
func (o *op) OverwritesInput() int  { return -1 }
func (o *op) WriteHash(h hash.Hash) { fmt.Fprintf(h, "ludus %s", o.name) }
func (o *op) String() string        { return o.name }

func (o *op) Hashcode() uint32 {
	h := fnv.New32a()
	o.WriteHash(h)
	return h.Sum32()
}

// building guards the making of graphs, during which Gorgonia writes to counters of its own package.
var building sync.Mutex

// scratch is memory that the ops of one graph share; they run one after another.
type scratch struct{ buffers [4][]float32 }

// get returns buffer i with n values of any content.
func (s *scratch) get(i, n int) []float32 {
	if len(s.buffers[i]) < n {
		s.buffers[i] = infer.Aligned(n)
	}
	return s.buffers[i][:n]
}

// apply adds the op to the graph of its inputs.
func (o *op) apply(inputs ...*gorgonia.Node) (*gorgonia.Node, error) {
	for _, n := range inputs {
		o.inputs = append(o.inputs, n.Shape())
	}
	o.out, o.value = newOutput(o.shape)
	return gorgonia.ApplyOp(o, inputs...)
}

// applyGradient adds a gradient op whose main result is its output and whose side results, written by the same forward,
// become nodes of their own that depend on it.
func (o *op) applyGradient(sides []side, inputs ...*gorgonia.Node) (gorgonia.Nodes, error) {
	main, err := o.apply(inputs...)
	if err != nil {
		return nil, err
	}
	nodes := gorgonia.Nodes{main}
	for _, s := range sides {
		n, err := s.apply(o.name, main)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// side is a further result of a gradient op.
type side struct {
	name  string
	shape tensor.Shape
	data  []float32
}

func newSide(name string, shape tensor.Shape) side {
	return side{name, shape, infer.Aligned(shape.TotalSize())}
}

// apply makes a node that shows what the op behind main wrote to the side's data.
func (s side) apply(prefix string, main *gorgonia.Node) (*gorgonia.Node, error) {
	view := &op{
		name:    prefix + "." + s.name,
		inputs:  []tensor.Shape{main.Shape()},
		shape:   s.shape,
		forward: func([][]float32, []float32) {},
		out:     s.data,
		value:   tensor.New(tensor.WithShape(s.shape...), tensor.WithBacking(s.data)),
	}
	return gorgonia.ApplyOp(view, main)
}
