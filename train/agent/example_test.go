package agent_test

import (
	"context"
	"fmt"
	"log"

	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// A file that "ludus export" wrote plays x against random moves.
func Example() {
	game := must(games.New("quad-5x5"))
	net := must(must(agent.ParseFactory(game, "net:testdata/quad-5x5.safetensors,sims=32", rundir.LoadWeights)).New(1))
	random := must(must(agent.ParseFactory(game, "random", nil)).New(2))
	state, players := game.NewState(), [2]agent.Agent{net, random}
	for !state.Done() {
		move := must(players[state.Player()].Choose(context.Background(), state))
		net.Observe(move) // lets it keep its tree
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
