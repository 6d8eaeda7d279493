package model

import "ludus/model/infer/kernel"

// lanes is the number of channels, a multiple of 8, that a layer's input or output of c channels is stored with. Further
// channels are zeros.
func lanes(c int) int { return (c + 7) &^ 7 }

// scratch is memory that the layers of one graph share; they run one after another.
type scratch struct {
	worker  kernel.Worker
	gemm    kernel.Gemm // the arguments of the product being done
	buffers [8][]float32
}

// get returns buffer i with n values of any content.
func (s *scratch) get(i, n int) []float32 {
	if len(s.buffers[i]) < n {
		s.buffers[i] = kernel.Aligned(n)
	}
	return s.buffers[i][:n]
}

// planes returns buffer i as matrices of so many values.
func (s *scratch) planes(i, points, values int) kernel.Planes {
	stride := kernel.PlaneStride(values)
	return kernel.Planes{Data: s.get(i, points*stride), Stride: stride}
}

// multiply runs a product on the graph's worker.
func (s *scratch) multiply(g kernel.Gemm) {
	s.gemm = g
	s.worker.Gemm(&s.gemm)
}

// conv is y = relu(scale conv(x) + bias + residual), a 3x3 convolution of boards x [rows, H, W, in] with weights
// [maps, 3, 3, planes]; in and out are the lanes of planes and maps. The scale is folded into the weights.
type conv struct {
	planes, maps int
	in, out      int
	size         int       // values of y
	diagonal     []float32 // [out, out], the scale of the last forward run on the diagonal
	product      convolver
	scratch      *scratch
}

// convolver computes a convolution without scale, and its gradients. x is [rows, H, W, in], y [rows, H, W, out].
type convolver interface {
	// forward takes weights [3, 3, in, out].
	forward(x, weights, y []float32, finish kernel.Finish)
	// backward takes weights [3, 3, out, in]. It computes the gradients of weights and, unless dx is nil, that of x, to which it adds what dx holds if
	// accumulate.
	backward(x, weights, dy, dx, dWeights []float32, accumulate bool)
}

func newConv(rows, h, w, planes, maps int, s *scratch) *conv {
	in, out := lanes(planes), lanes(maps)
	c := &conv{planes, maps, in, out, rows * h * w * out, kernel.Aligned(out * out), nil, s}
	if board, ok := kernel.NewBoard(h, w); ok {
		c.product = &transformed{board, rows, in, out, s}
	} else {
		c.product = &direct{rows, h, w, in, out, s}
	}
	return c
}

// forward computes y; residual may be nil.
func (c *conv) forward(x, weights, scale, bias, residual, y []float32) {
	folded := c.foldTurned(weights, scale)
	if len(bias) < c.out {
		bias = append(c.scratch.get(7, c.out)[:0], bias...)
		clear(bias[len(bias):c.out])
		bias = bias[:c.out]
	}
	copy(y, residual)
	c.product.forward(x, folded, y, kernel.Finish{Bias: bias, Accumulate: residual != nil, ReLU: true})
}

