package model

import (
	"fmt"
	"hash"
	"hash/fnv"
	"sync"

	"github.com/chewxy/hm"
	"gorgonia.org/gorgonia"
	"gorgonia.org/tensor"

	"ludus/model/infer/kernel"
)

// layer is a differentiable part of the network that works on slices. forward may keep values for backward.
type layer interface {
	// forward computes out from the inputs in. out still contains the result of the last run.
	forward(in [][]float32, out []float32)
	// backward computes the gradient dIn[i] of each input in[i] from the output's gradient dOut; dIn[i] is nil for
	// inputs without a gradient. If the first input has the output's shape, dIn[0] and dOut share memory, which saves
	// cache.
	backward(in [][]float32, out, dOut []float32, dIn [][]float32)
}

// op is an operation of a Gorgonia graph. It owns its output and reuses it in every run, so values read from the graph
// are valid until the next run.
//
// The name must be unique in the graph, because Gorgonia merges equal nodes, and Type must not use type variable 'b'.
type op struct {
	name   string
	inputs gorgonia.Nodes
	out    []float32
	shape  tensor.Shape // of out; empty for a scalar

	run      func(in [][]float32, out []float32)
	layer    layer  // the layer that SymDiff differentiates; nil in a gradient
	gradient []bool // whether each input has a gradient; nil if none has
}

// typeOf is Gorgonia's type of a tensor.
func typeOf(shape tensor.Shape) hm.Type {
	if len(shape) == 0 {
		return tensor.Float32
	}
	return gorgonia.TensorType{Dims: len(shape), Of: tensor.Float32}
}

func (o *op) Arity() int { return len(o.inputs) }

func (o *op) Type() hm.Type {
	types := make([]hm.Type, 0, len(o.inputs)+1)
	for _, n := range o.inputs {
		types = append(types, typeOf(n.Shape()))
	}
	return hm.NewFnType(append(types, typeOf(o.shape))...)
}

func (o *op) InferShape(...gorgonia.DimSizer) (tensor.Shape, error) { return o.shape, nil }

// Do is for Gorgonia's own machines, which never run this op; see [machine].
func (o *op) Do(...gorgonia.Value) (gorgonia.Value, error) {
	panic("model: op in a machine of Gorgonia")
}

// memoryOf returns the data of a dense float32 tensor, or a copy of a scalar. The graph has no other values.
func memoryOf(v gorgonia.Value) []float32 {
	if scalar, ok := v.(*gorgonia.F32); ok {
		return []float32{float32(*scalar)}
	}
	return v.(*tensor.Dense).Float32s()
}

func (o *op) DiffWRT(int) []bool { return o.gradient }

// SymDiff adds an op that computes all gradients of the layer. Its output is the first gradient. The other gradients
// are ops without work that depend on it. The first input's gradient has memory of its own, or shares out's gradient; the
// memory of the others, the parameters' gradients, is set before each run (see graph.gradients).
func (o *op) SymDiff(in gorgonia.Nodes, out, grad *gorgonia.Node) (gorgonia.Nodes, error) {
	nodes := make(gorgonia.Nodes, len(in))
	gradients, dIn := make([]*op, len(in)), make([][]float32, len(in))
	var main *gorgonia.Node
	for i, n := range in {
		if !o.gradient[i] {
			continue
		}
		g := &op{name: fmt.Sprintf("%s.grad%d", o.name, i), shape: n.Shape()}
		gradients[i] = g
		if i == 0 && n.Shape().Eq(o.shape) {
			g.out = grad.Op().(*op).out
		} else if i == 0 {
			g.out = kernel.Aligned(n.Shape().TotalSize())
		}
		if main == nil {
			g.inputs = append(append(g.inputs, in...), out, grad)
			g.run = func(values [][]float32, _ []float32) {
				for i, g := range gradients {
					if g != nil {
						dIn[i] = g.out
					}
				}
				o.layer.backward(values[:len(in)], values[len(in)], values[len(in)+1], dIn)
			}
		} else {
			g.inputs = gorgonia.Nodes{main}
			g.run = func([][]float32, []float32) {}
		}
		var err error
		if nodes[i], err = gorgonia.ApplyOp(g, g.inputs...); err != nil {
			return nil, err
		}
		if main == nil {
			main = nodes[i]
		}
	}
	return nodes, nil
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

// building serialises the construction of graphs, because Gorgonia changes global counters during it.
var building sync.Mutex

// apply adds a layer to the graph of its inputs and returns the node of its output. Inputs in constant have no
// gradient.
func apply(name string, l layer, shape tensor.Shape, constant, inputs gorgonia.Nodes) *gorgonia.Node {
	out := kernel.Aligned(max(shape.TotalSize(), 1))
	o := &op{name: name, inputs: inputs, out: out, shape: shape, run: l.forward, layer: l}
	for _, n := range inputs {
		o.gradient = append(o.gradient, !constant.Contains(n))
	}
	return must(gorgonia.ApplyOp(o, inputs...))
}

// must returns result and panics on an error: Gorgonia rejects a graph only if this package has a bug.
func must[T any](result T, err error) T {
	if err != nil {
		panic("model: Gorgonia rejects the graph: " + err.Error())
	}
	return result
}
