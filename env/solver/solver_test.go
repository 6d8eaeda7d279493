package solver_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/solver"
)

// minimax is a plain minimax with a memory of all positions: no symmetries, bounds or move order.
type minimax struct {
	game   *env.Game
	values map[env.Key]int
	budget int         // remaining visits; results are meaningless below 0
	states []env.State // by depth
}

// class returns First's class in s under perfect play.
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

// moves returns First's class after each legal move.
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

// TestAgainstMinimax compares the solver with minimax on at least 10,000 positions of all families, and on every
// move of each, with a table that holds everything and with one far too small. Small games are compared from the start
// on, large ones as far from their ends as minimax gets.
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
		{"tic-tac-toe", 50, 1 << 20},
		{"connect-four", 200, 1000},
		{"line-up(width=10,height=9,line=4,gravity=0)", 50, 1000},
		{"othello(size=4)", 50, 1 << 20},
		{"othello-6x6", 200, 1000},
		{"hex(size=3,swap=1)", 50, 1 << 20},
		{"hex-5x5", 200, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				c.games = 1 + c.games/20
			}
			start := time.Now()
			compared := compare(t, games.Must(c.name), c.games, c.budget)
			t.Logf("%d positions, %v", compared, time.Since(start))
			total += compared
		})
	}
	t.Logf("%d positions in all", total)
	if total < 10_000 && !testing.Short() {
		t.Errorf("%d positions are too few", total)
	}
}

// compare solves positions of random games, from the last one back until minimax exceeds its budget. It returns their
// number.
func compare(t *testing.T, g *env.Game, plays, budget int) int {
	rng := rand.NewPCG(7, 7)
	solvers := []*solver.Solver{solver.New(g, 1<<20), solver.New(g, 1<<10)}
	m, seen := &minimax{game: g, values: map[env.Key]int{}}, map[env.Key]bool{}
	for range plays {
		path := []env.State{g.NewState()}
		for s := path[0]; !s.Done(); {
			s = g.After(s, s.RandomAction(rng.Uint64()))
			path = append(path, s)
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
					t.Errorf("%v in\n%s", err, g.Board(s))
				}
			}
		}
	}
	return len(seen)
}

// agrees compares a solver with the known classes of a position and of its moves.
func agrees(s *solver.Solver, state env.State, class int, moves []int) error {
	if got, ok := s.Solve(state, solver.Limits{}); !ok || got != class {
		return fmt.Errorf("Solve says %d, %v; minimax says %d", got, ok, class)
	}
	if got := s.SolveMoves(state, solver.Limits{}, nil); !slices.Equal(got, moves) {
		return fmt.Errorf("SolveMoves says %v; minimax says %v", got, moves)
	}
	return nil
}

// TestQuad5x5 solves all first marks: the nine cells r2..r4 by c2..c4 win for x, the others give 50 to 50.
func TestQuad5x5(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	g := games.Must("quad-5x5")
	s := solver.New(g, 64<<20)
	start := g.NewState()
	values := s.SolveMoves(start, solver.Limits{}, nil)
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

// middle returns unfinished positions of random games, some plies in.
func middle(g *env.Game, plies, n int) (list []env.State) {
	for rng := rand.New(rand.NewPCG(1, 2)); len(list) < n; {
		list = append(list, envtest.RandomPosition(g, rng, plies))
	}
	return list
}

// TestLimits checks that results under any node limit are right or Unknown, and that the limit holds.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		plies int
	}{{"quad-5x5", 6}, {"breakthrough(columns=4,rows=5)", 8}, {"golden-rectangle(columns=5,rows=5)", 10}, {"free-for-all-2p", 23},
		{"othello-6x6", 22}} {
		g := games.Must(c.name)
		full := solver.New(g, 4<<20)
		for _, state := range middle(g, c.plies, 5) {
			class, ok := full.Solve(state, solver.Limits{})
			if !ok {
				t.Fatal("unknown without a limit")
			}
			moves := full.SolveMoves(state, solver.Limits{}, nil)
			limited := solver.New(g, 1<<20)
			for nodes := 1; nodes < 100_000; nodes *= 3 {
				l := solver.Limits{Nodes: nodes}
				got, ok := limited.Solve(state, l)
				if ok != (got != solver.Unknown) || ok && got != class || limited.Nodes() > nodes {
					t.Errorf("%s: class %d, %v with %d of %d nodes; want %d", c.name, got, ok, limited.Nodes(), nodes, class)
				}
				if a, got, ok := limited.BestMove(state, l); limited.Nodes() > nodes || ok &&
					(got != class || moves[slices.Index(state.Legal(nil), a)] != class) {
					t.Errorf("%s: best move %d of class %d with %d of %d nodes; want class %d of %v", c.name, a, got, limited.Nodes(), nodes, class, moves)
				}
				for i, got := range limited.SolveMoves(state, l, nil) {
					if got != solver.Unknown && got != moves[i] || limited.Nodes() > nodes {
						t.Errorf("%s: move %d is class %d with %d of %d nodes; want %d", c.name, i, got, limited.Nodes(), nodes, moves[i])
					}
				}
				limited.Clear()
			}
		}
	}
}

