package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ludus/model/infer/kernel/winograd"
)

// transforms writes the passes for each shape of tile and each matrix: multiply, multiplyTransposed and, except for G,
// transposedEpilogue; and the Go table of them. Shapes with the same matrix share its passes. Package kernel explains
// them.
func (w *writer) transforms(set isa) {
	fmt.Fprintf(&w.tables, "\nvar transforms%s = transforms{\n", set.name)
	written := map[string]string{} // name of the pass by kind and matrix
	for _, shape := range winograd.Shapes {
		m := shape.Matrices()
		fmt.Fprintf(&w.tables, "\t{ // %s\n", label(shape))
		for _, x := range []struct {
			name   string
			matrix [][]float64
		}{{"A", m.A}, {"B", m.B}, {"G", m.G}} {
			pass := func(kind string, write func(set isa, name string, matrix *winograd.Paired)) string {
				key := fmt.Sprint(kind, x.name, x.matrix)
				if written[key] == "" {
					written[key] = fmt.Sprintf("%s%s%s%s", kind, x.name, label(shape), set.name)
					write(set, written[key], winograd.Pair(x.matrix))
				}
				return written[key]
			}
			passes := []string{pass("multiply", w.multiply), pass("multiplyTransposed", w.multiplyTransposed)}
			if x.name != "G" {
				passes = append(passes, pass("transposedEpilogue", w.transposedEpilogue))
			}
			fmt.Fprintf(&w.tables, "\t\t{%s},\n", strings.Join(passes, ", "))
		}
		fmt.Fprint(&w.tables, "\t},\n")
	}
	fmt.Fprint(&w.tables, "}\n")
}

// label names a shape in names of functions by the size of its tiles, its place in the line and, at the end, its cells.
func label(s winograd.Shape) string {
	switch {
	case s.Before == 0 && s.After == 0:
		return fmt.Sprint(s.Size)
	case s.Before == 0:
		return fmt.Sprint(s.Size, "First")
	case s.After == 1:
		return fmt.Sprint(s.Size, "Middle")
	}
	return fmt.Sprint(s.Size, "Last", s.Cells)
}

// Registers for the addresses of elements 0, 3, 6 and 9 of a line.
var (
	sources      = []string{"BX", "CX", "DX", "SI"}
	destinations = []string{"R8", "R9", "R10", "R11"}
)

// General registers of a pass besides the pointers.
const (
	sourceStep      = "DI"
	destinationStep = "R12"
	vectorsLeft     = "R13"
	triple          = temporary
	bias            = "R15"
)

// passLocals are the local variables of a pass: the numbers of rows and lines left, and the starts of the current row
// and of the current line.
var passLocals = []string{"rows", "sourceRow", "destinationRow", "lines", "source", "destination"}

// element returns the operand of element k of a line. pointers hold the addresses of elements 0, 3, 6 and 9, and the
// register step a step; elements 4, 7 and 10 are 4 steps behind the pointer before.
func element(pointers []string, step string, k int) string {
	switch {
	case k%3 == 0:
		return fmt.Sprintf("(%s)", pointers[k/3])
	case k%3 == 1 && k > 1:
		return fmt.Sprintf("(%s)(%s*4)", pointers[k/3-1], step)
	default:
		return fmt.Sprintf("(%s)(%s*%d)", pointers[k/3], step, k%3)
	}
}

