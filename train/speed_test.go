package train

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
			play := NewSelfPlay(game, settings, uniform, threads, cached)
			var total Pace
			for range 3 {
				pace, err := play.Play(context.Background(), 30*time.Millisecond)
				if err != nil {
					t.Fatal(err)
				}
				total.Add(pace)
				if pace.Simulations > settings.Simulations*pace.Positions {
					t.Errorf("%d simulations of %d positions", pace.Simulations, pace.Positions)
				}
				if pace.Seconds < 0.03 || pace.Idle < 0 || pace.Idle > float64(threads)*pace.Seconds {
					t.Errorf("%d threads: %+v", threads, pace)
				}
			}
			mean := float64(total.Evaluations) / float64(total.Batches)
			if total.Positions == 0 || total.Simulations < total.Positions || mean > 32/float64(threads) || mean < 2 {
				t.Errorf("%d threads: %+v", threads, total)
			}
			if cached != (total.CacheHits > 0) || total.CacheHits != play.hits() {
				t.Errorf("cache %v: %d hits, %d in all", cached, total.CacheHits, play.hits())
			}
		}
	}
	if pace, err := NewSelfPlay(game, settings, uniform, 2, false).Play(context.Background(), 0); err != nil || pace.Evaluations == 0 {
		t.Errorf("no time: %+v, %v; want a batch", pace, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewSelfPlay(game, settings, uniform, 1, false).Play(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped play returns %v", err)
	}
}

// BenchmarkNetworkShare is the speed of self-play over that of its network alone on batches of the same size, on one core
// in turn, cache off.
func BenchmarkNetworkShare(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			game := newGame(b, name)
			network, err := infer.NewNetwork(game, infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1))))
			if err != nil {
				b.Fatal(err)
			}
			states := envtest.Positions(game, 1, mostSlots)
			logits, classes := make([]float32, mostSlots*game.NumActions()), make([]float32, mostSlots*len(game.Classes))
			evaluator := network.NewEvaluator(mostSlots)
			play := NewSelfPlay(game, rundir.DefaultSettings(game), judgedBy(network), 1, false)
			var total Pace
			var alone time.Duration
			evaluated := 0
			for b.Loop() {
				pace, err := play.Play(context.Background(), 50*time.Millisecond)
				if err != nil {
					b.Fatal(err)
				}
				total.Add(pace)
				n := pace.Evaluations / pace.Batches
				for start := time.Now(); time.Since(start) < 25*time.Millisecond; evaluated += n {
					before := time.Now()
					evaluator.Evaluate(states[:n], logits[:n*game.NumActions()], classes[:n*len(game.Classes)])
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
			play := NewSelfPlay(game, rundir.DefaultSettings(game), uniform, 1, false)
			var evaluations, batches, positions int
			var seconds float64
			for b.Loop() {
				pace, err := play.Play(context.Background(), 100*time.Millisecond)
				if err != nil {
					b.Fatal(err)
				}
				evaluations, batches, positions = evaluations+pace.Evaluations, batches+pace.Batches, positions+pace.Positions
				seconds += pace.Seconds
			}
			b.ReportMetric(float64(evaluations)/seconds, "evaluations/s")
			b.ReportMetric(float64(positions)/seconds, "positions/s")
			b.ReportMetric(float64(evaluations)/float64(batches), "evaluations/batch")
		})
	}
}
