package model

import "ludus/model/infer/kernel"

// linear computes y = W x + bias for every row of x, with ReLU if relu. It reads x as rows of in values, so it serves
// as a 1x1 convolution of boards and as a dense layer on flattened boards. The caller sets y and dy.
type linear struct {
	rowsPerSample    int // rows of x per sample
	inputs, outputs  int // sizes of the weights [outputs, inputs]
	in, out          int // sizes of x [rows, in] and y [rows, out], padded to multiples of 8
	relu             bool
	identity         []float32 // [out, out]
	transposed, bias []float32 // [in, out] and [out], padded copies of the weights
	y, dy            []float32 // [rows, out], memory of the layer that this one is a part of
	scratch          *scratch
}

func newLinear(rowsPerSample, inputs, outputs int, relu bool, s *scratch) *linear {
	in, out := kernel.PadChannels(inputs), kernel.PadChannels(outputs)
	l := &linear{
		rowsPerSample: rowsPerSample, inputs: inputs, outputs: outputs, in: in, out: out, relu: relu, scratch: s,
		identity: kernel.Aligned(out * out), transposed: kernel.Aligned(in * out), bias: kernel.Aligned(out),
	}
	for i := range out {
		l.identity[i*out+i] = 1
	}
	return l
}

// rows is the number of rows of x in the current run.
func (l *linear) rows() int { return l.scratch.rows * l.rowsPerSample }

// forward computes y = W x + bias; bias nil means zeros. A matrix product with the identity transposes the weights
// faster than a loop.
func (l *linear) forward(x, weights, bias []float32) {
	copy(l.bias, bias)
	l.multiply(x, weights, l.bias, 0)
}

// forwardResidual computes y = W x + residual [rows, out].
func (l *linear) forwardResidual(x, weights, residual []float32) {
	l.multiply(x, weights, residual, l.out)
}

// multiply computes y = W x + init, whose rows are initRow apart.
func (l *linear) multiply(x, weights, init []float32, initRow int) {
	l.scratch.multiply(kernel.Gemm{
		M: l.inputs, N: l.out, K: l.outputs, A: weights, ARow: 1, ACol: l.inputs, B: l.identity, BRow: l.out, BPanel: 16,
		C: l.transposed, CRow: l.out,
	})
	l.scratch.multiply(kernel.Gemm{
		M: l.rows(), N: l.out, K: l.in, A: x, ARow: l.in, ACol: 1, B: l.transposed, BRow: l.out, BPanel: 16,
		C: l.y, CRow: l.out, Init: init, InitRow: initRow, ReLU: l.relu,
	})
}

// backward computes the gradients of weights, bias and x from dy, which it may change: with relu, dy becomes the gradient
// before the ReLU. With accumulate it adds the gradient of x to dx. dBias nil means that there is no bias.
func (l *linear) backward(x, weights, dx, dWeights, dBias []float32, accumulate bool) {
	if l.relu {
		sums := l.scratch.get(bufferChannels, l.out)
		l.scratch.worker.ReLUGradient(l.y, l.dy, l.dy, sums, l.rows(), l.out)
		copy(dBias, sums)
	} else if dBias != nil {
		l.sumRows(dBias)
	}
	padded, dPadded := weights, dWeights // [out, in]
	if l.inputs < l.in || l.outputs < l.out {
		padded, dPadded = l.scratch.get(bufferWeights, l.out*l.in), l.scratch.get(bufferGradient, l.out*l.in)
		clear(padded)
		for o := range l.outputs {
			copy(padded[o*l.in:], weights[o*l.inputs:(o+1)*l.inputs])
		}
	}
	g := kernel.Gemm{
		M: l.rows(), N: l.in, K: l.out, A: l.dy, ARow: l.out, ACol: 1, B: padded, BRow: l.in, BPanel: 16, C: dx, CRow: l.in,
	}
	if accumulate {
		g.Init, g.InitRow = dx, l.in
	}
	l.scratch.multiply(g)
	l.scratch.multiply(kernel.Gemm{
		M: l.out, N: l.in, K: l.rows(), A: l.dy, ARow: 1, ACol: l.out, B: x, BRow: l.in, BPanel: 16, C: dPadded, CRow: l.in,
	})
	if l.inputs < l.in || l.outputs < l.out {
		for o := range l.outputs {
			copy(dWeights[o*l.inputs:(o+1)*l.inputs], dPadded[o*l.in:])
		}
	}
}

// sumRows sets dBias to the sum of the rows of dy.
func (l *linear) sumRows(dBias []float32) {
	clear(dBias)
	for r := range l.rows() {
		for o, v := range l.dy[r*l.out:][:len(dBias)] {
			dBias[o] += v
		}
	}
}
