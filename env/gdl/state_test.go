package gdl

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"ludus/env"
	"ludus/env/gdl/sheets"
)

// loops is a sheet whose next fluents depend on a loop, which depends on the move: marks spread along edges.
const loops = `
(role a) (role b) (init (control a)) (init (free 1)) (init (free 2)) (init (free 3)) (init (free 4))
(edge 1 2) (edge 2 3) (edge 3 1) (edge 4 1)
(<= (legal ?p (take ?n)) (true (control ?p)) (true (free ?n)))
(<= (legal a noop) (true (control b)))
(<= (legal b noop) (true (control a)))
(<= (taken ?n) (does ?p (take ?n)))
(<= (taken ?m) (taken ?n) (edge ?n ?m) (true (even)))
(<= (next (free ?n)) (true (free ?n)) (not (taken ?n)))
(<= (next (even)) (not (true (even))))
(<= (next (last ?n)) (does a (take ?n)))
(<= (next (control a)) (true (control b)))
(<= (next (control b)) (true (control a)))
(<= open (true (free ?n)))
(<= terminal (not open))
(<= (goal a 100) (true (control a)))
(<= (goal a 0) (true (control b)))
(<= (goal b 100) (true (control b)))
(<= (goal b 0) (true (control a)))
`

// sharedGates are sheets in which a gate of a loop's block, x and y, is used elsewhere: after the move do, by a legal
// move while the block depends on moves, or by a legal move while only goals need the block.
var sharedGates = map[string]string{
	"after": `(<= p (true x) (true y)) (<= p p) p (<= q q2) (<= q2 q) (<= q (true both))
		(<= (next both) (does ?r do) (true x) (true y)) (<= (next both) (does ?r go)) (<= (legal ?r go) (true (control ?r)))
		(<= (legal ?r do) (true (control ?r)) p q)` + goals,
	"late": `(<= p (true x) (true y)) (<= p p2) (<= p2 p) (<= p2 (does ?r (drop x))) (<= q (true x) (true y)) (<= (next both) p)
		(<= (legal ?r do) (true (control ?r)) q) (<= (legal ?r go) (true (control ?r)) (not q))` + goals,
	"goals": `(<= p (true x) (true y)) (<= p p2) (<= p2 p) (<= q (true x) (true y)) (init both)
		(<= (goal a 100) p) (<= (goal a 0) (not p)) (<= (goal b 100) (not p)) (<= (goal b 0) p)
		(<= (legal b do) (true (control b)) q) (<= (legal b go) (true (control b)) (not q)) (<= (legal a go) (true (control a)))`,
}

const sharing = twoPlayers + `
(init x) (init y) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (step ?j)) (true (step ?i)) (succ ?i ?j))
(<= (legal ?r (drop ?f)) (true (control ?r)) (true ?f) (option ?f)) (option x) (option y)
(<= (next x) (true x) (not (dropped x)))
(<= (next y) (true y) (not (dropped y)))
(<= (dropped ?f) (does ?r (drop ?f)))
(<= terminal (true (step 4)))
`

// TestPositions compares positions that are updated move by move, and those after all moves at once, with the circuit
// computed anew.
func TestPositions(t *testing.T) {
	texts := map[string]string{"loops": loops}
	for name, text := range sharedGates {
		texts["shared gate "+name] = sharing + text
	}
	for _, name := range sheets.Names() {
		texts[name] = sheets.Text(name)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _, err := New(t.Context(), name, text)
			if err != nil {
				t.Fatal(err)
			}
			games := 20
			if testing.Short() {
				games = 2
			}
			rng := rand.New(rand.NewPCG(3, 3))
			for range games {
				s, next := e.NewState().(*state), e.NewState().(*state)
				for !s.Done() {
					checkPosition(t, s)
					for _, a := range s.Legal(nil) {
						next.CopyFrom(s)
						next.Apply(a)
						i := slices.IndexFunc(s.TerminalActions(nil), func(end env.TerminalAction) bool { return end.Action == a })
						if next.Done() != (i >= 0) || i >= 0 && s.TerminalActions(nil)[i].Outcome != next.Outcome() {
							t.Fatalf("%s ends the game: %t; TerminalActions: %v", e.ActionTexts[a], next.Done(), s.TerminalActions(nil))
						}
					}
					s.Apply(s.RandomAction(rng.Uint64()))
				}
				checkPosition(t, s)
			}
		})
	}
}

