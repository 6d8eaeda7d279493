package solver_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env/games"
	"ludus/env/solver"
)

// BenchmarkSolve searches middle positions of each game, a million nodes at most, with a table of 64 MiB.
func BenchmarkSolve(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			g := games.Must(name)
			s, nodes := solver.New(g, 64<<20), 0
			rng := rand.NewPCG(3, 3)
			for b.Loop() {
				state := g.NewState()
				for i := 0; i < g.MaxPlies/3; i++ {
					if state.Apply(state.RandomAction(rng.Uint64())); state.Done() {
						state, i = g.NewState(), -1
					}
				}
				s.Solve(state, solver.Limits{Nodes: 1_000_000})
				nodes += s.Nodes()
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