// TestStop checks that Limits.Stop ends a call.
func TestStop(t *testing.T) {
	g := games.Must("quad-7x7")
	s := solver.New(g, 1<<20)
	calls := 0
	l := solver.Limits{Stop: func() bool { calls++; return calls == 10 }}
	if class, ok := s.Solve(g.NewState(), l); ok || class != solver.Unknown || calls != 10 || s.Nodes() == 0 || s.Nodes() > 100_000 {
		t.Errorf("class %d, %v after %d calls of Stop and %d nodes", class, ok, calls, s.Nodes())
	}
	l.Stop = func() bool { return true }
	values := s.SolveMoves(g.NewState(), l, []int{7})
	if len(values) != 91 || values[0] != 7 || slices.ContainsFunc(values[1:], func(v int) bool { return v != solver.Unknown }) || s.Nodes() > 0 {
		t.Errorf("%v after %d nodes", values, s.Nodes())
	}
}

// TestFewReplies: the order by replies saves most nodes and changes no value.
func TestFewReplies(t *testing.T) {
	for _, c := range []struct {
		name  string
		plies int
	}{{"othello-6x6", 18}, {"free-for-all-2p", 22}} {
		g := games.Must(c.name)
		other := *g
		other.FewReplies = false
		ordered, plain := solver.New(g, 1<<20), solver.New(&other, 1<<20)
		nodes, without := 0, 0
		for _, state := range middle(g, c.plies, 20) {
			class, _ := ordered.Solve(state, solver.Limits{})
			if want, _ := plain.Solve(state, solver.Limits{}); class != want {
				t.Errorf("%s: class %d, want %d", c.name, class, want)
			}
			nodes += ordered.Nodes()
			without += plain.Nodes()
		}
		if t.Logf("%s: %d nodes instead of %d", c.name, nodes, without); nodes > without/2 {
			t.Errorf("%s: %d nodes instead of %d", c.name, nodes, without)
		}
	}
}

// TestDeterminism checks that the same calls have the same results and node counts on a new and on a cleared solver.
func TestDeterminism(t *testing.T) {
	for _, name := range []string{"quad-5x5", "breakthrough-6x6", "golden-rectangle", "free-for-all-2p"} {
		g := games.Must(name)
		used := solver.New(g, 1<<18)
		run := func(s *solver.Solver) (trace []int) {
			for _, state := range middle(g, 6, 4) {
				class, _ := s.Solve(state, solver.Limits{Nodes: 20_000})
				trace = append(trace, class, s.Nodes())
				trace = append(s.SolveMoves(state, solver.Limits{Nodes: 20_000}, trace), s.Nodes())
			}
			return trace
		}
		first := run(used)
		used.Clear()
		if second, third := run(used), run(solver.New(g, 1<<18)); !slices.Equal(first, second) || !slices.Equal(first, third) {
			t.Errorf("%s: %v\nthen %v\nthen %v", name, first, second, third)
		}
	}
}

// TestClearAfterManyCalls checks that a cleared solver takes as many nodes as a new one after table.age has wrapped.
func TestClearAfterManyCalls(t *testing.T) {
	g := games.Must("breakthrough(columns=3,rows=5)")
	run := func(s *solver.Solver) int {
		for range 12 {
			s.Solve(g.NewState(), solver.Limits{Nodes: 2_000})
		}
		s.Solve(g.NewState(), solver.Limits{})
		return s.Nodes()
	}
	used := solver.New(g, 1<<18)
	for range 250 {
		used.Solve(g.NewState(), solver.Limits{Nodes: 1})
	}
	used.Clear()
	if got, want := run(used), run(solver.New(g, 1<<18)); got != want {
		t.Errorf("%d nodes; a new solver takes %d", got, want)
	}
}