// checkPosition compares a state with the circuit, and the fluents after each of its moves.
func checkPosition(t *testing.T, s *state) {
	t.Helper()
	g := s.game
	c, v := g.circuit, g.circuit.NewValues()
	load := func(on []uint64) {
		for i := range c.Next {
			v.Set(c.Fluent(i), -(on[i/64] >> (i % 64) & 1))
		}
		c.Position(v)
	}
	load(s.position.On())
	mover := g.turns.mover[s.turn]
	var legal []env.Action
	for _, a := range g.policy.actions[mover] {
		if v.Get(a.legal) != 0 && v.Get(c.Terminal) == 0 {
			legal = append(legal, a.id)
		}
	}
	if got := s.Legal(nil); !slices.Equal(got, legal) && (g.limit == 0 || s.plies < g.limit) {
		t.Fatalf("legal moves %v, want %v", got, legal)
	}
	if s.Done() {
		c.FinalGoals(v)
		if want := g.finalGoals(v, 0); want != s.Goals() && (g.limit == 0 || s.plies < g.limit) {
			t.Fatalf("goals %v, want %v", s.Goals(), want)
		}
		return
	}
	after := c.NewValues()
	next := g.newState()
	for _, a := range legal {
		load(s.position.On())
		if idle := g.turns.idle[s.turn]; idle >= 0 {
			v.Set(c.Move(1-mover, idle), ^uint64(0))
		}
		k := g.policy.entry[mover][a]
		move := c.Move(mover, g.policy.actions[mover][k].move)
		v.Set(move, ^uint64(0))
		c.Moves(v)
		next.CopyFrom(s)
		next.Apply(a)
		s.position.After(s.mode(), []int32{int32(k)}, after)
		for i, r := range c.Next {
			want := v.Get(r) & 1
			if got := next.position.On()[i/64] >> (i % 64) & 1; got != want || after.Get(c.Fluent(i))&1 != want {
				t.Fatalf("%s after %s is %d and %d, want %d", c.Program.Terms.Text(c.Program.Fluents[i]), g.env.ActionTexts[a],
					got, after.Get(c.Fluent(i))&1, want)
			}
		}
		v.Set(move, 0)
	}
}

// TestNewStates: new states, made by several goroutines at once, are the first position whatever is played on others.
func TestNewStates(t *testing.T) {
	for _, name := range []string{"quad-5x5", "reversi", "hex"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _, err := New(t.Context(), name, sheets.Text(name))
			if err != nil {
				t.Fatal(err)
			}
			g := e.NewState().(*state).game
			computed := g.play.NewPosition(g.init)
			var joined sync.WaitGroup
			for i := range uint64(4) {
				joined.Go(func() {
					rng := rand.New(rand.NewPCG(i, 3))
					for range 3 {
						s := g.newState()
						if mode := s.mode(); !slices.Equal(s.position.On(), computed.On()) || !slices.Equal(s.position.Legal(mode), computed.Legal(mode)) || s.plies != 0 {
							t.Error("a new state is not the first position")
							return
						}
						for !s.Done() {
							s.Apply(s.RandomAction(rng.Uint64()))
						}
					}
				})
			}
			joined.Wait()
		})
	}
}

// TestWalk plays 64 games at once and by states.
func TestWalk(t *testing.T) {
	for _, name := range append(sheets.Names(), "loops") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := loops
			if name != "loops" {
				text = sheets.Text(name)
			}
			e, _ := mustBuild(t, text)
			g := e.NewState().(*state).game
			w := newWalk(g.circuit, 5, 60)
			var states [64]*state
			for i := range states {
				states[i] = g.newState()
			}
			for w.playing != 0 {
				if law, _ := w.step(); law != "" {
					t.Fatal(law)
				}
				for i, s := range states[:60] {
					if over := w.playing>>i&1 == 0; over != s.Done() {
						t.Fatalf("game %d is over: %t, want %t", i, over, s.Done())
					}
					checkWalk(t, w, s, i, !s.Done())
				}
			}
		})
	}
}

