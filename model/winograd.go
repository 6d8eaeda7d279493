package model

import "ludus/model/infer/kernel"

// winogradConv is a convolver that uses Winograd transforms of whole boards. V and U are the transforms of x and of the
// weights, with one matrix per point. M = V U for each point, and y is the transform of M.
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

// prepare returns two tasks: each scales the weights in one order and transforms them.
func (c *winogradConv) prepare() []func(*kernel.Scratch) {
	return []func(*kernel.Scratch){
		func(k *kernel.Scratch) {
			c.foldTurned(k)
			k.TransformWeights(c.winograd, c.u, c.turned, c.in, c.out)
		},
		func(k *kernel.Scratch) {
			c.fold(k)
			k.TransformWeights(c.winograd, c.uBack, c.product, c.out, c.in)
		},
	}
}

// forward transforms x to V, multiplies M = V U for each point, and transforms M to y.
func (c *winogradConv) forward(s *scratch, x, y []float32, epilogue kernel.Epilogue) {
	points := c.winograd.Points()
	v, m := s.planes(bufferV, points, s.rows*c.in), s.planes(bufferM, points, s.rows*c.out)
	s.kernel.TransformInput(c.winograd, v, x, s.rows, c.in)
	s.multiply(kernel.Gemm{
		M: s.rows, N: c.out, K: c.in, Planes: points,
		A: v.Data, ARow: c.in, ACol: 1, APlane: v.Stride,
		B: c.u.Data, BRow: c.out, BPanel: kernel.RowMajor, BPlane: c.u.Stride,
		C: m.Data, CRow: c.out, CPlane: m.Stride,
	})
	s.kernel.TransformOutput(c.winograd, y, m, s.rows, c.out, epilogue)
}

// outputBlock is the largest number of outputs whose gradient of U is computed at once, so that it fits a core's cache.
const outputBlock = 24

// backward computes dM from dy, dx from dV = dM Uᵀ, and dWeights from dUᵀ = dMᵀ V, a block of outputs at a time.
func (c *winogradConv) backward(s *scratch, x, dy, dx, dWeights []float32, accumulate bool) {
	points := c.winograd.Points()
	dm, v := s.planes(bufferM, points, s.rows*c.out), s.planes(bufferV, points, s.rows*c.in)
	s.kernel.TransformOutputGradient(c.winograd, dm, dy, s.rows, c.out)
	if dx != nil {
		s.multiply(kernel.Gemm{
			M: s.rows, N: c.in, K: c.out, Planes: points,
			A: dm.Data, ARow: c.out, ACol: 1, APlane: dm.Stride,
			B: c.uBack.Data, BRow: c.in, BPanel: kernel.RowMajor, BPlane: c.uBack.Stride,
			C: v.Data, CRow: c.in, CPlane: v.Stride,
		})
		s.kernel.TransformInputGradient(c.winograd, dx, v, s.rows, c.in, kernel.Epilogue{Accumulate: accumulate})
	}
	s.kernel.TransformInput(c.winograd, v, x, s.rows, c.in)
	blocks := (c.out + outputBlock - 1) / outputBlock
	for i := range blocks {
		first, next := i*c.out/blocks, (i+1)*c.out/blocks
		du := s.planes(bufferU, points, (next-first)*c.in)
		s.multiply(kernel.Gemm{
			M: next - first, N: c.in, K: s.rows, Planes: points,
			A: dm.Data[first:], ARow: 1, ACol: c.out, APlane: dm.Stride,
			B: v.Data, BRow: c.in, BPanel: kernel.RowMajor, BPlane: v.Stride,
			C: du.Data, CRow: c.in, CPlane: du.Stride,
		})
		s.kernel.TransformWeightsGradient(c.winograd, dWeights[first*c.in:], du, next-first, c.in, c.out*c.in)
	}
}