// TestSymmetricPositions checks that the table serves a position's images too, with the images' own moves.
func TestSymmetricPositions(t *testing.T) {
	for _, name := range []string{"quad-5x5", "quad(size=5,quads=8,whites=0,corners=left)", "golden-rectangle(columns=5,rows=5)", "free-for-all(size=7,steps=12)",
		"line-up(width=4,height=4,line=4,gravity=0)", "othello(size=4)", "hex(size=4,swap=1)"} {
		g := games.Must(name)
		rng := rand.New(rand.NewPCG(5, 5))
		for range 5 {
			images := make([]env.State, len(g.Symmetries))
			for i := range images {
				images[i] = g.NewState()
			}
			for range 6 {
				legal := images[0].Legal(nil)
				a := legal[rng.IntN(len(legal))]
				for i, symmetry := range g.Symmetries {
					images[i].Apply(symmetry.Actions[a])
				}
			}
			s := solver.New(g, 16<<20)
			class, _ := s.Solve(images[0], solver.Limits{})
			moves := s.SolveMoves(images[0], solver.Limits{}, nil)
			legal := images[0].Legal(nil)
			for i, symmetry := range g.Symmetries {
				before := images[i].Key()
				if got, ok := s.Solve(images[i], solver.Limits{}); !ok || got != class || s.Nodes() > 2 {
					t.Errorf("%s: image %d is class %d after %d nodes; want %d at once", name, i, got, s.Nodes(), class)
				}
				values := s.SolveMoves(images[i], solver.Limits{}, nil)
				for j, a := range images[i].Legal(nil) {
					from := slices.IndexFunc(legal, func(b env.Action) bool { return symmetry.Actions[b] == a })
					if values[j] != moves[from] {
						t.Errorf("%s: a move of image %d is class %d; want %d", name, i, values[j], moves[from])
					}
				}
				if images[i].Key() != before {
					t.Errorf("%s: solving changes the position", name)
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	for _, name := range []string{"quad-7x7", "breakthrough-6x6", "golden-rectangle", "free-for-all-2p"} {
		g := games.Must(name)
		s := solver.New(g, 1<<20)
		state, values := middle(g, 6, 1)[0], []int(nil)
		search := func() {
			s.Solve(state, solver.Limits{Nodes: 30_000})
			s.BestMove(state, solver.Limits{Nodes: 30_000})
			values = s.SolveMoves(state, solver.Limits{Nodes: 30_000}, values[:0])
			s.Clear()
		}
		search()
		if n := testing.AllocsPerRun(3, search); n != 0 {
			t.Errorf("%s: %v allocations in a warm search", name, n)
		}
	}
}

// TestBestMoveEndsTheGame checks that BestMove prefers an immediate win.
func TestBestMoveEndsTheGame(t *testing.T) {
	g := games.Must("quad-5x5")
	state := g.NewState()
	for _, text := range []string{"mark r2 c2", "mark r1 c2", "mark r2 c3", "mark r1 c4", "mark r3 c2", "mark r5 c3"} {
		a, err := g.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		state.Apply(a)
	}
	a, class, ok := solver.New(g, 1<<20).BestMove(state, solver.Limits{})
	if !ok || class != 0 || g.ActionTexts[a] != "(mark r3 c3)" {
		t.Errorf("%s, class %d, %v", g.ActionTexts[a], class, ok)
	}
}

// TestSolvedTable solves the smaller games of SOLVED.md as "ludus solve" does: the table has their node counts, which
// depend on the order of moves.
func TestSolvedTable(t *testing.T) {
	text, err := os.ReadFile("SOLVED.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(.*)` \\|.*\\| ([0-9,]+) \\| [0-9.< ]+ \\|$").FindAllStringSubmatch(string(text), -1)
	checked := 0
	for _, row := range rows {
		want, err := strconv.Atoi(strings.ReplaceAll(row[2], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		if want > 30_000 {
			continue
		}
		g := games.Must(row[1])
		s := solver.New(g, 64<<20)
		s.Solve(g.NewState(), solver.Limits{})
		nodes := s.Nodes()
		s.SolveMoves(g.NewState(), solver.Limits{}, nil)
		if nodes += s.Nodes(); nodes != want {
			t.Errorf("%s: %d nodes; the table says %d", row[1], nodes, want)
		}
		checked++
	}
	if checked < 10 {
		t.Errorf("%d games are too few", checked)
	}
}
