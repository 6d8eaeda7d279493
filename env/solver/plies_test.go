package solver_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
	"ludus/env/solver"
)

// slowPlies returns in how many plies p forces an end in its class k or better; 0 if it does not.
func slowPlies(g *env.Game, state env.State, p env.Player, k int, known map[env.Key]int) int {
	if n, ok := known[state.Key()]; ok {
		return n
	}
	mine, best := state.Player() == p, 0
	for _, a := range state.Legal(nil) {
		next := g.NewState()
		next.CopyFrom(state)
		next.Apply(a)
		n := 0
		if !next.Done() {
			if n = slowPlies(g, next, p, k, known); n > 0 {
				n++
			}
		} else if g.ClassFor(p, next.Outcome()) <= k {
			n = 1
		}
		switch {
		case n == 0 && !mine:
			known[state.Key()] = 0
			return 0
		case n > 0 && (best == 0 || mine && n < best || !mine && n > best):
			best = n
		}
	}
	known[state.Key()] = best
	return best
}

// TestPlies compares the number of plies of forced games with a search of all games.
func TestPlies(t *testing.T) {
	var list []*env.Game
	for _, name := range []string{"tic-tac-toe", "hex(size=3)", "hex(size=3,swap=0)", "breakthrough(columns=3,rows=5)"} {
		list = append(list, newGame(t, name))
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
		slow := map[[2]int]map[env.Key]int{}
		for range 20 {
			var legal []env.Action
			for state := g.NewState(); !state.Done(); state.Apply(legal[rng.IntN(len(legal))]) {
				legal = state.Legal(nil)
				class, plies, ok := s.Plies(state, solver.Limits{})
				want := 0
				if utility := g.Classes[class].Utility; utility != 0 {
					p := env.First
					if utility < 0 {
						p = env.Second
					}
					k := [2]int{int(p), g.ClassFor(p, class)}
					if slow[k] == nil {
						slow[k] = map[env.Key]int{}
					}
					want = slowPlies(g, state, p, k[1], slow[k])
					forced++
				}
				if !ok || plies != want {
					t.Fatalf("%s: class %d in %d plies (%t), want %d\n%s", g.Name, class, plies, ok, want, g.Board(state))
				}
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
