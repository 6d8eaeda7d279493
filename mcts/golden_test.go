package mcts

import (
	"math"
	"slices"
	"testing"

	"ludus/env"
)

// far is a position without an end in sight, worth something to the first player: chains of forced moves too long to be
// proven.
func far(player env.Player, utility float64) *position {
	p := end(1)
	for i := range 40 {
		p = &position{player: env.Player(i % 2), moves: []*position{p}, utility: utility}
	}
	p.player = player
	return p
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-5 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func visitsOf(s *Search) (visits []int) {
	for _, m := range s.Moves() {
		visits = append(visits, m.Visits)
	}
	return visits
}

func wantVisits(t *testing.T, what string, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: visits %v, want %v", what, got, want)
	}
}

// search runs a hand-made game with its own evaluations.
func search(g *env.Game, cfg Config, simulations int) *Search {
	s := New(g, cfg)
	s.Start(g.NewState(), simulations, nil)
	run(s, tableEvaluator{g})
	return s
}

func TestGoldenImprovedPolicy(t *testing.T) {
	// Three moves, two candidates, one visit each, sigma(q) = (1 + max N) q. For the player to move (the first player
	// here, and Second with all utilities turned) the network says 0.2 at the root and -0.4 and 0.5 after the first two
	// moves:
	//
	//	v_mix = (0.2 + 2 (0.5*-0.4 + 0.3*0.5) / (0.5 + 0.3)) / (1 + 2) = (0.2 - 0.125) / 3 = 0.025
	//	pi'  ~ 0.5 e^(2*-0.4), 0.3 e^(2*0.5), 0.2 e^(2*0.025) = 0.224664, 0.815485, 0.210254; sum 1.250403
	//	v    = 0.179674*-0.4 + 0.652177*0.5 + 0.168149*0.025 = 0.258423
	cfg := DefaultConfig()
	cfg.ValueScale, cfg.maxVisitInit, cfg.candidates = 1, 1, 2
	for _, p := range []env.Player{env.First, env.Second} {
		sign := 1 - 2*float64(p)
		for _, mover := range []env.Player{env.First, env.Second} { // who moves next changes nothing
			start := &position{player: p, moves: []*position{
				far(mover, -0.4*sign), far(mover, 0.5*sign), far(mover, -0.9*sign),
			}}
			s := search(table(3, start.worth(0.2*sign).priors(0.5, 0.3, 0.2)), cfg, 2)
			wantVisits(t, "two candidates", visitsOf(s), 1, 1, 0)
			values, policy := []float64{-0.4, 0.5, 0.025}, []float64{0.179674, 0.652177, 0.168149}
			for i, m := range s.Moves() {
				near(t, "value", m.Value, values[i])
				near(t, "policy", float64(m.Policy), policy[i])
			}
			near(t, "root value", s.Value(), 0.258423)
			if s.Best() != 1 { // log 0.3 + 2*0.5 = -0.20 beats log 0.5 - 2*0.4 = -1.49
				t.Errorf("best move %d, want 1", s.Best())
			}
		}
	}
}

func TestGoldenInteriorRule(t *testing.T) {
	// Below a forced move, two moves of priors 0.72 and 0.28, everything of value 0: pi' is the prior. The rule
	// argmax pi' - N / (1 + sum N) visits
	//
	//	0.72        : 0.28           the first
	//	0.72 - 1/2  : 0.28           the second
	//	0.72 - 1/3  : 0.28 - 1/3     the first
	//	0.72 - 2/4  : 0.28 - 1/4     the first
	//	0.72 - 3/5  : 0.28 - 1/5     the first (0.12 : 0.08)
	//	0.72 - 4/6  : 0.28 - 1/6     the second (0.053 : 0.113)
	inner := first(far(env.Second, 0), far(env.Second, 0)).priors(0.72, 0.28)
	g := table(3, second(inner))
	for i, want := range [][]int32{{0, 0}, {1, 0}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {4, 2}} {
		s := search(g, DefaultConfig(), 1+i)
		moves := s.tree.movesOf(s.tree.edgesOf(root)[0].child)
		if got := []int32{moves[0].visits, moves[1].visits}; !slices.Equal(got, want) {
			t.Errorf("%d visits below a forced move: %v, want %v", i, got, want)
		}
	}
}

