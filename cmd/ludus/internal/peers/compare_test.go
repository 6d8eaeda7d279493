package peers

import (
	"context"
	"slices"
	"time"
)

// Comparison holds rows per second of our code and of a peer, and the ratio of ours to theirs: medians over the rounds.
type Comparison struct {
	Ours, Theirs, Ratio float64
}

// round is the duration of one side's turn, short beside the time in which a machine's speed changes.
const round = 250 * time.Millisecond

// Compare measures our code and a peer in turn for about budget, after one unmeasured round. ours works for about the given
// time and returns rows per second. The side that starts alternates, so a drifting machine favours neither.
func Compare(ctx context.Context, budget time.Duration, ours func(time.Duration) float64, peer *Peer) (Comparison, error) {
	var mine, theirs, ratios []float64
	for i := range max(3, int(budget/(2*round))) + 1 {
		a := 0.0
		if i%2 == 0 {
			a = ours(round)
		}
		b, err := peer.Measure(round)
		if err != nil {
			return Comparison{}, err
		}
		if i%2 == 1 {
			a = ours(round)
		}
		if err := ctx.Err(); err != nil {
			return Comparison{}, err
		}
		if i > 0 { // the first round warms up
			mine, theirs, ratios = append(mine, a), append(theirs, b), append(ratios, a/b)
		}
	}
	return Comparison{median(mine), median(theirs), median(ratios)}, nil
}

// median sorts x and returns its median.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
