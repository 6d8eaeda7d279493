package arena

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// play returns the result of games between the agents of two texts.
func play(t testing.TB, m Match, game, a, b string) Result {
	t.Helper()
	var err error
	if m.Game, err = games.New(game); err != nil {
		t.Fatal(err)
	}
	if m.A, err = Parse(m.Game, a); err != nil {
		t.Fatal(err)
	}
	if m.B, err = Parse(m.Game, b); err != nil {
		t.Fatal(err)
	}
	r, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBaselinesRank(t *testing.T) {
	for _, c := range []struct {
		game, better, worse string
		least               float64
	}{
		{"quad-5x5", "greedy", "random", 0.9},
		{"quad-5x5", "mcts:100", "random", 0.95},
		{"quad-7x7", "greedy", "random", 0.8},
		{"breakthrough-6x6", "mcts:100", "random", 0.9},
		{"breakthrough-6x6", "alphabeta:3", "random", 0.7},
		{"golden-rectangle", "mcts:200", "random", 0.8},
		{"free-for-all-2p", "alphabeta:2", "random", 0.9},
		{"free-for-all-2p", "mcts:100", "random", 0.9},
		{"quad-5x5", "mcts:800", "mcts:50", 0.6},
	} {
		if r := play(t, Match{Games: 40, Seed: 3, Openings: 2, Threads: 2}, c.game, c.better, c.worse); r.Score < c.least {
			t.Errorf("%s: %s scores %.2f against %s; want %.2f", c.game, c.better, r.Score, c.worse, c.least)
		}
	}
}

// minimax is the exact value for First, slowly.
func minimax(game *env.Game, state env.State) float64 {
	if state.Done() {
		return utility(game, state, env.First)
	}
	best := math.Inf(-1)
	for _, a := range state.Legal(nil) {
		next := game.NewState()
		next.CopyFrom(state)
		next.Apply(a)
		v := minimax(game, next)
		if state.Player() == env.Second {
			v = -v
		}
		best = max(best, v)
	}
	if state.Player() == env.Second {
		return -best
	}
	return best
}

// Positions near the end, with double moves and all of Quad's endings among them, are solved exactly, and the move that is
// played keeps the value.
func TestAlphaBetaSolves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"quad(size=4,quads=4,whites=2,corners=cut)", "quad(size=4,quads=5,whites=1,corners=full)",
		"free-for-all(size=5,steps=8,objective=win)", "free-for-all(size=5,steps=8,objective=score)", "breakthrough(columns=3,rows=4)"} {
		game, err := games.New(name)
		if err != nil {
			t.Fatal(err)
		}
		solver := newAlphaBeta(game, maxDepth)
		for range 8 {
			state := game.NewState()
			for count := game.MaxPlies - 3 - rng.IntN(3); count > 0 && !state.Done(); count-- {
				legal := state.Legal(nil)
				next := game.NewState()
				next.CopyFrom(state)
				next.Apply(legal[rng.IntN(len(legal))])
				if next.Done() {
					break
				}
				state = next
			}
			want := minimax(game, state)
			move, err := solver.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			analysis, err := solver.Analyze(context.Background(), state, 0)
			if err != nil {
				t.Fatal(err)
			}
			value := *analysis.Value
			if state.Player() == env.Second {
				value = -value
			}
			next := game.NewState()
			next.CopyFrom(state)
			next.Apply(move)
			if got := minimax(game, next); got != want || math.Abs(value-want) > delay*maxDepth {
				t.Fatalf("%s: %s plays %s to %v and values %v; the value is %v of\n%s", name, game.Players[state.Player()],
					game.ActionTexts[move], got, value, want, state.Board())
			}
		}
	}
}

// TestQuickestWin: of two wins the sooner is played, of two losses the later.
func TestQuickestWin(t *testing.T) {
	game, state := position(t, "quad-5x5", "mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3")
	only(t, game, state, "alphabeta:5", "(mark r3 c3)")
}

func TestWarmBaselinesDoNotAllocate(t *testing.T) {
	game, state := position(t, "quad-7x7", "mark r3 c3")
	for _, text := range []string{"random", "greedy", "mcts:200", "alphabeta:2"} {
		a := agent(t, game, text)
		choose := func() {
			if _, err := a.Choose(context.Background(), state); err != nil {
				t.Fatal(err)
			}
		}
		for range 20 {
			choose()
		}
		// The tree of mcts differs from move to move and may still grow once in a while, but not on average.
		if n := testing.AllocsPerRun(50, choose); n != 0 {
			t.Errorf("%s allocates %v times a move", text, n)
		}
	}
}

func BenchmarkUCT(b *testing.B) {
	for _, name := range games.Names() {
		b.Run(name, func(b *testing.B) {
			game, state := position(b, name)
			u := newUCT(game, 1000)
			for b.Loop() {
				if _, err := u.Choose(context.Background(), state); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "simulations/s")
		})
	}
}
