package infer

import (
	"fmt"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
)

// BenchmarkEvaluate reports positions a second of the two sizes of network on one core.
func BenchmarkEvaluate(b *testing.B) {
	small, large := envtest.Board(7, 5, 5, 1, 0, 7, false), envtest.Board(11, 7, 7, 2, 0, 7, false)
	for _, net := range []struct {
		game   *env.Game
		config Config
	}{
		{small, Config{Game: small.Name, Channels: 32, Blocks: 3}},
		{large, Config{Game: large.Name, Channels: 32, Blocks: 4}},
		{large, Config{Game: large.Name, Channels: 64, Blocks: 5}},
	} {
		for _, batch := range []int{1, 8, 32} {
			c, shape := net.config, net.game.Tensor
			b.Run(fmt.Sprintf("%dx%d-%dx%d/%d", c.Channels, c.Blocks, shape.H, shape.W, batch), func(b *testing.B) {
				n, err := NewNetwork(net.game, randomWeights(net.game, net.config, 1))
				if err != nil {
					b.Fatal(err)
				}
				e := n.NewEvaluator(batch)
				inputs := randomInputs(net.game, batch, 1)
				logits := make([]float32, batch*net.game.NumActions())
				classes := make([]float32, batch*len(net.game.Classes))
				for b.Loop() {
					e.EvaluateTensors(inputs, logits, classes, nil)
				}
				b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "positions/s")
			})
		}
	}
}
