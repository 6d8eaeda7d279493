package mcts

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
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

// The root's evaluation is the mean over all images, the leaves' are their own, also when batches split the images, and
// the mean stays out of the cache.
func TestRootSymmetries(t *testing.T) {
	for _, name := range []string{"quad-5x5", "breakthrough-6x6", "free-for-all-2p"} {
		g := mustGame(t, name)
		state := randomPosition(g, newGenerator(1), 5)
		ev := encoded{g}
		tensor, turned := make([]float32, g.Tensor.Size()), make([]float32, g.Tensor.Size())
		state.Encode(tensor)
		logits, classes, goals := make([]float64, g.NumActions()), make([]float64, len(g.Classes)), make([]float64, 2)
		for _, symmetry := range g.Symmetries {
			l, c, goal := make([]float32, len(logits)), make([]float32, len(classes)), make([]float32, 2)
			symmetry.Transform(turned, tensor)
			ev.evaluate(turned, l, c, goal)
			n := float64(len(g.Symmetries))
			for a, to := range symmetry.Actions {
				logits[a] += float64(l[to]) / n
			}
			for k, p := range c {
				classes[k] += float64(p) / n
			}
			for i, x := range goal {
				goals[i] += float64(x) / n
			}
		}
		cfg := DefaultConfig()
		plain := New(g, cfg)
		cfg.RootSymmetries = true
		s := New(g, cfg)
		for _, size := range []int{1, 3, 100} {
			b := NewBatcher(g, ev, size, 100)
			for _, search := range []*Search{s, plain, s} {
				search.Start(state, 0, nil)
				search.Run(b)
			}
			gotClasses, gotGoals := s.RootEvaluation()
			for k, p := range gotClasses {
				near(t, "class probability", float64(p), classes[k])
			}
			if len(gotGoals) != 0 != g.GoalHead {
				t.Errorf("%s: goals %v", name, gotGoals)
			}
			for i, x := range gotGoals {
				near(t, "goals", float64(x), goals[i])
			}
			moves, total := s.Moves(), 0.0
			for _, m := range moves {
				total += math.Exp(logits[g.Frame(state.Player())[m.Action]])
			}
			for _, m := range moves {
				near(t, "prior", float64(m.Prior), math.Exp(logits[g.Frame(state.Player())[m.Action]])/total)
			}
			own, _ := plain.RootEvaluation()
			if len(g.Symmetries) > 1 && slices.Equal(own, gotClasses) {
				t.Errorf("%s: a plain search has the mean", name)
			}
			if stats := b.TakeStats(); stats.Evaluations != 1+2*len(g.Symmetries) || stats.CacheHits != 0 {
				t.Errorf("%s: %+v", name, stats)
			}
		}
	}
}

// A search that finds its root in the cache has the same goals; one that moves on forgets them.
func TestRootEvaluation(t *testing.T) {
	g := mustGame(t, "free-for-all-2p")
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
