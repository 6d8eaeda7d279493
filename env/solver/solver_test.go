package solver_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

func newGame(t testing.TB, name string) *env.Game {
	t.Helper()
	g, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// clone is an independent copy of s.
func clone(g *env.Game, s env.State) env.State {
	c := g.NewState()
	c.CopyFrom(s)
	return c
}

// minimax values positions by the definition, each once. It knows no symmetry, no bounds and no order.
type minimax struct {
	game   *env.Game
	values map[env.Key]int
	budget int         // times that it may still look at a position; below 0 its answers mean nothing
	states []env.State // by depth
}

// class is First's class in s.
func (m *minimax) class(s env.State, depth int) int {
	if m.budget--; m.budget < 0 {
		return 0
	}
	if s.Done() {
		return s.Outcome()
	}
	if class, ok := m.values[s.Key()]; ok {
		return class
	}
	best := -1
	for _, class := range m.moves(s, depth) {
		if best < 0 || (class < best) == (s.Player() == env.First) {
			best = class
		}
	}
	if m.budget >= 0 {
		m.values[s.Key()] = best
	}
	return best
}

// moves are First's classes after each legal move.
func (m *minimax) moves(s env.State, depth int) (classes []int) {
	if len(m.states) == depth {
		m.states = append(m.states, m.game.NewState())
	}
	for _, a := range s.Legal(nil) {
		m.states[depth].CopyFrom(s)
		m.states[depth].Apply(a)
		if classes = append(classes, m.class(m.states[depth], depth+1)); m.budget < 0 {
			break
		}
	}
	return classes
}

// The solver agrees with minimax on at least 10,000 positions over the four families, each with the value of every move,
// with a table that holds everything and with one far too small. Small games are compared from the start on, large ones
// as far from their ends as minimax follows.
func TestAgainstMinimax(t *testing.T) {
	total := 0
	for _, c := range []struct {
		name   string
		games  int
		budget int
	}{
		{"quad(size=4,quads=3,whites=1)", 100, 1 << 20},
		{"quad(size=4,quads=3,whites=2,corners=full)", 1000, 1000},
		{"quad(size=5,quads=3,whites=1,corners=left)", 500, 1000},
		{"quad-5x5", 700, 1000},
		{"quad-7x7", 1000, 1000},
		{"quad(size=9,quads=12,whites=3)", 20, 1000},
		{"breakthrough(columns=2,rows=5)", 200, 1 << 20},
		{"breakthrough(columns=3,rows=4)", 300, 1 << 20},
		{"breakthrough(columns=3,rows=5,captures=false)", 200, 1 << 20},
		{"breakthrough-6x6", 1000, 1000},
		{"golden-rectangle(columns=4,rows=4,span=2)", 100, 1 << 20},
		{"golden-rectangle(columns=5,rows=4,span=1)", 500, 1000},
		{"golden-rectangle", 500, 1000},
		{"golden-rectangle(columns=9,rows=8)", 300, 1000},
		{"free-for-all(size=5,steps=8)", 500, 1 << 20},
		{"free-for-all(size=6,steps=9,objective=score)", 200, 1000},
		{"free-for-all-2p", 500, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			compared := compare(t, newGame(t, c.name), c.games, c.budget)
			t.Logf("%d positions, %v", compared, time.Since(start))
			total += compared
		})
	}
	t.Logf("%d positions in all", total)
	if total < 10_000 {
		t.Errorf("%d positions are too few", total)
	}
}

// compare solves the positions of random games from their ends back, as far as minimax gets within its budget.
func compare(t *testing.T, g *env.Game, plays, budget int) int {
	rng := rand.NewPCG(7, 7)
	solvers := []*solver.Solver{solver.New(g, 1<<20), solver.New(g, 1<<10)}
	m, seen := &minimax{game: g, values: map[env.Key]int{}}, map[env.Key]bool{}
	for range plays {
		path := []env.State{g.NewState()}
		for s := path[0]; !s.Done(); {
			next := clone(g, s)
			next.Apply(next.Pick(rng.Uint64()))
			path = append(path, next)
			s = next
		}
		for i := len(path) - 2; i >= 0; i-- {
			m.budget = budget
			s := path[i]
			class, moves := m.class(s, 0), m.moves(s, 0)
			if m.budget < 0 {
				break
			}
			if seen[s.Key()] {
				continue
			}
			seen[s.Key()] = true
			for _, solver := range solvers {
				if err := agrees(solver, s, class, moves); err != nil {
					t.Errorf("%v in\n%s", err, s.Board())
				}
			}
		}
	}
	return len(seen)
}

// agrees compares a solver with what is known of a position.
func agrees(s *solver.Solver, state env.State, class int, moves []int) error {
	if got, ok := s.Solve(state, solver.Limits{}); !ok || got != class {
		return fmt.Errorf("Solve says %d, %v; minimax says %d", got, ok, class)
	}
	if got := s.Moves(state, solver.Limits{}, nil); !slices.Equal(got, moves) {
		return fmt.Errorf("Moves says %v; minimax says %v", got, moves)
	}
	return nil
}

// All first marks of quad-5x5: the nine cells r2..r4 by c2..c4 win for x, each of the others gives 50 to 50.
func TestQuad5x5(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	g := newGame(t, "quad-5x5")
	s := solver.New(g, 64<<20)
	start := g.NewState()
	values := s.Moves(start, solver.Limits{}, nil)
	for i, a := range start.Legal(nil) {
		want := 3
		if r, c := a/5, a%5; r >= 1 && r <= 3 && c >= 1 && c <= 3 {
			want = 0
		}
		if values[i] != want {
			t.Errorf("%s: class %d; want %d", g.ActionTexts[a], values[i], want)
		}
	}
	if class, ok := s.Solve(start, solver.Limits{}); !ok || class != 0 {
		t.Errorf("the start is class %d, %v", class, ok)
	}
	t.Logf("%d nodes", s.Nodes())
}
