package bench

import (
	"context"
	"slices"
	"time"

	"ludus/train/cpu"
)

// work is code whose speed is measured, in units per second.
type work struct {
	threads int
	// run works for about d, or until ctx ends. It returns its speed in units (such as positions) per second.
	run func(ctx context.Context, d time.Duration) float64
}

// loop returns a work that calls do repeatedly. do uses the given number of threads and returns how many units it
// processed.
func loop(threads int, do func() int) work {
	return work{threads, func(ctx context.Context, d time.Duration) float64 {
		start, done := time.Now(), 0
		for {
			done += do()
			if spent := time.Since(start); spent >= d || ctx.Err() != nil {
				return float64(done) / spent.Seconds()
			}
		}
	}}
}

// series holds the measurements of one work, round by round.
type series struct {
	speeds []float64 // one per round
	cpu    float64   // CPU time used divided by CPU time that could have been used, at most 1
}

// median returns the median speed.
func (s *series) median() float64 { return median(s.speeds) }

// median returns the median of one or more values.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// measure runs the works in turn: one warm-up round, then measured rounds of a slice per work. Series i belongs to
// works[i].
func (o *Options) measure(ctx context.Context, works ...work) ([]*series, error) {
	all := make([]*series, len(works))
	spent, usable := make([]time.Duration, len(works)), make([]time.Duration, len(works))
	for round := -1; round < o.Rounds; round++ {
		for i, w := range works {
			if round < 0 {
				all[i] = &series{}
				w.run(ctx, 0)
			} else {
				start, used := time.Now(), cpu.Time()
				all[i].speeds = append(all[i].speeds, w.run(ctx, o.Slice))
				spent[i] += cpu.Time() - used
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
