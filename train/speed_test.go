package train

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/mcts"
	"ludus/model"
	"ludus/model/infer"
	"ludus/train/parallel"
	"ludus/train/record"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

func uniform(int) mcts.Evaluator { return mcts.Uniform{} }

func TestSelfPlayCounts(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	settings.ParallelGames = 32
	for _, cached := range []bool{false, true} {
		for _, threads := range []int{1, 2} {
			play := NewSelfPlay(game, settings, threads, cached)
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
	play := NewSelfPlay(game, settings, 2, false)
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
			states := envtest.Positions(game, 1, maxParallel)
			logits, classes := make([]float32, maxParallel*game.NumActions()), make([]float32, maxParallel*len(game.Classes))
			evaluator := network.NewEvaluator(maxParallel)
			play := NewSelfPlay(game, rundir.DefaultSettings(game), 1, false)
			play.SetEvaluator(evaluatorsOf(network))
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
			play := NewSelfPlay(game, rundir.DefaultSettings(game), 1, false)
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

// BenchmarkLearn is the speed of training steps of the default network, the writing of their batches included, on one
// and two threads; and the cost of a sample in evaluations on one core: core seconds per sample over seconds per
// evaluation, measured in turn.
func BenchmarkLearn(b *testing.B) {
	for _, name := range games.Names() {
		game := newGame(b, name)
		settings := rundir.DefaultSettings(game)
		rng := rand.New(rand.NewPCG(1, 1))
		weights := infer.NewWeights(game, infer.DefaultConfig(game), rng)
		network, err := infer.NewNetwork(game, weights)
		if err != nil {
			b.Fatal(err)
		}
		var records []*record.Record
		for record.Count(records) < settings.ReplayWindow {
			records = append(records, recordtest.Random(game, rng))
		}
		const rows = 32
		states, evaluator := envtest.Positions(game, 1, rows), network.NewEvaluator(rows)
		logits, classes := make([]float32, rows*game.NumActions()), make([]float32, rows*len(game.Classes))
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
				run := parallel.Runner(threads)
				trainer, err := model.NewTrainer(game, weights, model.DefaultConfig(), run)
				if err != nil {
					b.Fatal(err)
				}
				l := newLearner(game, &settings, 1, trainer, run)
				l.training.add(records, settings.ReplayWindow)
				var writing, learning, evaluating time.Duration
				const steps = 8
				for b.Loop() {
					for range steps {
						start := time.Now()
						l.draw(&l.training, rng)
						l.fill(&l.training, 0.25)
						written := time.Now()
						if _, err := trainer.Step(l.batch, 1e-5); err != nil {
							b.Fatal(err)
						}
						writing += written.Sub(start)
						learning += time.Since(start)
					}
					start := time.Now()
					for i := 0; i < steps*settings.BatchSize; i += rows {
						evaluator.Evaluate(states, logits, classes, nil)
					}
					evaluating += time.Since(start)
				}
				samples := float64(b.N * steps * settings.BatchSize)
				b.ReportMetric(samples/learning.Seconds(), "samples/s")
				b.ReportMetric(float64(threads)*learning.Seconds()/evaluating.Seconds(), "evaluations/sample")
				b.ReportMetric(100*writing.Seconds()/learning.Seconds(), "%writing")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
