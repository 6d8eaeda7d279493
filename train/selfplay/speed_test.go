package selfplay

import (
	"context"
	"errors"
	"testing"
	"time"

	"ludus/mcts"
	"ludus/train/record/recordtest"
	"ludus/train/rundir"
)

func uniform(int) mcts.Evaluator { return mcts.Uniform{} }

func TestSelfPlayCounts(t *testing.T) {
	game := recordtest.Game(t, "quad-5x5")
	settings := rundir.DefaultSettings(game)
	settings.ParallelGames = 32
	for _, cached := range []bool{false, true} {
		for _, threads := range []int{1, 2} {
			play := NewMeter(game, settings, threads, cached)
			play.SetEvaluator(uniform)
			var total Throughput
			for total.Positions < 200 { // the first to end need no simulations: they are decided
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
