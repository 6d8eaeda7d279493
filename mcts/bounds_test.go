package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// checkBounds compares the bounds of every edge below node n with best play, and returns how many are proven.
func checkBounds(t *testing.T, g *env.Game, s *Search, n int32, state env.State) (proven int) {
	for _, e := range s.tree.movesOf(n) {
		next := g.After(state, e.action)
		if class := solve(g, next); class < int(e.best) || class > int(e.worst) {
			t.Fatalf("class %d outside the bounds %d..%d of action %d", class, e.best, e.worst, e.action)
		}
		if e.proven() {
			proven++
			if found, least := int(e.pliesToEnd), distance(g, next); len(g.Classes) == 2 && found < least {
				t.Fatalf("action %d ends in %d plies; %d are needed", e.action, found, least)
			}
		}
		if e.child != none {
			proven += checkBounds(t, g, s, e.child, next)
		}
	}
	return proven
}

// distance is the number of plies to the end of a game of two classes, the winner hurrying and the loser delaying.
func distance(g *env.Game, state env.State) int {
	if state.Done() {
		return 0
	}
	wins := g.ClassFor(state.Player(), solve(g, state)) == 0
	shortest, longest := math.MaxInt, 0
	for _, a := range state.Legal(nil) {
		next := g.After(state, a)
		if d := distance(g, next); solve(g, next) == solve(g, state) {
			shortest, longest = min(shortest, d), max(longest, d)
		}
	}
	if wins {
		return 1 + shortest
	}
	return 1 + longest
}

func TestBoundsAgainstBruteForce(t *testing.T) {
	proven, roots := 0, 0
	for seed := range uint64(400) {
		g := maze{actions: 2 + int(seed%3), classes: 2 + int(seed%4), plies: 2 + int(seed%4)}.game(seed)
		rng := newGenerator(seed)
		state := g.NewState()
		class := g.ClassFor(state.Player(), solve(g, state))
		for _, cfg := range rules([]int{1, 4}[seed%2]) {
			s := New(g, cfg)
			var noise *rand.Rand
			if seed%3 == 0 {
				noise = rng
			}
			s.Start(state, rng.IntN(60), noise)
			run(s, hashed{g, 2})
			proven += checkBounds(t, g, s, root, state)
			for _, m := range s.Moves() {
				value := float64(g.Classes[g.ClassFor(state.Player(), solve(g, g.After(state, m.Action)))].Utility)
				if value < float64(m.Lower) || value > float64(m.Upper) || m.Value < float64(m.Lower) || m.Value > float64(m.Upper) {
					t.Fatalf("seed %d: exact %v, value %v, bounds %v to %v", seed, value, m.Value, m.Lower, m.Upper)
				}
			}
			if got, ok := s.Proven(); ok {
				roots++
				if got != class || s.Value() != float64(g.Classes[class].Utility) {
					t.Fatalf("seed %d: proven class %d, value %v; want %d", seed, got, s.Value(), class)
				}
				best := g.After(state, s.Best())
				if solve(g, best) != g.ClassFor(state.Player(), class) {
					t.Fatalf("seed %d: the best move does not keep the proven class", seed)
				}
			}
		}
	}
	if proven < 1000 || roots < 100 {
		t.Errorf("only %d edges and %d roots were proven", proven, roots)
	}
}

func TestProvenRootsOfRealGames(t *testing.T) {
	for _, name := range []string{
		"breakthrough(columns=3,rows=4)", "quad(size=4,quads=3,whites=2)", "quad-5x5",
		"golden-rectangle(columns=4,rows=4,span=2)", "free-for-all(size=5,steps=6)",
	} {
		g := games.Must(name)
		proven := 0
		for _, state := range envtest.Positions(g, 1, 200) {
			class, _ := solveWithin(g, state, 1000)
			if class < 0 {
				continue
			}
			for _, cfg := range rules(4) {
				s := New(g, cfg)
				s.Start(state, 400, nil)
				run(s, hashed{g, 1})
				checkBounds(t, g, s, root, state)
				if got, ok := s.Proven(); ok && got == g.ClassFor(state.Player(), class) {
					proven++
				} else if ok {
					t.Fatalf("%s: proven class %d, brute force says %d for %v\n%s", name, got, class, state.Player(), g.Board(state))
				}
			}
		}
		if proven < 30 {
			t.Errorf("%s: only %d roots were proven", name, proven)
		}
	}
}
