package kernel

import (
	"unsafe"

	"ludus/model/infer/kernel/winograd"
)

// pure is the path for every machine. It rounds products before it adds them.
var pure = path{
	name:       "Go",
	lanes:      8,
	rows:       6,
	gemm16:     func(p *product) { pureGemm(p, 16) },
	gemm8:      func(p *product) { pureGemm(p, 8) },
	gate:       pureGate,
	adam:       pureAdam,
	transforms: pureTransforms(),
	peak:       purePeak,
	peakOps:    2 * 12,
}

// at is the vector of 8 channels at an offset in bytes.
func at(base unsafe.Pointer, offset int) *[8]float32 { return (*[8]float32)(unsafe.Add(base, offset)) }

func pureGemm(p *product, columns int) {
	rows := p.tall*p.tallBlocks + (p.tall-1)*p.shortBlocks
	for plane := range p.planes {
		a, b := plane*p.aPlaneStep, plane*p.bPlaneStep
		c, init := plane*p.cPlaneStep, plane*p.initPlaneStep
		for panel := range p.panels {
			for j := 0; j < columns; j += 8 {
				column := (panel*columns + j) * 4
				for i := range rows {
					var sum [8]float32
					if p.init != nil {
						sum = *at(p.init, init+i*p.initRow+column)
					}
					pureDot(p, &sum, a+i*p.aRow, b+panel*p.bPanelStep+4*j)
					if p.relu != 0 {
						limit(&sum, 0)
					}
					*at(p.c, c+i*p.cRow+column) = sum
				}
			}
		}
	}
}

// pureDot adds a row of A times 8 columns of B, given by their offsets, to sum.
func pureDot(p *product, sum *[8]float32, a, b int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]
	for range p.depth {
		x, y := *(*float32)(unsafe.Add(p.a, a)), at(p.b, b)
		// Products are rounded by a conversion, or some machines would fuse some of them.
		s0 += float32(x * y[0])
		s1 += float32(x * y[1])
		s2 += float32(x * y[2])
		s3 += float32(x * y[3])
		s4 += float32(x * y[4])
		s5 += float32(x * y[5])
		s6 += float32(x * y[6])
		s7 += float32(x * y[7])
		a += p.aColumn
		b += p.bRow
	}
	*sum = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

// limit raises what is smaller to low.
func limit(x *[8]float32, low float32) {
	for j, v := range x {
		if v < low {
			x[j] = low
		}
	}
}

func pureTransforms() (table transforms) {
	for n := winograd.MinLine; n <= winograd.MaxLine; n++ {
		m := winograd.New(n)
		for i, matrix := range [][][]float64{matrixA: m.A, matrixB: m.B, matrixG: m.G} {
			forward, transposed := float32s(matrix), float32s(transpose(matrix))
			table[n][i] = [3]func(*pass){
				wide:   func(p *pass) { purePass(p, forward, false) },
				narrow: func(p *pass) { purePass(p, transposed, false) },
				final:  func(p *pass) { purePass(p, transposed, true) },
			}
		}
	}
	return table
}

// purePass computes destination = matrix source for each line and vector.
func purePass(p *pass, matrix [][]float32, final bool) {
	for line := range p.lines {
		for v := range p.vectors {
			from, to := line*p.sourceLine+v*32, line*p.destinationLine+v*32
			for i, row := range matrix {
				destination := at(p.destination, to+i*p.destinationStep)
				var sum [8]float32
				if final {
					sum = *at(p.bias, v*32)
				}
				pureRow(p, &sum, row, from)
				if final {
					pureFinal(p, &sum, destination)
				}
				*destination = sum
			}
		}
	}
}

// pureRow adds a row of coefficients times the elements of the line at from to sum.
func pureRow(p *pass, sum *[8]float32, row []float32, from int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sum[0], sum[1], sum[2], sum[3], sum[4], sum[5], sum[6], sum[7]
	for _, c := range row {
		if c != 0 {
			x := at(p.source, from)
			s0 += float32(c * x[0])
			s1 += float32(c * x[1])
			s2 += float32(c * x[2])
			s3 += float32(c * x[3])
			s4 += float32(c * x[4])
			s5 += float32(c * x[5])
			s6 += float32(c * x[6])
			s7 += float32(c * x[7])
		}
		from += p.sourceStep
	}
	*sum = [8]float32{s0, s1, s2, s3, s4, s5, s6, s7}
}

func pureFinal(p *pass, sum, destination *[8]float32) {
	if p.accumulate != 0 {
		for j, v := range destination {
			sum[j] += v
		}
	}
	limit(sum, p.limit)
}

func transpose(x [][]float64) [][]float64 {
	y := make([][]float64, len(x[0]))
	for i := range y {
		y[i] = make([]float64, len(x))
		for j := range x {
			y[i][j] = x[j][i]
		}
	}
	return y
}

func float32s(x [][]float64) [][]float32 {
	y := make([][]float32, len(x))
	for i, row := range x {
		y[i] = make([]float32, len(row))
		for j, v := range row {
			y[i][j] = float32(v)
		}
	}
	return y
}

// purePeak multiplies and adds in as many independent chains as the assembly does.
func purePeak(rounds *int64) {
	var x [12]float32
	a, b := float32(0.5), float32(1)
	for range *rounds {
		for i := range x {
			x[i] = x[i]*a + b
		}
	}
	pureSink = x
}

var pureSink [12]float32 // keeps the compiler from dropping purePeak's work
