package main

// sums writes sums of rows. Its argument is kernel.sumArgs. For up to eight vectors of columns at a time, it adds up the
// terms of a sum in registers.
func (w *writer) sums(set isa) {
	bytes := 4 * set.lanes
	w.function("sums"+set.name, "sumArgs")
	w.load("SI", "source", "DI", "destination", "R8", "start", "R11", "vectors")
	scale, floor := set.register(15), set.register(14)
	w.op("VBROADCASTSS %s, %s", w.argument("scale"), scale)
	w.op("VBROADCASTSS %s, %s", w.argument("floor"), floor)
	w.columns("R11", func(vectors int) {
		w.load("R9", "counts", "R10", "offsets", "R12", "rows")
		w.op("MOVQ DI, BX")
		w.op("MOVQ R8, DX")
		w.label("row%d", vectors)
		w.op("MOVLQSX (R9), R13")
		w.op("ADDQ $4, R9")
		for v := range vectors {
			w.clear(set.register(v))
		}
		w.op("TESTQ R13, R13")
		w.op("JEQ store%d", vectors)
		w.label("term%d", vectors)
		w.op("MOVLQSX (R10), CX")
		w.op("ADDQ $4, R10")
		w.op("ADDQ SI, CX")
		for v := range vectors {
			w.op("VADDPS %d(CX), %[2]s, %[2]s", bytes*v, set.register(v))
		}
		w.op("DECQ R13")
		w.op("JNE term%d", vectors)
		w.label("store%d", vectors)
		for v := range vectors {
			r := set.register(v)
			w.op("VMULPS %[1]s, %[2]s, %[1]s", r, scale)
			w.op("VADDPS %d(DX), %[2]s, %[2]s", bytes*v, r)
			w.op("VMAXPS %[1]s, %[2]s, %[1]s", r, floor)
			w.op("VMOVUPS %s, %d(BX)", r, bytes*v)
		}
		w.op("ADDQ %s, BX", w.argument("step"))
		w.op("ADDQ %s, DX", w.argument("startStep"))
		w.op("DECQ R12")
		w.op("JNZ row%d", vectors)
		for _, pointer := range []string{"SI", "DI", "R8"} {
			w.op("ADDQ $%d, %s", bytes*vectors, pointer)
		}
	})
}
