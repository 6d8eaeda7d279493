package model

import (
	"fmt"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/train/parallel"
)

// BenchmarkStep reports the samples per second of training steps on one and two goroutines, after two steps to warm up.
func BenchmarkStep(b *testing.B) {
	small, large := envtest.Board(7, 5, 5, 1, 0, 7, false), envtest.Board(11, 7, 7, 2, 0, 7, false)
	for _, net := range []struct {
		game                   *env.Game
		channels, blocks, size int
	}{
		{small, 32, 3, 256},
		{large, 32, 4, 256},
		{large, 64, 5, 128},
	} {
		for _, threads := range []int{1, 2} {
			name := fmt.Sprintf("%dx%d-%dx%d-%d/threads=%d", net.channels, net.blocks, net.game.Tensor.H, net.game.Tensor.W,
				net.size, threads)
			b.Run(name, func(b *testing.B) {
				w := randomWeights(net.game, net.channels, net.blocks, 1)
				tr := newTrainer(b, net.game, w, DefaultConfig(), parallel.Runner(threads))
				batch := randomBatch(net.game, net.size, 1)
				for range 2 {
					tr.Step(batch, 1e-3)
				}
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tr.Step(batch, 1e-3); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N*net.size)/b.Elapsed().Seconds(), "samples/s")
			})
		}
	}
}

// BenchmarkStockStep reports samples per second of training steps with Gorgonia's own operations.
func BenchmarkStockStep(b *testing.B) {
	game := envtest.Board(11, 7, 7, 2, 0, 7, false)
	b.Run("64x5-7x7-128", func(b *testing.B) {
		batch := randomBatch(game, 128, 1)
		tr := newTrainer(b, game, randomWeights(game, 64, 5, 1), DefaultConfig(), nil)
		s := newStock(tr, DefaultConfig(), batch.Size, 1e-3)
		defer s.Close()
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Step(batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N*batch.Size)/b.Elapsed().Seconds(), "samples/s")
	})
}
