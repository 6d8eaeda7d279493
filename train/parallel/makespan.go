package parallel

import (
	"slices"
	"time"
)

// Makespan returns how long independent tasks take on a number of cores by list scheduling: a core that is free takes the
// next task, as goroutines of a [Runner] do.
func Makespan(tasks []time.Duration, cores int) time.Duration {
	busy := make([]time.Duration, max(1, min(cores, len(tasks)))) // until when each core is
	for _, d := range tasks {
		first := 0
		for i, t := range busy {
			if t < busy[first] {
				first = i
			}
		}
		busy[first] += d
	}
	return slices.Max(busy)
}
