package peers

import (
	"errors"
	"testing"
	"time"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model/infer"
)

// BenchmarkONNXRuntime measures inference of a 64x5 network on 7x7 without figure layers, batch 32, one thread: ours, then that
// of ONNX Runtime.
func BenchmarkONNXRuntime(b *testing.B) {
	const batch = 32
	game := *games.Must("quad-7x7")
	game.Figures = nil // compare convolutions
	weights := randomWeights(&game, infer.Config{Game: game.Name, Channels: 64, Blocks: 5})
	b.Run("ludus", func(b *testing.B) {
		network, err := infer.NewNetwork(&game, weights)
		if err != nil {
			b.Fatal(err)
		}
		evaluator, inputs := network.NewEvaluator(batch), encode(&game, envtest.Positions(&game, 1, batch))
		logits, classes := make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
		for b.Loop() {
			evaluator.EvaluateTensors(inputs, logits, classes, nil)
		}
		b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "positions/s")
	})
	b.Run("onnxruntime", func(b *testing.B) {
		p, err := startRuntime(b.Context(), &game, weights, batch)
		if errors.Is(err, errMissing) {
			b.Skip(err)
		}
		if err != nil {
			b.Fatal(err)
		}
		defer p.close()
		for b.Loop() {
			speed, err := p.measure(time.Second)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(speed, "positions/s")
		}
	})
}
