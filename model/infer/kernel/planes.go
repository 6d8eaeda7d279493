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

// PlaneStride is the stride for planes of that many floats. It adds a cache line, because planes at a power-of-two
// distance compete for few cache sets.
func PlaneStride(floats int) int { return (floats+15)&^15 + 16 }

// Winograd is the Winograd transform of whole boards of H x W cells; see package winograd. Activations are [rows, H, W,
// C] with C a multiple of 8; the transformed domain has one plane per point.
type Winograd struct {
	H, W   int
	pH, pW int // points of a column and of a line
}

// NewWinograd returns the transform of boards of h x w cells; ok is false if there is none for that size.
func NewWinograd(h, w int) (b Winograd, ok bool) {
	if !winograd.Has(h) || !winograd.Has(w) {
		return b, false
	}
	return Winograd{h, w, winograd.New(h).P, winograd.New(w).P}, true
}

// Points is the number of planes of a transformed board.
func (b Winograd) Points() int { return b.pH * b.pW }

// Cells is the number of cells of a board.
func (b Winograd) Cells() int { return b.H * b.W }

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

// TransformInput computes V = B d: activations src [rows, H, W, C] to planes [rows, C].
func (w *Worker) TransformInput(b Winograd, dst Planes, src []float32, rows, channels int) {
	w.toPlanes(b, matrixB, dst, src, rows, channels)
}

// TransformOutputGradient computes dM = A dy: the gradient src [rows, H, W, C] of a convolution's output to planes
// [rows, C].
func (w *Worker) TransformOutputGradient(b Winograd, dst Planes, src []float32, rows, channels int) {
	w.toPlanes(b, matrixA, dst, src, rows, channels)
}

// TransformOutput computes y = Aᵀ M: planes [rows, C] to a convolution's output dst [rows, H, W, C].
func (w *Worker) TransformOutput(b Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	w.toCells(b, matrixA, dst, src, rows, channels, epilogue)
}

// TransformInputGradient computes dd = Bᵀ dV: the gradient of TransformInput's planes to that of its src.
func (w *Worker) TransformInputGradient(b Winograd, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	w.toCells(b, matrixB, dst, src, rows, channels, epilogue)
}

// toPlanes applies a Winograd transform to each board of src: it multiplies the columns of cells by a matrix, then the
// resulting lines, and writes one plane per point to dst.
func (w *Worker) toPlanes(b Winograd, matrix int, dst Planes, src []float32, rows, channels int) {
	cells, row := b.Cells()*channels, 4*b.W*channels
	_ = src[rows*cells-1]
	_ = dst.Data[(b.Points()-1)*dst.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, b.pH*b.W*channels))
	w.columns = transformArgs{
		source: pointer(src), sourceStep: row, sourceLine: 4 * channels,
		destination: middle, destinationStep: row, destinationLine: 4 * channels,
		lines: b.W,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * channels, sourceLine: row,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * b.pW * dst.Stride,
		lines: b.pH,
	}
	w.runPasses(b, matrix, expand, expand, rows, channels, 4*cells, 4*channels)
}

// toCells is the transposed transform: it multiplies the columns of points by the transposed matrix, then the lines,
// and writes cells to dst.
func (w *Worker) toCells(b Winograd, matrix int, dst []float32, src Planes, rows, channels int, epilogue Epilogue) {
	cells, points := b.Cells()*channels, 4*b.pW*channels
	_ = dst[rows*cells-1]
	_ = src.Data[(b.Points()-1)*src.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, b.H*b.pW*channels))
	w.columns = transformArgs{
		source: pointer(src.Data), sourceStep: 4 * b.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: points, destinationLine: 4 * channels,
		lines: b.pW,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * channels, sourceLine: points,
		destination: pointer(dst), destinationStep: 4 * channels, destinationLine: 4 * b.W * channels,
		lines: b.H,
	}
	w.setEpilogue(&w.lines, epilogue, channels)
	w.runPasses(b, matrix, reduce, reduceEpilogue, rows, channels, 4*channels, 4*cells)
}

// setEpilogue sets the epilogue of a pass.
func (w *Worker) setEpilogue(p *transformArgs, f Epilogue, channels int) {
	if f.Bias == nil {
		f.Bias = w.zeros(channels)
	}
	_ = f.Bias[channels-1]
	p.bias = pointer(f.Bias)
	if f.Accumulate {
		p.accumulate = 1
	}
	if !f.ReLU {
		p.limit = float32(math.Inf(-1))
	}
}

// zeros returns a shared slice of n zeros, which callers must not change.
func (w *Worker) zeros(n int) []float32 {
	if len(w.zero) < n {
		w.zero = Aligned(n)
	}
	return w.zero[:n]
}

// runPasses runs the passes w.columns and w.lines for each row. Rows are sourceStep bytes apart for the first pass and
// destinationStep bytes apart for the second.
func (w *Worker) runPasses(b Winograd, matrix, first, second, rows, channels, sourceStep, destinationStep int) {
	if channels%8 != 0 {
		panic("kernel: channels must be a multiple of 8")
	}
	source, destination := w.columns.source, w.lines.destination
	for r := range rows {
		w.columns.source = unsafe.Add(source, r*sourceStep)
		w.run(&w.columns, b.H, matrix, first, channels)
		w.lines.destination = unsafe.Add(destination, r*destinationStep)
		w.run(&w.lines, b.W, matrix, second, channels)
	}
}

// run calls one pass for all channels. n is the length of the line, kind the kind of pass.
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

// TransformWeights computes U = G g: weights [3, 3, in, out] to planes [in, out].
func (w *Worker) TransformWeights(b Winograd, dst Planes, weights []float32, in, out int) {
	_ = weights[9*in*out-1]
	_ = dst.Data[(b.Points()-1)*dst.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, b.pH*3*out))
	w.columns = transformArgs{
		source: pointer(weights), sourceStep: 3 * step, sourceLine: step,
		destination: middle, destinationStep: 12 * out, destinationLine: 4 * out,
		lines: 3,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * out, sourceLine: 12 * out,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * b.pW * dst.Stride,
		lines: b.pH,
	}
	w.runPasses(b, matrixG, expand, expand, in, out, 4*out, 4*out)
}

// TransformWeightsGradient computes dg = Gᵀ dU: the gradient of TransformWeights' planes to that of its weights
// [3, 3, in, out].
func (w *Worker) TransformWeightsGradient(b Winograd, dst []float32, src Planes, in, out int) {
	_ = dst[9*in*out-1]
	_ = src.Data[(b.Points()-1)*src.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, 3*b.pW*out))
	w.columns = transformArgs{
		source: pointer(src.Data), sourceStep: 4 * b.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: 4 * b.pW * out, destinationLine: 4 * out,
		lines: b.pW,
	}
	w.lines = transformArgs{
		source: middle, sourceStep: 4 * out, sourceLine: 4 * b.pW * out,
		destination: pointer(dst), destinationStep: step, destinationLine: 3 * step,
		lines: 3,
	}
	w.runPasses(b, matrixG, reduce, reduce, in, out, 4*out, 4*out)
}
