package main

import "fmt"

// gate writes the gradient of a ReLU and its sums over rows. Its argument is package kernel's gating.
func (w *writer) gate() {
	w.function("gateAVX2", "gating")
	w.op("MOVQ gating_y(AX), SI")
	w.op("MOVQ gating_dy(AX), DI")
	w.op("MOVQ gating_dx(AX), R8")
	w.op("MOVQ gating_sums(AX), R9")
	w.op("MOVQ gating_step(AX), R10")
	w.op("MOVQ gating_vectors(AX), R11")
	w.op("VXORPS Y15, Y15, Y15")
	w.label("next")
	for _, vectors := range []int{8, 4, 2} {
		w.op("CMPQ R11, $%d", vectors)
		w.op("JGE columns%d", vectors)
	}
	w.op("CMPQ R11, $1")
	w.op("JEQ columns1")
	w.end()
	for _, vectors := range []int{8, 4, 2, 1} {
		w.gateColumns(vectors)
	}
}

// gateColumns writes the loop over rows for so many vectors of columns.
func (w *writer) gateColumns(vectors int) {
	const y, dy, dx, rows = "BX", "CX", "DX", "R12"
	w.label("columns%d", vectors)
	w.op("MOVQ SI, %s", y)
	w.op("MOVQ DI, %s", dy)
	w.op("MOVQ R8, %s", dx)
	w.op("MOVQ gating_rows(AX), %s", rows)
	for v := range vectors {
		w.op("VXORPS Y%d, Y%d, Y%d", v, v, v)
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
	w.op("SUBQ $%d, R11", vectors)
	w.op("JMP next")
}

// adam writes a step of AdamW. Its argument is package kernel's adam. Products are rounded before they are added, as in
// Go.
func (w *writer) adam() {
	w.function("adamAVX2", "adam")
	values := []string{"w", "g", "m", "v", "average"}
	at := map[string]string{"w": "(BX)", "g": "(CX)", "m": "(DX)", "v": "(SI)", "average": "(DI)"}
	for _, name := range values {
		w.op("MOVQ adam_%s(AX), %s", name, at[name][1:3])
	}
	w.op("MOVQ adam_vectors(AX), R8")
	factor := map[string]string{}
	for i, name := range []string{"Scale", "B1", "C1", "B2", "C2", "Eps", "Rate", "Root", "Decay", "Share"} {
		factor[name] = fmt.Sprintf("Y%d", 6+i)
		w.op("VBROADCASTSS adam_factors+Adam_%s(AX), %s", name, factor[name])
	}
	w.label("vector")
	w.op("VMULPS %s, %s, Y0", at["g"], factor["Scale"])
	w.op("VMULPS %s, %s, Y1", at["m"], factor["B1"])
	w.op("VMULPS Y0, %s, Y2", factor["C1"])
	w.op("VADDPS Y2, Y1, Y1")
	w.op("VMOVUPS Y1, %s", at["m"])
	w.op("VMULPS Y0, %s, Y2", factor["C2"])
	w.op("VMULPS Y0, Y2, Y2")
	w.op("VMULPS %s, %s, Y3", at["v"], factor["B2"])
	w.op("VADDPS Y2, Y3, Y3")
	w.op("VMOVUPS Y3, %s", at["v"])
	w.op("VSQRTPS Y3, Y3")
	w.op("VMULPS %s, Y3, Y3", factor["Root"])
	w.op("VADDPS %s, Y3, Y3", factor["Eps"])
	w.op("VMULPS %s, Y1, Y1", factor["Rate"])
	w.op("VDIVPS Y3, Y1, Y1")
	w.op("VMOVUPS %s, Y4", at["w"])
	w.op("VMULPS Y4, %s, Y5", factor["Decay"])
	w.op("VADDPS Y5, Y1, Y1")
	w.op("VSUBPS Y1, Y4, Y4")
	w.op("VMOVUPS Y4, %s", at["w"])
	w.op("VMOVUPS %s, Y5", at["average"])
	w.op("VSUBPS Y5, Y4, Y4")
	w.op("VMULPS %s, Y4, Y4", factor["Share"])
	w.op("VADDPS Y4, Y5, Y5")
	w.op("VMOVUPS Y5, %s", at["average"])
	for _, name := range values {
		w.op("ADDQ $32, %s", at[name][1:3])
	}
	w.op("DECQ R8")
	w.op("JNZ vector")
	w.end()
}
