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
