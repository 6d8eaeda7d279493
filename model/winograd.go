package model

import "ludus/model/infer/kernel"

// winogradConv is a convolver that uses Winograd transforms of whole boards. V, U and M are the transforms of x, of the
// weights and of y, with one matrix per point; M = V U for each point.
type winogradConv struct {
	winograd kernel.Winograd
	*folded
	scratch *scratch
}

// newWinogradConv also allocates the buffers of V and M for the largest shard.
func newWinogradConv(winograd kernel.Winograd, f *folded, s *scratch) *winogradConv {
	for _, buffer := range []int{bufferV, bufferM} {
		s.get(buffer, winograd.Points()*kernel.PlaneStride(shardRows*max(f.in, f.out)))
	}
	return &winogradConv{winograd, f, s}
}

func (t *winogradConv) forward(x, y []float32, epilogue kernel.Epilogue) {
	s, points := t.scratch, t.winograd.Points()
	u := s.planes(bufferU, points, t.in*t.out)
	s.worker.TransformWeights(t.winograd, u, t.turned, t.in, t.out)
	v, m := s.planes(bufferV, points, s.rows*t.in), s.planes(bufferM, points, s.rows*t.out)
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
	u := s.planes(bufferU, points, t.in*t.out) // [out, in], as its gradient
	dm, v := s.planes(bufferM, points, s.rows*t.out), s.planes(bufferV, points, s.rows*t.in)
	s.worker.TransformOutputGradient(t.winograd, dm, dy, s.rows, t.out)
	if dx != nil {
		s.worker.TransformWeights(t.winograd, u, t.product, t.out, t.in)
		s.multiply(kernel.Gemm{
			M: s.rows, N: t.in, K: t.out, Planes: points,
			A: dm.Data, ARow: t.out, ACol: 1, APlane: dm.Stride,
			B: u.Data, BRow: t.in, BPanel: 16, BPlane: u.Stride,
			C: v.Data, CRow: t.in, CPlane: v.Stride,
		})
		s.worker.TransformInputGradient(t.winograd, dx, v, s.rows, t.in, kernel.Epilogue{Accumulate: accumulate})
	}
	s.worker.TransformInput(t.winograd, v, x, s.rows, t.in)
	s.multiply(kernel.Gemm{
		M: t.out, N: t.in, K: s.rows, Planes: points,
		A: dm.Data, ARow: 1, ACol: t.out, APlane: dm.Stride,
		B: v.Data, BRow: t.in, BPanel: 16, BPlane: v.Stride,
		C: u.Data, CRow: t.in, CPlane: u.Stride,
	})
	s.worker.TransformWeightsGradient(t.winograd, dWeights, u, t.out, t.in)
}
