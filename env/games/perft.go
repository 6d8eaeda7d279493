package games

import (
	"context"

	"ludus/env"
)

// Perft counts the sequences of exactly depth legal moves from the starting position; depth is 0 or more. Games that
// end earlier do not count. The only error is that of ctx.
func Perft(ctx context.Context, g *env.Game, depth int) (uint64, error) {
	states := make([]env.State, depth+1) // by ply
	for ply := range states {
		states[ply] = g.NewState()
	}
	var legal []env.Action // a stack: the legal moves of each ply of the current sequence, the deepest ply's on top
	var count func(ply int) uint64
	count = func(ply int) (total uint64) {
		if depth-ply > 2 && ctx.Err() != nil {
			return 0
		}
		first := len(legal)
		legal = states[ply].Legal(legal)
		if ply == depth-1 {
			total = uint64(len(legal) - first)
		} else {
			for _, a := range legal[first:] {
				states[ply+1].CopyFrom(states[ply])
				states[ply+1].Apply(a)
				total += count(ply + 1)
			}
		}
		legal = legal[:first]
		return total
	}
	if depth == 0 {
		return 1, ctx.Err()
	}
	return count(0), ctx.Err()
}
