package kernel

import (
	"math"
	"unsafe"

	"ludus/model/infer/kernel/winograd"
)

// Planes are matrices [rows, columns], one for each point of a Winograd transform. Element (i, j) of plane p is
// Data[p*Stride + i*columns + j].
type Planes struct {
	Data   []float32
	Stride int
}

// PlaneStride is the stride for planes of that many floats. It adds a cache line, because planes whose distance is a
// power of two compete for few cache sets.
func PlaneStride(floats int) int { return (floats+15)&^15 + 16 }

// Winograd is the Winograd transform of boards of H x W cells, divided into tiles; see package winograd. Activations
// are [rows, H, W, C] with C a multiple of 8. A transformed tile has one value per point and channel. All values of a
// point form a plane [rows, tiles, C].
type Winograd struct {
	H, W        int
	down, along []winograd.Tile // of a column (H cells) and of a row (W cells)
	pH, pW      int             // points of a tile's column and row
}

// NewWinograd returns the transform of boards of h x w cells; ok is false if there is none for that size.
func NewWinograd(h, w int) (board Winograd, ok bool) {
	if !winograd.Has(h) || !winograd.Has(w) {
		return board, false
	}
	board = Winograd{H: h, W: w, down: winograd.Line(h), along: winograd.Line(w)}
	board.pH, board.pW = board.down[0].Shape.Matrices().P, board.along[0].Shape.Matrices().P
	return board, true
}

// Points is the number of planes of a transformed board.
func (w Winograd) Points() int { return w.pH * w.pW }

// Tiles is the number of tiles of a board.
func (w Winograd) Tiles() int { return len(w.down) * len(w.along) }

// together is the number of boards of a batch to transform at once, so that their planes fit the second-level cache.
func (w Winograd) together(rows int) int {
	const tiles = 16
	return min(rows, max(1, tiles/w.Tiles()))
}

// Cells is the number of cells of a board.
func (w Winograd) Cells() int { return w.H * w.W }

// Epilogue is applied to a result before it is stored: result + Bias, plus the old content of the destination if
// Accumulate, then max(0, x) if ReLU.
type Epilogue struct {
	Bias       []float32 // [C], nil for zeros
	Accumulate bool
	ReLU       bool
}

// Start sets dst [.., channels] to the initial value of sums: the bias, plus the old content if Accumulate.
func (e Epilogue) Start(dst []float32, channels int) {
	if !e.Accumulate {
		clear(dst)
	}
	if e.Bias == nil {
		return
	}
	for i := 0; i < len(dst); i += channels {
		row := dst[i : i+channels]
		for j, b := range e.Bias[:channels] {
			row[j] += b
		}
	}
}

// TransformInput computes the Winograd input transform V = B d Bᵀ of each tile (B as defined in package winograd): src
// [rows, H, W, C] becomes one plane [rows, tiles, C] per point.
func (s *Scratch) TransformInput(board Winograd, dst Planes, src []float32, rows, channels int) {
	s.toPlanes(board, matrixB, dst, src, board.activations(rows, channels))
}

// TransformOutputGradient is the transpose of TransformOutput, dM = A dy Aᵀ of each tile: src [rows, H, W, C], the
// gradient of a convolution's output, becomes one plane [rows, tiles, C] per point.
func (s *Scratch) TransformOutputGradient(board Winograd, dst Planes, src []float32, rows, channels int) {
	s.toPlanes(board, matrixA, dst, src, board.activations(rows, channels))
}

// TransformOutput computes a convolution's output y = Aᵀ M A of each tile (A as defined in package winograd) from the
// planes [rows, tiles, C] of M, one per point: dst is [rows, H, W, C].
func (s *Scratch) TransformOutput(board Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	s.fromPlanes(board, matrixA, dst, src, board.activations(rows, channels), epilogue)
}

// TransformInputGradient is the transpose of TransformInput, whose planes are V = B d Bᵀ of each tile: from src, the
// gradient of V, it computes dst [rows, H, W, C], the gradient of d: the sum over the tiles of Bᵀ (gradient of V) B. If
// accumulate, it adds it to dst.
func (s *Scratch) TransformInputGradient(board Winograd, dst []float32, src Planes, rows, channels int, accumulate bool) {
	if board.Tiles() > 1 && !accumulate { // tiles overlap, so each adds its share
		clear(dst[:rows*board.Cells()*channels])
		accumulate = true
	}
	s.fromPlanes(board, matrixB, dst, src, board.activations(rows, channels), Epilogue{Accumulate: accumulate})
}

