package games

import (
	"context"

	"ludus/env"
)

// Perft counts the move sequences of exactly depth moves, 0 or more, from the starting position; a game that ends
// earlier has none. It fails only if ctx ends.
func Perft(ctx context.Context, g *env.Game, depth int) (uint64, error) {
	if depth == 0 {
		return 1, ctx.Err()
	}
	levels := make([]perftLevel, depth)
	for i := range levels {
		levels[i].state = g.NewState()
	}
	return perft(ctx, levels), ctx.Err()
}

// perftLevel is the scratch of one depth.
type perftLevel struct {
	state env.State
	legal []env.Action
}

// perft counts the sequences of len(levels) moves from the first level's state. The count is wrong if ctx ends.
func perft(ctx context.Context, levels []perftLevel) uint64 {
	l := &levels[0]
	if len(levels) > 2 && ctx.Err() != nil {
		return 0
	}
	l.legal = l.state.Legal(l.legal[:0])
	if len(levels) == 1 {
		return uint64(len(l.legal))
	}
	total := uint64(0)
	for _, a := range l.legal {
		levels[1].state.CopyFrom(l.state)
		levels[1].state.Apply(a)
		total += perft(ctx, levels[1:])
	}
	return total
}
