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

// Winograd is the Winograd transform of whole boards of H x W cells; see package winograd. Activations are [rows, H, W,
// C] with C a multiple of 8. A transformed board has one value per point and channel; all values of a point form a
// plane.
type Winograd struct {
	H, W   int
	pH, pW int // points of a column (H cells) and of a row (W cells)
}

// NewWinograd returns the transform of boards of h x w cells; ok is false if there is none for that size.
func NewWinograd(h, w int) (board Winograd, ok bool) {
	if !winograd.Has(h) || !winograd.Has(w) {
		return board, false
	}
	return Winograd{h, w, winograd.New(h).P, winograd.New(w).P}, true
}

// Points is the number of planes of a transformed board.
func (w Winograd) Points() int { return w.pH * w.pW }

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

// TransformInput computes the Winograd input transform V = B d Bᵀ of each board (B as defined in package winograd): src
// [rows, H, W, C] becomes one plane [rows, C] per point.
func (s *Scratch) TransformInput(board Winograd, dst Planes, src []float32, rows, channels int) {
	s.toPlanes(board, matrixB, dst, src, activations(board, rows, channels))
}

// TransformOutputGradient is the transpose of TransformOutput, dM = A dy Aᵀ of each board: src [rows, H, W, C], the
// gradient of a convolution's output, becomes one plane [rows, C] per point.
func (s *Scratch) TransformOutputGradient(board Winograd, dst Planes, src []float32, rows, channels int) {
	s.toPlanes(board, matrixA, dst, src, activations(board, rows, channels))
}

// TransformOutput computes a convolution's output y = Aᵀ M A of each board (A as defined in package winograd) from the
// planes [rows, C] of M, one per point: dst is [rows, H, W, C].
func (s *Scratch) TransformOutput(board Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	s.fromPlanes(board, matrixA, dst, src, activations(board, rows, channels), epilogue)
}

// TransformInputGradient is the transpose of TransformInput, whose planes are V = B d Bᵀ of each board: from src, the
// gradient of V, it computes dst [rows, H, W, C], the gradient of d: Bᵀ (gradient of V) B.
func (s *Scratch) TransformInputGradient(
	board Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue,
) {
	s.fromPlanes(board, matrixB, dst, src, activations(board, rows, channels), epilogue)
}

// TransformWeights computes U = G g Gᵀ (G as defined in package winograd): weights [3, 3, in, out] become one plane
// [in, out] per point.
func (s *Scratch) TransformWeights(board Winograd, dst Planes, weights []float32, in, out int) {
	s.toPlanes(board, matrixG, dst, weights, taps(in, out, in*out))
}

// TransformWeightsGradient is the transpose of TransformWeights, dg = Gᵀ dU G: src, the gradient of its planes, becomes
// the gradient dst [3, 3, in, out] of its weights. The matrices [in, out] of dst are step values apart, so src may have
// some of their rows.
func (s *Scratch) TransformWeightsGradient(board Winograd, dst []float32, src Planes, in, out, step int) {
	s.fromPlanes(board, matrixG, dst, src, taps(in, out, step), Epilogue{})
}

// layout is the memory layout of what is transformed: rows of height x width vectors of channels. rowStep and vectorStep
// are the distances between rows and between a row's vectors.
type layout struct {
	height, width        int
	rows, rowStep        int
	channels, vectorStep int
}

// activations is the layout of activations [rows, H, W, channels].
func activations(board Winograd, rows, channels int) layout {
	return layout{
		height: board.H, width: board.W, rows: rows, rowStep: board.Cells() * channels,
		channels: channels, vectorStep: channels,
	}
}

// taps is the layout of weights [3, 3, in, out], whose matrices [in, out] are step values apart.
func taps(in, out, step int) layout {
	return layout{height: 3, width: 3, rows: in, rowStep: out, channels: out, vectorStep: step}
}

// check panics if cells or planes are too short for the layout.
func (l layout) check(board Winograd, cells []float32, planes Planes) {
	_ = cells[(l.rows-1)*l.rowStep+(l.height*l.width-1)*l.vectorStep+l.channels-1]
	_ = planes.Data[(board.Points()-1)*planes.Stride+l.rows*l.channels-1]
}

