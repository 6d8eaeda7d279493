package kernel

import "unsafe"

// A Worker runs kernels. It holds their arguments and scratch memory, grows it when it meets a larger call, and belongs
// to one goroutine. Its zero value is ready.
type Worker struct {
	product product
	columns pass // the passes of a transform: down the columns, along the lines, and of either the channels that remain
	lines   pass
	rest    pass
	gating  gating
	adam    adam
	scratch []float32 // between the passes over columns and over lines
	zero    []float32
	planes  [2][]float32
}

// Gemm describes planes of products C = Init + A B with A [M, K], B [K, N], C [M, N]. N is a multiple of 8. Strides are
// in floats. Each element's sum starts from Init and adds its K terms in order, so it does not depend on M, N or its
// place.
type Gemm struct {
	M, N, K int

	A          []float32
	ARow, ACol int // strides of A, which may be a transposed view

	// B is stored in panels of 16 columns (the last may have 8), BPanel apart, rows BRow apart. A row-major B [K, N]
	// has BRow N and BPanel 16, a packed one BRow 16 and BPanel 16 K.
	B            []float32
	BRow, BPanel int

	C    []float32
	CRow int

	Init    []float32 // nil for zeros; rows InitRow apart, 0 for a bias; C itself to add to C
	InitRow int
	ReLU    bool // negative elements become 0

	Planes                            int // 0 counts as 1
	APlane, BPlane, CPlane, InitPlane int
}

// Gemm runs g.
func (w *Worker) Gemm(g *Gemm) {
	planes := max(g.Planes, 1)
	g.check(planes)
	p := &w.product
	*p = product{
		a:    pointer(g.A),
		aRow: 4 * g.ARow, aColumn: 4 * g.ACol, bRow: 4 * g.BRow, bPanelStep: 4 * g.BPanel, cRow: 4 * g.CRow, initRow: 4 * g.InitRow,
		aPlaneStep: 4 * g.APlane, bPlaneStep: 4 * g.BPlane, cPlaneStep: 4 * g.CPlane, initPlaneStep: 4 * g.InitPlane,
		depth: g.K, planes: planes,
	}
	if g.ReLU {
		p.relu = 1
	}
	rest := g.N
	if active.gemm32 != nil {
		rest = g.columns(p, active.gemm32, 12, 32, rest)
	}
	rest = g.columns(p, active.gemm16, active.rows, 16, rest)
	g.columns(p, active.gemm8, 12, 8, rest)
}

// columns runs a function on as many of the last rest columns as fill its width, and returns how many are left.
func (g *Gemm) columns(p *product, gemm func(*product), rows, width, rest int) int {
	if p.panels = rest / width; p.panels == 0 {
		return rest
	}
	done := g.N - rest
	p.b, p.c = pointer(g.B[done/16*g.BPanel:]), pointer(g.C[done:])
	if g.Init != nil {
		p.init = pointer(g.Init[done:])
	}
	p.split(g.M, rows)
	gemm(p)
	return rest % width
}

// check panics unless g's operands lie within their slices.
func (g *Gemm) check(planes int) {
	if g.M < 1 || g.K < 1 || g.N < 8 || g.N%8 != 0 {
		panic("kernel: a product needs rows, terms, and columns in eights")
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

// split deals m rows to the fewest blocks of at most so many rows each, as evenly as can be.
func (p *product) split(m, most int) {
	blocks := (m + most - 1) / most
	p.tall = (m + blocks - 1) / blocks
	p.shortBlocks = blocks*p.tall - m
	p.tallBlocks = blocks - p.shortBlocks
}

func pointer(x []float32) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(x)) }

// floats returns at least n floats of *buffer, aligned to a cache line, and grows it where it is too short. What they
// hold is undefined.
func floats(buffer *[]float32, n int) []float32 {
	if cap(*buffer) < n {
		*buffer = Aligned(n)
	}
	return (*buffer)[:n]
}

// Aligned returns n zeros that start at a cache line.
func Aligned(n int) []float32 {
	const line = 64
	buffer := make([]float32, n+line/4)
	offset := uintptr(pointer(buffer)) % line
	skip := int((line - offset) % line / 4)
	return buffer[skip : skip+n : skip+n]
}
