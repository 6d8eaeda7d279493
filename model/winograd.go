package model

import "ludus/model/infer/kernel"

// winogradConv is a convolver that uses Winograd transforms of boards in tiles. V and U are the transforms of x and of
// the weights, with one matrix per point. M = V U for each point, and y is the transform of M.
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
	s.kernel.ConvPlanes(c.winograd, y, x, s.rows, kernel.Gemm{
		N: c.out, K: c.in, B: c.u.Data, BRow: c.out, BPanel: kernel.RowMajor, BPlane: c.u.Stride,
	}, epilogue)
}

// tileBlock is the number of tiles, at least those of one board, that backward transforms at once, so that their planes
// stay in a core's cache.
const tileBlock = 64

// backward computes dM from dy, dx from dV = dM Uᵀ, and adds up dUᵀ = dMᵀ V, a block of boards at a time; then
// dWeights from dU.
func (c *winogradConv) backward(s *scratch, x, dy, dx, dWeights []float32, accumulate bool) {
	points, tiles, cells := c.winograd.Points(), c.winograd.Tiles(), c.winograd.Cells()
	together := min(s.rows, max(1, tileBlock/tiles))
	dm, v := s.planes(bufferM, points, together*tiles*c.out), s.planes(bufferV, points, together*tiles*c.in)
	du := s.planes(bufferU, points, c.out*c.in)
	product := kernel.Gemm{
		M: c.out, N: c.in, Planes: points,
		A: dm.Data, ARow: 1, ACol: c.out, APlane: dm.Stride,
		B: v.Data, BRow: c.in, BPanel: kernel.RowMajor, BPlane: v.Stride,
		C: du.Data, CRow: c.in, CPlane: du.Stride,
	}
	for first := 0; first < s.rows; first += together {
		rows := min(together, s.rows-first)
		s.kernel.TransformOutputGradient(c.winograd, dm, dy[first*cells*c.out:], rows, c.out)
		if dx != nil {
			s.multiply(kernel.Gemm{
				M: rows * tiles, N: c.in, K: c.out, Planes: points,
				A: dm.Data, ARow: c.out, ACol: 1, APlane: dm.Stride,
				B: c.uBack.Data, BRow: c.in, BPanel: kernel.RowMajor, BPlane: c.uBack.Stride,
				C: v.Data, CRow: c.in, CPlane: v.Stride,
			})
			s.kernel.TransformInputGradient(c.winograd, dx[first*cells*c.in:], v, rows, c.in, accumulate)
		}
		s.kernel.TransformInput(c.winograd, v, x[first*cells*c.in:], rows, c.in)
		product.K = rows * tiles
		s.multiply(product)
		product.Init, product.InitRow, product.InitPlane = product.C, product.CRow, product.CPlane // adds the next block
	}
	s.kernel.TransformWeightsGradient(c.winograd, dWeights, du, c.out, c.in)
}
