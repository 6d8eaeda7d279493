package main

import "fmt"

// shape is the size of the register tile of a gemm function: the part of C whose sums it keeps in registers.
type shape struct {
	isa
	columns int // floats per row
	vectors int // registers per row
	panels  int // panels of B per row
	rows    int // largest number of rows
}

// pointers are the registers that hold the addresses of rows 0, 3, 6, ...; the two rows after each are reached by an
// index.
var pointers = []string{"BX", "CX", "DX", "SI", "DI", "R8"}

// General registers of a tile besides pointers.
const (
	rowStep = "R9"  // bytes from a row of A, C or init to the next
	aStep   = "R10" // bytes from a column of A to the next
	b       = "R11" // address of the current row of B
	bStep   = "R12" // bytes from a row of B to the next
	depth   = "R13" // terms of the sums left to add
	// bPanelStep is the distance in bytes from a panel of B to the next.
	bPanelStep = temporary
	second     = "R15" // a second temporary register
)

// gemmLocals are the local variables of a gemm function: the addresses of the current plane, panel and block in A, B, C
// and init, and how many planes, panels and blocks are left.
var gemmLocals = []string{
	"planes", "aPlane", "bPlane", "cPlane", "initPlane",
	"panels", "bPanel", "cPanel", "initPanel",
	"blocks", "aBlock", "cBlock", "initBlock",
	"inShort", // not 0 while the shorter blocks, of one row less, are computed
}

// gemms writes the gemm functions of an instruction set. Sizes are columns, vectors, panels and rows, see shape.
func (w *writer) gemms(set isa) {
	if set == avx512 {
		w.gemm(shape{set, 32, 2, 2, 12})
		w.gemm(shape{set, 16, 1, 1, 16})
		return
	}
	w.gemm(shape{set, 16, 2, 1, 6})
	w.gemm(shape{set, 8, 1, 1, 12})
}

// gemm writes a gemm function: loops over planes, panels and blocks of rows around the tiles. Its argument is
// kernel.gemmArgs.
func (w *writer) gemm(s shape) {
	w.function(fmt.Sprintf("gemm%d%s", s.columns, s.name), "gemmArgs", gemmLocals...)
	w.move(w.argument("planes"), w.local("planes"))
	for _, p := range []string{"a", "b", "c", "init"} {
		w.move(w.argument(p), w.local(p+"Plane"))
	}
	w.label("plane")
	w.move(w.argument("panels"), w.local("panels"))
	for _, p := range []string{"b", "c", "init"} {
		w.move(w.local(p+"Plane"), w.local(p+"Panel"))
	}
	w.label("panel")
	w.move(w.local("aPlane"), w.local("aBlock"))
	w.move(w.local("cPanel"), w.local("cBlock"))
	w.move(w.local("initPanel"), w.local("initBlock"))
	w.load(temporary, "tallRows", second, "tallBlocks")
	w.op("MOVQ $0, %s", w.local("inShort"))
	w.op("JMP dispatch")

	w.label("short") // blocks of one row less
	w.op("CMPQ %s, $0", w.local("inShort"))
	w.op("JNE nextPanel")
	w.op("MOVQ $1, %s", w.local("inShort"))
	w.load(second, "shortBlocks")
	w.op("TESTQ %[1]s, %[1]s", second)
	w.op("JZ nextPanel")
	w.load(temporary, "tallRows")
	w.op("DECQ %s", temporary)

	w.label("dispatch")
	w.op("MOVQ %s, %s", second, w.local("blocks"))
	for rows := s.rows; rows > 1; rows-- {
		w.op("CMPQ %s, $%d", temporary, rows)
		w.op("JEQ rows%d", rows)
	}
	for rows := 1; rows <= s.rows; rows++ {
		w.tile(s, rows)
	}

	w.label("nextPanel")
	for range s.panels {
		w.advance("bPanel", "bPanelStep")
	}
	w.op("ADDQ $%d, %s", 4*s.columns, w.local("cPanel"))
	w.op("ADDQ $%d, %s", 4*s.columns, w.local("initPanel"))
	w.op("DECQ %s", w.local("panels"))
	w.op("JNZ panel")
	for _, p := range []string{"a", "b", "c", "init"} {
		w.advance(p+"Plane", p+"PlaneStep")
	}
	w.op("DECQ %s", w.local("planes"))
	w.op("JNZ plane")
	w.end()
}

// rowsAt writes code that loads rowStep from field step of the argument, and the addresses of the given number of rows
// into pointers. The first row is at the local variable pointer.
func (w *writer) rowsAt(pointer, step string, rows int) {
	w.load(rowStep, step)
	w.op("MOVQ %s, %s", w.local(pointer), pointers[0])
	if rows > 3 {
		w.op("LEAQ (%s)(%s*2), %s", rowStep, rowStep, temporary)
	}
	for i := 1; 3*i < rows; i++ {
		w.op("LEAQ (%s)(%s*1), %s", pointers[i-1], temporary, pointers[i])
	}
}