// foldTurned returns the weights times the scale as [3, 3, in, out]. A product with the scale as a diagonal matrix turns them
// faster than a loop.
func (c *conv) foldTurned(weights, scale []float32) []float32 {
	for o, s := range scale {
		c.diagonal[o*c.out+o] = s
	}
	turned := c.scratch.get(3, 9*c.in*c.out)
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
	folded := c.scratch.get(3, 9*c.out*c.in)
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

// gate computes the gradient dSum of the ReLU's argument, and its sum dBias over all cells. dSum may be dy.
func (c *conv) gate(y, dy, dSum, dBias []float32) {
	sums := c.scratch.get(7, c.out)
	c.scratch.worker.Gate(y, dy, dSum, sums, c.size/c.out, c.out)
	copy(dBias, sums)
}

// backward computes the gradients of weights and scale and, unless dx is nil, that of x, to which it adds what dx holds if
// accumulate, from that of the ReLU's argument.
func (c *conv) backward(x, weights, scale, dSum, dx, dWeights, dScale []float32, accumulate bool) {
	var folded []float32
	if dx != nil {
		folded = c.fold(weights, scale)
	}
	dFolded := c.scratch.get(6, 9*c.out*c.in)
	c.product.backward(x, folded, dSum, dx, dFolded, accumulate)
	for o, s := range scale {
		dScale[o] = 0
		for tap := range 9 {
			at := (o*9 + tap) * c.planes
			dScale[o] += unfold(weights[at:at+c.planes], dWeights[at:at+c.planes], dFolded[(tap*c.out+o)*c.in:], s)
		}
	}
}

// unfold computes the gradient dw = scale g of weights from that of their product with the scale, and returns its part of the
// scale's gradient, the sum of w g. Four sums side by side need not wait for one another.
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

// transformed is a convolver by Winograd's transforms of whole boards: with V, U and M for the transforms of x, of the
// weights and of y, one matrix a point, M = V U.
type transformed struct {
	board         kernel.Board
	rows, in, out int
	scratch       *scratch
}

func (t *transformed) forward(x, weights, y []float32, finish kernel.Finish) {
	s, points := t.scratch, t.board.Points()
	u := s.planes(2, points, t.in*t.out)
	s.worker.Weights(t.board, u, weights, t.in, t.out)
	v, m := s.planes(0, points, t.rows*t.in), s.planes(1, points, t.rows*t.out)
	s.worker.Input(t.board, v, x, t.rows, t.in)
	s.multiply(kernel.Gemm{
		M: t.rows, N: t.out, K: t.in, Planes: points,
		A: v.Data, ARow: t.in, ACol: 1, APlane: v.Stride,
		B: u.Data, BRow: t.out, BPanel: 16, BPlane: u.Stride,
		C: m.Data, CRow: t.out, CPlane: m.Stride,
	})
	s.worker.Output(t.board, y, m, t.rows, t.out, finish)
}

// backward does dV = dM Uᵀ and dUᵀ = dMᵀ V.
func (t *transformed) backward(x, weights, dy, dx, dWeights []float32, accumulate bool) {
	s, points := t.scratch, t.board.Points()
	dm, v := s.planes(0, points, t.rows*t.out), s.planes(1, points, t.rows*t.in)
	u := s.planes(2, points, t.in*t.out) // [out, in]
	s.worker.OutputGradient(t.board, dm, dy, t.rows, t.out)
	if dx != nil {
		s.worker.Weights(t.board, u, weights, t.out, t.in)
		s.multiply(kernel.Gemm{
			M: t.rows, N: t.in, K: t.out, Planes: points,
			A: dm.Data, ARow: t.out, ACol: 1, APlane: dm.Stride,
			B: u.Data, BRow: t.in, BPanel: 16, BPlane: u.Stride,
			C: v.Data, CRow: t.in, CPlane: v.Stride,
		})
		s.worker.InputGradient(t.board, dx, v, t.rows, t.in, kernel.Finish{Accumulate: accumulate})
	}
	s.worker.Input(t.board, v, x, t.rows, t.in)
	s.multiply(kernel.Gemm{
		M: t.out, N: t.in, K: t.rows, Planes: points,
		A: dm.Data, ARow: 1, ACol: t.out, APlane: dm.Stride,
		B: v.Data, BRow: t.in, BPanel: 16, BPlane: v.Stride,
		C: u.Data, CRow: t.in, CPlane: u.Stride,
	})
	s.worker.WeightsGradient(t.board, dWeights, u, t.out, t.in)
}

// direct is a convolver for boards without transforms. Each cell's 3x3 neighbourhood is a row of a matrix.
type direct struct {
	rows, h, w, in, out int
	scratch             *scratch
}

func (d *direct) forward(x, weights, y []float32, finish kernel.Finish) {
	s, cells, k := d.scratch, d.h*d.w, 9*d.in
	columns := s.get(1, cells*k)
	for i := range d.rows {
		d.columns(columns, x[i*cells*d.in:][:cells*d.in])
		to := y[i*cells*d.out:][:cells*d.out]
		for cell := range cells {
			row := to[cell*d.out:][:d.out]
			if !finish.Accumulate {
				clear(row)
			}
			for o, b := range finish.Bias {
				row[o] += b
			}
		}
		s.multiply(kernel.Gemm{
			M: cells, N: d.out, K: k, A: columns, ARow: k, ACol: 1, B: weights, BRow: d.out, BPanel: 16,
			C: to, CRow: d.out, Init: to, InitRow: d.out, ReLU: finish.ReLU,
		})
	}
}

func (d *direct) backward(x, weights, dy, dx, dWeights []float32, accumulate bool) {
	s, cells, k := d.scratch, d.h*d.w, 9*d.in
	columns := s.get(1, cells*k)
	clear(dWeights)
	if !accumulate {
		clear(dx)
	}
	for i := range d.rows {
		dy := dy[i*cells*d.out:][:cells*d.out]
		d.columns(columns, x[i*cells*d.in:][:cells*d.in])
		s.multiply(kernel.Gemm{
			M: d.out, N: d.in, K: cells, Planes: 9,
			A: dy, ARow: 1, ACol: d.out, B: columns, BRow: k, BPanel: 16, BPlane: d.in,
			C: dWeights, CRow: d.in, CPlane: d.out * d.in, Init: dWeights, InitRow: d.in, InitPlane: d.out * d.in,
		})
		if dx == nil {
			continue
		}
		s.multiply(kernel.Gemm{
			M: cells, N: d.in, K: d.out, Planes: 9,
			A: dy, ARow: d.out, ACol: 1, B: weights, BRow: d.in, BPanel: 16, BPlane: d.out * d.in,
			C: columns, CRow: k, CPlane: d.in,
		})
		d.addColumns(dx[i*cells*d.in:][:cells*d.in], columns)
	}
}

// each calls do for every cell and tap whose neighbour is on the board, with the places of the neighbour in a board
// [H, W, in] and of the tap in columns [H, W, 3, 3, in].
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

// columns writes each cell's neighbourhood in board [H, W, in] as a row of dst [H, W, 3, 3, in], zero outside.
func (d *direct) columns(dst, board []float32) {
	clear(dst)
	d.each(func(neighbour, tap int) { copy(dst[tap:tap+d.in], board[neighbour:]) })
}

// addColumns adds each row of columns to the neighbourhood of its cell.
func (d *direct) addColumns(board, columns []float32) {
	d.each(func(neighbour, tap int) {
		for i, v := range columns[tap : tap+d.in] {
			board[neighbour+i] += v
		}
	})
}

// stem is the network's first layer. Inputs: x, weights, scale, bias.
type stem struct{ *conv }

func (s stem) forward(in [][]float32, y []float32) {
	s.conv.forward(in[0], in[1], in[2], in[3], nil, y)
}

func (s stem) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum := s.scratch.get(4, s.size)
	s.gate(y, dy, dSum, dIn[3])
	s.conv.backward(in[0], in[1], in[2], dSum, nil, dIn[1], dIn[2], false)
}

