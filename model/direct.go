package model

import "ludus/model/infer/kernel"

// direct is a convolver for boards without a Winograd transform. It uses im2col: the 3x3 neighbourhood of each cell
// becomes a row of a matrix.
type direct struct {
	h, w int
	*folded
}

func (d *direct) prepare() []func(*kernel.Scratch) {
	return []func(*kernel.Scratch){d.foldTurned, d.fold}
}

// forward computes y board by board: y starts with the bias, plus its old content if the epilogue accumulates; a matrix
// product adds the neighbourhoods of the board's cells times the weights.
func (d *direct) forward(s *scratch, x, y []float32, epilogue kernel.Epilogue) {
	cells, k := d.h*d.w, 9*d.in
	columns := s.get(bufferV, cells*k)
	for i := range s.rows {
		d.columns(columns, x[i*cells*d.in:][:cells*d.in])
		to := y[i*cells*d.out:][:cells*d.out]
		epilogue.Start(to, d.out)
		s.multiply(kernel.Gemm{
			M: cells, N: d.out, K: k, A: columns, ARow: k, ACol: 1, B: d.turned, BRow: d.out, BPanel: kernel.RowMajor,
			C: to, CRow: d.out, Init: to, InitRow: d.out, ReLU: epilogue.ReLU,
		})
	}
}

// backward adds up dWeights board by board: for each tap, dy transposed times the tap's columns. The gradient of the
// columns is dy times the weights of each tap; addColumns adds it to dx.
func (d *direct) backward(s *scratch, x, dy, dx, dWeights []float32, accumulate bool) {
	cells, k := d.h*d.w, 9*d.in
	columns := s.get(bufferV, cells*k)
	clear(dWeights)
	if !accumulate {
		clear(dx)
	}
	for i := range s.rows {
		dy := dy[i*cells*d.out:][:cells*d.out]
		d.columns(columns, x[i*cells*d.in:][:cells*d.in])
		s.multiply(kernel.Gemm{
			M: d.out, N: d.in, K: cells, Planes: 9,
			A: dy, ARow: 1, ACol: d.out, B: columns, BRow: k, BPanel: kernel.RowMajor, BPlane: d.in,
			C: dWeights, CRow: d.in, CPlane: d.out * d.in, Init: dWeights, InitRow: d.in, InitPlane: d.out * d.in,
		})
		if dx == nil {
			continue
		}
		s.multiply(kernel.Gemm{
			M: cells, N: d.in, K: d.out, Planes: 9,
			A: dy, ARow: d.out, ACol: 1, B: d.product, BRow: d.in, BPanel: kernel.RowMajor, BPlane: d.out * d.in,
			C: columns, CRow: k, CPlane: d.in,
		})
		d.addColumns(dx[i*cells*d.in:][:cells*d.in], columns)
	}
}

// each calls do for every cell and tap whose neighbour is on the board. neighbour is the neighbour's offset in a board
// [H, W, in], tap the tap's offset in columns [H, W, 3, 3, in].
func (d *direct) each(do func(neighbour, tap int)) {
	for cell := range d.h * d.w {
		for tap := range 9 {
			y, x := cell/d.w+tap/3-1, cell%d.w+tap%3-1
			if y >= 0 && y < d.h && x >= 0 && x < d.w {
				do((y*d.w+x)*d.in, (cell*9+tap)*d.in)
			}
		}
	}
}

// columns copies each cell's neighbourhood in board [H, W, in] to a row of dst [H, W, 3, 3, in], with zeros outside the
// board.
func (d *direct) columns(dst, board []float32) {
	clear(dst)
	d.each(func(neighbour, tap int) { copy(dst[tap:tap+d.in], board[neighbour:]) })
}

// addColumns is the transpose of columns: it adds each row of columns to the neighbourhood of its cell.
func (d *direct) addColumns(board, columns []float32) {
	d.each(func(neighbour, tap int) {
		for i, v := range columns[tap : tap+d.in] {
			board[neighbour+i] += v
		}
	})
}
