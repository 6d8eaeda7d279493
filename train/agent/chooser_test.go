package agent

import (
	"context"
	"slices"
	"testing"

	"ludus/env"
)

// A chooser chooses the same moves as an agent that searches the positions one after another.
func TestChooser(t *testing.T) {
	game := quad()
	const path = "1"
	for _, text := range []string{"random", "greedy", "mcts:20", "policy:" + path + ",temp=1", "net:" + path + ",sims=20",
		"net:" + path + ",sims=20,temp=1", "net:" + path + ",sims=20,search=puct", "net:" + path + ",sims=20",
		"net:" + path + ",sims=20,solve=2000", "policy:" + path + ",temp=1,solve=2000"} {
		spec := parse(t, game, text)
		rng := newRand(1)
		var states []env.State
		var seeds []uint64
		var want []Choice
		for i := range 50 {
			state := game.NewState()
			for range i % 6 {
				state.Apply(state.RandomAction(rng.Uint64()))
			}
			states, seeds = append(states, state), append(seeds, rng.Uint64())
			agent, err := spec.New(seeds[i])
			if err != nil {
				t.Fatal(err)
			}
			a, err := agent.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, Choice{Move: a})
		}
		for _, most := range []int{1, 3, 32} {
			c, err := spec.NewChooser(most)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]Choice, len(states))
			for range 2 { // the second time with warm caches
				if err := c.Choose(context.Background(), states, nil, seeds, got); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s, %d at once: chose %v, want %v", text, most, got, want)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := c.Choose(ctx, states, nil, seeds, got); err != context.Canceled {
				t.Errorf("%s, %d at once: a cancelled choice gives %v", text, most, err)
			}
			if err := c.Choose(context.Background(), states, nil, seeds, got); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %d at once: after a cancelled choice %v, %v", text, most, got, err)
			}
		}
	}
}
