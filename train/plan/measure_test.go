package plan

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// TestCPUShare: only other programs make the share small, not waiting threads, and not threads without a core.
func TestCPUShare(t *testing.T) {
	for _, c := range []struct {
		name           string
		used, idle     float64 // of 10 seconds
		threads, cores int
		want           float64
	}{
		{"a quiet machine", 20, 0, 2, 2, 1},
		{"one core taken by others", 10, 0, 2, 2, 0.5},
		{"threads that wait for others", 12, 8, 2, 2, 1},
		{"more threads than cores", 20, 0, 8, 2, 1},
		{"the same, busy", 10, 0, 8, 2, 0.5},
		{"fewer threads than cores", 10, 0, 1, 16, 1},
		{"clocks that differ a little", 20.2, 0, 2, 2, 1},
	} {
		if got := cpuShare(c.used, selfplay.Throughput{Seconds: 10, Idle: c.idle}, c.threads, c.cores); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestMeasureStops: measuring ends when ctx does, and with its own error if the time limit is too short.
func TestMeasureStops(t *testing.T) {
	game := games.Must("quad-7x7")
	settings := rundir.DefaultSettings(game)
	weights := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
	for _, cpuTime := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := Measure(ctx, game, &settings, weights, 2, time.Hour, cpuTime); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped measuring returns %v", err)
		}
	}
	if _, err := Measure(t.Context(), game, &settings, weights, 2, time.Microsecond, false); !errors.Is(err, errMeasuring) {
		t.Errorf("a time limit that is too short: %v", err)
	}
}

// TestFitting: a faster machine and a longer time never do less, and the work fills the time but for that of matches.
func TestFitting(t *testing.T) {
	settings := rundir.DefaultSettings(games.Must("quad-5x5"))
	generations := func(seconds float64, c Cost) (int, float64) {
		p := rundir.Plan{Generations: 100, ParallelGames: 256, PliesPerGeneration: 8}
		each := c.Generation(&p, &settings, 2.5)
		return Fitting(seconds, &settings, each), each
	}
	slow := Cost{position: 5e-4, step: 0.05, generation: 0.05}
	for seconds := 60.0; seconds < 1e5; seconds *= 2 {
		n, each := generations(seconds, slow)
		if twice, _ := generations(2*seconds, slow); twice < n {
			t.Errorf("%.0f s: %d generations, %d in twice the time", seconds, n, twice)
		}
		for _, fast := range []Cost{
			{position: 4e-4, step: 0.05, generation: 0.05}, {position: 5e-4, step: 0.04, generation: 0.05},
			{position: 5e-4, step: 0.05, generation: 0.04},
		} {
			if more, _ := generations(seconds, fast); more < n {
				t.Errorf("%.0f s: %d generations, %d with %+v", seconds, n, more, fast)
			}
		}
		if share := float64(n) * each / seconds; share > safety*(1-settings.RatingShare) || share < 0.8 {
			t.Errorf("%d generations take %.2f of %.0f s", n, share, seconds)
		}
	}
}