// checkWalk plays the last move of game i of a walk, if it has one, and compares the positions.
func checkWalk(t *testing.T, w *walk, s *state, i int, moved bool) {
	t.Helper()
	c, g := w.Circuit, s.game
	if moved {
		mover := g.turns.mover[s.turn]
		move := w.movesOf(i, w.plies[i]-1)[mover]
		k := slices.IndexFunc(g.policy.actions[mover], func(a action) bool { return a.move == int(move) })
		if k < 0 || !slices.Contains(s.Legal(nil), g.policy.actions[mover][k].id) {
			t.Fatalf("move %d; legal are %v", move, s.Legal(nil))
		}
		s.Apply(g.policy.actions[mover][k].id)
	}
	for f := range c.Next {
		if on := s.position.On()[f/64] >> (f % 64) & 1; w.Values.Get(c.Fluent(f))>>i&1 != on || w.plies[i] != s.plies {
			t.Fatalf("game %d after %d plies, want %d: %s is not %d", i, w.plies[i], s.plies, c.Program.Terms.Text(c.Program.Fluents[f]), on)
		}
	}
}

// TestEven counts first moves: all are equally likely.
func TestEven(t *testing.T) {
	e, _, err := New(t.Context(), "quad-5x5", sheets.Text("quad-5x5"))
	if err != nil {
		t.Fatal(err)
	}
	s := e.NewState().(*state)
	counts := map[env.Action]int{}
	for seed := range uint64(200) {
		w := newWalk(s.game.circuit, seed, 64)
		if law, _ := w.step(); law != "" {
			t.Fatal(law)
		}
		for game := range w.plies {
			move := w.movesOf(game, 0)[s.game.turns.mover[0]]
			for _, a := range s.actions() {
				if a.move == int(move) {
					counts[a.id]++
				}
			}
		}
	}
	for _, a := range s.Legal(nil) {
		if mean := 64 * 200 / s.moves; counts[a] < mean-5*25 || counts[a] > mean+5*25 { // 5 standard deviations
			t.Errorf("%s: %d of %d", e.ActionTexts[a], counts[a], 64*200)
		}
	}
}

// TestRefused plays random games of broken sheets.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"(<= (legal a noop) (true (control b)))", "", "a, who is not to move, has no legal move such as noop, in the position "},
		{"(true (control ?p)) (true (free ?n))", "(true (control ?p)) (true (free ?n)) (not (true (even)))",
			"b has no legal move, and the game is not over, in the position "},
		{"(<= (goal a 0) (true (control b)))", "(goal a 0)", "the game is over, and a has the goals 0 and 100, in the position "},
		{"(<= (goal b 0) (true (control a)))", "(<= (goal b 0) (true (control a)) (true (free 1)))", "the game is over, and b has no goal, in the position "},
		{"(true (free ?n)) (not (taken ?n))", "(true (free ?n))", "the game is not over after 5000 plies, in the position "},
	} {
		text := strings.Replace(loops, c.from, c.to, 1)
		circuit, err := Read(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = FromCircuit(t.Context(), "broken", text, circuit); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Fatalf("error %v, want %q", err, c.want)
		}
		if w := FindWitness(t.Context(), circuit); w == nil || !strings.HasPrefix(err.Error(), w.Law) {
			t.Errorf("the witness shows another fault than %v", err)
		}
	}
}

// Where a sheet gives the mover's opponent another goal than the rest of 100, the mover's goal counts.
func TestComplete(t *testing.T) {
	c := classes{bySum: true}
	for mover, want := range map[env.Player][2]int{env.First: {60, 40}, env.Second: {70, 30}} {
		goals := [2]int{60, 30}
		c.complete(&goals, mover)
		if goals != want {
			t.Errorf("goals 60 and 30, player %d has moved: %v, want %v", mover, goals, want)
		}
	}
}
