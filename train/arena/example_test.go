package arena_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/arena"
)

// A file that "ludus export" wrote plays x against random moves.
func Example() {
	game := must(games.New("quad-5x5"))
	agent := must(must(arena.Parse(game, "net:testdata/quad-5x5.safetensors,sims=32")).New(1))
	state, rng := game.NewState(), rand.NewPCG(1, 2)
	for !state.Done() {
		move := state.Pick(rng.Uint64())
		if state.Player() == env.First {
			move = must(agent.Choose(context.Background(), state))
		}
		agent.Observe(move)
		state.Apply(move)
	}
	fmt.Println("goals of x and o:", state.Goals())
	// Output: goals of x and o: [100 0]
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