func TestGoldenHalving(t *testing.T) {
	// Counts of mctx's sequence of considered visits for m candidates and S simulations: n in a phase get
	// max(1, floor(S / (ceil(log2 m) n))) each, then max(2, n/2) go on.
	tests := []struct {
		moves, candidates, simulations int
		visits                         []int // by rank
	}{
		// 16 x 1, 8 x 64/(4*8) = 2, 4 x 4, 2 x 8.
		{20, 16, 64, []int{15, 15, 7, 7, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0}},
		// 4 x 16/(2*4) = 2, 2 x 16/(2*2) = 4.
		{5, 4, 16, []int{6, 6, 2, 2, 0}},
		// 8 x 32/(3*8) = 1, 4 x 2, 2 x 5 make 26; 2 x 5 again, cut off after 6.
		{8, 8, 32, []int{11, 11, 3, 3, 1, 1, 1, 1}},
		// 5 x 20/(3*5) = 1, 2 x 20/(3*2) = 3, again 3 and cut off after 20.
		{5, 5, 20, []int{9, 8, 1, 1, 1}},
		// One candidate has them all; fewer simulations than candidates visit the best.
		{3, 1, 9, []int{9, 0, 0}},
		{6, 4, 3, []int{1, 1, 1, 0, 0, 0}},
	}
	for _, test := range tests {
		start := first()
		for range test.moves {
			start.moves = append(start.moves, far(env.Second, 0))
		}
		g := table(3, start)
		cfg := DefaultConfig()
		cfg.candidates = test.candidates
		s := New(g, cfg)
		s.Start(g.NewState(), test.simulations, newGenerator(1))
		run(s, hashed{g, 1})
		visits := visitsOf(s)
		slices.Sort(visits)
		slices.Reverse(visits)
		wantVisits(t, "halving", visits, test.visits...)
	}
	for simulations, want := range map[int]int{1: 4, 16: 4, 32: 8, 48: 12, 64: 16, 1000: 16} {
		if got := (&Config{}).numCandidates(simulations); got != want {
			t.Errorf("%d candidates at %d simulations, want %d", got, simulations, want)
		}
	}
}

func TestGoldenPUCT(t *testing.T) {
	// Two moves of priors 0.6 and 0.4, c(N) = 1, the network's values 0 at the root, -0.5 and 0.1 after the moves and
	// below.
	//
	//	N = 0: bonus 0.1:       0 + 0.6*0.1                  : 0 + 0.4*0.1                        the first
	//	N = 1: bonus 1.004988: -0.5 + 0.6*1.004988/2 = -0.20 : -0.25 - 0.2 sqrt 0.6 + 0.401995 = -0.003, the second
	//	N = 2: bonus 1.417745: -0.5 + 0.6*1.417745/2 = -0.07 : 0.1 + 0.4*1.417745/2 = 0.38        the second
	//	N = 3: bonus 1.734935: -0.5 + 0.6*1.734935/2 = 0.02  : 0.1 + 0.4*1.734935/3 = 0.33        the second
	//
	// First-play value: the root's mean is (0 - 0.5) / 2 = -0.25, less 0.2 sqrt(0.6).
	for _, p := range []env.Player{env.First, env.Second} {
		sign := 1 - 2*float64(p)
		start := &position{player: p, moves: []*position{far(env.Second, -0.5*sign), far(env.First, 0.1*sign)}}
		g := table(3, start.priors(0.6, 0.4))
		cfg := DefaultConfig()
		cfg.Rule, cfg.cpuctLog = PUCT, 0
		for simulations, want := range [][]int{{0, 0}, {1, 0}, {1, 1}, {1, 2}, {1, 3}} {
			s := search(g, cfg, simulations)
			wantVisits(t, "PUCT", visitsOf(s), want...)
			if simulations == 4 {
				near(t, "root value", s.Value(), (-0.5+3*0.1)/4)
				near(t, "policy", float64(s.Moves()[1].Policy), 0.75)
				near(t, "win", float64(classesOf(s, 1)[0]), 0.55)
				near(t, "loss", float64(classesOf(s, 1)[2]), 0.45)
			}
		}
	}
}

