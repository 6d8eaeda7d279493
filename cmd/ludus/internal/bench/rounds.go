package bench

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"
)

// work does something for about d, or until ctx ends, and returns its speed in units a second.
type work func(ctx context.Context, d time.Duration) float64

// repeating is work that calls unit, which returns the units it did.
func repeating(unit func() int) work {
	return func(ctx context.Context, d time.Duration) float64 {
		start, done := time.Now(), 0
		for {
			done += unit()
			if spent := time.Since(start); spent >= d || ctx.Err() != nil {
				return float64(done) / spent.Seconds()
			}
		}
	}
}

// speeds runs works in turn, for a slice of time in each of the rounds, after once unmeasured. Row i of the result has
// the speeds of work i.
func (o *Options) speeds(ctx context.Context, works ...work) ([][]float64, error) {
	rows := make([][]float64, len(works))
	for round := -1; round < o.Rounds; round++ {
		for i, w := range works {
			if round < 0 {
				w(ctx, 0)
			} else {
				rows[i] = append(rows[i], w(ctx, o.Slice))
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// median returns the middle of values, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// ratio is the median over the rounds of a's speed over b's.
func ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

// allocations is the number of allocations of a warm f: the fewest of some runs, since the runtime too allocates now and
// then.
func allocations(f func()) int {
	const runs = 5
	leaveGoroutines()
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

// leaveGoroutines starts many goroutines and ends them, for the runtime to use again. A core keeps the first 64 that end
// on it for itself, and another one allocates meanwhile, as in a run it soon no longer does.
func leaveGoroutines() {
	var wait sync.WaitGroup
	begin := make(chan struct{})
	for range 128 * runtime.GOMAXPROCS(0) {
		wait.Go(func() { <-begin })
	}
	close(begin)
	wait.Wait()
}
