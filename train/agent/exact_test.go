package agent

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
)

// randomPositions returns unfinished positions after 0 to plies random moves.
func randomPositions(game *env.Game, plies, n int) (list []env.State) {
	for rng := rand.New(rand.NewPCG(3, 9)); len(list) < n; {
		state := game.NewState()
		for i := rng.IntN(plies + 1); i > 0 && !state.Done(); i-- {
			state.Apply(state.RandomAction(rng.Uint64()))
		}
		if !state.Done() {
			list = append(list, state)
		}
	}
	return list
}

// exactClasses returns the mover's exact class after each legal move, in order, or solver.Unknown.
func exactClasses(game *env.Game, s *solver.Solver, state env.State, nodes int) []int {
	classes := s.SolveMoves(state, solver.Limits{Nodes: nodes}, nil)
	for i, class := range classes {
		if class != solver.Unknown {
			classes[i] = game.ClassFor(state.Player(), class)
		}
	}
	return classes
}

// With enough nodes an agent plays without error, however bad its network is, and its analysis is exact.
func TestSolveNeverLosesValue(t *testing.T) {
	game := quad()
	s := solver.New(game, 16<<20)
	ctx := context.Background()
	for _, text := range []string{"policy:1,solve=2000000", "net:1,sims=8,solve=2000000", "net:2,sims=8,search=puct,temp=2,solve=2000000"} {
		wrong := 0 // moves of the network alone that lose value
		a, alone := newAgent(t, game, text), newAgent(t, game, "policy:1")
		for i, state := range randomPositions(game, 14, 25) {
			legal, classes := state.Legal(nil), exactClasses(game, s, state, 0)
			best := slices.Min(classes)
			a.Reset(uint64(i))
			move, err := a.Choose(ctx, state)
			if err != nil {
				t.Fatal(err)
			}
			if class := classes[slices.Index(legal, move)]; class != best {
				t.Errorf("%s plays a move of class %d; the best is %d in\n%s", text, class, best, game.Board(state))
			}
			if move, _ = alone.Choose(ctx, state); classes[slices.Index(legal, move)] != best {
				wrong++
			}
			analysis, err := a.Analyze(ctx, state, 8)
			if err != nil {
				t.Fatal(err)
			}
			value := float64(game.Classes[best].Utility)
			if !analysis.Proven || *analysis.Value != value || classes[slices.Index(legal, analysis.Moves[0].Action)] != best {
				t.Errorf("%s: analysis %+v; want %v, proven", text, analysis, value)
			}
			for _, m := range analysis.Moves {
				if m.Value != nil && *m.Value > value {
					t.Errorf("%s: a move has the value %v, the position %v", text, *m.Value, value)
				}
			}
		}
		if wrong < 5 {
			t.Errorf("the network alone loses value only %d times: the test shows nothing", wrong)
		}
	}
}

// In games, where it keeps its table, the agent gives no value away either.
func TestSolveInGames(t *testing.T) {
	game := quad()
	s := solver.New(game, 16<<20)
	a := newAgent(t, game, "net:1,sims=4,search=puct,solve=2000000")
	rng := rand.NewPCG(5, 7)
	for i := range 4 {
		a.Reset(uint64(i))
		for state := game.NewState(); !state.Done(); {
			move := state.RandomAction(rng.Uint64())
			if player := env.Player(i % 2); state.Player() == player {
				before, _ := s.Solve(state, solver.Limits{})
				var err error
				if move, err = a.Choose(context.Background(), state); err != nil {
					t.Fatal(err)
				}
				next := game.After(state, move)
				after := next.Outcome()
				if !next.Done() {
					after, _ = s.Solve(next, solver.Limits{})
				}
				if after != before {
					t.Errorf("%s changes class %d to %d in\n%s", game.ActionTexts[move], before, after, game.Board(state))
				}
			}
			state.Apply(move)
			a.Observe(move)
		}
	}
}

// The bounds of the moves are right under any node limit, for both players and in every family, and the agent plays no
// move that they show to be lost or worse than another.
func TestExactBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		plies int
	}{{"quad-5x5", 12}, {"breakthrough(columns=4,rows=5)", 12}, {"golden-rectangle(columns=5,rows=5)", 16}, {"free-for-all(size=5,steps=8)", 12}} {
		game := games.Must(c.name)
		exact := solver.New(game, 16<<20)
		for _, nodes := range []int{1, 100, 3000} {
			factory := parse(t, game, "policy:1")
			factory.Nodes = nodes
			a, err := factory.New(1)
			if err != nil {
				t.Fatal(err)
			}
			b := a.(*Batched)
			for _, state := range randomPositions(game, c.plies, 30) {
				classes := exactClasses(game, exact, state, 200_000)
				legal := state.Legal(nil)
				b.Reset(1)
				move, err := b.Choose(context.Background(), state)
				if err != nil {
					t.Fatal(err)
				}
				_, worst := b.exact.bounds()
				open := false // a move may avoid the worst class
				for _, m := range b.exact.moves {
					class := classes[slices.Index(legal, m.action)]
					if class != solver.Unknown && (class < m.best || class > m.worst) {
						t.Errorf("%s, %d nodes: bounds %d to %d of a move of class %d in\n%s", c.name, nodes, m.best, m.worst, class, game.Board(state))
					}
					open = open || m.best < len(game.Classes)-1
				}
				chosen := b.exact.moves[slices.IndexFunc(b.exact.moves, func(m rootMove) bool { return m.action == move })]
				if chosen.best > worst || open && chosen.best == len(game.Classes)-1 {
					t.Errorf("%s, %d nodes: plays a move of class %d to %d; another has at least %d", c.name, nodes, chosen.best, chosen.worst, worst)
				}
			}
		}
	}
}

