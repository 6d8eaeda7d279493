package model

import "ludus/model/infer/kernel"

// transformed is a convolver by Winograd's transforms of whole boards: with V, U and M for the transforms of x, of the
// weights and of y, one matrix a point, M = V U.
type transformed struct {
	board   kernel.Winograd
	in, out int
	scratch *scratch
}

func newTransformed(board kernel.Winograd, in, out int, s *scratch) *transformed {
	for _, i := range []int{bufferV, bufferM} {
		s.planes(i, board.Points(), shardRows*max(in, out)) // makes room for the largest shard
	}
	return &transformed{board, in, out, s}
}

func (t *transformed) forward(x, weights, y []float32, finish kernel.Epilogue) {
	s, points := t.scratch, t.board.Points()
	u := s.planes(bufferU, points, t.in*t.out)
	s.worker.TransformWeights(t.board, u, weights, t.in, t.out)
	v, m := s.planes(bufferV, points, s.rows*t.in), s.planes(bufferM, points, s.rows*t.out)
	s.worker.TransformInput(t.board, v, x, s.rows, t.in)
	s.multiply(kernel.Gemm{
		M: s.rows, N: t.out, K: t.in, Planes: points,
		A: v.Data, ARow: t.in, ACol: 1, APlane: v.Stride,
		B: u.Data, BRow: t.out, BPanel: 16, BPlane: u.Stride,
		C: m.Data, CRow: t.out, CPlane: m.Stride,
	})
	s.worker.TransformOutput(t.board, y, m, s.rows, t.out, finish)
}

// backward does dV = dM Uᵀ and dUᵀ = dMᵀ V.
func (t *transformed) backward(x, weights, dy, dx, dWeights []float32, accumulate bool) {
	s, points := t.scratch, t.board.Points()
	dm, v := s.planes(bufferM, points, s.rows*t.out), s.planes(bufferV, points, s.rows*t.in)
	u := s.planes(bufferU, points, t.in*t.out) // [out, in]
	s.worker.TransformOutputGradient(t.board, dm, dy, s.rows, t.out)
	if dx != nil {
		s.worker.TransformWeights(t.board, u, weights, t.out, t.in)
		s.multiply(kernel.Gemm{
			M: s.rows, N: t.in, K: t.out, Planes: points,
			A: dm.Data, ARow: t.out, ACol: 1, APlane: dm.Stride,
			B: u.Data, BRow: t.in, BPanel: 16, BPlane: u.Stride,
			C: v.Data, CRow: t.in, CPlane: v.Stride,
		})
		s.worker.TransformInputGradient(t.board, dx, v, s.rows, t.in, kernel.Epilogue{Accumulate: accumulate})
	}
	s.worker.TransformInput(t.board, v, x, s.rows, t.in)
	s.multiply(kernel.Gemm{
		M: t.out, N: t.in, K: s.rows, Planes: points,
		A: dm.Data, ARow: 1, ACol: t.out, APlane: dm.Stride,
		B: v.Data, BRow: t.in, BPanel: 16, BPlane: v.Stride,
		C: u.Data, CRow: t.in, CPlane: u.Stride,
	})
	s.worker.TransformWeightsGradient(t.board, dWeights, u, t.out, t.in)
}