// loops writes the loops over rows, lines and vectors around body, which computes an output line from an input line,
// each of the given number of elements. Constants are kept in the registers constants.
func (w *writer) loops(set isa, inputs, outputs int, prefix string, constants []string, body func()) {
	release := w.hold(set, constants, body)
	defer release()
	w.load(sourceStep, "sourceStep", destinationStep, "destinationStep")
	w.move(w.argument("rows"), w.local("rows"))
	w.move(w.argument("source"), w.local("sourceRow"))
	w.move(w.argument("destination"), w.local("destinationRow"))
	w.label("%srow", prefix)
	w.move(w.argument("lines"), w.local("lines"))
	w.move(w.local("sourceRow"), w.local("source"))
	w.move(w.local("destinationRow"), w.local("destination"))
	w.label("%sline", prefix)
	spread := func(name string, pointers []string, step string, n int) {
		w.op("MOVQ %s, %s", w.local(name), pointers[0])
		w.op("LEAQ (%s)(%s*2), %s", step, step, triple)
		for i := 1; 3*i < n; i++ {
			w.op("LEAQ (%s)(%s*1), %s", pointers[i-1], triple, pointers[i])
		}
	}
	spread("source", sources, sourceStep, inputs)
	spread("destination", destinations, destinationStep, outputs)
	w.load(bias, "bias", vectorsLeft, "vectors")
	w.label("%svector", prefix)
	body()
	for i := 0; 3*i < inputs; i++ {
		w.op("ADDQ $%d, %s", 4*set.lanes, sources[i])
	}
	for i := 0; 3*i < outputs; i++ {
		w.op("ADDQ $%d, %s", 4*set.lanes, destinations[i])
	}
	w.op("ADDQ $%d, %s", 4*set.lanes, bias)
	w.op("DECQ %s", vectorsLeft)
	w.op("JNZ %svector", prefix)
	next := func(argument, local, count, label string) {
		for _, name := range []string{"source", "destination"} {
			w.advance(name+local, name+argument)
		}
		w.op("DECQ %s", w.local(count))
		w.op("JNZ %s%s", prefix, label)
	}
	next("Line", "", "lines", "line")
	next("Row", "Row", "rows", "row")
	w.end()
}

// split divides the registers left after the inputs of a pass into temporaries and, if there are enough, registers for
// constants.
func split(left []string) (t *temporaries, constants []string) {
	const enough = 8 // temporaries: at most 4 hold values at once, and take uses them in rotation
	n := min(len(left), enough)
	return &temporaries{registers: left[:n]}, left[n:]
}

// temporaries hands out registers in rotation.
type temporaries struct {
	registers []string
	next      int
}

func (t *temporaries) take() string {
	t.next++
	return t.registers[(t.next-1)%len(t.registers)]
}

// sum writes code that adds terms, whose elements are in registers, to the temporary register start (if not "") and
// returns the register with the result. That is an input register if there is nothing to compute. Without terms the sum
// is 0.
func (w *writer) sum(set isa, t *temporaries, start string, terms []winograd.Term, registers []string) string {
	// Coefficients 1 and -1 come last, since they need a sum to add to; 1 comes before -1.
	slices.SortStableFunc(terms, func(x, y winograd.Term) int { return cmp.Compare(unit(x), unit(y)) })
	at, temporary := start, start != ""
	for _, x := range terms {
		from, operand, suffix := registers[x.Index], registers[x.Index], ""
		if unit(x) == 0 || at == "" && unit(x) == 2 {
			operand, suffix = w.constant(set, x.Factor)
		}
		switch {
		case at == "" && unit(x) == 1:
			at = from
		case at == "":
			at, temporary = t.take(), true
			w.op("VMULPS%s %s, %s, %s", suffix, operand, from, at)
		case unit(x) == 0:
			w.op("VFMADD231PS%s %s, %s, %s", suffix, operand, from, at)
		default:
			to := at
			if !temporary {
				to = t.take()
			}
			w.op("%s %s, %s, %s", [...]string{1: "VADDPS", 2: "VSUBPS"}[unit(x)], operand, at, to)
			at, temporary = to, true
		}
	}
	if at == "" {
		at = t.take()
		w.clear(at)
	}
	return at
}

// unit is 1 for coefficient 1, 2 for -1, and 0 for others.
func unit(x winograd.Term) int {
	switch x.Factor {
	case 1:
		return 1
	case -1:
		return 2
	}
	return 0
}

