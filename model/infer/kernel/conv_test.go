package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/model/infer/kernel/winograd"
)

// convolve computes a convolution by its definition: dst[y,x,o] = sum over i, j, c of weights[o,i,j,c]
// src[y+i-1,x+j-1,c].
func convolve(dst []float64, src, weights []float32, rows, h, w, in, out int) {
	for r := range rows {
		for y := range h {
			for x := range w {
				for o := range out {
					sum := 0.0
					for i := range 3 {
						for j := range 3 {
							if y+i < 1 || y+i > h || x+j < 1 || x+j > w {
								continue
							}
							from := ((r*h+y+i-1)*w + x + j - 1) * in
							for c := range in {
								sum += float64(weights[((o*3+i)*3+j)*in+c]) * float64(src[from+c])
							}
						}
					}
					dst[((r*h+y)*w+x)*out+o] = sum
				}
			}
		}
	}
}

// TestConv compares convolutions of all sizes with the definition, with and without bias, residual and ReLU.
func TestConv(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		for h := 1; h <= 21; h++ {
			for width := 1; width <= 21; width++ {
				testConv(t, random, s, h, width, [][2]int{{8, 16}, {24, 8}, {32, 40}}[random.IntN(3)])
			}
		}
	})
}

// testConv compares convolutions of boards of one size from channels[0] to channels[1] channels.
func testConv(t *testing.T, random *rand.Rand, s *Scratch, h, width int, channels [2]int) {
	in, out, rows := channels[0], channels[1], 1+random.IntN(2)
	src, weights := gaussians(random, rows*h*width*in), gaussians(random, out*9*in)
	for i := range weights {
		weights[i] /= float32(math.Sqrt(float64(9 * in)))
	}
	old, bias := gaussians(random, rows*h*width*out), gaussians(random, out)
	want := make([]float64, len(old))
	convolve(want, src, weights, rows, h, width, in, out)
	conv := NewConv(h, width, in, out, weights)
	for variant := range 8 {
		f := Epilogue{Accumulate: variant&1 != 0, ReLU: variant&2 != 0}
		if variant&4 != 0 {
			f.Bias = bias
		}
		got := append([]float32(nil), old...)
		s.Conv(conv, got, src, rows, f)
		for i := range got {
			x := want[i]
			if f.Accumulate {
				x += float64(old[i])
			}
			if f.Bias != nil {
				x += float64(bias[i%out])
			}
			if f.ReLU {
				x = max(x, 0)
			}
			if math.Abs(float64(got[i])-x) > 2e-4 {
				t.Fatalf("%d x %d, %d to %d, %+v, element %d: %v, want %v", h, width, in, out, f, i, got[i], x)
			}
		}
	}
}

// TestPrecision limits the root-mean-square relative error of Winograd convolutions, for each size of square board.
func TestPrecision(t *testing.T) {
	bySize := map[int]float64{3: 1e-6, 4: 1.5e-6, 5: 4e-6, 6: 6e-6, 7: 1.5e-5, 8: 1.5e-6} // of tiles
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		const in, out, rows = 64, 8, 2
		for side := winograd.MinLine; side <= winograd.MaxLine; side++ {
			n := rows * side * side
			src, weights := gaussians(random, n*in), gaussians(random, out*9*in)
			got, want := make([]float32, n*out), make([]float64, n*out)
			s.Conv(NewConv(side, side, in, out, weights), got, src, rows, Epilogue{})
			convolve(want, src, weights, rows, side, side, in, out)
			errors, size := 0.0, 0.0
			for i, v := range want {
				errors += (float64(got[i]) - v) * (float64(got[i]) - v)
				size += v * v
			}
			most := bySize[winograd.Line(side)[0].Shape.Size]
			if e := math.Sqrt(errors / size); !(e < most) {
				t.Errorf("%d x %d: error %.2g; at most %.2g is expected", side, side, e, most)
			}
		}
	})
}

// TestRowsAlone checks that a board's result has the same bits in any batch, with Winograd and direct (9 x 2).
func TestRowsAlone(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		const in, out, rows = 24, 56, 45
		for _, size := range [][2]int{{7, 5}, {11, 5}, {13, 19}, {9, 2}} {
			cells := size[0] * size[1]
			src := gaussians(random, rows*cells*in)
			conv := NewConv(size[0], size[1], in, out, gaussians(random, out*9*in))
			all := make([]float32, rows*cells*out)
			s.Conv(conv, all, src, rows, Epilogue{ReLU: true})
			for first := 0; first < rows; {
				n := min(1+random.IntN(20), rows-first)
				part := make([]float32, n*cells*out)
				s.Conv(conv, part, src[first*cells*in:], n, Epilogue{ReLU: true})
				if !slices.Equal(part, all[first*cells*out:][:len(part)]) {
					t.Fatalf("%v: boards from %d on differ between batches of %d and %d", size, first, n, rows)
				}
				first += n
			}
		}
	})
}

// TestAssemblyAgrees checks that the assembly versions give the same bits.
func TestAssemblyAgrees(t *testing.T) {
	results := map[[2]int][]float32{} // by size
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		if active.name == pure.name {
			t.Skip("agrees within rounding")
		}
		const in, out, rows = 24, 56, 5
		for h := 3; h <= 20; h++ {
			size := [2]int{h, 23 - h}
			cells := size[0] * size[1]
			conv := NewConv(size[0], size[1], in, out, gaussians(random, out*9*in))
			src, got := gaussians(random, rows*cells*in), gaussians(random, rows*cells*out)
			s.Conv(conv, got, src, rows, Epilogue{Bias: gaussians(random, out), Accumulate: true})
			if want := results[size]; want != nil && !slices.Equal(got, want) {
				t.Errorf("%v: differs between instruction sets", size)
			}
			results[size] = got
		}
	})
}

