package model

// stem is the first layer, a convolution. Inputs: x, folded weights, bias.
type stem struct{ *conv }

func (s stem) forward(in [][]float32, y []float32) { s.forwardReLU(in[0], in[2], nil, y) }

// backward computes the gradients of the folded weights, dIn[1], and of the bias, dIn[2]. There is none of x, the
// network's input: dx is nil, and accumulate has no effect.
func (s stem) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum := s.scratch.get(bufferSum, len(y))
	s.reluGradient(y, dy, dSum, dIn[2])
	s.conv.backward(s.scratch, in[0], dSum, nil, dIn[1], false)
}

// residual is the convolution of a block with figure layers, relu(conv(x) + x). Inputs: x, folded weights, bias.
type residual struct{ *conv }

func (r residual) forward(in [][]float32, y []float32) { r.forwardReLU(in[0], in[2], in[0], y) }

// backward first stores the gradient of the skip connection in dIn[0], then adds the gradient through the convolution.
func (r residual) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	r.reluGradient(y, dy, dIn[0], dIn[2])
	r.conv.backward(r.scratch, in[0], dIn[0], dIn[0], dIn[1], true) // true: adds to dIn[0]
}

// block is a residual block, relu(second(first(x)) + x). Inputs: x; folded weights and bias of first, then of second.
type block struct {
	first, second *conv
	hidden        []float32 // [rows, H, W, channels], output of first
	scratch       *scratch
}

func (b *block) forward(in [][]float32, y []float32) {
	b.first.forwardReLU(in[0], in[2], nil, b.hidden) // nil: no residual
	b.second.forwardReLU(b.hidden, in[4], in[0], y)
}

// backward first stores the gradient of the skip connection in dIn[0], then adds the gradient through the convolutions.
func (b *block) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum, dHidden := dIn[0], b.scratch.get(bufferHidden, len(b.hidden))
	b.second.reluGradient(y, dy, dSum, dIn[4])
	b.second.backward(b.scratch, b.hidden, dSum, dHidden, dIn[3], false) // false: sets dHidden
	b.first.reluGradient(b.hidden, dHidden, dHidden, dIn[2])
	b.first.backward(b.scratch, in[0], dHidden, dIn[0], dIn[1], true) // true: adds to dIn[0]
}
