package solver_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/solver"
)

// pliesToForce is the definition: the least number of plies in which player forces its class k or better, or none.
func pliesToForce(game *env.Game, player env.Player, state env.State, k, most int) (plies int, ok bool) {
	if state.Done() {
		return 0, game.ClassFor(player, state.Outcome()) <= k
	}
	if most == 0 {
		return 0, false
	}
	own := state.Player() == player
	least, longest, found := most+1, 0, 0
	legal := state.Legal(nil)
	for _, a := range legal {
		next := game.NewState()
		next.CopyFrom(state)
		next.Apply(a)
		if n, ok := pliesToForce(game, player, next, k, most-1); ok {
			least, longest, found = min(least, n), max(longest, n), found+1
		}
	}
	if own {
		return least + 1, found > 0
	}
	return longest + 1, found == len(legal)
}

// ForcesWithin agrees with its definition, for both players, where a player moves twice, and with a warm table.
func TestForcesWithin(t *testing.T) {
	for _, name := range []string{"tic-tac-toe", "breakthrough(columns=3,rows=4)", "quad(size=4,quads=3,whites=3)", "line-up(width=4,height=4,line=3)"} {
		g := newGame(t, name)
		s, rng, forcedOnes := solver.New(g, 1<<20), rand.New(rand.NewPCG(1, 2)), 0
		for range 120 {
			state := envtest.RandomPosition(g, rng, rng.IntN(10))
			player, k, most := env.Player(rng.IntN(2)), rng.IntN(len(g.Classes)-1), 4
			want, found := pliesToForce(g, player, state, k, most)
			for plies := 1; plies <= most; plies++ {
				forced, ok := s.ForcesWithin(player, state, k, plies, solver.Limits{})
				if !ok || forced != (found && want <= plies) {
					t.Fatalf("%s, %v, class %d within %d: %v, %v; the least is %d, %v\n%s", name, player, k, plies, forced, ok, want, found, g.Board(state))
				}
				if forced {
					forcedOnes++
				}
				s.Solve(state, solver.Limits{Nodes: 2000})
			}
		}
		if forcedOnes == 0 {
			t.Errorf("%s: nothing was forced", name)
		}
		if forced, ok := solver.New(g, 1).ForcesWithin(env.First, g.NewState(), 0, 9, solver.Limits{Nodes: 1}); forced || ok {
			t.Errorf("%s: a limit of one node gives %v, %v", name, forced, ok)
		}
	}
}
