package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSums compares with the definition: all instruction sets must give its bits.
func TestSums(t *testing.T) {
	eachInstructionSet(t, func(t *testing.T, random *rand.Rand, s *Scratch) {
		for columns := 8; columns <= 200; columns += 8 {
			const rows = 9
			lists := [][]int32{{3}, {}, {0, 8, 4}, {1, 1}, {2, 3, 5, 7, 8}, {0, 1, 2, 3}} // 16 terms
			src, start := gaussians(random, rows*columns), gaussians(random, len(lists)*columns)
			for _, relu := range []bool{false, true} {
				for _, start := range [][]float32{nil, start} {
					memory, want := Aligned((len(lists)+1)*columns), make([]float32, len(lists)*columns)
					dst, behind := memory[:len(want)], memory[len(want):]
					sums := NewSums(lists, columns)
					sums.offsets = append(make([]int32, 0, len(sums.offsets)), sums.offsets...) // nothing lies behind them
					s.Sums(sums, dst, src, start, 0.3, relu)
					for i := range want {
						sum := float32(0)
						for _, row := range lists[i/columns] {
							sum += src[int(row)*columns+i%columns]
						}
						want[i] = sum * 0.3
						if start != nil {
							want[i] += start[i]
						}
						if relu {
							want[i] = max(want[i], 0)
						}
					}
					if !slices.Equal(dst, want) {
						t.Fatalf("%d columns, relu %t: sums %v, want %v", columns, relu, dst, want)
					}
					if start != nil {
						copy(dst, start)
						if s.Sums(sums, dst, src, dst, 0.3, relu); !slices.Equal(dst, want) {
							t.Fatalf("%d columns, relu %t: sums added to dst %v, want %v", columns, relu, dst, want)
						}
					}
					if slices.Max(behind) != 0 || slices.Min(behind) != 0 {
						t.Fatalf("%d columns: values behind the sums have changed", columns)
					}
				}
			}
		}
	})
}

// TestSumsPanics checks that slices that are too short, and lists with impossible rows, are refused.
func TestSumsPanics(t *testing.T) {
	var s Scratch
	sums := NewSums([][]int32{{2}, {0}}, 8)
	for name, do := range map[string]func(){
		"columns":       func() { NewSums(nil, 12) },
		"negative row":  func() { NewSums([][]int32{{-1}}, 8) },
		"no lists":      func() { s.Sums(NewSums(nil, 8), make([]float32, 8), make([]float32, 8), nil, 1, false) },
		"short source":  func() { s.Sums(sums, make([]float32, 16), make([]float32, 23), nil, 1, false) },
		"short results": func() { s.Sums(sums, make([]float32, 15), make([]float32, 24), nil, 1, false) },
		"short start":   func() { s.Sums(sums, make([]float32, 16), make([]float32, 24), make([]float32, 15), 1, false) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do()
		}()
	}
	s.Sums(sums, make([]float32, 16), make([]float32, 24), nil, 1, false)
}

func BenchmarkSums(b *testing.B) {
	const rows, columns = 49, 64
	lists := make([][]int32, 175) // as many as quad-7x7 has squares
	for i := range lists {
		for k := range 4 {
			lists[i] = append(lists[i], int32((i+7*k)%rows))
		}
	}
	var s Scratch
	sums, dst, src := NewSums(lists, columns), Aligned(len(lists)*columns), Aligned(rows*columns)
	for b.Loop() {
		s.Sums(sums, dst, src, dst, 1, true)
	}
}
