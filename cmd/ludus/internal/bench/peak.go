package bench

import (
	"context"
	"time"

	"ludus/model/infer/kernel"
)

// peakSlice is as long as the peak needs at most: it is the best of many short loops.
const peakSlice = 20 * time.Millisecond

// peak is work that multiplies and adds in registers alone, in GFLOP/s.
func peak(_ context.Context, d time.Duration) float64 { return kernel.Peak(min(d, peakSlice)) / 1e9 }
