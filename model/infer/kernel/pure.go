package kernel

import (
	"math"
	"unsafe"

	"ludus/model/infer/kernel/winograd"
)

// pure is the Go implementation of all kernels, for every machine. It rounds products before it adds them.
var pure = instructions{
	name:         "Go",
	lanes:        8,
	gemm16Rows:   6,
	gemm16:       func(p *gemmArgs) { pureGemm(p, 16) },
	gemm8:        func(p *gemmArgs) { pureGemm(p, 8) },
	sums:         pureSums,
	reluGradient: pureReLUGradient,
	transforms:   pureTransforms(),
}

// at is the vector of 8 floats at a byte offset from base.
func at(base unsafe.Pointer, offset int) *[8]float32 { return (*[8]float32)(unsafe.Add(base, offset)) }

// pureGemm is the Go version of a gemm function, for panels of the given number of columns.
func pureGemm(p *gemmArgs, columns int) {
	// Only the assembly needs the rows divided into blocks.
	rows := p.tallRows*p.tallBlocks + (p.tallRows-1)*p.shortBlocks
	for plane := range p.planes {
		a, b := plane*p.aPlaneStep, plane*p.bPlaneStep
		c, init := plane*p.cPlaneStep, plane*p.initPlaneStep
		for panel := range p.panels {
			for j := 0; j < columns; j += 8 {
				column := (panel*columns + j) * 4 // in bytes
				for i := range rows {
					start := &zeros
					if p.init != nil {
						start = at(p.init, init+i*p.initRow+column)
					}
					sum := at(p.c, c+i*p.cRow+column)
					pureDot(p, sum, start, a+i*p.aRow, b+panel*p.bPanelStep+4*j)
					if p.relu != 0 {
						rectify(sum)
					}
				}
			}
		}
	}
}

// zeros is where sums start if there is no init.
var zeros [8]float32

// pureDot sets sum to start plus a row of A times 8 columns of B. a and b are the byte offsets of the row and the
// columns in A and B. The loop is unrolled four times because a backward jump is costly in WebAssembly.
func pureDot(p *gemmArgs, sum, start *[8]float32, a, b int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7]
	// The loop advances offsets instead of pointers: a pointer must not pass the end of its array.
	row, panel, step, stride, depth := p.a, p.b, p.aColumn, p.bRow, p.depth
	for ; depth >= 4; depth -= 4 {
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, *float(row, a), at(panel, b))
		a, b = a+step, b+stride
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, *float(row, a), at(panel, b))
		a, b = a+step, b+stride
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, *float(row, a), at(panel, b))
		a, b = a+step, b+stride
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, *float(row, a), at(panel, b))
		a, b = a+step, b+stride
	}
	for ; depth > 0; depth-- {
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, *float(row, a), at(panel, b))
		a, b = a+step, b+stride
	}
	*sum = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// float returns the address of the float32 at a byte offset from base.
func float(base unsafe.Pointer, offset int) *float32 { return (*float32)(unsafe.Add(base, offset)) }

// addProduct returns the sums plus x y. It passes them one by one because the compiler keeps no arrays in registers.
// The conversions round products; without them the compiler may fuse multiply and add on some machines.
func addProduct(s0, s1, s2, s3, s4, s5, s6, s7, x float32, y *[8]float32) (_, _, _, _, _, _, _, _ float32) {
	return s0 + float32(x*y[0]), s1 + float32(x*y[1]), s2 + float32(x*y[2]), s3 + float32(x*y[3]),
		s4 + float32(x*y[4]), s5 + float32(x*y[5]), s6 + float32(x*y[6]), s7 + float32(x*y[7])
}

// rectify replaces negative elements by 0. It has no branches, which would often be mispredicted.
func rectify(x *[8]float32) {
	x[0] = (x[0] + abs(x[0])) / 2
	x[1] = (x[1] + abs(x[1])) / 2
	x[2] = (x[2] + abs(x[2])) / 2
	x[3] = (x[3] + abs(x[3])) / 2
	x[4] = (x[4] + abs(x[4])) / 2
	x[5] = (x[5] + abs(x[5])) / 2
	x[6] = (x[6] + abs(x[6])) / 2
	x[7] = (x[7] + abs(x[7])) / 2
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }

// pureTransforms returns the Go versions of all transform passes.
func pureTransforms() (table transforms) {
	for _, shape := range winograd.Shapes {
		matrices := shape.Matrices()
		var passes [3][3]func(*transformArgs)
		for i, matrix := range [][][]float64{matrixA: matrices.A, matrixB: matrices.B, matrixG: matrices.G} {
			m := winograd.Pair(matrix)
			passes[i] = [3]func(*transformArgs){
				multiply:           func(p *transformArgs) { pureMultiply(m, p) },
				multiplyTransposed: func(p *transformArgs) { pureMultiplyTransposed(m, p, false) },
				transposedEpilogue: func(p *transformArgs) { pureMultiplyTransposed(m, p, true) },
			}
		}
		table = append(table, passes)
	}
	return table
}

