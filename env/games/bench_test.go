package games

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
)

func BenchmarkPlayout(b *testing.B) {
	for _, name := range append(Names(), "quad(size=11,quads=20,whites=7)", "golden-rectangle(columns=9,rows=9)") {
		b.Run(name, func(b *testing.B) {
			g := Must(name)
			start, state := g.NewState(), g.NewState()
			rng := rand.NewPCG(1, 1)
			moves := 0
			for b.Loop() {
				state.CopyFrom(start)
				moves += env.Playout(state, rng)
			}
			b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}

// benchmarkPositions measures what prepare returns for a game, on positions of random games.
func benchmarkPositions(b *testing.B, prepare func(g *env.Game) func(s env.State)) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g := Must(name)
			measured, positions, i := prepare(g), envtest.Positions(g, 1, 256), 0
			for b.Loop() {
				measured(positions[i%len(positions)])
				i++
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	benchmarkPositions(b, func(g *env.Game) func(env.State) {
		x := make([]float32, g.Tensor.Size())
		return func(s env.State) { s.Encode(x) }
	})
}

func BenchmarkLegal(b *testing.B) {
	benchmarkPositions(b, func(*env.Game) func(env.State) {
		var legal []env.Action
		return func(s env.State) { legal = s.Legal(legal[:0]) }
	})
}

func BenchmarkTerminalActions(b *testing.B) {
	benchmarkPositions(b, func(*env.Game) func(env.State) {
		var endings []env.TerminalAction
		return func(s env.State) { endings = s.TerminalActions(endings[:0]) }
	})
}

func BenchmarkCanonical(b *testing.B) {
	benchmarkPositions(b, func(*env.Game) func(env.State) {
		return func(s env.State) { s.CanonicalKey() }
	})
}
