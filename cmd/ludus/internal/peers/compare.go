package peers

import (
	"context"
	"slices"
	"time"
)

// Comparison is what ours and a peer got through in rows a second, and ours over theirs: each the median of its rounds.
type Comparison struct {
	Ours, Theirs, Ratio float64
}

// round is how long one side works at a time: short beside the time in which a machine changes its speed.
const round = 250 * time.Millisecond

// Compare measures ours, which works for about the time that it is given and returns its rows a second, and the peer
// side by side for about budget, after a round for each to get warm. The two take turns, and who goes first changes with
// every round, so that a machine whose speed wanders or drifts favours neither.
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
		if i > 0 { // the first round is for getting warm
			mine, theirs, ratios = append(mine, a), append(theirs, b), append(ratios, a/b)
		}
	}
	return Comparison{median(mine), median(theirs), median(ratios)}, nil
}

// median sorts x and returns its middle, the mean of both middles where there are two.
func median(x []float64) float64 {
	slices.Sort(x)
	n := len(x)
	return (x[(n-1)/2] + x[n/2]) / 2
}
