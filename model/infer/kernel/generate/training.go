package main

import "fmt"

// reluGradient writes the gradient of a ReLU and its sums over rows. Its argument is kernel.reluArgs.
func (w *writer) reluGradient() {
	w.function("reluGradientAVX2", "reluArgs")
	w.load("SI", "y", "DI", "dy", "R8", "dx", "R9", "sums", "R10", "step", "R11", "vectors")
	w.clear("Y15")
	w.columns("R11", w.reluGradientColumns)
}

// columns writes a loop over the vectors of columns, of which the register left holds the number: do writes the work
// for 8, 4, 2 or 1 of them at a time and moves its pointers on.
func (w *writer) columns(left string, do func(vectors int)) {
	w.label("next")
	for _, vectors := range []int{8, 4, 2} {
		w.op("CMPQ %s, $%d", left, vectors)
		w.op("JGE columns%d", vectors)
	}
	w.op("CMPQ %s, $1", left)
	w.op("JEQ columns1")
	w.end()
	for _, vectors := range []int{8, 4, 2, 1} {
		w.label("columns%d", vectors)
		do(vectors)
		w.op("SUBQ $%d, %s", vectors, left)
		w.op("JMP next")
	}
}

// reluGradientColumns writes the loop over rows for that many vectors of columns.
func (w *writer) reluGradientColumns(vectors int) {
	const y, dy, dx, rows = "BX", "CX", "DX", "R12"
	w.op("MOVQ SI, %s", y)
	w.op("MOVQ DI, %s", dy)
	w.op("MOVQ R8, %s", dx)
	w.load(rows, "rows")
	for v := range vectors {
		w.clear(avx2.register(v))
	}
	w.label("row%d", vectors)
	for v := range vectors {
		passed := fmt.Sprintf("Y%d", 8+v%4)
		w.op("VCMPPS $0x11, %d(%s), Y15, %s", 32*v, y, passed) // 0 < y
		w.op("VANDPS %d(%s), %s, %s", 32*v, dy, passed, passed)
		w.op("VADDPS %s, Y%d, Y%d", passed, v, v)
		w.op("VMOVUPS %s, %d(%s)", passed, 32*v, dx)
	}
	for _, pointer := range []string{y, dy, dx} {
		w.op("ADDQ R10, %s", pointer)
	}
	w.op("DECQ %s", rows)
	w.op("JNZ row%d", vectors)
	for v := range vectors {
		w.op("VMOVUPS Y%d, %d(R9)", v, 32*v)
	}
	for _, pointer := range []string{"SI", "DI", "R8", "R9"} {
		w.op("ADDQ $%d, %s", 32*vectors, pointer)
	}
}