// TestGradients checks that gradient transforms are transposes of forward transforms: <dM, B d> = <Bᵀ dM, d> and so on.
func TestGradients(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		for h := winograd.MinLine; h <= winograd.MaxLine; h++ {
			for width := winograd.MinLine; width <= winograd.MaxLine; width++ {
				b, _ := NewWinograd(h, width)
				const rows, channels = 2, 24
				cells := rows * h * width * channels
				n := rows * b.Tiles() * channels
				stride := PlaneStride(n)
				cotangent := Planes{gaussians(random, stride*b.Points()), stride}
				planes := Planes{Aligned(stride * b.Points()), stride}
				x, back := gaussians(random, cells), make([]float32, cells)
				s.TransformInput(b, planes, x, rows, channels)
				s.TransformInputGradient(b, back, cotangent, rows, channels, false)
				checkTranspose(t, planes, cotangent, n, x, back)
				once := slices.Clone(back)
				s.TransformInputGradient(b, back, cotangent, rows, channels, true)
				for i, v := range once {
					if math.Abs(float64(back[i]-2*v)) > 1e-5*(1+math.Abs(float64(v))) {
						t.Fatalf("%d x %d: %v on top of itself is %v", h, width, v, back[i])
					}
				}
				s.TransformOutputGradient(b, planes, x, rows, channels)
				s.TransformOutput(b, back, cotangent, rows, channels, Epilogue{})
				checkTranspose(t, planes, cotangent, n, x, back)
				g, backG := gaussians(random, 9*rows*channels), make([]float32, 9*rows*channels)
				s.TransformWeights(b, planes, g, rows, channels)
				s.TransformWeightsGradient(b, backG, cotangent, rows, channels)
				checkTranspose(t, planes, cotangent, rows*channels, g, backG)
			}
		}
	})
}

// TestWeights checks that a convolution with TransformWeights' planes equals Conv.
func TestWeights(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		const in, out = 8, 24
		for _, size := range [][2]int{{3, 8}, {5, 5}, {7, 6}, {9, 13}} {
			b, _ := NewWinograd(size[0], size[1])
			g := gaussians(random, 9*in*out) // [3, 3, in, out]
			weights := make([]float32, len(g))
			for k := range 9 {
				for i := range in {
					for o := range out {
						weights[(o*9+k)*in+i] = g[(k*in+i)*out+o]
					}
				}
			}
			conv := NewConv(b.H, b.W, in, out, weights)
			stride := PlaneStride(in * out)
			planes := Planes{Aligned(stride * b.Points()), stride}
			s.TransformWeights(b, planes, g, in, out)
			for p := range b.Points() {
				for i := range in {
					for o := range out {
						want := conv.weights[p*panelFloats(in, out)+panelIndex(in, i, o)]
						if got := planes.Data[p*stride+i*out+o]; math.Abs(float64(got-want)) > 1e-5 {
							t.Fatalf("%v, point %d, %d to %d: %v, want %v", size, p, i, o, got, want)
						}
					}
				}
			}
		}
	})
}

// TestNoAllocations checks that a repeated convolution allocates nothing.
func TestNoAllocations(t *testing.T) {
	var s Scratch
	for _, side := range []int{5, 19, 21} {
		conv := NewConv(side, side, 16, 16, Aligned(16*9*16))
		x, y := Aligned(40*side*side*16), Aligned(40*side*side*16)
		if n := testing.AllocsPerRun(10, func() { s.Conv(conv, y, x, 40, Epilogue{}) }); n != 0 {
			t.Errorf("%v allocations on %d x %d", n, side, side)
		}
	}
}

func checkTranspose(t *testing.T, planes, cotangent Planes, n int, x, back []float32) {
	t.Helper()
	left, right, size := 0.0, 0.0, 0.0
	for p := 0; p+n <= len(planes.Data); p += planes.Stride {
		for i := range n {
			v := float64(planes.Data[p+i]) * float64(cotangent.Data[p+i])
			left += v
			size += math.Abs(v)
		}
	}
	for i := range x {
		right += float64(x[i]) * float64(back[i])
	}
	if math.Abs(left-right) > 1e-6*size {
		t.Fatalf("%v, transposed %v", left, right)
	}
}

func BenchmarkConv(b *testing.B) {
	for _, c := range []struct{ h, w, channels, rows int }{{7, 7, 64, 32}, {7, 7, 64, 1}, {5, 5, 32, 32}, {6, 6, 32, 32}, {8, 7, 32, 32}, {5, 5, 16, 32}, {9, 9, 32, 32}, {11, 11, 64, 32}, {19, 19, 64, 32}} {
		b.Run(fmt.Sprintf("%dx%dx%d/%d", c.h, c.w, c.channels, c.rows), func(b *testing.B) {
			conv := NewConv(c.h, c.w, c.channels, c.channels, Aligned(c.channels*9*c.channels))
			x, y := Aligned(c.rows*c.h*c.w*c.channels), Aligned(c.rows*c.h*c.w*c.channels)
			bias := Aligned(c.channels)
			var s Scratch
			for b.Loop() {
				s.Conv(conv, y, x, c.rows, Epilogue{Bias: bias, ReLU: true})
			}
			operations := 18 * float64(c.rows*c.h*c.w*c.channels*c.channels)
			b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