// block is a residual block, relu(second(first(x)) + x). Inputs: x, then weights, scale and bias of both convolutions.
type block struct {
	first, second *conv
	hidden        []float32 // what is between them
	scratch       *scratch
}

func newBlock(rows, h, w, channels int, s *scratch) *block {
	first, second := newConv(rows, h, w, channels, channels, s), newConv(rows, h, w, channels, channels, s)
	return &block{first, second, kernel.Aligned(first.size), s}
}

func (b *block) forward(in [][]float32, y []float32) {
	b.first.forward(in[0], in[1], in[2], in[3], nil, b.hidden)
	b.second.forward(b.hidden, in[4], in[5], in[6], in[0], y)
}

// backward passes the gradient on around the convolutions by way of dIn[0], to which the first one's is added.
func (b *block) backward(in [][]float32, y, dy []float32, dIn [][]float32) {
	dSum, dHidden := dIn[0], b.scratch.get(5, len(b.hidden))
	b.second.gate(y, dy, dSum, dIn[6])
	b.second.backward(b.hidden, in[4], in[5], dSum, dHidden, dIn[4], dIn[5], false)
	b.first.gate(b.hidden, dHidden, dHidden, dIn[3])
	b.first.backward(in[0], in[1], in[2], dHidden, dIn[0], dIn[1], dIn[2], true)
}
