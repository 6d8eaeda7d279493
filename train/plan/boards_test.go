package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/learn"
	"ludus/train/rundir"
)

// TestSizeWeights: shares sum to 1 and move from small to large boards; in the second half the target has three quarters.
func TestSizeWeights(t *testing.T) {
	for n := 1; n <= 5; n++ {
		before := 0.0
		for share := 0.0; share <= 1; share += 1.0 / 128 {
			w := SizeWeights(n, share)
			mean := 0.0 // of the sizes' indices
			for i, x := range w {
				mean += x * float64(i)
				if x < 0 || x > 1 {
					t.Errorf("%d sizes at %v: %v", n, share, w)
				}
			}
			if math.Abs(floats.Sum(w)-1) > 1e-12 || mean < before-1e-12 {
				t.Errorf("%d sizes at %v: %v sums to %v, mean %v after %v", n, share, w, floats.Sum(w), mean, before)
			}
			before = mean
			if share >= learn.ConstantShare && n > 1 && (w[n-1] != focusShare || w[0] != (1-focusShare)/float64(n-1)) {
				t.Errorf("%d sizes at %v: %v", n, share, w)
			}
		}
		if w := SizeWeights(n, 0); w[0] != 1 {
			t.Errorf("%d sizes start with %v", n, w)
		}
	}
	if w := SizeWeights(4, learn.ConstantShare/6); !floats.EqualApprox(w, []float64{0.5 + 0.125, 0.375, 0, 0}, 1e-12) {
		t.Errorf("half way to the second size: %v", w)
	}
}

// TestNextSize: over a run, and at each of its generations, each size gets its share of the work, up to one generation,
// also if one on the smallest board does less. Of equal sizes the largest comes next.
func TestNextSize(t *testing.T) {
	const work = 1000
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 4; n++ {
		for _, generations := range []int{7, 60, 250} {
			behind, works := make([]float64, n), slices.Repeat([]int{work}, n)
			works[0] = work / 2 // capped
			for g := range generations {
				w := SizeWeights(n, float64(g)/float64(generations))
				next := NextSize(behind, w, works)
				done := float64(works[next]) * (0.95 + 0.1*rng.Float64()) // generations are not quite equal
				for i := range behind {
					behind[i] += w[i] * done
				}
				behind[next] -= done
				if worst := floats.Norm(behind, math.Inf(1)); worst > 1.1*work {
					t.Fatalf("%d sizes, generation %d of %d: behind by %v", n, g, generations, behind)
				}
			}
			if math.Abs(floats.Sum(behind)) > 1e-6 {
				t.Errorf("%v do not add up", behind)
			}
		}
	}
	if next := NextSize(make([]float64, 3), []float64{0.5, 0.5, 0}, []int{work, work, work}); next != 1 {
		t.Errorf("of equal sizes, %d comes next", next)
	}
}

// TestPlies: a generation costs about the same on each board, but lasts at most a few games.
func TestPlies(t *testing.T) {
	target := games.Must("hex")
	p := &rundir.Plan{ParallelGames: 256, PliesPerGeneration: 8, Generations: 100}
	for name, want := range map[string]int{"hex": 8, "hex(size=9)": 12, "hex-7x7": 20, "hex-5x5": 39} {
		if got := Plies(p, target, games.Must(name)); got != want {
			t.Errorf("%s: %d plies, want %d", name, got, want)
		}
	}
	small := games.Must("hex-5x5")
	p.PliesPerGeneration = 20
	if got := Plies(p, target, small); got != mostGames*small.UsualPlies {
		t.Errorf("%d plies in games of %d", got, small.UsualPlies)
	}
	p.PliesPerGeneration = 200
	if got := Plies(p, target, small); got != 200 {
		t.Errorf("%d plies, fewer than on the target", got)
	}
	p.PliesPerGeneration = 8
	if got, want := ExpectedPositions(p, []*env.Game{target}, 30), 30*256*8; got != want {
		t.Errorf("%d positions expected, want %d", got, want)
	}
	if got := ExpectedPositions(p, []*env.Game{small, target}, 1); got != 256*39 {
		t.Errorf("%d positions expected in the first generation", got)
	}
	p.PliesPerGeneration = 20
	if got, want := ExpectedPositions(p, []*env.Game{small, target}, 1), 256*mostGames*small.UsualPlies; got != want {
		t.Errorf("%d positions expected in the first generation, want %d", got, want)
	}
}
