package model

import "ludus/model/infer/kernel"

// folded holds the weights of a convolution, multiplied by its scale, in the orders that convolvers read. The trainer
// computes them once per step, and all graphs share them.
type folded struct {
	weights, scale  []float32 // the parameters: [outputs, 3, 3, inputs] and [outputs]
	inputs, outputs int
	in, out         int       // input and output channels, each padded to a multiple of 8
	product         []float32 // scale times weights, [3, 3, out, in]
	turned          []float32 // the same, [3, 3, in, out]

	diagonal []float32   // [outputs, out], diagonal matrix of the scale
	turn     kernel.Gemm // computes turned from weights and diagonal
}

// newFolded returns the folded weights of a convolution.
func newFolded(weights, scale []float32) *folded {
	outputs := len(scale)
	inputs := len(weights) / (9 * outputs)
	in, out := kernel.PadChannels(inputs), kernel.PadChannels(outputs)
	f := &folded{
		weights: weights, scale: scale, inputs: inputs, outputs: outputs, in: in, out: out,
		product: kernel.Aligned(9 * out * in), turned: kernel.Aligned(9 * in * out), diagonal: kernel.Aligned(outputs * out),
	}
	f.turn = kernel.Gemm{
		M: inputs, N: out, K: outputs, Planes: 9,
		A: weights, ARow: 1, ACol: 9 * inputs, APlane: inputs,
		B: f.diagonal, BRow: out, BPanel: kernel.RowMajor, C: f.turned, CRow: out, CPlane: in * out,
	}
	return f
}

// convolver returns a convolver with these weights for boards of h x w cells.
func (f *folded) convolver(h, w int) convolver {
	if winograd, ok := kernel.NewWinograd(h, w); ok {
		return newWinogradConv(winograd, f)
	}
	return &direct{h, w, f}
}

// fold brings product up to date.
func (f *folded) fold(*kernel.Scratch) {
	for o, s := range f.scale {
		for tap := range 9 {
			row := f.product[(tap*f.out+o)*f.in:][:f.inputs]
			for i, v := range f.weights[(o*9+tap)*f.inputs:][:len(row)] {
				row[i] = s * v
			}
		}
	}
}

// foldTurned brings turned up to date. A matrix product with the diagonal matrix of the scale transposes the weights
// faster than a loop.
func (f *folded) foldTurned(k *kernel.Scratch) {
	for o, s := range f.scale {
		f.diagonal[o*f.out+o] = s
	}
	k.Gemm(&f.turn)
}

// unfold computes the gradients of the parameters of the outputs first to next-1 from dProduct, that of the product.
func (f *folded) unfold(first, next int, dProduct, dWeights, dScale []float32) {
	for o := first; o < next; o++ {
		dScale[o] = 0
		for tap := range 9 {
			from := (o*9 + tap) * f.inputs
			to := from + f.inputs
			dScale[o] += unfoldRow(f.weights[from:to], dWeights[from:to], dProduct[(tap*f.out+o)*f.in:], f.scale[o])
		}
	}
}

// unfoldRow sets dw to the gradient of the weights w of one tap and output, scale dProduct, and returns their share of
// the gradient of scale, the sum of w dProduct. It uses four independent sums for speed.
func unfoldRow(w, dw, dProduct []float32, scale float32) (dScale float32) {
	var sums [4]float32
	dProduct = dProduct[:len(w)]
	dw = dw[:len(w)]
	i := 0
	for ; i+4 <= len(w); i += 4 {
		w, dw, g := w[i:i+4:i+4], dw[i:i+4:i+4], dProduct[i:i+4:i+4]
		sums[0] += w[0] * g[0]
		sums[1] += w[1] * g[1]
		sums[2] += w[2] * g[2]
		sums[3] += w[3] * g[3]
		dw[0], dw[1], dw[2], dw[3] = g[0]*scale, g[1]*scale, g[2]*scale, g[3]*scale
	}
	for ; i < len(w); i++ {
		sums[0] += w[i] * dProduct[i]
		dw[i] = dProduct[i] * scale
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
