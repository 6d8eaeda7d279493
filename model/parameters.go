package model

import (
	"slices"
	"strings"

	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// parameters are a network's weights in memory that all graphs share, and those of the reply head, which only training
// uses.
type parameters struct {
	weights *infer.Weights // the network, without the reply head
	tensors []infer.Tensor // all parameters: those of weights, then the reply head's
	values  [][]float32    // data of the tensors, each aligned
	leaves  []*leaf
}

// leaf is an input of the graphs: the folded weights of a convolution, or any other parameter as it is.
type leaf struct {
	name   string
	shape  []int
	values []float32
	index  int     // index of the parameter; for a convolution's weights the scale is next
	folded *folded // of a convolution's weights, otherwise nil
	matrix *matrix // of a linear layer, otherwise nil

	gradients []float32 // of the parts of a batch, stride values apart
	stride    int
}

// newParameters copies w and adds a reply head of zeros.
func newParameters(w *infer.Weights) *parameters {
	copied := *w
	p := &parameters{weights: &copied, tensors: append(slices.Clone(w.Tensors), newReplyHead(w)...)}
	for i := range p.tensors {
		t := &p.tensors[i]
		aligned := kernel.Aligned(len(t.Data))
		copy(aligned, t.Data)
		t.Data = aligned
		p.values = append(p.values, aligned)
	}
	p.weights.Tensors = p.tensors[:len(w.Tensors)]
	for i := 0; i < len(p.tensors); i++ {
		t := p.tensors[i]
		l := &leaf{name: t.Name, shape: t.Shape, values: t.Data, index: i}
		switch len(t.Shape) {
		case 4: // a convolution, whose scale is the next tensor
			f := newFolded(t.Data, p.values[i+1])
			l.shape, l.values, l.folded = []int{3, 3, f.out, f.in}, f.product, f
			i++ // the scale
		case 2:
			l.matrix = newMatrix(t.Shape[0], t.Shape[1], t.Data)
		}
		l.stride = kernel.PlaneStride(len(l.values))
		p.leaves = append(p.leaves, l)
	}
	return p
}

// newReplyHead returns the last layers of the reply head: zeros in the shapes of the policy head's.
func newReplyHead(w *infer.Weights) (head []infer.Tensor) {
	for _, t := range w.Tensors {
		if name, ok := strings.CutPrefix(t.Name, "policy."); ok && !strings.HasPrefix(name, "hidden.") {
			head = append(head, infer.Tensor{Name: "reply." + name, Shape: t.Shape, Data: make([]float32, len(t.Data))})
		}
	}
	return head
}

// part returns the leaf's gradient from part i of a batch.
func (l *leaf) part(i int) []float32 { return l.gradients[i*l.stride:][:len(l.values)] }

// reserve makes room for the gradients of n parts.
func (p *parameters) reserve(n int) {
	for _, l := range p.leaves {
		if len(l.gradients) < n*l.stride {
			l.gradients = kernel.Aligned(n * l.stride)
		}
	}
}

// zeros returns a zeroed slice for each parameter.
func (p *parameters) zeros() [][]float32 {
	z := make([][]float32, len(p.values))
	for i, v := range p.values {
		z[i] = kernel.Aligned(len(v))
	}
	return z
}

// chunk is a range of values of one parameter, the unit of parallel work on parameters.
type chunk struct{ parameter, from, to int }

const chunkValues = 1 << 14

// chunks divides the values of all parameters into chunks.
func (p *parameters) chunks() []chunk {
	var chunks []chunk
	for i, values := range p.values {
		for from := 0; from < len(values); from += chunkValues {
			chunks = append(chunks, chunk{i, from, min(from+chunkValues, len(values))})
		}
	}
	return chunks
}

// of returns the chunk's part of values, which has one slice per parameter.
func (c chunk) of(values [][]float32) []float32 { return values[c.parameter][c.from:c.to] }
