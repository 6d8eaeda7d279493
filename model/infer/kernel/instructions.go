package kernel

import "unsafe"

//go:generate go run ./generate

// gemmArgs are the arguments of a gemm function, which computes C = init + A B for each plane, with ReLU if relu is not
// 0. The rows of C are divided into tallBlocks blocks of tallRows rows, then shortBlocks blocks of tallRows-1 rows, and
// its columns into panels. depth is the number of terms in a sum. Steps are in bytes. init is nil for zeros.
type gemmArgs struct {
	a, b, c, init                                     unsafe.Pointer
	aRow, aColumn, bRow, bPanelStep, cRow, initRow    int
	aPlaneStep, bPlaneStep, cPlaneStep, initPlaneStep int
	depth, panels, planes                             int
	tallRows, tallBlocks, shortBlocks                 int
	relu                                              int
}

// transformArgs are the arguments of one transform pass, which multiplies each line of each row by a matrix. A line is
// a column or a row of a tile or of its transform. Its elements are cells or points, whose channels fill as many
// registers as vectors says. Steps are in bytes. Only transposedEpilogue reads bias, accumulate and floor, the smallest
// result: 0 for ReLU, or -Inf.
type transformArgs struct {
	source, destination         unsafe.Pointer
	sourceStep, destinationStep int // bytes between the elements of a line
	sourceLine, destinationLine int // bytes between lines
	sourceRow, destinationRow   int // bytes between rows
	rows, lines, vectors        int
	bias                        unsafe.Pointer
	accumulate                  int
	floor                       float32
}

// The matrices of package winograd: A and B with a column for each cell, G [points, 3].
const (
	matrixA = iota
	matrixB
	matrixG
)

// The kinds of pass: multiply by a matrix of package winograd, or by its transpose. transposedEpilogue is
// multiplyTransposed plus bias, plus the old destination if accumulate is not 0, and then the maximum with floor. There
// is none for G.
const (
	multiply = iota
	multiplyTransposed
	transposedEpilogue
)

// maxBlockRows is the largest number of rows in a block of gemm8 and of gemm32.
const maxBlockRows = 12

// transforms are the pass functions by index of the tile's shape in [winograd.Shapes], matrix and kind.
type transforms [][3][3]func(*transformArgs)

// instructions are the kernels for one instruction set.
type instructions struct {
	name          string
	lanes         int // channels in a vector of transforms
	gemm16Rows    int // largest number of rows in a block of gemm16
	gemm16, gemm8 func(*gemmArgs)
	gemm32        func(*gemmArgs) // two panels at a time; may be nil
	sums          func(*sumArgs)
	reluGradient  func(*reluArgs)
	transforms    transforms
	tail          *instructions // smaller vectors, for the last channels that do not fill one; may be nil
}

// available are the instruction sets of this machine, fastest first. active is the one in use.
var (
	available = availableInstructions()
	active    = &available[0]
)

// InstructionSet is the instruction set in use: AVX-512, AVX2 (with FMA) or Go.
func InstructionSet() string { return active.name }
