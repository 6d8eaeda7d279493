package kernel

import (
	"math"
	"unsafe"

	"ludus/model/infer/kernel/winograd"
)

// Planes are matrices [rows, columns], one a point of a board's transform: element (i, j) of plane p is Data[p*Stride +
// i*columns + j].
type Planes struct {
	Data   []float32
	Stride int
}

// PlaneStride is the stride of planes of so many floats: a cache line more, or the planes of one board would meet in
// few sets of the cache.
func PlaneStride(floats int) int { return (floats+15)&^15 + 16 }

// Board has the sizes of Winograd's transform of whole boards of H x W cells. Activations are [rows, H, W, C], C a
// multiple of 8.
type Board struct {
	H, W   int
	pH, pW int
}

// NewBoard returns a board's transform; ok is false where there is none for its size.
func NewBoard(h, w int) (b Board, ok bool) {
	if !winograd.Has(h) || !winograd.Has(w) {
		return b, false
	}
	return Board{h, w, winograd.New(h).P, winograd.New(w).P}, true
}

// Points is the number of planes.
func (b Board) Points() int { return b.pH * b.pW }

// Cells is the number of cells.
func (b Board) Cells() int { return b.H * b.W }

// Finish says what becomes of a transform's result on its way out: max(limit, result + Bias + old), old what the
// destination held where Accumulate is set.
type Finish struct {
	Bias       []float32 // [C], nil for zeros
	Accumulate bool
	ReLU       bool // the limit is 0, otherwise there is none
}

// Input transforms activations src [rows, H, W, C] into planes [rows, C], V = B d.
func (w *Worker) Input(b Board, dst Planes, src []float32, rows, channels int) {
	w.spread(b, matrixB, dst, src, rows, channels)
}

// OutputGradient transforms the gradient [rows, H, W, C] of a convolution's result into planes [rows, C], dM = A dy.
func (w *Worker) OutputGradient(b Board, dst Planes, src []float32, rows, channels int) {
	w.spread(b, matrixA, dst, src, rows, channels)
}

// Output transforms planes [rows, C] of products into a convolution's result dst [rows, H, W, C], y = Aᵀ M.
func (w *Worker) Output(b Board, dst []float32, src Planes, rows, channels int, finish Finish) {
	w.gather(b, matrixA, dst, src, rows, channels, finish)
}

// InputGradient transforms the gradient of Input's planes into that of its src, dd = Bᵀ dV.
func (w *Worker) InputGradient(b Board, dst []float32, src Planes, rows, channels int, finish Finish) {
	w.gather(b, matrixB, dst, src, rows, channels, finish)
}

// spread transforms cells into planes, first down the columns and then along the rows of points that result.
func (w *Worker) spread(b Board, matrix int, dst Planes, src []float32, rows, channels int) {
	cells, row := b.Cells()*channels, 4*b.W*channels
	_ = src[rows*cells-1]
	_ = dst.Data[(b.Points()-1)*dst.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, b.pH*b.W*channels))
	w.columns = pass{
		source: pointer(src), sourceStep: row, sourceLine: 4 * channels,
		destination: middle, destinationStep: row, destinationLine: 4 * channels,
		lines: b.W,
	}
	w.lines = pass{
		source: middle, sourceStep: 4 * channels, sourceLine: row,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * b.pW * dst.Stride,
		lines: b.pH,
	}
	w.both(b, matrix, wide, wide, rows, channels, 4*cells, 4*channels)
}

// gather transforms planes into cells, the columns of points first.
func (w *Worker) gather(b Board, matrix int, dst []float32, src Planes, rows, channels int, finish Finish) {
	cells, points := b.Cells()*channels, 4*b.pW*channels
	_ = dst[rows*cells-1]
	_ = src.Data[(b.Points()-1)*src.Stride+rows*channels-1]
	middle := pointer(floats(&w.scratch, b.H*b.pW*channels))
	w.columns = pass{
		source: pointer(src.Data), sourceStep: 4 * b.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: points, destinationLine: 4 * channels,
		lines: b.pW,
	}
	w.lines = pass{
		source: middle, sourceStep: 4 * channels, sourceLine: points,
		destination: pointer(dst), destinationStep: 4 * channels, destinationLine: 4 * b.W * channels,
		lines: b.H,
	}
	w.finish(&w.lines, finish, channels)
	w.both(b, matrix, narrow, final, rows, channels, 4*channels, 4*cells)
}

// finish puts f into a pass.
func (w *Worker) finish(p *pass, f Finish, channels int) {
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

// zeros returns n zeros.
func (w *Worker) zeros(n int) []float32 {
	if len(w.zero) < n {
		w.zero = Aligned(n)
	}
	return w.zero[:n]
}

// both runs w.columns and then w.lines for each of so many rows, which lie sourceStep apart for the first pass and
// destinationStep apart for the second, in bytes.
func (w *Worker) both(b Board, matrix, first, second, rows, channels, sourceStep, destinationStep int) {
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

// run calls one pass for all channels.
func (w *Worker) run(p *pass, n, matrix, sort, channels int) {
	if p.vectors = channels / active.lanes; p.vectors > 0 {
		active.transforms[n][matrix][sort](p)
	}
	rest := channels % active.lanes
	if rest == 0 {
		return
	}
	done := 4 * (channels - rest)
	w.rest = *p
	p = &w.rest
	p.source, p.destination = unsafe.Add(p.source, done), unsafe.Add(p.destination, done)
	if p.bias != nil {
		p.bias = unsafe.Add(p.bias, done)
	}
	p.vectors = rest / 8
	active.narrower[n][matrix][sort](p)
}

// Weights transforms weights [3, 3, in, out] into planes U = G g [in, out].
func (w *Worker) Weights(b Board, dst Planes, weights []float32, in, out int) {
	_ = weights[9*in*out-1]
	_ = dst.Data[(b.Points()-1)*dst.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, b.pH*3*out))
	w.columns = pass{
		source: pointer(weights), sourceStep: 3 * step, sourceLine: step,
		destination: middle, destinationStep: 12 * out, destinationLine: 4 * out,
		lines: 3,
	}
	w.lines = pass{
		source: middle, sourceStep: 4 * out, sourceLine: 12 * out,
		destination: pointer(dst.Data), destinationStep: 4 * dst.Stride, destinationLine: 4 * b.pW * dst.Stride,
		lines: b.pH,
	}
	w.both(b, matrixG, wide, wide, in, out, 4*out, 4*out)
}

// WeightsGradient transforms the gradient of Weights' planes into that of its weights [3, 3, in, out], dg = Gᵀ dU.
func (w *Worker) WeightsGradient(b Board, dst []float32, src Planes, in, out int) {
	_ = dst[9*in*out-1]
	_ = src.Data[(b.Points()-1)*src.Stride+in*out-1]
	step := 4 * in * out
	middle := pointer(floats(&w.scratch, 3*b.pW*out))
	w.columns = pass{
		source: pointer(src.Data), sourceStep: 4 * b.pW * src.Stride, sourceLine: 4 * src.Stride,
		destination: middle, destinationStep: 4 * b.pW * out, destinationLine: 4 * out,
		lines: b.pW,
	}
	w.lines = pass{
		source: middle, sourceStep: 4 * out, sourceLine: 4 * b.pW * out,
		destination: pointer(dst), destinationStep: step, destinationLine: 3 * step,
		lines: 3,
	}
	w.both(b, matrixG, narrow, narrow, in, out, 4*out, 4*out)
}
