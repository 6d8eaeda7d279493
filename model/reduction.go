package model

import "ludus/model/infer/kernel"

// reduction adds up the gradients of the parts of a batch, in the order of the parts, for some values of a leaf. From the
// sums it computes the gradients of the parameters.
type reduction struct {
	leaf        *leaf
	first, next int       // outputs of a convolution's weights; otherwise values
	sum         []float32 // [next - first], of a convolution [3, 3, out, in]
}

// Sizes of a reduction.
const (
	reducedOutputs = 16
	reducedValues  = 1 << 13
)

// reductions divides all leaves into reductions.
func (p *parameters) reductions() []reduction {
	var all []reduction
	for _, l := range p.leaves {
		n, step := len(l.values), reducedValues
		sum := kernel.Aligned(kernel.PadChannels(n))
		if l.folded != nil {
			n, step = l.folded.outputs, reducedOutputs
		}
		for first := 0; first < n; first += step {
			all = append(all, reduction{l, first, min(first+step, n), sum})
		}
	}
	return all
}

// run adds up the gradients of the parts, the rows of l.gradients, as the matrix product of a row of ones with them,
// which is faster than a loop. For a convolution it sums outputs first to next-1 of each of the 9 taps; the sum is the
// gradient of scale times weights, which unfold splits into those of the weights and of the scale (the next parameter).
func (r reduction) run(k *kernel.Scratch, ones []float32, gradients [][]float32) {
	l, n := r.leaf, len(ones)
	g := kernel.Gemm{M: 1, K: n, A: ones, ARow: n, ACol: 1, BRow: l.stride, BPanel: kernel.RowMajor}
	f := l.folded
	if f == nil {
		g.N = kernel.PadChannels(r.next - r.first)
		g.B, g.C, g.CRow = l.gradients[r.first:], r.sum[r.first:], g.N
		k.Gemm(&g)
		copy(gradients[l.index][r.first:r.next], r.sum[r.first:])
		return
	}
	// One product per tap.
	g.N, g.Planes, g.BPlane, g.CPlane = (r.next-r.first)*f.in, 9, f.out*f.in, f.out*f.in
	g.B, g.C, g.CRow = l.gradients[r.first*f.in:], r.sum[r.first*f.in:], g.N
	k.Gemm(&g)
	f.unfold(r.first, r.next, r.sum, gradients[l.index], gradients[l.index+1])
}
