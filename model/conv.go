package model

import "ludus/model/infer/kernel"

// conv computes y = relu(conv(x) + bias + residual), a 3x3 convolution with folded weights of boards x [rows, H, W, in]
// to y [rows, H, W, out]. Its convolver holds the weights: a layer has them as an input only for their gradient.
type conv struct {
	convolver
	cells   int
	out     int // channels of y
	scratch *scratch
}

// convolver computes a convolution and its gradients: x is [rows, H, W, in], y is [rows, H, W, out].
type convolver interface {
	// prepare returns tasks that update everything derived from the weights. They may run concurrently.
	prepare() []func(*kernel.Scratch)
	forward(s *scratch, x, y []float32, epilogue kernel.Epilogue)
	// backward computes the gradient dWeights [3, 3, out, in] of the folded weights. Unless dx is nil it also computes the
	// gradient of x: it sets dx to it or, if accumulate, adds it to dx, which may then be dy.
	backward(s *scratch, x, dy, dx, dWeights []float32, accumulate bool)
}

// forwardReLU computes y; residual may be nil.
func (c *conv) forwardReLU(x, bias, residual, y []float32) {
	// Zeros extend the bias to the padded channels.
	if len(bias) < c.out {
		bias = append(c.scratch.get(bufferChannels, c.out)[:0], bias...)
		clear(bias[len(bias):c.out])
		bias = bias[:c.out]
	}
	if residual != nil {
		n := c.scratch.rows * c.cells * c.out
		copy(y[:n], residual[:n])
	}
	c.forward(c.scratch, x, y, kernel.Epilogue{Bias: bias, Accumulate: residual != nil, ReLU: true})
}

// reluGradient computes dSum, the gradient with respect to the sum before the ReLU, from y and dy, and the bias
// gradient dBias: the sum of dSum over all cells. dSum may be dy.
func (c *conv) reluGradient(y, dy, dSum, dBias []float32) {
	sums := c.scratch.get(bufferChannels, c.out)
	c.scratch.kernel.ReLUGradient(y, dy, dSum, sums, c.scratch.rows*c.cells, c.out)
	copy(dBias, sums)
}
