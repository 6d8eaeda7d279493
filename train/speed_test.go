package train

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/mcts"
)

func uniform(int) mcts.Evaluator { return mcts.Uniform{} }

func TestSelfPlayCounts(t *testing.T) {
	game := newGame(t, "quad-5x5")
	settings := DefaultSettings(game)
	settings.Slots = 32
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
				if pace.Seconds < 0.03 || pace.Idle < 0 || pace.Idle > float64(threads)*pace.Seconds {
					t.Errorf("%d threads: %+v", threads, pace)
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
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewSelfPlay(game, settings, uniform, 1, false).Play(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped play returns %v", err)
	}
}

// BenchmarkSelfPlay is the speed of self-play around a network that takes no time, on one core, cache off.
func BenchmarkSelfPlay(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			game := newGame(b, name)
			play := NewSelfPlay(game, DefaultSettings(game), uniform, 1, false)
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