// With a network's choice in a solved position the choice stays if it keeps the value.
func TestSolveKeepsGoodChoices(t *testing.T) {
	game := quad()
	s := solver.New(game, 16<<20)
	alone, solving := newAgent(t, game, "net:1,sims=16"), newAgent(t, game, "net:1,sims=16,solve=2000000")
	kept := 0
	for _, state := range randomPositions(game, 14, 40) {
		classes := exactClasses(game, s, state, 0)
		first, _ := alone.Choose(context.Background(), state)
		second, _ := solving.Choose(context.Background(), state)
		lost := slices.Min(classes) == len(game.Classes)-1
		if lost && first != second {
			t.Errorf("in a lost position %s became %s", game.ActionTexts[first], game.ActionTexts[second])
		}
		if first == second {
			kept++
		}
	}
	if kept < 10 {
		t.Errorf("only %d of 40 choices stay", kept)
	}
}

// A game depends on the seed and the moves alone, not on earlier games; the table is kept within a game.
func TestSolveIsDeterministic(t *testing.T) {
	game := games.Must("golden-rectangle")
	play := func(a Agent, seed uint64) (moves []env.Action) {
		a.Reset(seed)
		for state := game.NewState(); !state.Done(); {
			move, err := a.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(move)
			a.Observe(move)
			moves = append(moves, move)
		}
		return moves
	}
	for _, text := range []string{"net:1,sims=8,temp=1,solve=3000", "net:1,sims=8,search=puct,solve=3000", "solver:300"} {
		used := newAgent(t, game, text)
		play(used, 1)
		if again, fresh := play(used, 2), play(newAgent(t, game, text), 2); !slices.Equal(again, fresh) {
			t.Errorf("%s: a used agent plays\n%v, a new one\n%v", text, again, fresh)
		}
	}
}

func TestSolveStops(t *testing.T) {
	game := games.Must("quad-7x7")
	for _, text := range []string{"policy:1,solve=1000000000", "solver:1000000000"} {
		ctx, cancel := context.WithCancel(context.Background())
		a := newAgent(t, game, text)
		time.AfterFunc(50*time.Millisecond, cancel)
		if _, err := a.Choose(ctx, game.NewState()); err != context.Canceled {
			t.Errorf("%s: error %v; want that of the context", text, err)
		}
	}
	start := time.Now()
	if _, err := newAgent(t, game, "net:1,time=200ms,solve=1000000000").Choose(context.Background(), game.NewState()); err != nil {
		t.Fatal(err)
	}
	if spent := time.Since(start); spent > 5*time.Second {
		t.Errorf("a move of 200 ms took %v", spent)
	}
}

// With too few nodes for all lines of three plies, a search that has decided nothing ends when it could try each reply.
func TestSolveGivesUp(t *testing.T) {
	game, state := position(t, "hex-5x5")
	a := newAgent(t, game, "policy:1,solve=64000").(*Batched)
	a.begin(state)
	a.search.RunUntil(a.batcher, func() bool { return false })
	asked := func(divisor int) (n int) {
		a.Reset(1)
		a.LimitSolver(divisor)
		a.exact.setMoves(a.search, a.search.Best())
		a.exact.solve(state, func() bool { n++; return false })
		return n
	}
	most, few, fewer := asked(1), asked(5), asked(16)
	if few != fewer || few >= most || few < 25 || most != asked(1) {
		t.Errorf("the solver was asked %d times, with less nodes %d and %d times", most, few, fewer)
	}
}

// Values of an analysis are clamped to the proven bounds, from either side; a move with an exact class gets its
// utility.
func TestImprove(t *testing.T) {
	game, state := position(t, "quad-5x5")
	for _, c := range []struct {
		best, worst int
		value       float64
		class       int // whose utility is wanted
	}{{1, 2, -1, 2}, {1, 2, 1, 1}, {0, 3, -1, 3}, {2, 2, 1, 2}} {
		last := len(game.Classes) - 1
		e := newExactSearch(game, solver.New(game, 1), 1)
		e.moves = []rootMove{{action: 3, best: c.best, worst: c.worst}, {action: 5, best: 0, worst: last}}
		a := &Analysis{Value: new(0.0), Moves: []MoveInfo{{Action: 3, Value: new(c.value)}, {Action: 5, Value: new(0.0)}}}
		e.improve(a, state, 3)
		i := slices.IndexFunc(a.Moves, func(m MoveInfo) bool { return m.Action == 3 })
		if got := *a.Moves[i].Value; got != e.utility(c.class) {
			t.Errorf("bounds %d to %d: %v becomes %v, want %v", c.best, c.worst, c.value, got, e.utility(c.class))
		}
	}
}
