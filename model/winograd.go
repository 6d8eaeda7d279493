package model

import "ludus/model/infer/kernel"

// winogradConv is a convolver that uses Winograd transforms of whole boards. V, U and M are the transforms of x, of the
// weights and of y, with one matrix per point; M = V U for each point.
type winogradConv struct {
	winograd kernel.Winograd
	*folded
	u, uBack kernel.Planes // of turned, to compute y: [in, out]; of product, to compute the gradient of x: [out, in]
}

// newWinogradConv returns the convolver with the weights f.
func newWinogradConv(winograd kernel.Winograd, f *folded) *winogradConv {
	stride := kernel.PlaneStride(f.in * f.out)
	planes := func() kernel.Planes {
		return kernel.Planes{Data: kernel.Aligned(winograd.Points() * stride), Stride: stride}
	}
	return &winogradConv{winograd, f, planes(), planes()}
}

func (t *winogradConv) prepare() []func(*kernel.Worker) {
	return []func(*kernel.Worker){
		func(w *kernel.Worker) {
			t.foldTurned(w)
			w.TransformWeights(t.winograd, t.u, t.turned, t.in, t.out)
		},
		func(w *kernel.Worker) {
			t.fold(w)
			w.TransformWeights(t.winograd, t.uBack, t.product, t.out, t.in)
		},
	}
}

func (t *winogradConv) forward(s *scratch, x, y []float32, epilogue kernel.Epilogue) {
	points := t.winograd.Points()
	v, m := s.planes(bufferV, points, s.rows*t.in), s.planes(bufferM, points, s.rows*t.out)
	s.worker.TransformInput(t.winograd, v, x, s.rows, t.in)
	s.multiply(kernel.Gemm{
		M: s.rows, N: t.out, K: t.in, Planes: points,
		A: v.Data, ARow: t.in, ACol: 1, APlane: v.Stride,
		B: t.u.Data, BRow: t.out, BPanel: 16, BPlane: t.u.Stride,
		C: m.Data, CRow: t.out, CPlane: m.Stride,
	})
	s.worker.TransformOutput(t.winograd, y, m, s.rows, t.out, epilogue)
}

// outputBlock is the largest number of outputs whose gradient of U is computed at once, so that it fits a core's cache.
const outputBlock = 24

// backward computes dV = dM Uᵀ and dUᵀ = dMᵀ V.
func (t *winogradConv) backward(s *scratch, x, dy, dx, dWeights []float32, accumulate bool) {
	points := t.winograd.Points()
	dm, v := s.planes(bufferM, points, s.rows*t.out), s.planes(bufferV, points, s.rows*t.in)
	s.worker.TransformOutputGradient(t.winograd, dm, dy, s.rows, t.out)
	if dx != nil {
		s.multiply(kernel.Gemm{
			M: s.rows, N: t.in, K: t.out, Planes: points,
			A: dm.Data, ARow: t.out, ACol: 1, APlane: dm.Stride,
			B: t.uBack.Data, BRow: t.in, BPanel: 16, BPlane: t.uBack.Stride,
			C: v.Data, CRow: t.in, CPlane: v.Stride,
		})
		s.worker.TransformInputGradient(t.winograd, dx, v, s.rows, t.in, kernel.Epilogue{Accumulate: accumulate})
	}
	s.worker.TransformInput(t.winograd, v, x, s.rows, t.in)
	blocks := (t.out + outputBlock - 1) / outputBlock
	for i := range blocks {
		first, next := i*t.out/blocks, (i+1)*t.out/blocks
		du := s.planes(bufferU, points, (next-first)*t.in)
		s.multiply(kernel.Gemm{
			M: next - first, N: t.in, K: s.rows, Planes: points,
			A: dm.Data[first:], ARow: 1, ACol: t.out, APlane: dm.Stride,
			B: v.Data, BRow: t.in, BPanel: 16, BPlane: v.Stride,
			C: du.Data, CRow: t.in, CPlane: du.Stride,
		})
		s.worker.TransformWeightsGradient(t.winograd, dWeights[first*t.in:], du, next-first, t.in, t.out*t.in)
	}
}
