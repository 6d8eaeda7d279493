package gdl

import (
	"context"

	"ludus/env"
)

// PlayRandom returns a function that plays random games of a sheet, 64 at once, and returns the plies of all of them.
func PlayRandom(g *env.Game) func(games int) (plies int, err error) {
	l := g.NewState().(*state).game.newLanes(2)
	return func(games int) (int, error) {
		p, err := l.play(context.Background(), games, 1<<30)
		return p.plies, err
	}
}
