package main

import "fmt"

// sums writes sums of rows. Its argument is kernel.sumArgs. For up to eight vectors of columns at a time, it adds up the
// terms of a sum in registers.
func (w *writer) sums(set isa) {
	bytes := 4 * set.lanes
	w.function("sums"+set.name, "sumArgs")
	w.op("MOVQ sumArgs_source(AX), SI")
	w.op("MOVQ sumArgs_destination(AX), DI")
	w.op("MOVQ sumArgs_start(AX), R8")
	w.op("MOVQ sumArgs_vectors(AX), R11")
	w.op("VBROADCASTSS sumArgs_scale(AX), %s15", set.reg)
	w.op("VBROADCASTSS sumArgs_floor(AX), %s14", set.reg)
	w.columns("R11", func(vectors int) {
		w.op("MOVQ sumArgs_counts(AX), R9")
		w.op("MOVQ sumArgs_offsets(AX), R10")
		w.op("MOVQ sumArgs_rows(AX), R12")
		w.op("MOVQ DI, BX")
		w.op("MOVQ R8, DX")
		w.label("row%d", vectors)
		w.op("MOVLQSX (R9), R13")
		w.op("ADDQ $4, R9")
		for v := range vectors {
			w.op("VXORPS %[1]s, %[1]s, %[1]s", fmt.Sprintf("%s%d", set.reg, v))
		}
		w.op("TESTQ R13, R13")
		w.op("JEQ store%d", vectors)
		w.label("term%d", vectors)
		w.op("MOVLQSX (R10), CX")
		w.op("ADDQ $4, R10")
		w.op("ADDQ SI, CX")
		for v := range vectors {
			w.op("VADDPS %d(CX), %s%d, %s%d", bytes*v, set.reg, v, set.reg, v)
		}
		w.op("DECQ R13")
		w.op("JNE term%d", vectors)
		w.label("store%d", vectors)
		for v := range vectors {
			r := fmt.Sprintf("%s%d", set.reg, v)
			w.op("VMULPS %s, %s15, %s", r, set.reg, r)
			w.op("VADDPS %d(DX), %s, %s", bytes*v, r, r)
			w.op("VMAXPS %s, %s14, %s", r, set.reg, r)
			w.op("VMOVUPS %s, %d(BX)", r, bytes*v)
		}
		w.op("ADDQ sumArgs_step(AX), BX")
		w.op("ADDQ sumArgs_startStep(AX), DX")
		w.op("DECQ R12")
		w.op("JNZ row%d", vectors)
		for _, pointer := range []string{"SI", "DI", "R8"} {
			w.op("ADDQ $%d, %s", bytes*vectors, pointer)
		}
	})
}
