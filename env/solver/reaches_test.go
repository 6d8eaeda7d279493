package solver

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// TestReaches checks that Reaches and ReachesFor agree with Solve, and that Reaches reports a reached limit.
func TestReaches(t *testing.T) {
	game := games.Must("quad-5x5")
	rng := rand.New(rand.NewPCG(3, 4))
	players := []env.Player{env.First, env.Second}
	exact, reaching := New(game, 1<<20), New(game, 1<<20)
	for range 100 {
		state := envtest.RandomPosition(game, rng, 6+rng.IntN(6))
		class, _ := exact.Solve(state, Limits{})
		for k := range len(game.Classes) - 1 {
			if reached, ok := reaching.Reaches(state, k, Limits{}); !ok || reached != (class <= k) {
				t.Errorf("class %d: %d is reached: %v, %v", class, k, reached, ok)
			}
			for _, p := range players {
				if reached, ok := reaching.ReachesFor(p, state, k, Limits{}); !ok || reached != (game.ClassFor(p, class) <= k) {
					t.Errorf("class %d: player %d reaches its class %d: %v, %v", class, p, k, reached, ok)
				}
			}
		}
	}
	if _, ok := New(game, 1<<20).Reaches(game.NewState(), 0, Limits{Nodes: 100}); ok {
		t.Error("100 nodes are enough for the start")
	}
}