// eachVector calls do for each 8 channels (32 bytes) of each line of each row, with their index v in the channels and
// the addresses of their first elements in source and destination.
func (t *transformArgs) eachVector(do func(v int, from, to unsafe.Pointer)) {
	for row := range t.rows {
		for line := range t.lines {
			for v := range t.vectors {
				do(v, unsafe.Add(t.source, row*t.sourceRow+line*t.sourceLine+v*32),
					unsafe.Add(t.destination, row*t.destinationRow+line*t.destinationLine+v*32))
			}
		}
	}
}

// pureMultiply is the Go version of a transform pass: it multiplies each line of each row by the matrix m, for each
// vector of 8 channels. A pair of rows of m (see [winograd.Paired]) first gives partial sums; their sum and difference
// then replace them.
func pureMultiply(m *winograd.Paired, p *transformArgs) {
	p.eachVector(func(_ int, from, to unsafe.Pointer) {
		for i, terms := range m.Rows {
			pureSum((*[8]float32)(unsafe.Add(to, i*p.destinationStep)), &zeros, from, p.sourceStep, terms)
		}
		for i, paired := range m.Pair {
			if paired {
				x, y := at(to, i*p.destinationStep), at(to, (i+1)*p.destinationStep)
				sumAndDifference(x, y, x, y)
			}
		}
	})
}

// pureMultiplyTransposed is pureMultiply with the transposed matrix. With epilogue it starts with the bias, adds the
// old destination if accumulate is not 0, and applies ReLU if floor is 0.
func pureMultiplyTransposed(m *winograd.Paired, p *transformArgs, epilogue bool) {
	var sums [maxPoints][8]float32
	p.eachVector(func(v int, from, to unsafe.Pointer) {
		loadPairs(m, &sums, from, p.sourceStep)
		for i, terms := range m.Columns {
			destination := at(to, i*p.destinationStep)
			if !epilogue {
				pureSum(destination, &zeros, unsafe.Pointer(&sums), 32, terms)
				continue
			}
			var sum [8]float32
			pureSum(&sum, at(p.bias, v*32), unsafe.Pointer(&sums), 32, terms)
			if p.accumulate != 0 {
				add(&sum, destination)
			}
			if p.floor == 0 {
				rectify(&sum)
			}
			*destination = sum
		}
	})
}

// maxPoints is the largest number of points of a tile in a line.
const maxPoints = 12

// loadPairs loads a line, whose elements are step bytes apart, into sums. The elements x and y of a pair become x + y
// and x - y, which the terms of m.Columns multiply.
func loadPairs(m *winograd.Paired, sums *[maxPoints][8]float32, from unsafe.Pointer, step int) {
	for i := 0; i < len(m.Rows); i++ {
		x := at(from, i*step)
		if m.Pair[i] {
			sumAndDifference(&sums[i], &sums[i+1], x, at(from, (i+1)*step))
			i++
			continue
		}
		sums[i] = *x
	}
}

// pureSum sets sum to start plus the terms. Their elements are vectors of 8 channels, step bytes apart, the first at
// from.
func pureSum(sum, start *[8]float32, from unsafe.Pointer, step int, terms []winograd.Term) {
	s0, s1, s2, s3, s4, s5, s6, s7 := start[0], start[1], start[2], start[3], start[4], start[5], start[6], start[7]
	for _, t := range terms {
		s0, s1, s2, s3, s4, s5, s6, s7 = addProduct(s0, s1, s2, s3, s4, s5, s6, s7, t.Factor, at(from, t.Index*step))
	}
	*sum = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// sumAndDifference sets sum to x + y and difference to x - y. The results may overwrite x and y.
func sumAndDifference(sum, difference, x, y *[8]float32) {
	x0, x1, x2, x3, x4, x5, x6, x7 := x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]
	y0, y1, y2, y3, y4, y5, y6, y7 := y[0], y[1], y[2], y[3], y[4], y[5], y[6], y[7]
	sum[0], difference[0] = x0+y0, x0-y0
	sum[1], difference[1] = x1+y1, x1-y1
	sum[2], difference[2] = x2+y2, x2-y2
	sum[3], difference[3] = x3+y3, x3-y3
	sum[4], difference[4] = x4+y4, x4-y4
	sum[5], difference[5] = x5+y5, x5-y5
	sum[6], difference[6] = x6+y6, x6-y6
	sum[7], difference[7] = x7+y7, x7-y7
}

// add adds y to x.
func add(x, y *[8]float32) {
	x[0] += y[0]
	x[1] += y[1]
	x[2] += y[2]
	x[3] += y[3]
	x[4] += y[4]
	x[5] += y[5]
	x[6] += y[6]
	x[7] += y[7]
}
