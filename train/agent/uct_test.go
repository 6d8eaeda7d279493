package agent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// minimax is the exact value for First, slowly.
func minimax(game *env.Game, state env.State) float64 {
	if state.Done() {
		return game.UtilityFor(env.First, state.Outcome())
	}
	best := math.Inf(-1)
	for _, a := range state.Legal(nil) {
		v := minimax(game, game.After(state, a))
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

// Positions near the end, with double moves and all of Quad's endings among them, are solved exactly, and the move that
// is played keeps the value.
func TestAlphaBetaSolves(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"quad(size=4,quads=4,whites=2,corners=cut)", "quad(size=4,quads=5,whites=1,corners=full)",
		"free-for-all(size=5,steps=8,objective=win)", "free-for-all(size=5,steps=8,objective=score)", "breakthrough(columns=3,rows=4)"} {
		game := games.Must(name)
		solver := newAlphaBeta(game, maxDepth)
		for range 8 {
			state := envtest.RandomPosition(game, rng, game.MaxPlies-3-rng.IntN(3))
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
			next := game.After(state, move)
			if got := minimax(game, next); got != want || math.Abs(value-want) > plyPenalty*maxDepth {
				t.Fatalf("%s: %s plays %s to %v and values %v; the value is %v of\n%s", name, game.Players[state.Player()],
					game.ActionTexts[move], got, value, want, game.Board(state))
			}
		}
	}
}

// TestQuickestWin: the agent plays the quicker of two wins and the slower of two losses.
func TestQuickestWin(t *testing.T) {
	game, state := position(t, "quad-5x5", "mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3")
	only(t, game, state, "alphabeta:5", "(mark r3 c3)")
}

func TestWarmBaselinesDoNotAllocate(t *testing.T) {
	game, state := position(t, "quad-7x7", "mark r3 c3")
	for _, text := range []string{"random", "greedy", "mcts:200", "alphabeta:2"} {
		a := newAgent(t, game, text)
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

// checkUCT compares the nodes from n on, which state leads to, with the rules of UCT.
func checkUCT(t *testing.T, u *uct, n int32, state env.State) {
	t.Helper()
	node := &u.nodes[n]
	if node.children == 0 {
		return
	}
	if node.player != state.Player() {
		t.Fatalf("node %d is player %d's", n, node.player)
	}
	visits, actions := int32(0), []env.Action(nil)
	for i := node.children; i < node.children+node.count; i++ {
		c := &u.nodes[i]
		visits, actions = visits+c.visits, append(actions, c.action)
		next := u.game.After(state, c.action)
		checkUCT(t, u, i, next)
	}
	if n != 0 {
		visits++ // its own playout
	}
	slices.Sort(actions)
	if !slices.Equal(actions, state.Legal(nil)) || node.visits != visits {
		t.Fatalf("node %d has %d visits and actions %v; its children have %d", n, node.visits, actions, visits)
	}
	checkRewards(t, u, n, state.Player())
	checkChoice(t, u, n)
}

// checkRewards compares the rewards of a node's children, to which it moves, with those of their own children.
func checkRewards(t *testing.T, u *uct, n int32, mover env.Player) {
	t.Helper()
	node, all := &u.nodes[n], 0.0
	for i := node.children; i < node.children+node.count; i++ {
		c, below := &u.nodes[i], 0.0 // for the mover
		for _, g := range u.nodes[c.children:][:c.count] {
			if c.player == mover {
				below += g.sum
			} else {
				below += float64(g.visits) - g.sum
			}
		}
		// Beside its children's there is the reward of its own playout.
		if own := c.sum - below; c.count > 0 && (own < -1e-6 || own > 1+1e-6) {
			t.Fatalf("node %d has rewards %v; its children have %v", i, c.sum, below)
		}
		all += c.sum
	}
	if n == 0 && math.Abs(node.sum-all) > 1e-6 {
		t.Fatalf("the root's rewards are %v; its children's are %v", node.sum, all)
	}
}

// checkChoice compares the choice in a node whose children were all visited with the formula.
func checkChoice(t *testing.T, u *uct, n int32) {
	t.Helper()
	node := &u.nodes[n]
	if node.seen < node.count {
		return
	}
	score := func(c *uctNode) float64 {
		return c.sum/float64(c.visits) + math.Sqrt(2*math.Log(float64(node.visits))/float64(c.visits))
	}
	chosen := score(&u.nodes[u.choose(n)])
	for i := node.children; i < node.children+node.count; i++ {
		if other := score(&u.nodes[i]); chosen < other-1e-9 {
			t.Fatalf("node %d chooses a score of %v; child %d has %v", n, chosen, i, other)
		}
	}
}

func TestUCTTree(t *testing.T) {
	for _, name := range []string{"quad(size=4,quads=4,whites=2)", "breakthrough(columns=3,rows=5)", "free-for-all-2p", "golden-rectangle"} {
		game, state := position(t, name)
		u := newUCT(game, 3000)
		firsts := map[env.Action]bool{}
		for seed := range uint64(30) {
			u.Reset(seed)
			if err := u.search(context.Background(), state, 1, 0); err != nil {
				t.Fatal(err)
			}
			firsts[u.best()] = true
		}
		if legal := len(state.Legal(nil)); len(firsts) < min(legal, 5) {
			t.Errorf("%s: %d of %d moves are tried first", name, len(firsts), legal)
		}
		for ply := range 3 { // both players move
			if _, err := u.Choose(context.Background(), state); err != nil {
				t.Fatal(err)
			}
			checkUCT(t, u, 0, state)
			state.Apply(state.Legal(nil)[ply])
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

// A full tree expands no more nodes: the search goes on in it, with and without a time limit. A tree below the bound is
// not affected.
func TestUCTNodes(t *testing.T) {
	game, state := position(t, "tic-tac-toe")
	const simulations = 5000
	for _, limit := range []time.Duration{0, time.Hour} {
		u := newUCT(game, simulations)
		u.maxNodes = 100
		if _, err := u.ChooseWithin(t.Context(), state, limit); err != nil || len(u.nodes) < 100 || len(u.nodes) > 109 {
			t.Errorf("limit %v: %d nodes, error %v", limit, len(u.nodes), err)
		}
		if n := u.nodes[0].visits; n != simulations {
			t.Errorf("limit %v: %d visits of the root; want %d", limit, n, simulations)
		}
		if center := game.ActionTexts[u.best()]; center != game.ActionTexts[4] {
			t.Errorf("limit %v: the best first move is %s", limit, center)
		}
	}
	free, bounded := newUCT(game, 200), newUCT(game, 200)
	bounded.maxNodes = 2000
	for _, u := range []*uct{free, bounded} {
		if _, err := u.Choose(t.Context(), state); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(free.nodes, bounded.nodes) {
		t.Error("a bound that the tree does not reach changes it")
	}
}
