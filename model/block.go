package model

import "ludus/model/infer/kernel"

// stem is the first layer, a convolution. Inputs: x, weights, scale, bias.
type stem struct{ *conv }

func (s stem) forward(in [][]float32, y []float32) {
	s.conv.forward(in[0], in[1], in[2], in[3], nil, y)
}

func (s stem) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum := s.scratch.get(bufferSum, len(y))
	s.reluGradient(y, dy, dSum, dIn[3])
	s.conv.backward(in[0], in[1], in[2], dSum, nil, dIn[1], dIn[2], false)
}

// block is a residual block, relu(second(first(x)) + x). Inputs: x; weights, scale and bias of first, then of second.
type block struct {
	first, second *conv
	hidden        []float32 // output of first
	scratch       *scratch
}

// newBlock returns a block on boards of h x w cells.
func newBlock(h, w, channels int, s *scratch) *block {
	first, second := newConv(h, w, channels, channels, s), newConv(h, w, channels, channels, s)
	return &block{first, second, kernel.Aligned(shardRows * h * w * first.out), s}
}

func (b *block) forward(in [][]float32, y []float32) {
	b.first.forward(in[0], in[1], in[2], in[3], nil, b.hidden)
	b.second.forward(b.hidden, in[4], in[5], in[6], in[0], y)
}

// backward first stores the gradient of the skip connection in dIn[0], then adds the gradient through the convolutions.
func (b *block) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum, dHidden := dIn[0], b.scratch.get(bufferHidden, len(b.hidden))
	b.second.reluGradient(y, dy, dSum, dIn[6])
	b.second.backward(b.hidden, in[4], in[5], dSum, dHidden, dIn[4], dIn[5], false)
	b.first.reluGradient(b.hidden, dHidden, dHidden, dIn[3])
	b.first.backward(in[0], in[1], in[2], dHidden, dIn[0], dIn[1], dIn[2], true)
}