func TestGoldenBounds(t *testing.T) {
	// Classes 0 to 4 are worth 1, 0.5, 0, -0.5 and -1 to the first player, who moves at the root. The first move leaves
	// the second player a choice of 1 or an unknown move: at best class 1 remains. The second lets the first player
	// move again, who has class 2 for certain.
	g := table(5, first(
		second(end(1), far(env.First, 0)),
		first(end(2), far(env.First, 0)),
	))
	for _, cfg := range rules(1) {
		s := search(g, cfg, 2)
		moves := s.Moves()
		for i, want := range [][2]float32{{-1, 0.5}, {0, 1}} {
			if got := [2]float32{moves[i].Lower, moves[i].Upper}; got != want {
				t.Errorf("%v: bounds %v of move %d, want %v", cfg.Rule, got, i, want)
			}
		}
	}
}

func TestGoldenPendingLeaves(t *testing.T) {
	// PUCT counts a virtual visit as a lost game. Priors 0.6, 0.25 and 0.15, c(N) = 1, all values 0:
	//
	//	0 pending: bonus 0.1;       0.06 : 0.025 : 0.015                                     the first
	//	1 pending: bonus 1.004988; -1 + 0.6*1.004988/2 = -0.70 : 0.25*1.004988 - f = 0.096 : 0.15*1.004988 - f = -0.004
	//	2 pending: bonus 1.417745; -1 + 0.6*1.417745/2 = -0.57 : -1 + 0.25*1.417745/2 = -0.82 : 0.15*1.417745 - g = 0.028
	//
	// with first-play reductions f = 0.2 sqrt(0.6) = 0.154919 and g = 0.2 sqrt(0.85) = 0.184391; a fourth would meet a
	// pending leaf.
	g := table(3, first(far(env.Second, 0), far(env.Second, 0), far(env.Second, 0)).priors(0.6, 0.25, 0.15))
	cfg := rules(8)[1]
	cfg.cpuctLog = 0
	s := New(g, cfg)
	s.Start(g.NewState(), 100, nil)
	ev := tableEvaluator{g}
	leaf := selectLeaf(s)
	if selectLeaf(s) != nil {
		t.Error("a leaf was selected while the root is pending")
	}
	leaf.backUp(ev)
	var leaves []*selectedLeaf
	for move := range 3 {
		leaf := selectLeaf(s)
		if leaf == nil || leaf.state().(*tableState).at != g.NewState().(*tableState).at.moves[move] {
			t.Fatalf("leaf %v: not that of move %d", leaf, move)
		}
		leaves = append(leaves, leaf)
	}
	if selectLeaf(s) != nil {
		t.Error("a pending leaf was selected again")
	}
	leaves[1].backUp(ev)
	if selectLeaf(s) != nil || s.Simulations() != 0 {
		t.Error("the search went on before all leaves of the round were backed up")
	}
	leaves[0].backUp(ev)
	leaves[2].backUp(ev)
	wantVisits(t, "after the round", visitsOf(s), 1, 1, 1)
	leaf = selectLeaf(s)
	if leaf == nil || selectLeaf(s) == nil || s.Simulations() != 3 {
		t.Fatal("the search does not go on after the round")
	}
	leaf.backUp(ev)
	if selectLeaf(s) != nil {
		t.Error("a leaf was selected in a round that is being backed up")
	}
}

func TestGoldenHalvingInBatches(t *testing.T) {
	// The priors favour the first two of four candidates, the values the last two: the second phase waits for the
	// values of the first, though there is room for more leaves.
	g := table(3, first(far(env.Second, -0.5), far(env.Second, -0.5), far(env.Second, 0.5), far(env.Second, 0.4)).
		priors(0.3, 0.3, 0.2, 0.2))
	cfg := DefaultConfig()
	cfg.PendingLeaves = 16
	wantVisits(t, "4 x 1, then 2 x 2", visitsOf(search(g, cfg, 8)), 1, 1, 3, 3)
}
