package model

import "ludus/model/infer/kernel"

// winogradConv is a convolver that uses Winograd transforms of whole boards. V, U and M are the transforms of x, of the
// weights and of y, with one matrix per point; M = V U for each point.
type winogradConv struct {
	winograd kernel.Winograd
	*folded
	kept    []float32 // V of the last forward; nil if backward computes it again
	scratch *scratch
}

// maxKept is the largest size of V, in floats, that a convolution keeps for backward: enough for 32 channels on 7x7
// boards. Larger ones leave the cache before backward, so it is as fast or faster to compute them again.
const maxKept = 180_000

// newWinogradConv also allocates the buffers of V and M for the largest shard.
func newWinogradConv(winograd kernel.Winograd, f *folded, s *scratch) *winogradConv {
	for _, buffer := range []int{bufferV, bufferM} {
		s.get(buffer, winograd.Points()*kernel.PlaneStride(shardRows*max(f.in, f.out)))
	}
	t := &winogradConv{winograd: winograd, folded: f, scratch: s}
	if n := winograd.Points() * kernel.PlaneStride(shardRows*f.in); n <= maxKept {
		t.kept = kernel.Aligned(n)
	}
	return t
}

// inputs returns the memory of V: that kept from the last forward, if any.
func (t *winogradConv) inputs() kernel.Planes {
	if t.kept != nil {
		return kernel.Planes{Data: t.kept, Stride: kernel.PlaneStride(t.scratch.rows * t.in)}
	}
	return t.scratch.planes(bufferV, t.winograd.Points(), t.scratch.rows*t.in)
}

func (t *winogradConv) forward(x, y []float32, epilogue kernel.Epilogue) {
	s, points := t.scratch, t.winograd.Points()
	u := s.planes(bufferU, points, t.in*t.out)
	s.worker.TransformWeights(t.winograd, u, t.turned, t.in, t.out)
	v, m := t.inputs(), s.planes(bufferM, points, s.rows*t.out)
	s.worker.TransformInput(t.winograd, v, x, s.rows, t.in)
	s.multiply(kernel.Gemm{
		M: s.rows, N: t.out, K: t.in, Planes: points,
		A: v.Data, ARow: t.in, ACol: 1, APlane: v.Stride,
		B: u.Data, BRow: t.out, BPanel: 16, BPlane: u.Stride,
		C: m.Data, CRow: t.out, CPlane: m.Stride,
	})
	s.worker.TransformOutput(t.winograd, y, m, s.rows, t.out, epilogue)
}

// backward computes dV = dM Uᵀ and dUᵀ = dMᵀ V.
func (t *winogradConv) backward(x, dy, dx, dWeights []float32, accumulate bool) {
	s, points := t.scratch, t.winograd.Points()
	u := s.planes(bufferU, points, t.in*t.out) // Uᵀ, then its gradient: [out, in]
	dm := s.planes(bufferM, points, s.rows*t.out)
	s.worker.TransformOutputGradient(t.winograd, dm, dy, s.rows, t.out)
	if dx != nil {
		dv := s.planes(bufferV, points, s.rows*t.in)
		s.worker.TransformWeights(t.winograd, u, t.product, t.out, t.in)
		s.multiply(kernel.Gemm{
			M: s.rows, N: t.in, K: t.out, Planes: points,
			A: dm.Data, ARow: t.out, ACol: 1, APlane: dm.Stride,
			B: u.Data, BRow: t.in, BPanel: 16, BPlane: u.Stride,
			C: dv.Data, CRow: t.in, CPlane: dv.Stride,
		})
		s.worker.TransformInputGradient(t.winograd, dx, dv, s.rows, t.in, kernel.Epilogue{Accumulate: accumulate})
	}
	v := t.inputs()
	if t.kept == nil {
		s.worker.TransformInput(t.winograd, v, x, s.rows, t.in)
	}
	s.multiply(kernel.Gemm{
		M: t.out, N: t.in, K: s.rows, Planes: points,
		A: dm.Data, ARow: 1, ACol: t.out, APlane: dm.Stride,
		B: v.Data, BRow: t.in, BPanel: 16, BPlane: v.Stride,
		C: u.Data, CRow: t.in, CPlane: u.Stride,
	})
	s.worker.TransformWeightsGradient(t.winograd, dWeights, u, t.out, t.in)
}