// multiply writes the pass destination[p] = sum over k of matrix[p][k] source[k].
func (w *writer) multiply(set isa, name string, matrix *winograd.Paired) {
	points, columns := len(matrix.Rows), len(matrix.Columns)
	w.function(name, "transformArgs", passLocals...)
	registers := set.registers()
	input := registers[:columns]
	t, constants := split(registers[columns:])
	w.loops(set, columns, points, "", constants, func() {
		for k := range input {
			w.op("VMOVUPS %s, %s", element(sources, sourceStep, k), input[k])
		}
		store := func(register string, p int) {
			w.op("VMOVUPS %s, %s", register, element(destinations, destinationStep, p))
		}
		for j := 0; j < points; j++ {
			even := w.sum(set, t, "", matrix.Rows[j], input)
			if !matrix.Pair[j] {
				store(even, j)
				continue
			}
			odd := w.sum(set, t, "", matrix.Rows[j+1], input)
			plus, minus := t.take(), t.take()
			w.op("VADDPS %s, %s, %s", odd, even, plus)
			w.op("VSUBPS %s, %s, %s", odd, even, minus)
			store(plus, j)
			store(minus, j+1)
			j++
		}
	})
}

// multiplyTransposed writes the pass destination[k] = sum over p of matrix[p][k] source[p].
func (w *writer) multiplyTransposed(set isa, name string, matrix *winograd.Paired) {
	w.function(name, "transformArgs", passLocals...)
	w.multiplyTransposedLoops(set, matrix, "", false, false) // no epilogue
}

// transposedEpilogue writes the pass destination[k] = max(floor, bias + sum over p of matrix[p][k] source[p]), and a
// second version of its loops that also adds the old destination[k].
func (w *writer) transposedEpilogue(set isa, name string, matrix *winograd.Paired) {
	w.function(name, "transformArgs", passLocals...)
	w.op("VBROADCASTSS %s, %s", w.argument("floor"), set.register(set.regs-1))
	w.op("CMPQ %s, $0", w.argument("accumulate"))
	w.op("JNE addline")
	w.multiplyTransposedLoops(set, matrix, "", true, false)
	w.label("addline")
	w.multiplyTransposedLoops(set, matrix, "add", true, true)
}

// multiplyTransposedLoops writes the loops of multiplyTransposed or, with epilogue, of transposedEpilogue. Labels start
// with prefix.
func (w *writer) multiplyTransposedLoops(set isa, matrix *winograd.Paired, prefix string, epilogue, accumulate bool) {
	points, columns := len(matrix.Rows), len(matrix.Columns)
	registers := set.registers()
	floor := registers[set.regs-1]
	if epilogue {
		registers = registers[:set.regs-1]
	}
	input := registers[:points]
	t, constants := split(registers[points:])
	w.loops(set, points, columns, prefix+"_", constants, func() {
		w.loadPairs(input, matrix.Pair)
		for k, terms := range matrix.Columns {
			to := element(destinations, destinationStep, k)
			if !epilogue {
				w.op("VMOVUPS %s, %s", w.sum(set, t, "", terms, input), to)
				continue
			}
			at := t.take()
			w.op("VMOVUPS (%s), %s", bias, at)
			w.sum(set, t, at, terms, input)
			if accumulate {
				w.op("VADDPS %s, %s, %s", to, at, at)
			}
			w.op("VMAXPS %s, %s, %s", at, floor, at)
			w.op("VMOVUPS %s, %s", at, to)
		}
	})
}

// loadPairs loads the elements of a line into registers. The first register of a pair gets the sum, the second the
// difference.
func (w *writer) loadPairs(registers []string, pair []bool) {
	for p := 0; p < len(registers); p++ {
		w.op("VMOVUPS %s, %s", element(sources, sourceStep, p), registers[p])
		if pair[p] {
			other := element(sources, sourceStep, p+1)
			w.op("VSUBPS %s, %s, %s", other, registers[p], registers[p+1])
			w.op("VADDPS %s, %s, %s", other, registers[p], registers[p])
			p++
		}
	}
}
