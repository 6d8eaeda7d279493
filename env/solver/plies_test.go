package solver_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
	"ludus/env/solver"
)

// TestPlies compares the number of plies of forced games with a search of all games.
func TestPlies(t *testing.T) {
	var list []*env.Game
	for _, name := range []string{"tic-tac-toe", "hex(size=3)", "hex(size=3,swap=0)", "breakthrough(columns=3,rows=5)"} {
		list = append(list, games.Must(name))
	}
	for _, name := range []string{"nim", "race"} {
		g, _, err := gdl.New(t.Context(), name, sheets.Text(name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	for _, g := range list {
		s, rng, forced := solver.New(g, 1<<20), rand.New(rand.NewPCG(1, 1)), 0
		known := map[question]int{}
		for range 20 {
			state := g.NewState()
			for most := g.MaxPlies; !state.Done(); most-- {
				class, plies, ok := s.Plies(state, solver.Limits{})
				want := 0
				if utility := g.Classes[class].Utility; utility != 0 {
					p := env.First
					if utility < 0 {
						p = env.Second
					}
					want = pliesToForce(g, state, question{player: p, class: g.ClassFor(p, class), most: most}, known)
					forced++
				}
				if !ok || plies != want {
					t.Fatalf("%s: class %d in %d plies (%t), want %d\n%s", g.Name, class, plies, ok, want, g.Board(state))
				}
				legal := state.Legal(nil)
				state.Apply(legal[rng.IntN(len(legal))])
			}
		}
		if forced == 0 {
			t.Errorf("%s: no forced game was tested", g.Name)
		}
		for nodes := 1; nodes < 3000; nodes *= 3 { // a limit is kept, and what is found under it is right
			fresh := solver.New(g, 1<<20)
			class, plies, ok := fresh.Plies(g.NewState(), solver.Limits{Nodes: nodes})
			whole, all, _ := s.Plies(g.NewState(), solver.Limits{})
			if ok && (class != whole || plies != 0 && plies != all) {
				t.Errorf("%s: with %d nodes class %d in %d plies, want %d in %d", g.Name, nodes, class, plies, whole, all)
			}
		}
	}
}
