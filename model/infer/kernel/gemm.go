package kernel

import "unsafe"

// Scratch is the memory in which one goroutine runs kernels: their arguments, and buffers that grow with the largest
// call. The kernels are its methods. The zero value is ready to use.
type Scratch struct {
	gemm    gemmArgs
	columns transformArgs // first pass of a transform, down the board's columns
	lines   transformArgs // second pass, along its lines
	tail    transformArgs // arguments of either pass for the last channels, which do not fill a vector
	relu    reluArgs
	sums    sumArgs
	middle  []float32    // result of the first pass
	zero    []float32    // zeros
	planes  [2][]float32 // transformed input and output of a convolution
}

// Gemm describes a batch of matrix products C = Init + A B, one per plane, with A [M, K], B [K, N], C [M, N]. N is a
// multiple of 8. Strides count floats. The sum of an element starts with Init and adds its K terms in order, so its
// bits do not depend on M, N or its position.
type Gemm struct {
	M, N, K int

	A          []float32
	ARow, ACol int // strides of A; A may be a transposed view

	// B is stored in panels of 16 columns (the last may have 8). BPanel is the distance between panels, BRow between
	// rows. A row-major B [K, N] has BRow N and BPanel RowMajor; a packed B (see Pack) has BRow 16 and BPanel 16 K.
	B            []float32
	BRow, BPanel int

	C    []float32
	CRow int

	Init    []float32 // nil for zeros; C to add to C; with InitRow 0, a bias for every row
	InitRow int
	ReLU    bool // replace negative elements by 0

	Planes                            int // number of products; 0 means 1
	APlane, BPlane, CPlane, InitPlane int // distances between planes
}

// RowMajor is [Gemm.BPanel] of a row-major B: the columns of a panel follow those of the last one.
const RowMajor = 16

// Gemm computes g. It panics if a dimension is invalid or an operand is too short.
func (s *Scratch) Gemm(g *Gemm) {
	planes := max(g.Planes, 1)
	g.check(planes)
	p := &s.gemm
	*p = gemmArgs{
		a:    pointer(g.A),
		aRow: 4 * g.ARow, aColumn: 4 * g.ACol, bRow: 4 * g.BRow, bPanelStep: 4 * g.BPanel, cRow: 4 * g.CRow,
		initRow:    4 * g.InitRow,
		aPlaneStep: 4 * g.APlane, bPlaneStep: 4 * g.BPlane, cPlaneStep: 4 * g.CPlane, initPlaneStep: 4 * g.InitPlane,
		depth: g.K, planes: planes,
	}
	if g.ReLU {
		p.relu = 1
	}
	rest := g.N
	if active.gemm32 != nil {
		rest = g.computePanels(p, active.gemm32, maxBlockRows, 32, rest)
	}
	rest = g.computePanels(p, active.gemm16, active.gemm16Rows, 16, rest)
	g.computePanels(p, active.gemm8, maxBlockRows, 8, rest)
}

// computePanels runs gemm on as many panels of width columns as the last rest columns of C hold, in blocks of at most
// maxRows rows. It returns the number of columns left.
func (g *Gemm) computePanels(p *gemmArgs, gemm func(*gemmArgs), maxRows, width, rest int) int {
	p.panels = rest / width
	if p.panels == 0 {
		return rest
	}
	done := g.N - rest
	p.b, p.c = pointer(g.B[done/16*g.BPanel:]), pointer(g.C[done:])
	if g.Init != nil {
		p.init = pointer(g.Init[done:])
	}
	p.setBlocks(g.M, maxRows)
	gemm(p)
	return rest % width
}

// check panics if an operand does not fit its slice: reading the last element panics if it is too short.
func (g *Gemm) check(planes int) {
	if g.M < 1 || g.K < 1 || g.N < 8 || g.N%8 != 0 {
		panic("kernel: Gemm needs M >= 1, K >= 1 and N a positive multiple of 8")
	}
	last := planes - 1
	columns := (g.N-1)/16*g.BPanel + (g.N-1)%16
	_ = g.A[last*g.APlane+(g.M-1)*g.ARow+(g.K-1)*g.ACol]
	_ = g.B[last*g.BPlane+(g.K-1)*g.BRow+columns]
	_ = g.C[last*g.CPlane+(g.M-1)*g.CRow+g.N-1]
	if g.Init != nil {
		_ = g.Init[last*g.InitPlane+(g.M-1)*g.InitRow+g.N-1]
	}
}

// setBlocks divides m rows into as few blocks as possible, each of at most maxRows rows, that differ by at most one
// row.
func (g *gemmArgs) setBlocks(m, maxRows int) {
	blocks := (m + maxRows - 1) / maxRows
	g.tallRows = (m + blocks - 1) / blocks
	g.shortBlocks = blocks*g.tallRows - m
	g.tallBlocks = blocks - g.shortBlocks
}

// pointer is the address of the first element of x.
func pointer(x []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// floats returns n floats of *buffer with undefined content. If the buffer is too short it allocates a new one, aligned
// to a cache line.
func floats(buffer *[]float32, n int) []float32 {
	if cap(*buffer) < n {
		*buffer = Aligned(n)
	}
	return (*buffer)[:n]
}

// zeros returns n zeros, which must not be changed.
func (s *Scratch) zeros(n int) []float32 {
	return floats(&s.zero, n)
}

// Aligned returns a slice of n zeros that starts at a cache line.
func Aligned(n int) []float32 {
	const line = 64
	buffer := make([]float32, n+line/4)
	offset := uintptr(pointer(buffer)) % line
	skip := int((line - offset) % line / 4) // floats up to the next line
	return buffer[skip : skip+n : skip+n]
}
