package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSums compares with the definition: all instruction sets must give its bits.
func TestSums(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(7, 1))
		var w Worker
		for columns := 8; columns <= 200; columns += 8 {
			const rows = 9
			lists := [][]int32{{3}, {}, {0, 8, 4}, {1, 1}, {2, 3, 5, 7, 8}}
			src, start := gaussians(random, rows*columns), gaussians(random, columns)
			for _, relu := range []bool{false, true} {
				for _, start := range [][]float32{nil, start} {
					dst, want := Aligned(len(lists)*columns), make([]float32, len(lists)*columns)
					w.Sums(NewSums(lists, columns), dst, src, start, 0.3, relu)
					for i := range want {
						sum := float32(0)
						if start != nil {
							sum = start[i%columns]
						}
						for _, row := range lists[i/columns] {
							sum += src[int(row)*columns+i%columns]
						}
						if want[i] = sum * 0.3; relu {
							want[i] = max(want[i], 0)
						}
					}
					if !slices.Equal(dst, want) {
						t.Fatalf("%d columns, relu %t: sums %v, want %v", columns, relu, dst, want)
					}
				}
			}
		}
	})
}
