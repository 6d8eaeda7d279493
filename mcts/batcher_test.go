package mcts

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// encoded is a deterministic evaluator that follows from the tensor alone, like a network.
type encoded struct{ game *env.Game }

func (ev encoded) Evaluate(states []env.State, logits, classes, goals []float32) {
	A, K := ev.game.NumActions(), len(ev.game.Classes)
	tensor := make([]float32, ev.game.Tensor.Size())
	for i, state := range states {
		state.Encode(tensor)
		ev.evaluate(tensor, logits[i*A:(i+1)*A], classes[i*K:(i+1)*K], goals[i*len(goals)/len(states):])
	}
}

func (ev encoded) evaluate(tensor, logits, classes, goals []float32) {
	h := fnv.New64()
	for _, x := range tensor {
		h.Write([]byte{byte(16 * x)})
	}
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	sum := float32(0)
	for a := range logits {
		logits[a] = float32(rng.NormFloat64())
	}
	for k := range classes {
		classes[k] = rng.Float32()
		sum += classes[k]
	}
	for k := range classes {
		classes[k] /= sum
	}
	for i := range goals[:min(2, len(goals))] {
		goals[i] = rng.Float32()
	}
}

// A search that finds its root in the cache has the same goals; one that moves on forgets them.
func TestRootEvaluation(t *testing.T) {
	g := games.Must("free-for-all-2p")
	b := NewBatcher(g, encoded{g}, 8, 100)
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
