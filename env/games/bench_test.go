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
			g := mustNew(b, name)
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

func BenchmarkEncode(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g := mustNew(b, name)
			x := make([]float32, g.Tensor.Size())
			positions := benchPositions(b, g)
			i := 0
			for b.Loop() {
				positions[i%len(positions)].Encode(x)
				i++
			}
		})
	}
}

func BenchmarkLegal(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g := mustNew(b, name)
			var legal []env.Action
			positions := benchPositions(b, g)
			i := 0
			for b.Loop() {
				legal = positions[i%len(positions)].Legal(legal[:0])
				i++
			}
		})
	}
}

func benchPositions(b *testing.B, g *env.Game) []env.State { return envtest.Positions(g, 1, 256) }

func BenchmarkTerminalActions(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g := mustNew(b, name)
			var endings []env.TerminalAction
			positions := benchPositions(b, g)
			i := 0
			for b.Loop() {
				endings = positions[i%len(positions)].TerminalActions(endings[:0])
				i++
			}
		})
	}
}

func BenchmarkCanonical(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			g := mustNew(b, name)
			positions, sum := benchPositions(b, g), uint64(0)
			i := 0
			for b.Loop() {
				key, symmetry := positions[i%len(positions)].CanonicalKey()
				sum += key[0] + uint64(symmetry)
				i++
			}
			if sum == 0 {
				b.Error("all keys are 0")
			}
		})
	}
}
