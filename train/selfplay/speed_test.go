package selfplay

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/mcts"
	"ludus/model/infer"
	"ludus/train/rundir"
)

func uniform(int) mcts.Evaluator { return mcts.Uniform{} }

func TestSelfPlayCounts(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	settings.ParallelGames = 32
	for _, cached := range []bool{false, true} {
		for _, threads := range []int{1, 2} {
			play := NewMeter(game, settings, threads, cached)
			play.SetEvaluator(uniform)
			var total Throughput
			for range 3 {
				did, err := play.Play(context.Background(), 30*time.Millisecond)
				if err != nil {
					t.Fatal(err)
				}
				total.Add(did)
				if did.Simulations > settings.Simulations*did.Positions {
					t.Errorf("%d simulations of %d positions", did.Simulations, did.Positions)
				}
				if did.Seconds < 0.03 || did.Idle < 0 || did.Idle > float64(threads)*did.Seconds {
					t.Errorf("%d threads: %+v", threads, did)
				}
			}
			mean := float64(total.Evaluations) / float64(total.Batches)
			if total.Positions == 0 || total.Simulations < total.Positions || mean > 32/float64(threads) || mean < 2 {
				t.Errorf("%d threads: %+v", threads, total)
			}
			if cached != (total.CacheHits > 0) {
				t.Errorf("cache %v: %d hits", cached, total.CacheHits)
			}
		}
	}
	play := NewMeter(game, settings, 2, false)
	play.SetEvaluator(uniform)
	if did, err := play.Play(context.Background(), 0); err != nil || did.Evaluations == 0 {
		t.Errorf("no time: %+v, %v; want a batch", did, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := play.Play(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped play returns %v", err)
	}
}

// BenchmarkNetworkShare is the speed of self-play over that of its network alone on batches of the same size, on one
// core in turn, cache off.
func BenchmarkNetworkShare(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			game := newGame(b, name)
			network, err := infer.NewNetwork(game, infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1))))
			if err != nil {
				b.Fatal(err)
			}
			states := envtest.Positions(game, 1, UsualGames)
			logits, classes := make([]float32, UsualGames*game.NumActions()), make([]float32, UsualGames*len(game.Classes))
			evaluator := network.NewEvaluator(UsualGames)
			play := NewMeter(game, rundir.DefaultSettings(game), 1, false)
			play.SetEvaluator(func(batch int) mcts.Evaluator { return network.NewEvaluator(batch) })
			var total Throughput
			var alone time.Duration
			evaluated := 0
			for b.Loop() {
				did, err := play.Play(context.Background(), 50*time.Millisecond)
				if err != nil {
					b.Fatal(err)
				}
				total.Add(did)
				n := did.Evaluations / did.Batches
				for start := time.Now(); time.Since(start) < 25*time.Millisecond; evaluated += n {
					before := time.Now()
					evaluator.Evaluate(states[:n], logits[:n*game.NumActions()], classes[:n*len(game.Classes)], nil)
					alone += time.Since(before)
				}
			}
			speed := float64(total.Evaluations) / total.Seconds
			b.ReportMetric(speed, "evaluations/s")
			b.ReportMetric(speed*alone.Seconds()/float64(evaluated), "share")
			b.ReportMetric(float64(total.Evaluations)/float64(total.Batches), "evaluations/batch")
		})
	}
}

// BenchmarkSelfPlay is the speed of self-play around a network that takes no time, on one core, cache off.
func BenchmarkSelfPlay(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			game := newGame(b, name)
			play := NewMeter(game, rundir.DefaultSettings(game), 1, false)
			play.SetEvaluator(uniform)
			var evaluations, batches, positions int
			var seconds float64
			for b.Loop() {
				did, err := play.Play(context.Background(), 100*time.Millisecond)
				if err != nil {
					b.Fatal(err)
				}
				evaluations, batches, positions = evaluations+did.Evaluations, batches+did.Batches, positions+did.Positions
				seconds += did.Seconds
			}
			b.ReportMetric(float64(evaluations)/seconds, "evaluations/s")
			b.ReportMetric(float64(positions)/seconds, "positions/s")
			b.ReportMetric(float64(evaluations)/float64(batches), "evaluations/batch")
		})
	}
}
