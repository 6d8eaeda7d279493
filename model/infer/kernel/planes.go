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
	pH, pW int // points of a column and of a line
}

// NewWinograd returns the transform of boards of h x w cells; ok is false if there is none for that size.
func NewWinograd(h, w int) (board Winograd, ok bool) {
	if !winograd.Has(h) || !winograd.Has(w) {
		return board, false
	}
	return Winograd{h, w, winograd.New(h).P, winograd.New(w).P}, true
}

// Points is the number of planes of a transformed board.
func (board Winograd) Points() int { return board.pH * board.pW }

// Cells is the number of cells of a board.
func (board Winograd) Cells() int { return board.H * board.W }

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
func (w *Worker) TransformInput(board Winograd, dst Planes, src []float32, rows, channels int) {
	w.toPlanes(board, matrixB, dst, src, rows, channels)
}

// TransformOutputGradient is the transpose of TransformOutput, dM = A dy Aᵀ of each board: src [rows, H, W, C], the
// gradient of a convolution's output, becomes one plane [rows, C] per point.
func (w *Worker) TransformOutputGradient(board Winograd, dst Planes, src []float32, rows, channels int) {
	w.toPlanes(board, matrixA, dst, src, rows, channels)
}

// TransformOutput computes a convolution's output y = Aᵀ M A of each board (A as defined in package winograd) from the
// planes [rows, C] of M, one per point: dst is [rows, H, W, C].
func (w *Worker) TransformOutput(board Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	w.toCells(board, matrixA, dst, src, rows, channels, epilogue)
}

// TransformInputGradient is the transpose of TransformInput, dd = Bᵀ dV B of each board: src, the gradient of its
// planes, becomes the gradient dst [rows, H, W, C] of its input.
func (w *Worker) TransformInputGradient(
	board Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue,
) {
	w.toCells(board, matrixB, dst, src, rows, channels, epilogue)
}

// toPlanes multiplies each board of src by a Winograd matrix on the left (its columns), then by the transposed matrix
// on the right (its rows), and writes one plane per point to dst.
func (w *Worker) toPlanes(board Winograd, matrix int, dst Planes, src []float32, rows, channels int) {
	cells, row := board.Cells()*channels, 4*board.W*channels
	_ = src[rows*cells-1]
	_ = dst.Data[(board.Points()-1)*dst.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, board.pH*board.W*channels))
	w.columns = transformArgs{
		source: pointer(src), sourceStep: row, sourceLine: 4 * channels,
		destination: middle, destinationStep: row, destinationLine: 4 * channels,
		lines: board.W,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * channels, sourceLine: row,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * board.pW * dst.Stride,
		lines: board.pH,
	}
	w.runPasses(board, matrix, multiply, multiply, rows, channels, 4*cells, 4*channels)
}

// toCells is the transpose of toPlanes: it multiplies each board of points by the transposed matrix on the left, then
// by the matrix on the right, and writes the cells to dst through epilogue.
func (w *Worker) toCells(board Winograd, matrix int, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	cells, points := board.Cells()*channels, 4*board.pW*channels
	_ = dst[rows*cells-1]
	_ = src.Data[(board.Points()-1)*src.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, board.H*board.pW*channels))
	w.columns = transformArgs{
		source: pointer(src.Data), sourceStep: 4 * board.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: points, destinationLine: 4 * channels,
		lines: board.pW,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * channels, sourceLine: points,
		destination: pointer(dst), destinationStep: 4 * channels, destinationLine: 4 * board.W * channels,
		lines: board.H,
	}
	w.setEpilogue(&w.lines, epilogue, channels)
	w.runPasses(board, matrix, multiplyTransposed, transposedEpilogue, rows, channels, 4*channels, 4*cells)
}

// setEpilogue makes pass p apply an epilogue: the bias, or zeros if it is nil; accumulation; and the floor, which is 0
// in a new pass, as for ReLU, and -Inf without ReLU.
func (w *Worker) setEpilogue(p *transformArgs, e Epilogue, channels int) {
	if e.Bias == nil {
		e.Bias = w.zeros(channels)
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

// zeros returns a shared slice of n zeros, which callers must not change.
func (w *Worker) zeros(n int) []float32 {
	if len(w.zero) < n {
		w.zero = Aligned(n)
	}
	return w.zero[:n]
}

// runPasses transforms each of rows boards in two passes: w.columns, then w.lines. Consecutive boards are sourceStep
// bytes apart where the first pass reads and destinationStep bytes apart where the second writes. For weights, rows is
// the number of input channels.
func (w *Worker) runPasses(board Winograd, matrix, first, second, rows, channels, sourceStep, destinationStep int) {
	if channels%8 != 0 {
		panic("kernel: channels must be a multiple of 8")
	}
	source, destination := w.columns.source, w.lines.destination
	for r := range rows {
		w.columns.source = unsafe.Add(source, r*sourceStep)
		w.run(&w.columns, board.H, matrix, first, channels)
		w.lines.destination = unsafe.Add(destination, r*destinationStep)
		w.run(&w.lines, board.W, matrix, second, channels)
	}
}

// run executes pass p, of the given kind and for a board's side of n cells, on all channels: those that fill vectors,
// then the rest in vectors of 8.
func (w *Worker) run(p *transformArgs, n, matrix, kind, channels int) {
	if p.vectors = channels / active.lanes; p.vectors > 0 {
		active.transforms[n][matrix][kind](p)
	}
	rest := channels % active.lanes
	if rest == 0 {
		return
	}
	done := 4 * (channels - rest)
	w.tail = *p
	p = &w.tail
	p.source, p.destination = unsafe.Add(p.source, done), unsafe.Add(p.destination, done)
	if p.bias != nil {
		p.bias = unsafe.Add(p.bias, done)
	}
	p.vectors = rest / 8
	active.tail[n][matrix][kind](p)
}

// TransformWeights computes U = G g Gᵀ (G as defined in package winograd): weights [3, 3, in, out] become one plane
// [in, out] per point.
func (w *Worker) TransformWeights(board Winograd, dst Planes, weights []float32, in, out int) {
	_ = weights[9*in*out-1]
	_ = dst.Data[(board.Points()-1)*dst.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, board.pH*3*out))
	w.columns = transformArgs{
		source: pointer(weights), sourceStep: 3 * step, sourceLine: step,
		destination: middle, destinationStep: 12 * out, destinationLine: 4 * out,
		lines: 3,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * out, sourceLine: 12 * out,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * board.pW * dst.Stride,
		lines: board.pH,
	}
	w.runPasses(board, matrixG, multiply, multiply, in, out, 4*out, 4*out)
}

// TransformWeightsGradient is the transpose of TransformWeights, dg = Gᵀ dU G: src, the gradient of its planes, becomes
// the gradient dst [3, 3, in, out] of its weights.
func (w *Worker) TransformWeightsGradient(board Winograd, dst []float32, src Planes, in, out int) {
	_ = dst[9*in*out-1]
	_ = src.Data[(board.Points()-1)*src.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, 3*board.pW*out))
	w.columns = transformArgs{
		source: pointer(src.Data), sourceStep: 4 * board.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: 4 * board.pW * out, destinationLine: 4 * out,
		lines: board.pW,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * out, sourceLine: 4 * board.pW * out,
		destination: pointer(dst), destinationStep: step, destinationLine: 3 * step,
		lines: 3,
	}
	w.runPasses(board, matrixG, multiplyTransposed, multiplyTransposed, in, out, 4*out, 4*out)
}