// row returns the operand at a byte offset in row r.
func row(r, offset int) string {
	base := pointers[r/3]
	if r%3 == 0 {
		return fmt.Sprintf("%d(%s)", offset, base)
	}
	return fmt.Sprintf("%d(%s)(%s*%d)", offset, base, rowStep, r%3)
}

// sum returns the register that holds the sums of vector v of row r.
func (s shape) sum(r, v int) string { return s.register(r*s.vectors + v) }

// tile writes the code for blocks of rows x s.columns.
func (w *writer) tile(s shape, rows int) {
	w.label("rows%d", rows)
	w.start(s, rows)
	w.rowsAt("aBlock", "aRow", rows)
	w.load(aStep, "aColumn")
	w.op("MOVQ %s, %s", w.local("bPanel"), b)
	w.load(bStep, "bRow", depth, "depth")
	if s.panels > 1 {
		w.load(bPanelStep, "bPanelStep")
	}
	next := w.preparePrefetch(s)
	w.label("term%d", rows)
	w.prefetch(next)
	w.term(s, rows)
	w.op("DECQ %s", depth)
	w.op("JNZ term%d", rows)
	w.store(s, rows)
	for _, p := range []string{"a", "c", "init"} {
		w.load(temporary, p+"Row")
		w.op("IMULQ $%d, %s", rows, temporary)
		w.op("ADDQ %s, %s", temporary, w.local(p+"Block"))
	}
	w.op("DECQ %s", w.local("blocks"))
	w.op("JNZ rows%d", rows)
	w.op("JMP short")
}

// start writes code that sets a tile's sums to init, or to 0 if init is nil.
func (w *writer) start(s shape, rows int) {
	w.load(temporary, "init")
	w.op("TESTQ %[1]s, %[1]s", temporary)
	w.op("JZ zero%d", rows)
	w.rowsAt("initBlock", "initRow", rows)
	for r := range rows {
		for v := range s.vectors {
			w.op("VMOVUPS %s, %s", row(r, v*4*s.lanes), s.sum(r, v))
		}
	}
	w.op("JMP start%d", rows)
	w.label("zero%d", rows)
	for i := range rows * s.vectors {
		w.clear(s.register(i))
	}
	w.label("start%d", rows)
}

// store writes code that stores a tile's sums in C, after ReLU if relu is set.
func (w *writer) store(s shape, rows int) {
	w.op("CMPQ %s, $0", w.argument("relu"))
	w.op("JEQ store%d", rows)
	zero := s.register(s.regs - 1)
	w.clear(zero)
	for i := range rows * s.vectors {
		w.op("VMAXPS %[1]s, %[2]s, %[1]s", s.register(i), zero)
	}
	w.label("store%d", rows)
	w.rowsAt("cBlock", "cRow", rows)
	for r := range rows {
		for v := range s.vectors {
			w.op("VMOVUPS %s, %s", s.sum(r, v), row(r, v*4*s.lanes))
		}
	}
}

// preparePrefetch writes code that loads the registers for prefetch. It returns, for each panel, the register with the
// distance from a row of B to the same row of the next plane.
func (w *writer) preparePrefetch(s shape) []string {
	w.load(second, "aPlaneStep")
	w.op("ADDQ %s, %s", w.local("aBlock"), second)
	if s.panels == 1 {
		w.load(temporary, "bPlaneStep")
		return []string{temporary}
	}
	distances := pointers[4:6] // free, as there are at most 12 rows
	w.load(distances[0], "bPlaneStep")
	w.op("LEAQ (%s)(%s*1), %s", distances[0], bPanelStep, distances[1])
	return distances
}

// prefetch writes code that prefetches a cache line of A and of each panel of B of the next plane, because planes are
// too short for the hardware prefetcher.
func (w *writer) prefetch(distances []string) {
	w.op("PREFETCHT0 (%s)", second)
	w.op("ADDQ $64, %s", second)
	for _, d := range distances {
		w.op("PREFETCHT0 (%s)(%s*1)", b, d)
	}
}

// term writes code that adds the product of one column of A and one row of B to the sums of a tile.
func (w *writer) term(s shape, rows int) {
	const elements = 2 // registers for A's elements, used in turn
	first := s.regs - s.vectors - elements
	for v := range s.vectors {
		from := fmt.Sprintf("%d(%s)", v*4*s.lanes, b)
		if s.panels > 1 && v > 0 {
			from = fmt.Sprintf("(%s)(%s*1)", b, bPanelStep)
		}
		w.op("VMOVUPS %s, %s", from, s.register(first+v))
	}
	for r := range rows {
		if s.isa == avx512 && s.vectors == 1 {
			w.op("VFMADD231PS.BCST %s, %s, %s", row(r, 0), s.register(first), s.sum(r, 0))
			continue
		}
		element := s.register(first + s.vectors + r%elements)
		w.op("VBROADCASTSS %s, %s", row(r, 0), element)
		for v := range s.vectors {
			w.op("VFMADD231PS %s, %s, %s", s.register(first+v), element, s.sum(r, v))
		}
	}
	for i := 0; 3*i < rows; i++ {
		w.op("ADDQ %s, %s", aStep, pointers[i])
	}
	w.op("ADDQ %s, %s", bStep, b)
}
