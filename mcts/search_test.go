package mcts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// open3 is three moves of value 0 that lead to player p and are never proven.
func open3(p env.Player) []*position {
	return []*position{far(p, 0), far(p, 0), far(p, 0)}
}

func bestOf(g *env.Game, cfg Config, simulations int) env.Action {
	return search(g, cfg, simulations).Best()
}

func TestTwoMoveWin(t *testing.T) {
	// After the third move the first player wins at once whatever the second does; elsewhere nothing is in sight.
	threat := func() *position { return first(append(open3(env.Second), end(0))...) }
	quiet := func() *position { return second(open3(env.First)...) }
	g := table(3, first(quiet(), quiet(), second(threat(), threat(), threat()), quiet()))
	for _, cfg := range rules(1) {
		s := New(g, cfg)
		s.Start(g.NewState(), 64, nil)
		run(s, Uniform{})
		if class, ok := s.Proven(); s.Best() != 2 || !ok || class != 0 || s.Value() != 1 {
			t.Errorf("%v: best %d, proven %v, class %d, value %v; want the win by move 2",
				cfg.Rule, s.Best(), ok, class, s.Value())
		}
		if s.Simulations() >= 64 || !s.Done() {
			t.Errorf("%v: %d simulations, although the win was found", cfg.Rule, s.Simulations())
		}
	}
}

