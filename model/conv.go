package model

import "ludus/model/infer/kernel"

// conv computes y = relu(scale conv(x) + bias + residual), a 3x3 convolution of boards x [rows, H, W, in] with weights
// [outputs, 3, 3, inputs], where in is inputs and out is outputs, each padded to a multiple of 8. The scale is folded
// into the weights.
type conv struct {
	inputs, outputs int
	in, out         int
	cells           int
	diagonal        []float32 // [out, out], diagonal matrix of the scale
	product         convolver
	scratch         *scratch
}

// convolver computes a convolution without scale, and its gradients: x is [rows, H, W, in], y is [rows, H, W, out].
type convolver interface {
	// forward takes weights [3, 3, in, out].
	forward(x, weights, y []float32, epilogue kernel.Epilogue)
	// backward takes weights [3, 3, out, in] and computes their gradient dWeights. Unless dx is nil it also computes
	// the gradient of x: it sets dx to it or, if accumulate, adds it to dx.
	backward(x, weights, dy, dx, dWeights []float32, accumulate bool)
}

func newConv(h, w, inputs, outputs int, s *scratch) *conv {
	in, out := kernel.PadChannels(inputs), kernel.PadChannels(outputs)
	c := &conv{inputs, outputs, in, out, h * w, kernel.Aligned(out * out), nil, s}
	if winograd, ok := kernel.NewWinograd(h, w); ok {
		c.product = newWinogradConv(winograd, in, out, s)
	} else {
		c.product = &direct{h, w, in, out, s}
	}
	return c
}

// forward computes y; residual may be nil.
func (c *conv) forward(x, weights, scale, bias, residual, y []float32) {
	folded := c.foldTransposed(weights, scale)
	if len(bias) < c.out {
		bias = append(c.scratch.get(bufferChannels, c.out)[:0], bias...)
		clear(bias[len(bias):c.out])
		bias = bias[:c.out]
	}
	if residual != nil {
		n := c.scratch.rows * c.cells * c.out
		copy(y[:n], residual[:n])
	}
	c.product.forward(x, folded, y, kernel.Epilogue{Bias: bias, Accumulate: residual != nil, ReLU: true})
}

// foldTransposed returns the weights, multiplied by the scale, as [3, 3, in, out]. A matrix product with the diagonal
// matrix of the scale transposes them faster than a loop.
func (c *conv) foldTransposed(weights, scale []float32) []float32 {
	for o, s := range scale {
		c.diagonal[o*c.out+o] = s
	}
	transposed := c.scratch.get(bufferWeights, 9*c.in*c.out)
	if c.inputs < c.in {
		clear(transposed)
	}
	c.scratch.multiply(kernel.Gemm{
		M: c.inputs, N: c.out, K: c.outputs, Planes: 9,
		A: weights, ARow: 1, ACol: 9 * c.inputs, APlane: c.inputs,
		B: c.diagonal, BRow: c.out, BPanel: 16, C: transposed, CRow: c.out, CPlane: c.in * c.out,
	})
	return transposed
}

// fold returns the weights, multiplied by the scale, as [3, 3, out, in].
func (c *conv) fold(weights, scale []float32) []float32 {
	folded := c.scratch.get(bufferWeights, 9*c.out*c.in)
	if c.inputs < c.in || c.outputs < c.out {
		clear(folded)
	}
	for o, s := range scale {
		for tap := range 9 {
			row := folded[(tap*c.out+o)*c.in:][:c.inputs]
			for i, v := range weights[(o*9+tap)*c.inputs:][:len(row)] {
				row[i] = s * v
			}
		}
	}
	return folded
}

// reluGradient computes dSum, the gradient with respect to the sum before the ReLU, from y and dy, and the bias
// gradient dBias: the sum of dSum over all cells. dSum may be dy.
func (c *conv) reluGradient(y, dy, dSum, dBias []float32) {
	sums := c.scratch.get(bufferChannels, c.out)
	c.scratch.worker.ReLUGradient(y, dy, dSum, sums, c.scratch.rows*c.cells, c.out)
	copy(dBias, sums)
}

// backward computes the gradients dWeights, dScale and, unless dx is nil, dx from dSum, the gradient with respect to
// the sum before the ReLU. With accumulate it adds the gradient of x to dx.
func (c *conv) backward(x, weights, scale, dSum, dx, dWeights, dScale []float32, accumulate bool) {
	var folded []float32
	if dx != nil {
		folded = c.fold(weights, scale)
	}
	dFolded := c.scratch.get(bufferGradient, 9*c.out*c.in)
	c.product.backward(x, folded, dSum, dx, dFolded, accumulate)
	for o, s := range scale {
		dScale[o] = 0
		for tap := range 9 {
			from := (o*9 + tap) * c.inputs
			to := from + c.inputs
			dScale[o] += unfoldGradient(weights[from:to], dWeights[from:to], dFolded[(tap*c.out+o)*c.in:], s)
		}
	}
}

// unfoldGradient splits dFolded, the gradient of the folded weights scale*w, into those of w and scale: it writes dw =
// scale dFolded and returns these weights' share of dScale, the sum of w dFolded. It uses four independent sums for
// speed.
func unfoldGradient(w, dw, dFolded []float32, scale float32) (dScale float32) {
	var sums [4]float32
	dFolded = dFolded[:len(w)]
	dw = dw[:len(w)]
	i := 0
	for ; i+4 <= len(w); i += 4 {
		w, dw, g := w[i:i+4:i+4], dw[i:i+4:i+4], dFolded[i:i+4:i+4]
		sums[0] += w[0] * g[0]
		sums[1] += w[1] * g[1]
		sums[2] += w[2] * g[2]
		sums[3] += w[3] * g[3]
		dw[0], dw[1], dw[2], dw[3] = g[0]*scale, g[1]*scale, g[2]*scale, g[3]*scale
	}
	for ; i < len(w); i++ {
		sums[0] += w[i] * dFolded[i]
		dw[i] = dFolded[i] * scale
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
