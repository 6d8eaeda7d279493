package gdl

import (
	"context"

	"ludus/env"
)

// PlayRandom returns a function that plays random games of a sheet, 64 at once, and returns the plies of all of them.
func PlayRandom(e *env.Game) func(games int) (plies int, err error) {
	g := e.NewState().(*state).game
	w := g.newTrialWalk(2)
	return func(games int) (int, error) {
		t, err := g.playRandom(context.Background(), w, games, 1<<30)
		return t.plies, err
	}
}