// TransformWeights computes U = G g Gᵀ (G as defined in package winograd): weights [3, 3, in, out] become one plane
// [in, out] per point.
func (s *Scratch) TransformWeights(board Winograd, dst Planes, weights []float32, in, out int) {
	s.toPlanes(board.taps(), matrixG, dst, weights, taps(in, out))
}

// TransformWeightsGradient is the transpose of TransformWeights, dg = Gᵀ dU G: src, the gradient of its planes, becomes
// the gradient dst [3, 3, in, out] of its weights.
func (s *Scratch) TransformWeightsGradient(board Winograd, dst []float32, src Planes, in, out int) {
	s.fromPlanes(board.taps(), matrixG, dst, src, taps(in, out), Epilogue{})
}

// layout is the memory layout of what is transformed: rows of height x width vectors of channels. rowStep and
// vectorStep are the distances between rows and between a row's vectors.
type layout struct {
	height, width        int
	rows, rowStep        int
	channels, vectorStep int
}

// activations is the layout of activations [rows, H, W, channels].
func (w Winograd) activations(rows, channels int) layout {
	return layout{
		height: w.H, width: w.W, rows: rows, rowStep: w.Cells() * channels, channels: channels, vectorStep: channels,
	}
}

// taps is the layout of weights [3, 3, in, out].
func taps(in, out int) layout {
	return layout{height: 3, width: 3, rows: in, rowStep: out, channels: out, vectorStep: in * out}
}

// taps is w for weights, which are a single tile.
func (w Winograd) taps() Winograd {
	w.down, w.along = w.down[:1], w.along[:1]
	return w
}

// check panics if cells or planes are too short for the layout, or channels are not a multiple of 8.
func (l layout) check(board Winograd, cells []float32, planes Planes) {
	if l.channels%8 != 0 {
		panic("kernel: channels must be a multiple of 8")
	}
	_ = cells[(l.rows-1)*l.rowStep+(l.height*l.width-1)*l.vectorStep+l.channels-1]
	_ = planes.Data[(board.Points()-1)*planes.Stride+l.rows*board.Tiles()*l.channels-1]
}

// span returns the first cell of a tile that a matrix covers, and how many cells. G covers the three taps.
func span(t winograd.Tile, matrix int) (first, cells int) {
	switch matrix {
	case matrixA:
		return t.First, t.Shape.Cells
	case matrixB:
		return t.First - t.Shape.Before, t.Shape.Before + t.Shape.Cells + t.Shape.After
	}
	return 0, 3
}

// toPlanes multiplies each tile of each row of src by a Winograd matrix on the left (its columns), then by the
// transposed matrix on the right (its lines), and writes one plane [rows, tiles, channels] per point to dst. It takes
// as many rows at a time as fit into the buffer between the passes. The columns of tiles side by side are multiplied at
// once.
func (s *Scratch) toPlanes(board Winograd, matrix int, dst Planes, src []float32, l layout) {
	l.check(board, src, dst)
	line, row := 4*l.width*l.channels, 4*board.pH*l.width*l.channels // bytes, between the passes
	middle := pointer(floats(&s.middle, max(row, middleBytes)/4))
	s.columns = transformArgs{
		sourceStep: 4 * l.width * l.vectorStep, sourceLine: 4 * l.vectorStep, sourceRow: 4 * l.rowStep,
		destination: middle, destinationStep: line, destinationLine: 4 * l.channels, destinationRow: row,
		lines: l.width,
	}
	s.lines = transformArgs{
		sourceStep: 4 * l.channels, sourceLine: line, sourceRow: row,
		destinationStep: 4 * dst.Stride, destinationLine: 4 * board.pW * dst.Stride,
		destinationRow: 4 * board.Tiles() * l.channels,
		lines:          board.pH,
	}
	together := max(1, middleBytes/row)
	for r := 0; r < l.rows; r += together {
		s.columns.rows = min(together, l.rows-r)
		s.lines.rows = s.columns.rows
		to := dst.Data[r*board.Tiles()*l.channels:]
		for _, t := range board.down {
			y, _ := span(t, matrix)
			s.columns.source = pointer(src[r*l.rowStep+y*l.width*l.vectorStep:])
			s.run(&s.columns, t.Index, matrix, multiply, l.channels)
			for _, t := range board.along {
				x, _ := span(t, matrix)
				s.lines.source, s.lines.destination = unsafe.Add(middle, 4*x*l.channels), pointer(to)
				s.run(&s.lines, t.Index, matrix, multiply, l.channels)
				to = to[l.channels:]
			}
		}
	}
}