// toPlanes multiplies each row of src by a Winograd matrix on the left (its columns), then by the transposed matrix on
// the right (its lines), and writes one plane [rows, channels] per point to dst.
func (s *Scratch) toPlanes(board Winograd, matrix int, dst Planes, src []float32, l layout) {
	l.check(board, src, dst)
	line, row := 4*l.width*l.channels, 4*board.pH*l.width*l.channels // bytes, between the passes
	middle := pointer(floats(&s.middle, max(row, middleBytes)/4))
	s.columns = transformArgs{
		source: pointer(src), sourceStep: 4 * l.width * l.vectorStep, sourceLine: 4 * l.vectorStep,
		destination: middle, destinationStep: line, destinationLine: 4 * l.channels,
		sourceRow: 4 * l.rowStep, destinationRow: row, lines: l.width,
	}
	s.lines = transformArgs{
		source: middle, sourceStep: 4 * l.channels, sourceLine: line,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * board.pW * dst.Stride,
		sourceRow: row, destinationRow: 4 * l.channels, lines: board.pH,
	}
	s.runPasses(board, matrix, multiply, multiply, l)
}

// fromPlanes is the transpose of toPlanes. For each row of src and each channel, the values of all points are a matrix
// [pH, pW]. It is multiplied by the transposed Winograd matrix on the left (first pass, s.columns), then by the matrix on
// the right (second pass, s.lines), and goes to dst through the epilogue. Matrix G, for gradients of weights, has no
// epilogue. Distances in transformArgs are in bytes.
func (s *Scratch) fromPlanes(board Winograd, matrix int, dst []float32, src Planes, l layout, epilogue Epilogue) {
	l.check(board, dst, src)
	line, row := 4*board.pW*l.channels, 4*l.height*board.pW*l.channels // bytes, between the passes
	middle := pointer(floats(&s.middle, max(row, middleBytes)/4))
	s.columns = transformArgs{
		source: pointer(src.Data), sourceStep: 4 * board.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: line, destinationLine: 4 * l.channels,
		sourceRow: 4 * l.channels, destinationRow: row, lines: board.pW,
	}
	s.lines = transformArgs{
		source: middle, sourceStep: 4 * l.channels, sourceLine: line,
		destination: pointer(dst), destinationStep: 4 * l.vectorStep, destinationLine: 4 * l.width * l.vectorStep,
		sourceRow: row, destinationRow: 4 * l.rowStep, lines: l.height,
	}
	last := multiplyTransposed
	if matrix != matrixG {
		last = transposedEpilogue
		s.setEpilogue(&s.lines, epilogue, l.channels)
	}
	s.runPasses(board, matrix, multiplyTransposed, last, l)
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

// runPasses transforms all rows of the layout in two passes: s.columns, then s.lines. It takes as many rows at a time
// as fit into the buffer between the passes.
func (s *Scratch) runPasses(board Winograd, matrix, first, second int, l layout) {
	if l.channels%8 != 0 {
		panic("kernel: channels must be a multiple of 8")
	}
	source, destination := s.columns.source, s.lines.destination
	together := max(1, middleBytes/s.columns.destinationRow)
	for r := 0; r < l.rows; r += together {
		n := min(together, l.rows-r)
		s.columns.source, s.columns.rows = unsafe.Add(source, r*s.columns.sourceRow), n
		s.run(&s.columns, board.H, matrix, first, l.channels)
		s.lines.destination, s.lines.rows = unsafe.Add(destination, r*s.lines.destinationRow), n
		s.run(&s.lines, board.W, matrix, second, l.channels)
	}
}

// run executes pass p, of the given kind and for a board's side of n cells, on all channels: those that fill vectors,
// then the rest in vectors of 8.
func (s *Scratch) run(p *transformArgs, n, matrix, kind, channels int) {
	p.vectors = channels / active.lanes
	if p.vectors > 0 {
		active.transforms[n][matrix][kind](p)
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
	active.tail.transforms[n][matrix][kind](p)
}
