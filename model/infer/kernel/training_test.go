package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestReLUGradient compares with the definition, in place and not in place.
func TestReLUGradient(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		for columns := 8; columns <= 136; columns += 8 {
			rows := 1 + random.IntN(9)
			y, dy := gaussians(random, rows*columns), gaussians(random, rows*columns)
			for i := range y {
				y[i] = max(y[i], 0)
			}
			y[0] = float32(math.Copysign(0, -1))
			dx, sums := Aligned(len(y)), make([]float32, columns)
			s.ReLUGradient(y, dy, dx, sums, rows, columns)
			for c := range columns {
				want := float32(0)
				for r := range rows {
					i := r*columns + c
					passed := dy[i]
					if y[i] == 0 {
						passed = 0
					}
					want += passed
					if dx[i] != passed {
						t.Fatalf("%d columns: gradient %v at %d, want %v", columns, dx[i], i, passed)
					}
				}
				if sums[c] != want {
					t.Fatalf("%d columns: sum %v at %d, want %v", columns, sums[c], c, want)
				}
			}
			if s.ReLUGradient(y, dy, dy, sums, rows, columns); !slices.Equal(dy, dx) {
				t.Fatalf("%d columns: in place is different", columns)
			}
		}
	})
}

// TestAdam compares with the formula in float64. All instruction sets must give the same bits, and so must values alone
// and in a vector.
func TestAdam(t *testing.T) {
	f := Adam{
		GradientScale: 0.5, Beta1: 0.9, OneMinusBeta1: 0.1, Beta2: 0.99, OneMinusBeta2: 0.01, Epsilon: 1e-8,
		StepSize: 0.01, RootScale: 1.5, WeightDecay: 0.001, AverageShare: 0.25,
	}
	var first [][]float32
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		var x [5][]float32 // weights, g, m, v, average
		for i := range x {
			x[i] = gaussians(random, 21)
		}
		for i, v := range x[3] {
			x[3][i] = v * v
		}
		var was [5][]float32
		for i := range x {
			was[i] = slices.Clone(x[i])
		}
		s.Adam(f, x[0], x[1], x[2], x[3], x[4])
		for i := range 21 {
			d := 0.5 * float64(was[1][i])
			m, v := 0.9*float64(was[2][i])+0.1*d, 0.99*float64(was[3][i])+0.01*d*d
			weight := float64(was[0][i]) - (0.01*m/(1.5*math.Sqrt(v)+1e-8) + 0.001*float64(was[0][i]))
			average := float64(was[4][i]) + 0.25*(weight-float64(was[4][i]))
			for j, want := range []float64{weight, float64(was[1][i]), m, v, average} {
				if got := float64(x[j][i]); math.Abs(got-want) > 1e-6 {
					t.Errorf("value %d of slice %d: %v, want %v", i, j, got, want)
				}
			}
		}
		for i := range x {
			if first == nil {
				break
			}
			if !slices.Equal(x[i], first[i]) {
				t.Errorf("slice %d differs from the first instruction set's", i)
			}
		}
		first = x[:]
	})
}