// fromPlanes is the transpose of toPlanes. For each tile of each row of src and each channel, the values of all points
// are a matrix [pH, pW]. It is multiplied by the transposed Winograd matrix on the left (first pass, s.columns), then
// by the matrix on the right (second pass, s.lines), and goes to dst through the epilogue. Matrix G, for gradients of
// weights, has no epilogue. Distances in transformArgs are in bytes.
func (s *Scratch) fromPlanes(board Winograd, matrix int, dst []float32, src Planes, l layout, epilogue Epilogue) {
	l.check(board, dst, src)
	line, row := 4*board.pW*l.channels, 0 // bytes, between the passes
	for _, t := range board.down {
		_, cells := span(t, matrix)
		row = max(row, cells*line)
	}
	middle := pointer(floats(&s.middle, max(row, middleBytes)/4))
	s.columns = transformArgs{
		sourceStep: 4 * board.pW * src.Stride, sourceLine: 4 * src.Stride, sourceRow: 4 * board.Tiles() * l.channels,
		destination: middle, destinationStep: line, destinationLine: 4 * l.channels, destinationRow: row,
		lines: board.pW,
	}
	s.lines = transformArgs{
		source: middle, sourceStep: 4 * l.channels, sourceLine: line, sourceRow: row,
		destinationStep: 4 * l.vectorStep, destinationLine: 4 * l.width * l.vectorStep, destinationRow: 4 * l.rowStep,
	}
	last := multiplyTransposed
	if matrix != matrixG {
		last = transposedEpilogue
		s.setEpilogue(&s.lines, epilogue, l.channels)
	}
	together := max(1, middleBytes/row)
	for r := 0; r < l.rows; r += together {
		s.columns.rows = min(together, l.rows-r)
		s.lines.rows = s.columns.rows
		from := src.Data[r*board.Tiles()*l.channels:]
		for _, down := range board.down {
			y, cells := span(down, matrix)
			s.lines.lines = cells
			for _, along := range board.along {
				x, _ := span(along, matrix)
				s.columns.source = pointer(from)
				s.run(&s.columns, down.Index, matrix, multiplyTransposed, l.channels)
				s.lines.destination = pointer(dst[r*l.rowStep+(y*l.width+x)*l.vectorStep:])
				s.run(&s.lines, along.Index, matrix, last, l.channels)
				from = from[l.channels:]
			}
		}
	}
}

// setEpilogue makes pass p apply an epilogue: the bias, or zeros if it is nil; accumulation; and the floor, which is 0
// in a new pass, as for ReLU, and -Inf without ReLU.
func (s *Scratch) setEpilogue(p *transformArgs, e Epilogue, channels int) {
	if e.Bias == nil {
		e.Bias = s.zeros(channels)
	}
	_ = e.Bias[channels-1]
	p.bias = pointer(e.Bias)
	if e.Accumulate {
		p.accumulate = 1
	}
	if !e.ReLU {
		p.floor = float32(math.Inf(-1))
	}
}

// middleBytes is the memory for results of the first pass, which should stay in the first-level cache. A single row may
// need more.
const middleBytes = 1 << 14

// run executes pass p, of the given kind and for tiles of the shape with this index, on all channels: those that fill
// vectors, then the rest in vectors of 8.
func (s *Scratch) run(p *transformArgs, shape, matrix, kind, channels int) {
	p.vectors = channels / active.lanes
	if p.vectors > 0 {
		active.transforms[shape][matrix][kind](p)
	}
	rest := channels % active.lanes
	if rest == 0 {
		return
	}
	done := 4 * (channels - rest) // bytes
	s.tail = *p
	p = &s.tail
	p.source, p.destination = unsafe.Add(p.source, done), unsafe.Add(p.destination, done)
	if p.bias != nil {
		p.bias = unsafe.Add(p.bias, done)
	}
	p.vectors = rest / 8
	active.tail.transforms[shape][matrix][kind](p)
}
