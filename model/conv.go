package model

import "ludus/model/infer/kernel"

// conv is y = relu(scale conv(x) + bias + residual), a 3x3 convolution of boards x [rows, H, W, in] with weights
// [maps, 3, 3, planes]; in and out are the lanes of planes and maps. The scale is folded into the weights.
type conv struct {
	planes, maps int
	in, out      int
	cells        int
	diagonal     []float32 // [out, out], the scale of the last forward run on the diagonal
	product      convolver
	scratch      *scratch
}

// convolver computes a convolution without scale, and its gradients. x is [rows, H, W, in], y [rows, H, W, out].
type convolver interface {
	// forward takes weights [3, 3, in, out].
	forward(x, weights, y []float32, finish kernel.Epilogue)
	// backward takes weights [3, 3, out, in]. It computes their gradient and, unless dx is nil, that of x, to which it adds
	// what dx holds if accumulate.
	backward(x, weights, dy, dx, dWeights []float32, accumulate bool)
}

func newConv(h, w, planes, maps int, s *scratch) *conv {
	in, out := padChannels(planes), padChannels(maps)
	c := &conv{planes, maps, in, out, h * w, kernel.Aligned(out * out), nil, s}
	if board, ok := kernel.NewWinograd(h, w); ok {
		c.product = newTransformed(board, in, out, s)
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

// foldTransposed returns the weights times the scale as [3, 3, in, out]. A product with the scale as a diagonal matrix
// turns them faster than a loop.
func (c *conv) foldTransposed(weights, scale []float32) []float32 {
	for o, s := range scale {
		c.diagonal[o*c.out+o] = s
	}
	turned := c.scratch.get(bufferWeights, 9*c.in*c.out)
	if c.planes < c.in {
		clear(turned)
	}
	c.scratch.multiply(kernel.Gemm{
		M: c.planes, N: c.out, K: c.maps, Planes: 9,
		A: weights, ARow: 1, ACol: 9 * c.planes, APlane: c.planes,
		B: c.diagonal, BRow: c.out, BPanel: 16, C: turned, CRow: c.out, CPlane: c.in * c.out,
	})
	return turned
}

// fold returns the weights times the scale as [3, 3, out, in].
func (c *conv) fold(weights, scale []float32) []float32 {
	folded := c.scratch.get(bufferWeights, 9*c.out*c.in)
	if c.planes < c.in || c.maps < c.out {
		clear(folded)
	}
	for o, s := range scale {
		for tap := range 9 {
			row := folded[(tap*c.out+o)*c.in:][:c.planes]
			for i, v := range weights[(o*9+tap)*c.planes:][:len(row)] {
				row[i] = s * v
			}
		}
	}
	return folded
}

// reluGradient computes the gradient dSum of the ReLU's argument, and its sum dBias over all cells. dSum may be dy.
func (c *conv) reluGradient(y, dy, dSum, dBias []float32) {
	sums := c.scratch.get(bufferChannels, c.out)
	c.scratch.worker.ReLUGradient(y, dy, dSum, sums, c.scratch.rows*c.cells, c.out)
	copy(dBias, sums)
}

// backward computes the gradients of weights and scale and, unless dx is nil, that of x, to which it adds what dx holds
// if accumulate, from that of the ReLU's argument.
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
			at := (o*9 + tap) * c.planes
			dScale[o] += unfold(weights[at:at+c.planes], dWeights[at:at+c.planes], dFolded[(tap*c.out+o)*c.in:], s)
		}
	}
}

// unfold computes the gradient dw = scale g of weights from that of their product with the scale, and returns its part
// of the scale's gradient, the sum of w g. Four sums side by side need not wait for one another.
func unfold(w, dw, g []float32, scale float32) float32 {
	var sums [4]float32
	g = g[:len(w)]
	dw = dw[:len(w)]
	i := 0
	for ; i+4 <= len(w); i += 4 {
		w, dw, g := w[i:i+4:i+4], dw[i:i+4:i+4], g[i:i+4:i+4]
		sums[0] += w[0] * g[0]
		sums[1] += w[1] * g[1]
		sums[2] += w[2] * g[2]
		sums[3] += w[3] * g[3]
		dw[0], dw[1], dw[2], dw[3] = g[0]*scale, g[1]*scale, g[2]*scale, g[3]*scale
	}
	for ; i < len(w); i++ {
		sums[0] += w[i] * g[i]
		dw[i] = g[i] * scale
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
