package peers

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
)

// report compares ours with a peer, or skips the benchmark if the peer is not installed.
func report(b *testing.B, peer *Peer, err error, unit func() int) {
	b.Helper()
	if errors.Is(err, ErrMissing) {
		b.Skip(err)
	}
	if err != nil {
		b.Fatal(err)
	}
	defer peer.Close()
	ours := func(d time.Duration) float64 {
		start, rows := time.Now(), 0
		for time.Since(start) < d {
			rows += unit()
		}
		return float64(rows) / time.Since(start).Seconds()
	}
	for b.Loop() {
		c, err := Compare(b.Context(), 3*time.Second, ours, peer)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(c.Ours, "rows/s")
		b.ReportMetric(c.Theirs, "peer-rows/s")
		b.ReportMetric(c.Ratio, "times-peer")
	}
}

// withoutFigures returns quad-7x7 without its figures, because the peers compare convolutions.
func withoutFigures(b *testing.B) *env.Game {
	game, err := games.New("quad-7x7")
	if err != nil {
		b.Fatal(err)
	}
	plain := *game
	plain.Figures = nil
	return &plain
}

// BenchmarkONNXRuntime compares inference of a 64x5 network on 7x7 without figure layers, batch 32, one thread.
func BenchmarkONNXRuntime(b *testing.B) {
	const batch = 32
	game := withoutFigures(b)
	weights := randomWeights(game, infer.Config{Game: game.Name, Channels: 64, Blocks: 5})
	network, err := infer.NewNetwork(game, weights)
	if err != nil {
		b.Fatal(err)
	}
	evaluator, inputs := network.NewEvaluator(batch), encode(game, envtest.Positions(game, 1, batch))
	logits, classes := make([]float32, batch*game.NumActions()), make([]float32, batch*len(game.Classes))
	peer, err := ONNXRuntime(b.Context(), game, weights, batch)
	report(b, peer, err, func() int {
		evaluator.EvaluateTensors(inputs, logits, classes, nil)
		return batch
	})
}

// BenchmarkTorch compares training of a 64x5 network on 7x7 without figure layers, batch 128, two threads. PyTorch uses
// AdamW for all parameters, which costs less than Muon.
func BenchmarkTorch(b *testing.B) {
	const size, threads = 128, 2
	game := withoutFigures(b)
	config := infer.Config{Game: game.Name, Channels: 64, Blocks: 5}
	trainer, err := model.NewTrainer(game, randomWeights(game, config), model.DefaultConfig(), parallel.Runner(threads))
	if err != nil {
		b.Fatal(err)
	}
	batch, rng, actions := model.NewBatch(game, size), rand.New(rand.NewPCG(1, 0)), game.NumActions()
	states := envtest.Positions(game, 1, size)
	copy(batch.Inputs, encode(game, states))
	for i, s := range states {
		legal, frame := s.Legal(nil), game.Frame(s.Player())
		for _, a := range legal {
			batch.LegalMask[i*actions+int(frame[a])] = 1
		}
		batch.Policy[i*actions+int(frame[legal[rng.IntN(len(legal))]])] = 1
		batch.PolicyWeight[i] = 1
		batch.Outcome[i*len(game.Classes)+rng.IntN(len(game.Classes))] = 1
	}
	peer, err := Torch(b.Context(), game, config, size, threads)
	report(b, peer, err, func() int {
		if _, err := trainer.Step(batch, 1e-4); err != nil {
			b.Fatal(err)
		}
		return size
	})
}
