package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachInstructionSet runs a test with every instruction set of this machine, with the same random numbers.
func eachInstructionSet(t *testing.T, test func(t *testing.T, random *rand.Rand, s *Scratch)) {
	before := active
	defer func() { active = before }()
	for i := range available {
		active = &available[i]
		t.Run(active.name, func(t *testing.T) { test(t, rand.New(rand.NewPCG(3, 1)), new(Scratch)) })
	}
}

func gaussians(random *rand.Rand, n int) []float32 {
	x := Aligned(n)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	return x
}

// TestGemm compares products of many kinds of views with the definition.
func TestGemm(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		for m := 1; m <= 40; m += 1 + m/8 {
			for _, n := range []int{8, 16, 24, 56, 64} {
				for variant := range 8 {
					k := 1 + random.IntN(70)
					row := n + 8 // of C, whose last columns are to stay
					g := Gemm{M: m, N: n, K: k, ARow: k, ACol: 1, BRow: n, BPanel: 16, CRow: row, Planes: 2, APlane: m * k, BPlane: k * n, CPlane: m * row}
					if variant&1 != 0 {
						g.ARow, g.ACol = 1, m
					}
					g.A, g.B, g.C = gaussians(random, 2*m*k), gaussians(random, 2*k*n), gaussians(random, 2*m*row+32)
					if variant&2 != 0 {
						g.Init, g.InitRow, g.InitPlane = slices.Clone(g.C), row, m*row
					} else if variant&4 != 0 {
						g.Init = gaussians(random, n)
					}
					g.ReLU = variant&4 != 0
					was := slices.Clone(g.C)
					s.Gemm(&g)
					checkGemm(t, &g)
					for i, v := range was {
						if (i%row >= n || i >= 2*m*row) && g.C[i] != v {
							t.Fatalf("%d x %d x %d: wrote beyond its columns or rows, at %d", m, n, k, i)
						}
					}
				}
			}
		}
	})
}

func checkGemm(t *testing.T, g *Gemm) {
	t.Helper()
	for plane := range g.Planes {
		for i := range g.M {
			for j := range g.N {
				want := 0.0
				if g.Init != nil {
					want = float64(g.Init[plane*g.InitPlane+i*g.InitRow+j])
				}
				for l := range g.K {
					want += float64(g.A[plane*g.APlane+i*g.ARow+l*g.ACol]) * float64(g.B[plane*g.BPlane+l*g.BRow+j])
				}
				if g.ReLU {
					want = max(want, 0)
				}
				if got := float64(g.C[plane*g.CPlane+i*g.CRow+j]); math.Abs(got-want) > 2e-5 {
					t.Fatalf("%d x %d x %d, plane %d, element %d %d: %v, want %v", g.M, g.N, g.K, plane, i, j, got, want)
				}
			}
		}
	}
}

// BenchmarkGemm measures the planes of one layer: 81 products of 32 x 64 by 64 x 64.
func BenchmarkGemm(b *testing.B) {
	for _, c := range []struct{ planes, m, k, n int }{{81, 32, 64, 64}, {49, 32, 32, 32}, {81, 12, 64, 64}, {81, 6, 64, 64}, {81, 16, 64, 64}} {
		b.Run(fmt.Sprint(c), func(b *testing.B) {
			var s Scratch
			a, products := PlaneStride(c.m*c.k), PlaneStride(c.m*c.n)
			g := Gemm{M: c.m, N: c.n, K: c.k, ARow: c.k, ACol: 1, BRow: 16, BPanel: 16 * c.k, CRow: c.n, Planes: c.planes, APlane: a, BPlane: c.k * c.n, CPlane: products}
			g.A, g.B, g.C = Aligned(c.planes*a), Aligned(c.planes*c.k*c.n), Aligned(c.planes*products)
			for b.Loop() {
				s.Gemm(&g)
			}
			b.ReportMetric(2*float64(c.planes*c.m*c.k*c.n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, c := range []struct{ h, w, channels int }{{7, 7, 64}, {5, 5, 32}} {
		board, _ := NewWinograd(c.h, c.w)
		const rows = 32
		x := Aligned(rows * board.Cells() * c.channels)
		stride := PlaneStride(rows * c.channels)
		planes := Planes{Aligned(stride * board.Points()), stride}
		var s Scratch
		b.Run(fmt.Sprint("input", c), func(b *testing.B) {
			for b.Loop() {
				s.TransformInput(board, planes, x, rows, c.channels)
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/rows, "ns/board")
		})
		b.Run(fmt.Sprint("output", c), func(b *testing.B) {
			for b.Loop() {
				s.TransformOutput(board, x, planes, rows, c.channels, Epilogue{ReLU: true})
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/rows, "ns/board")
		})
	}
}
