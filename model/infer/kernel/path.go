package kernel

import (
	"time"
	"unsafe"

	"ludus/model/infer/kernel/winograd"
)

//go:generate go run ./generate

// product is one call of a gemm function: planes of C = init + A B, negative elements made 0 if relu is not 0. Each C
// has tall rows tallBlocks times and tall - 1 rows shortBlocks times, and panels of 16 (or 8, or twice 16) columns; the
// depth terms of a sum are added in order. Steps are in bytes. init is nil for zeros.
type product struct {
	a, b, c, init                                     unsafe.Pointer
	aRow, aColumn, bRow, bPanelStep, cRow, initRow    int
	aPlaneStep, bPlaneStep, cPlaneStep, initPlaneStep int
	depth, panels, planes                             int
	tall, tallBlocks, shortBlocks                     int
	relu                                              int
}

// pass is one pass of a transform over lines of elements, each of vectors times a register's channels. Steps are in
// bytes. Only final passes read bias, accumulate and limit, which is 0 or -Inf.
type pass struct {
	source, destination         unsafe.Pointer
	sourceStep, destinationStep int // between the elements of a line
	sourceLine, destinationLine int // between lines
	lines, vectors              int
	bias                        unsafe.Pointer
	accumulate                  int
	limit                       float32
}

// The matrices M [P, N] of a line's transform.
const (
	matrixA = iota
	matrixB
	matrixG
)

// The passes of a matrix: wide turns N elements into P by M, narrow P into N by Mᵀ; final is narrow with bias, what the
// destination held if accumulate is not 0, and a lower limit. Nothing needs G's final, and the assembly has none.
const (
	wide = iota
	narrow
	final
)

// transforms are the passes by length of the line, matrix and sort.
type transforms [winograd.MaxLine + 1][3][3]func(*pass)

// path is one instruction set's functions.
type path struct {
	name          string
	lanes         int            // channels of a pass's vector
	rows          int            // of gemm16's largest block
	gemm16, gemm8 func(*product) // gemm8 has at most 12 rows to a block
	gemm32        func(*product) // of two panels, at most 12 rows to a block; nil for none
	gate          func(*gating)
	adam          func(*adam)
	transforms    transforms
	narrower      *transforms // for the last channels where they do not fill a vector
	peak          func(rounds *int64)
	peakOps       int // floating point operations in a round of peak
}

// available are the paths of this machine, best first; active is the one in use.
var (
	available = paths()
	active    = &available[0]
)

// Name says which instructions the kernels use here: AVX-512, AVX2 (with FMA) or Go.
func Name() string { return active.name }

// Peak measures for the given time how many floating point operations a second this core does at best in
// multiply-adds of the registers that the kernels use. It is the best of many short rounds.
func Peak(duration time.Duration) float64 {
	const rounds = 20_000
	best := 0.0
	n := new(int64)
	for start := time.Now(); time.Since(start) < duration; {
		*n = rounds
		begin := time.Now()
		active.peak(n)
		best = max(best, float64(active.peakOps)*rounds/time.Since(begin).Seconds())
	}
	return best
}
