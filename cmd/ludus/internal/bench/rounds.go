package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"ludus/model/infer/kernel"
)

// work is something to measure.
type work struct {
	threads int
	// run works for about d, or until ctx ends, and returns its speed in units per second.
	run func(ctx context.Context, d time.Duration) float64
}

// loop returns single-threaded work that repeats unit. unit returns the number of units it did.
func loop(unit func() int) work { return loopOn(1, unit) }

// loopOn is [loop] for a unit that uses several threads.
func loopOn(threads int, unit func() int) work {
	return work{threads, func(ctx context.Context, d time.Duration) float64 {
		start, done := time.Now(), 0
		for {
			done += unit()
			if spent := time.Since(start); spent >= d || ctx.Err() != nil {
				return float64(done) / spent.Seconds()
			}
		}
	}}
}

// peak is multiply-adds in registers, in GFLOP/s. It is the best of many short loops and needs no more than 20 ms.
var peak = work{1, func(_ context.Context, d time.Duration) float64 {
	return kernel.Peak(min(d, 20*time.Millisecond)) / 1e9
}}

// series is the measurement of one work.
type series struct {
	speeds []float64 // of each round
	cpu    float64   // share of the CPU time it could use that it got, at most 1
}

// median returns the median speed.
func (s *series) median() float64 { return median(s.speeds) }

// over returns the median over the rounds of the ratio of the speeds of s and t.
func (s *series) over(t *series) float64 {
	ratios := make([]float64, len(s.speeds))
	for i := range ratios {
		ratios[i] = s.speeds[i] / t.speeds[i]
	}
	return median(ratios)
}

// median returns the median of one or more values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// measure runs the works in turn: one round to warm up, then measured rounds of one slice each, until Options.Rounds or the
// step's time is reached, at least one. Series i is of works[i].
func (o *Options) measure(ctx context.Context, works ...work) ([]*series, error) {
	all := make([]*series, len(works))
	spent, usable := make([]time.Duration, len(works)), make([]time.Duration, len(works))
	for round := -1; round < o.Rounds && (round < 1 || o.until.IsZero() || time.Now().Before(o.until)); round++ {
		for i, w := range works {
			if round < 0 {
				all[i] = &series{}
				w.run(ctx, 0)
			} else {
				start, cpu := time.Now(), cpuTime()
				all[i].speeds = append(all[i].speeds, w.run(ctx, o.Slice))
				spent[i] += cpuTime() - cpu
				usable[i] += time.Since(start) * time.Duration(w.threads)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range all {
		s.cpu = min(1, float64(spent[i])/float64(max(usable[i], 1)))
	}
	return all, nil
}

// allocations returns the number of allocations of a warm f: the minimum of some runs, since the runtime also allocates.
func allocations(f func()) int {
	const runs = 3
	fillGoroutinePool()
	fewest := math.MaxInt
	var before, after runtime.MemStats
	for range runs {
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		fewest = min(fewest, int(after.Mallocs-before.Mallocs))
	}
	return fewest
}

// fillGoroutinePool starts and ends many goroutines, which the runtime then reuses, as in a long run. Each core keeps the
// first 64 that end on it; without them a new goroutine allocates.
func fillGoroutinePool() {
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for range 128 * runtime.GOMAXPROCS(0) {
		wait.Go(func() { <-begin })
	}
	close(begin)
	wait.Wait()
}
