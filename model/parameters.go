package model

import (
	"ludus/model/infer"
	"ludus/model/infer/kernel"
)

// parameters are a network's weights in memory that all graphs share. values are the data of the tensors, each aligned.
type parameters struct {
	weights *infer.Weights
	values  [][]float32
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
	return p
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
