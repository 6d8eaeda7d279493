package model

import (
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// parameters are a network's weights in memory that all graphs share. values are the data of the tensors, each aligned.
type parameters struct {
	weights *infer.Weights
	values  [][]float32
	leaves  []leaf
}

// leaf is an input of the graphs: the folded weights of a convolution, or any other parameter as it is.
type leaf struct {
	name   string
	shape  []int
	values []float32
	index  int     // of the parameter; of a convolution's weights, with the scale next
	folded *folded // nil for other parameters
}

// newParameters copies w.
func newParameters(w *infer.Weights) *parameters {
	p := &parameters{weights: w.Clone()}
	for i := range w.Tensors {
		t := &p.weights.Tensors[i]
		aligned := kernel.Aligned(len(t.Data))
		copy(aligned, t.Data)
		t.Data = aligned
		p.values = append(p.values, aligned)
	}
	for i := 0; i < len(w.Tensors); i++ {
		t := p.weights.Tensors[i]
		if len(t.Shape) < 4 {
			p.leaves = append(p.leaves, leaf{t.Name, t.Shape, t.Data, i, nil})
			continue
		}
		f := newFolded(t.Data, p.values[i+1])
		p.leaves = append(p.leaves, leaf{t.Name, []int{3, 3, f.out, f.in}, f.product, i, f})
		i++ // the scale
	}
	return p
}

// fold brings the folded weights of leaf i up to date.
func (p *parameters) fold(i int) {
	if f := p.leaves[i].folded; f != nil {
		f.fold()
	}
}

// reduce adds the shards' gradients of leaf i, [shard][leaf], to that of shard 0, in the shards' order, and computes
// from it the gradients of the leaf's parameters.
func (p *parameters) reduce(i int, shards [][][]float32, gradients [][]float32) {
	sum, l := shards[0][i], p.leaves[i]
	for _, shard := range shards[1:] {
		for j, v := range shard[i][:len(sum)] {
			sum[j] += v
		}
	}
	if l.folded != nil {
		l.folded.unfold(sum, gradients[l.index], gradients[l.index+1])
		return
	}
	copy(gradients[l.index], sum)
}

// leafZeros returns a zeroed slice for each leaf.
func (p *parameters) leafZeros() [][]float32 {
	z := make([][]float32, len(p.leaves))
	for i, l := range p.leaves {
		z[i] = kernel.Aligned(len(l.values))
	}
	return z
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

// chunks divides all parameters into chunks.
func (p *parameters) chunks() []chunk {
	var chunks []chunk
	for i, values := range p.values {
		for from := 0; from < len(values); from += chunkValues {
			chunks = append(chunks, chunk{i, from, min(from+chunkValues, len(values))})
		}
	}
	return chunks
}

// of is the chunk's part of values, which has one slice per parameter.
func (c chunk) of(values [][]float32) []float32 { return values[c.parameter][c.from:c.to] }
