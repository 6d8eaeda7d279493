package mcts

import (
	"math"
	"slices"
	"testing"

	"ludus/env/games"
)

// A search that finds its root in the cache has the same goals; one that moves on forgets them.
func TestRootEvaluation(t *testing.T) {
	g := games.Must("free-for-all-2p")
	b := NewBatcher(g, hashed{g, 1}, 8, 100)
	s := New(g, rules(1)[1])
	var goals [2][]float32
	for i := range goals {
		s.Start(g.NewState(), 10, nil)
		s.Run(b)
		_, got := s.RootEvaluation()
		goals[i] = slices.Clone(got)
	}
	stats := b.TakeStats()
	if len(goals[0]) != 2 || !slices.Equal(goals[0], goals[1]) || stats.CacheHits == 0 {
		t.Errorf("goals %v and, cached, %v; %+v", goals[0], goals[1], stats)
	}
	s.Advance(s.Best())
	if classes, goals := s.RootEvaluation(); len(classes) != 0 || len(goals) != 0 {
		t.Errorf("after a move: %v, %v", classes, goals)
	}
}

func TestDrawIndex(t *testing.T) {
	rng := newGenerator(1)
	for temperature, want := range map[float64][]float64{
		1:    {0.6, 0.3, 0.1, 0},
		0.5:  {0.36 / 0.46, 0.09 / 0.46, 0.01 / 0.46, 0},
		0.01: {1, 0, 0, 0},
	} {
		counts := make([]float64, len(want))
		const draws = 20000
		for range draws {
			counts[DrawIndex(rng, []float64{6, 3, 1, 0}, temperature)]++
		}
		for i := range want {
			if math.Abs(counts[i]/draws-want[i]) > 0.02 {
				t.Errorf("temperature %v: index %d is drawn %.3f of the time; want %.3f", temperature, i, counts[i]/draws, want[i])
			}
		}
	}
}