func TestTwoMoveWinInQuad(t *testing.T) {
	g := games.Must("quad-5x5")
	found := 0
	for seed := range uint64(300) {
		rng := newGenerator(seed)
		state := envtest.RandomPosition(g, rng, 8+rng.IntN(4))
		if !winsWithin(g, state, state.Player(), 3) || winsWithin(g, state, state.Player(), 1) {
			continue
		}
		found++
		for _, cfg := range rules(8) {
			s := New(g, cfg)
			s.Start(state, 1000, nil)
			run(s, Uniform{})
			if class, ok := s.Proven(); !ok || class != 0 {
				t.Errorf("seed %d, %v: a win in two moves is not proven", seed, cfg.Rule)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d positions with a win in two moves", found)
	}
}

// winsWithin reports whether p can force its best class in so many plies.
func winsWithin(g *env.Game, state env.State, p env.Player, plies int) bool {
	if state.Done() || plies == 0 {
		return state.Done() && g.ClassFor(p, state.Outcome()) == 0
	}
	for _, a := range state.Legal(nil) {
		if winsWithin(g, g.After(state, a), p, plies-1) == (state.Player() == p) {
			return state.Player() == p
		}
	}
	return state.Player() != p
}

func TestKnownMovesOutsideTheSample(t *testing.T) {
	bad := func() *position { return far(env.Second, -0.9) }
	cfg := DefaultConfig()
	cfg.candidates = 2
	for class, value := range map[int]float64{0: 1, 1: 0} { // a win, and a draw that beats what was sampled
		start := first(bad(), bad(), bad(), end(class)).priors(0.45, 0.45, 0.0999, 0.0001)
		s := search(table(3, start), cfg, 16)
		m := s.Moves()[3]
		if s.Best() != 3 || m.Visits != 0 || m.Value != value || m.Lower != m.Upper {
			t.Errorf("best move %d; move 3: %+v; want it chosen by its exact value %v", s.Best(), m, value)
		}
	}
}

func TestMoreIsTakenWhereItCanBeHad(t *testing.T) {
	// 95 at once by the first move; the third forces 100, which takes longer to see. The classes are Quad's.
	quad := games.Must("quad-5x5")
	forced := second(first(end(1), end(0)), first(far(env.Second, 0), end(0)))
	g := table(7, first(end(1), far(env.Second, 0), forced).priors(0.9, 0.09, 0.01))
	g.Classes = quad.Classes
	for _, cfg := range rules(1) {
		if best := bestOf(g, cfg, 64); best != 2 {
			t.Errorf("%v: move %d was chosen, want 2", cfg.Rule, best)
		}
	}
	// Real positions: x has a square to complete with its last marks, and a 95 without it.
	found := 0
	for seed := range uint64(3000) {
		state := envtest.RandomPosition(quad, newGenerator(seed), 14)
		if exact, _ := solveWithin(quad, state, 2000); exact != 0 || state.Player() != env.First || !reaches(quad, state, 1) {
			continue
		}
		found++
		for _, cfg := range rules(1) {
			s := New(quad, cfg)
			s.Start(state, 64, nil)
			run(s, Uniform{})
			if class := solve(quad, quad.After(state, s.Best())); class != 0 {
				t.Errorf("seed %d, %v: x takes class %s", seed, cfg.Rule, quad.Classes[class].Name)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d positions of the kind", found)
	}
}

// reaches reports whether some move leads to the given class, as seen by the first player, under best play.
func reaches(g *env.Game, state env.State, class int) bool {
	for _, a := range state.Legal(nil) {
		if solve(g, g.After(state, a)) == class {
			return true
		}
	}
	return false
}

func TestDefence(t *testing.T) {
	// All moves lose, after 2, 4 and 3 plies (the first player moves twice in a row in the last); the priors favour the
	// quickest.
	two := second(end(2), end(2))
	four := second(first(second(end(2))), first(second(end(2))))
	three := first(second(end(2)), second(end(2)))
	g := table(3, first(two, four, three).priors(0.8, 0.1, 0.1))
	for _, cfg := range rules(1) {
		s := search(g, cfg, 64)
		if class, ok := s.Proven(); s.Best() != 1 || !ok || class != 2 {
			t.Errorf("%v: best %d, proven %v; want the longest defence, 1", cfg.Rule, s.Best(), ok)
		}
	}
	// If all moves but one are known to lose, self-play is done; match play searches on and keeps that move.
	g = table(3, first(two, four, far(env.Second, -0.99)).priors(0.8, 0.19, 0.01))
	for _, cfg := range rules(1) {
		s := search(g, cfg, 32)
		if s.Best() != 2 || s.Simulations() != 32 {
			t.Errorf("%v: best %d after %d simulations; want 2 after 32", cfg.Rule, s.Best(), s.Simulations())
		}
		s.Start(g.NewState(), 32, newGenerator(1))
		run(s, tableEvaluator{g})
		if s.Best() != 2 || s.Simulations() == 32 {
			t.Errorf("%v: self-play: best %d after %d simulations", cfg.Rule, s.Best(), s.Simulations())
		}
	}
	// A win at once beats one that takes longer, also where it is not the best class and both are known.
	slow := func(class int) *position { return second(first(second(end(class)))) }
	for class, K := range map[int]int{0: 3, 1: 5} {
		g = table(K, first(slow(class), end(class), slow(2)).priors(0.8, 0.1, 0.1))
		for _, cfg := range rules(1) {
			s := search(g, cfg, 64)
			if _, ok := s.Proven(); s.Best() != 1 || !ok {
				t.Errorf("%v: win by move %d, proven %v; want 1", cfg.Rule, s.Best(), ok)
			}
		}
	}
}

func TestDefenceInRealGames(t *testing.T) {
	found := 0
	for _, name := range []string{"quad-5x5", "breakthrough-6x6", "golden-rectangle"} {
		g := games.Must(name)
		for seed := range uint64(150) {
			rng := newGenerator(seed)
			state := envtest.RandomPosition(g, rng, g.MaxPlies/2+rng.IntN(g.MaxPlies/2))
			for _, cfg := range rules(8) {
				s := New(g, cfg)
				s.Start(state, 500, nil)
				run(s, Uniform{})
				class, ok := s.Proven()
				if !ok || g.Classes[class].Utility >= 0 {
					continue
				}
				atOnce := func(a env.Action) bool { return winsWithin(g, g.After(state, a), state.Player().Opponent(), 1) }
				resists := false
				for _, a := range state.Legal(nil) {
					resists = resists || !atOnce(a)
				}
				if resists {
					found++
				}
				if resists && atOnce(s.Best()) {
					t.Errorf("%s, seed %d, %v: loses at once, although there is a defence", name, seed, cfg.Rule)
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d lost positions with a defence", found)
	}
}

func TestOnePlayerMovesTwice(t *testing.T) {
	// The first player moves twice: a sign flipped by depth would see 0.8 as -0.8 and turn to the second move.
	for _, p := range []env.Player{env.First, env.Second} {
		sign := 1 - 2*float64(p)
		mine := func(moves ...*position) *position { return &position{player: p, moves: moves} }
		start := mine(
			mine(far(p.Opponent(), 0.8*sign), far(p.Opponent(), -0.8*sign)).worth(0.5*sign),
			mine(far(p, -0.1*sign), far(p.Opponent(), -0.1*sign)).worth(-0.1*sign),
		)
		g := table(3, start)
		for _, cfg := range rules(1) {
			s := search(g, cfg, 64)
			if v := s.Moves()[0].Value; s.Best() != 0 || v < 0.4 {
				t.Errorf("%v, player %d: best move %d, value %v of the first", cfg.Rule, p, s.Best(), v)
			}
		}
		// The same with exact outcomes: both of the winner's own moves in a row are needed.
		win := g.ClassFor(p, 0)
		g = table(3, mine(mine(far(p, 0), end(2-win)), mine(end(1), mine(end(win)))))
		for _, cfg := range rules(1) {
			s := search(g, cfg, 64)
			if class, ok := s.Proven(); s.Best() != 1 || !ok || class != 0 || s.Value() != 1 {
				t.Errorf("%v, player %d: best %d, class %d, proven %v", cfg.Rule, p, s.Best(), class, ok)
			}
		}
	}
}

func TestPolicyTarget(t *testing.T) {
	target := func(g *env.Game, simulations int) ([]float32, float32) {
		s := search(g, DefaultConfig(), simulations)
		dst, weight := s.PolicyTarget(nil)
		for i, m := range s.Moves() {
			if m.Policy != dst[i] || m.Action != s.Actions()[i] {
				t.Errorf("policy %v of move %d, target %v", m.Policy, i, dst[i])
			}
		}
		return dst, weight
	}
	tests := []struct {
		what   string
		start  *position
		target []float32
		weight float32
	}{
		{"a proven root by prior among the winning moves",
			first(end(0), far(env.Second, 0.9), end(0), end(1)).priors(0.3, 0.5, 0.1, 0.1), []float32{0.75, 0, 0.25, 0}, 1},
		{"all moves lost", first(end(2), end(2)).priors(0.4, 0.6), []float32{0.4, 0.6}, 0},
		{"one move", first(far(env.Second, 0)), []float32{1}, 0},
		{"a dead move", first(end(2), far(env.Second, 0), end(1)).priors(0.5, 0.25, 0.25), []float32{0, 0.5, 0.5}, 1},
	}
	for _, test := range tests {
		got, weight := target(table(3, test.start), 8)
		for i := range got {
			near(t, test.what, float64(got[i]), float64(test.target[i]))
		}
		if weight != test.weight {
			t.Errorf("%s: weight %v, want %v", test.what, weight, test.weight)
		}
	}
}

func TestResultsAreDistributions(t *testing.T) {
	for _, name := range games.Names() {
		g := games.Must(name)
		for _, cfg := range rules(1, 16) {
			for seed := range uint64(5) {
				rng := newGenerator(seed)
				s := New(g, cfg)
				state := envtest.RandomPosition(g, rng, rng.IntN(g.MaxPlies))
				s.Start(state, 100, rng)
				ev := &counting{Evaluator: hashed{g, 1}}
				run(s, ev)
				checkResults(t, g, s, ev)
			}
		}
	}
}

func checkResults(t *testing.T, g *env.Game, s *Search, ev *counting) {
	t.Helper()
	var visits int
	var policy, prior float64
	expected := func(classes []float32) (sum, utility float64) {
		for k, p := range classes {
			sum += float64(p)
			utility += float64(p) * float64(g.Classes[k].Utility)
		}
		return sum, utility
	}
	classes := make([]float32, len(g.Classes))
	for i, m := range s.Moves() {
		visits += m.Visits
		policy += float64(m.Policy)
		prior += float64(m.Prior)
		sum, utility := expected(classesOf(s, i))
		near(t, "sum of classes", sum, 1)
		if m.Visits > 0 && utility > float64(m.Lower) && utility < float64(m.Upper) {
			near(t, "utility of the classes", utility, m.Value)
		}
	}
	near(t, "sum of policy", policy, 1)
	near(t, "sum of priors", prior, 1)
	if visits != s.Simulations() || visits > 100 || ev.positions > 101 || !s.Done() {
		t.Errorf("%d visits, %d simulations, %d evaluations of 100 and the root", visits, s.Simulations(), ev.positions)
	}
	if _, ok := s.Proven(); !ok && s.Simulations() < 100 && s.certainBest() < 0 {
		t.Errorf("%d simulations of 100 without a decision", s.Simulations())
	}
	s.Classes(classes)
	sum, _ := expected(classes)
	near(t, "sum of root classes", sum, 1)
	for i := range s.tree.nodes {
		if n := s.tree.incoming(int32(i)).virtualVisits; n != 0 {
			t.Fatalf("node %d has %d virtual visits", i, n)
		}
	}
}

// The leaves below a candidate of sequential halving are at most the given share of its visits, or one.
func TestCandidateShare(t *testing.T) {
	g := games.Must("quad-5x5")
	for _, share := range []float64{0, 0.125, 0.5} {
		cfg := DefaultConfig()
		cfg.PendingLeaves, cfg.CandidateShare = 16, share
		s, b, several := New(g, cfg), NewBatcher(g, hashed{g, 1}, 16, 0), false
		s.Start(g.NewState(), 300, nil)
		for !s.Done() {
			for s.Step(b) {
			}
			for _, e := range s.tree.edgesOf(root) {
				several = several || e.virtualVisits > 1
				if float64(e.virtualVisits) > max(1, share*float64(e.visits)) {
					t.Fatalf("share %v: %d leaves are pending below a move of %d visits", share, e.virtualVisits, e.visits)
				}
			}
			b.Flush()
		}
		if several != (share > 0) || s.Simulations() != 300 {
			t.Errorf("share %v: several leaves below a candidate: %v; %d simulations", share, several, s.Simulations())
		}
	}
}

// snapshot is all that a search says.
func snapshot(s *Search) string {
	text := fmt.Sprintf("%v %v %v %+v", s.Simulations(), s.Best(), s.Value(), s.Moves())
	for i := range s.Moves() {
		text += fmt.Sprint(" ", classesOf(s, i))
	}
	return text
}

func TestCacheChangesNothing(t *testing.T) {
	for _, name := range []string{"quad-5x5", "free-for-all-2p", "breakthrough-6x6"} {
		g := games.Must(name)
		for _, cfg := range rules(1, 8) {
			ev := hashed{g, 1}
			large := NewBatcher(g, ev, 8, 4096)
			for seed := range uint64(6) {
				state := envtest.RandomPosition(g, newGenerator(seed%3), 6)
				var want string
				for _, b := range []*Batcher{NewBatcher(g, ev, 8, 0), NewBatcher(g, ev, 8, 7), large, large} {
					s := New(g, cfg)
					s.Start(state, 80, newGenerator(seed))
					s.Run(b)
					if got := snapshot(s); want == "" {
						want = got
					} else if got != want {
						t.Fatalf("%s, %v, %d leaves, seed %d:\n%s\nwithout cache:\n%s", name, cfg.Rule, cfg.PendingLeaves, seed, got, want)
					}
				}
			}
			if stats := large.TakeStats(); stats.CacheHits < stats.Evaluations {
				t.Errorf("%s, %v: %+v; every search was repeated", name, cfg.Rule, stats)
			}
		}
	}
}

// A cache that grows keeps what it holds.
func TestCacheGrows(t *testing.T) {
	c := newCache(10)
	held := map[env.Key]float32{}
	for i := range 100 {
		key := env.Key{uint64(i)}
		c.put(&key, evaluation{logits: []float32{float32(i)}, classes: []float32{1}})
	}
	for i := range 100 {
		key := env.Key{uint64(i)}
		if e, ok := c.get(&key); ok {
			held[key] = e.logits[0]
		}
	}
	c.grow(5)
	c.grow(1000)
	for key, want := range held {
		if e, ok := c.get(&key); !ok || e.logits[0] != want {
			t.Errorf("key %v: found %v, %v; want %v", key[0], ok, e, want)
		}
	}
	if len(held) < 5 || len(c.entries) != 1000 {
		t.Errorf("%d evaluations in %d entries", len(held), len(c.entries))
	}
}

func TestCacheOfRootsAndLeaves(t *testing.T) {
	// Some moves of many positions end these games. What a search keeps of its leaves serves the searches of those
	// positions, where they are roots.
	for seed := range uint64(60) {
		g := maze{actions: 6, classes: 5, plies: 9}.game(seed)
		for _, cfg := range rules(1) {
			ev, start := hashed{g, 1}, g.NewState()
			batchers := []*Batcher{NewBatcher(g, ev, 1, 0), NewBatcher(g, ev, 1, 4096)}
			for _, a := range append(start.Legal(nil), -1) {
				state := g.NewState()
				if a >= 0 {
					state = g.After(start, a)
				}
				if state.Done() {
					continue
				}
				var got [2]string
				for i, b := range batchers {
					s := New(g, cfg)
					if i == 1 { // fill the cache
						s.Start(start, 100, newGenerator(seed))
						s.Run(b)
					}
					s.Start(state, 50, newGenerator(seed))
					s.Run(b)
					got[i] = snapshot(s)
				}
				if got[0] != got[1] {
					t.Fatalf("seed %d, %v, action %d:\n%s\nwithout cache:\n%s", seed, cfg.Rule, a, got[1], got[0])
				}
			}
		}
	}
}

func TestCache(t *testing.T) {
	c := newCache(1)
	a, b := env.Key{1}, env.Key{2}
	want := evaluation{logits: []float32{1, 2}, classes: []float32{3}, goals: []float32{4, 5}}
	c.put(&a, want)
	if e, ok := c.get(&a); !ok || fmt.Sprint(e) != fmt.Sprint(want) {
		t.Errorf("got %v, %v", e, ok)
	}
	if _, ok := c.get(&b); ok {
		t.Error("another position's evaluation was found")
	}
	c.put(&b, evaluation{logits: []float32{4}, classes: []float32{5}})
	if _, ok := c.get(&a); ok {
		t.Error("a replaced entry was found")
	}
	c.clear()
	if _, ok := c.get(&b); ok {
		t.Error("a cleared entry was found")
	}
}

func TestInterleavedSearches(t *testing.T) {
	g := games.Must("quad-5x5")
	ev := hashed{g, 1}
	searches, want := make([]*Search, 6), make([]string, 6)
	batcher := NewBatcher(g, ev, 4, 100)
	for i := range searches {
		s := New(g, DefaultConfig())
		s.Start(envtest.RandomPosition(g, newGenerator(uint64(i)), i), 32, newGenerator(uint64(i)))
		run(s, ev)
		want[i] = snapshot(s)
		searches[i] = New(g, DefaultConfig())
		searches[i].Start(envtest.RandomPosition(g, newGenerator(uint64(i)), i), 32, newGenerator(uint64(i)))
	}
	for {
		for _, s := range searches {
			for s.Step(batcher) {
			}
		}
		if len(batcher.pending) == 0 {
			break
		}
		if !batcher.FlushFull() { // some leaves wait longer than others
			batcher.Flush()
		}
	}
	for i, s := range searches {
		if got := snapshot(s); got != want[i] || !s.Done() {
			t.Errorf("search %d beside others:\n%s\nalone:\n%s", i, got, want[i])
		}
	}
}

func TestLeavesAreBatched(t *testing.T) {
	g := games.Must("golden-rectangle")
	for _, cfg := range rules(16) {
		ev := &counting{Evaluator: hashed{g, 1}}
		s := New(g, cfg)
		s.Start(g.NewState(), 1000, nil)
		run(s, ev)
		if mean := float64(ev.positions) / float64(ev.batches); mean < 2 {
			t.Errorf("%v: %d positions in %d batches", cfg.Rule, ev.positions, ev.batches)
		}
	}
}

func TestBackupOrderDoesNotMatter(t *testing.T) {
	g := games.Must("quad-5x5")
	ev := hashed{g, 1}
	for _, cfg := range rules(8) {
		run := func(backwards bool) string {
			s := New(g, cfg)
			s.Start(g.NewState(), 64, newGenerator(3))
			for !s.Done() {
				var leaves []*selectedLeaf
				for leaf := selectLeaf(s); leaf != nil; leaf = selectLeaf(s) {
					leaves = append(leaves, leaf)
				}
				if backwards {
					slices.Reverse(leaves)
				}
				for _, leaf := range leaves {
					leaf.backUp(ev)
				}
			}
			return snapshot(s)
		}
		if a, b := run(false), run(true); a != b {
			t.Errorf("%v: forwards:\n%s\nbackwards:\n%s", cfg.Rule, a, b)
		}
	}
}

func TestAdvance(t *testing.T) {
	for _, name := range games.Names() {
		g := games.Must(name)
		for _, leaves := range []int{1, 8} {
			cfg := rules(leaves)[1]
			s := New(g, cfg)
			batcher := NewBatcher(g, hashed{g, 1}, leaves, 500)
			state := g.NewState()
			rng := newGenerator(5)
			s.Start(state, 100, nil)
			most := g.MaxPlies
			if g.Tensor.Cells() > 64 { // the ends of games are those of a smaller board of the family
				most = 20
			}
			for ply := 0; !state.Done() && ply < most; ply++ {
				s.Run(batcher)
				a := s.Best()
				if ply%3 == 2 { // the opponent surprises
					legal := state.Legal(nil)
					a = legal[rng.IntN(len(legal))]
				}
				var kept, value string
				for _, e := range s.tree.movesOf(root) {
					if e.action == a && e.child != none && s.tree.nodes[e.child].evaluated {
						kept, value = describe(s, e.child), fmt.Sprint(e.valueSum)
					}
				}
				s.Advance(a)
				state.Apply(a)
				if state.Done() {
					break
				}
				if kept != "" && (describe(s, root) != kept || fmt.Sprint(s.tree.incoming(root).valueSum) != value) {
					t.Fatalf("%s: kept %s, want %s", name, describe(s, root), kept)
				}
				before := totalVisits(s)
				s.Continue(40)
				s.Run(batcher)
				if got := totalVisits(s) - before; got != s.Simulations() || got > 40 {
					t.Fatalf("%s: %d new visits, %d simulations, want 40", name, got, s.Simulations())
				}
				if s.Simulations() < 40 && !s.decided() {
					t.Fatalf("%s: %d simulations of 40 without a decision", name, s.Simulations())
				}
				if s.position.Key() != state.Key() {
					t.Fatalf("%s: the search is at another position", name)
				}
			}
		}
	}
}

func totalVisits(s *Search) (visits int) {
	for _, e := range s.tree.edgesOf(root) {
		visits += int(e.visits)
	}
	return visits
}

// describe writes the subtree of a node down.
func describe(s *Search, n int32) string {
	var b strings.Builder
	var walk func(n int32)
	walk = func(n int32) {
		nd, in := &s.tree.nodes[n], s.tree.incoming(n)
		fmt.Fprint(&b, "(", in.visits, in.valueSum, nd.rawValue, nd.player, nd.evaluated, s.tree.sumsOf(n))
		for _, e := range s.tree.movesOf(n) {
			fmt.Fprint(&b, " ", e.action, e.visits, e.prior, e.pliesToEnd, e.best, e.worst)
			if e.child != none {
				walk(e.child)
			}
		}
		fmt.Fprint(&b, ")")
	}
	walk(n)
	return b.String()
}

func TestRunUntil(t *testing.T) {
	g := games.Must("quad-7x7")
	for _, cfg := range rules(8) {
		s, batcher := New(g, cfg), NewBatcher(g, hashed{g, 1}, 8, 100)
		for stopAfter := range 40 {
			s.Start(g.NewState(), 1000, nil)
			left := stopAfter
			s.RunUntil(batcher, func() bool { left--; return left < 0 })
			if n := s.Simulations(); n > stopAfter+1 || n == 0 && stopAfter > 20 {
				t.Fatalf("%v: %d simulations after stop said no %d times", cfg.Rule, n, stopAfter)
			}
			if s.roundSize != 0 || s.tree.incoming(root).virtualVisits != 0 || len(s.Moves()) != 90 {
				t.Fatal("leaves stay pending, or the root is not evaluated")
			}
		}
		s.Run(batcher) // goes on
		if s.Simulations() != 1000 {
			t.Errorf("%v: %d simulations, want 1000", cfg.Rule, s.Simulations())
		}
	}
}

func TestWarmSearchAllocatesNothing(t *testing.T) {
	for _, name := range games.Names() {
		g := games.Must(name)
		for _, cfg := range rules(1, 8) {
			s, state, next := New(g, cfg), g.NewState(), g.NewState()
			batcher := NewBatcher(g, Uniform{}, cfg.PendingLeaves, 256)
			var target []float32
			classes := make([]float32, len(g.Classes))
			source := rand.NewPCG(0, 0)
			rng := rand.New(source)
			search := func() {
				source.Seed(1, 1)
				next.CopyFrom(state)
				s.Start(next, 64, rng)
				for i := range 4 {
					s.Run(batcher)
					target, _ = s.PolicyTarget(target[:0])
					s.Classes(classes)
					if cfg.Rule == Gumbel || i == 3 {
						break
					}
					s.Advance(s.Best())
					s.Continue(64)
				}
			}
			for range 20 {
				search()
			}
			if n := testing.AllocsPerRun(10, search); n != 0 {
				t.Errorf("%s, %v, %d leaves: %v allocations", name, cfg.Rule, cfg.PendingLeaves, n)
			}
		}
	}
}

// TestClear: after Clear the search whose leaf was pending can begin anew.
func TestClear(t *testing.T) {
	g := table(3, first(far(env.Second, 0), end(1)))
	s := New(g, rules(1)[1])
	s.Start(g.NewState(), 4, nil)
	selectLeaf(s).batcher.Clear()
	s.Start(g.NewState(), 4, nil)
	run(s, Uniform{})
	if s.Simulations() == 0 {
		t.Error("no simulation was done")
	}
}

func TestCallersBugs(t *testing.T) {
	g := table(3, first(far(env.Second, 0), end(1)))
	started := func() *Search {
		s := New(g, rules(1)[1])
		s.Start(g.NewState(), 4, nil)
		return s
	}
	for what, bug := range map[string]func(){
		"Start from a finished":  func() { started().Start(&tableState{at: end(1)}, 1, nil) },
		"not evaluated":          func() { started().Moves() },
		"Start with pending":     func() { s := started(); selectLeaf(s); s.Start(g.NewState(), 4, nil) },
		"not a number":           func() { run(started(), notANumber{}) },
		"illegal action":         func() { started().Advance(7) },
		"Advance with pending":   func() { s := started(); selectLeaf(s); s.Advance(0) },
		"needs the PUCT rule":    func() { New(g, DefaultConfig()).Advance(0) },
		"Continue with pending":  func() { s := started(); selectLeaf(s); s.Continue(1) },
		"Continue in a finished": func() { s := started(); s.Advance(1); s.Continue(1) },
		"out of its range":       func() { New(g, Config{}) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "mcts: ") || !strings.Contains(r, what) {
					t.Errorf("panic %q, want one about %q", r, what)
				}
			}()
			bug()
		}()
	}
}

func TestValid(t *testing.T) {
	for i, change := range []func(c *Config){
		func(c *Config) { c.Rule = 9 }, func(c *Config) { c.ValueScale = math.NaN() },
		func(c *Config) { c.ValueScale = math.Inf(1) },
		func(c *Config) { c.PendingLeaves = 0 },
		func(c *Config) { c.CandidateShare = 1.1 }, func(c *Config) { c.CandidateShare = math.NaN() },
	} {
		c := DefaultConfig()
		if change(&c); c.valid() || !new(DefaultConfig()).valid() {
			t.Errorf("change %d: valid is wrong", i)
		}
	}
}

// notANumber is a network whose weights overflow.
type notANumber struct{ Uniform }

func (notANumber) Evaluate(states []env.State, logits, classes, goals []float32) {
	Uniform{}.Evaluate(states, logits, classes, goals)
	logits[0] = float32(math.NaN())
}

func BenchmarkSearch(b *testing.B) {
	for _, name := range games.Names() {
		g := games.Must(name)
		for _, cfg := range rules(1) {
			b.Run(name+"/"+cfg.Rule.String(), func(b *testing.B) {
				s, state, batcher := New(g, cfg), g.NewState(), NewBatcher(g, Uniform{}, 1, 0)
				done := 0
				b.ReportAllocs()
				for b.Loop() {
					s.Start(state, 1000, nil)
					s.Run(batcher)
					done += s.Simulations()
				}
				b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "simulations/s")
			})
		}
	}
}
