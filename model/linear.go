package model

import "ludus/model/infer/kernel"

// linear computes y = W x + bias for every row of x, with ReLU if relu. It reads x as rows of in values, so it serves
// as a 1x1 convolution of boards and as a dense layer on flattened boards. The caller sets y and dy.
type linear struct {
	*matrix
	rowsPerSample int // rows of x per sample
	relu          bool
	bias          []float32 // [out], padded copy
	y, dy         []float32 // [rows, out], memory of the layer that this one is a part of
	scratch       *scratch
}

func newLinear(rowsPerSample int, m *matrix, relu bool, s *scratch) *linear {
	return &linear{matrix: m, rowsPerSample: rowsPerSample, relu: relu, bias: kernel.Aligned(m.out), scratch: s}
}

// rows is the number of rows of x in the current run.
func (l *linear) rows() int { return l.scratch.rows * l.rowsPerSample }

// forward computes y = W x + bias; bias nil means zeros.
func (l *linear) forward(x, bias []float32) {
	copy(l.bias, bias)
	l.multiply(x, l.bias, 0)
}

// forwardResidual computes y = W x + residual [rows, out].
func (l *linear) forwardResidual(x, residual []float32) { l.multiply(x, residual, l.out) }

// multiply computes y = W x + init, whose rows are initRow apart.
func (l *linear) multiply(x, init []float32, initRow int) {
	l.scratch.multiply(kernel.Gemm{
		M: l.rows(), N: l.out, K: l.in, A: x, ARow: l.in, ACol: 1,
		B: l.transposed, BRow: l.out, BPanel: kernel.RowMajor,
		C: l.y, CRow: l.out, Init: init, InitRow: initRow, ReLU: l.relu,
	})
}

// backward computes the gradients of weights, bias and x from dy, which it may change: with relu, dy
// becomes the gradient before the ReLU. With accumulate it adds the gradient of x to dx. dBias nil means that there is no
// bias.
func (l *linear) backward(x, dx, dWeights, dBias []float32, accumulate bool) {
	if l.relu {
		sums := l.scratch.get(bufferChannels, l.out)
		l.scratch.kernel.ReLUGradient(l.y, l.dy, l.dy, sums, l.rows(), l.out)
		copy(dBias, sums)
	} else if dBias != nil {
		l.sumRows(dBias)
	}
	g := kernel.Gemm{
		M: l.rows(), N: l.in, K: l.out, A: l.dy, ARow: l.out, ACol: 1,
		B: l.padded, BRow: l.in, BPanel: kernel.RowMajor, C: dx, CRow: l.in,
	}
	if accumulate {
		g.Init, g.InitRow = dx, l.in
	}
	l.scratch.multiply(g)
	l.gradient(l.scratch, l.rows(), x, l.dy, dWeights)
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
