package gdl

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/gdl/sheets"
)

// TestScrambledSymmetries checks that names and the order of rules play no part. TestExpected has the symmetries.
func TestScrambledSymmetries(t *testing.T) {
	for _, name := range sheets.Names() {
		plain, info := mustBuild(t, sheets.Text(name))
		text, _, err := sheets.Scramble(sheets.Text(name), rand.New(rand.NewPCG(7, 7)))
		if err != nil {
			t.Fatal(err)
		}
		if e, other := mustBuild(t, text); len(e.Symmetries) != len(plain.Symmetries) || other.Frame != info.Frame {
			t.Errorf("%s: %d symmetries, frame %q; scrambled %d, %q", name, len(plain.Symmetries), info.Frame, len(e.Symmetries), other.Frame)
		}
	}
}

// TestFrame plays random games. Where Second is to move, First would have the same moves in the position that the tensor
// shows, and these lead to positions that the tensor shows afterwards, but for the plane that says who is to move. Outcomes
// are the same unless the sides have their own goals.
func TestFrame(t *testing.T) {
	for _, name := range sheets.Names() {
		e, info := mustBuild(t, sheets.Text(name))
		g := e.NewState().(*state).game
		if info.Frame == "" || info.OwnGoals != (len(g.tensor.first) > 0) {
			t.Errorf("%s: frame %q, own goals %t, %d entries for First", name, info.Frame, info.OwnGoals, len(g.tensor.first))
			continue
		}
		frame := e.Frame(env.Second)
		rng := rand.New(rand.NewPCG(8, 8))
		for range 3 {
			s := g.newState()
			for !s.Done() {
				if s.Player() == env.First {
					s.Apply(s.RandomAction(rng.Uint64()))
					continue
				}
				seen := shown(t, s)
				var want []env.Action
				for _, a := range s.Legal(nil) {
					want = append(want, frame[a])
				}
				slices.Sort(want)
				if got := seen.Legal(nil); !slices.Equal(got, want) || seen.Player() != env.First {
					t.Fatalf("%s: %s sees the moves %v, want %v", name, e.Players[1], e.Texts(got), e.Texts(want))
				}
				a := s.RandomAction(rng.Uint64())
				s.Apply(a)
				seen.Apply(frame[a])
				if s.Done() != seen.Done() || s.Done() && !info.OwnGoals && s.Outcome() != len(e.Classes)-1-seen.Outcome() {
					t.Fatalf("%s: over is %t and %t, outcomes %d and %d", name, s.Done(), seen.Done(), s.Outcome(), seen.Outcome())
				}
				if !s.Done() && !slices.Equal(withoutMover(s), withoutMover(seen)) {
					t.Fatalf("%s: the tensors differ after %s", name, e.ActionTexts[a])
				}
			}
		}
	}
}

// shown returns the position of First that has the tensor of a position in which Second is to move.
func shown(t *testing.T, s *state) *state {
	t.Helper()
	g := s.game
	on := make([]uint64, len(g.init))
	for i := range g.circuit.Next {
		if s.position.On()[i/64]>>(i%64)&1 == 0 {
			continue
		}
		image := slices.IndexFunc(g.tensor.entries, func(e []entry) bool { return slices.Equal(e, g.tensor.framed[i]) })
		on[image/64] |= 1 << (image % 64)
	}
	seen := g.newState()
	seen.position, seen.plies = g.play.NewPosition(on), s.plies
	seen.update()
	if !slices.Equal(withoutMover(s), withoutMover(seen)) {
		t.Fatal("the tensors differ")
	}
	return seen
}

// withoutMover returns the tensor but for the plane that shows who is to move.
func withoutMover(s *state) []float32 {
	x := encoded(s)
	for _, e := range s.game.tensor.first {
		x[e.index] = 0
	}
	return x
}

func encoded(s *state) []float32 {
	x := make([]float32, s.game.env.Tensor.Size())
	s.Encode(x)
	return x
}

// TestBrokenSymmetry checks sheets that treat one cell, or one player, otherwise.
func TestBrokenSymmetry(t *testing.T) {
	ticTacToe := sheets.Text("tic-tac-toe")
	for _, c := range []struct{ name, text, want string }{
		{"a corner", ticTacToe + "(<= (line ?p) (role ?p) (true (cell r1 c1 ?p)) (true (cell r1 c2 ?p)) (true (cell r2 c1 ?p)))", "2 not turned"},
		{"a cell on the way", ticTacToe + "(<= (line ?p) (role ?p) (true (cell r1 c2 ?p)) (true (cell r1 c1 ?p)) (true (cell r2 c1 ?p)))" +
			"(<= (line ?p) (role ?p) (true (cell r1 c2 ?p)) (true (cell r3 c1 ?p)))", "1 not turned"},
		{"a player", ticTacToe + "(<= (line x) (true (cell r2 c2 x)) (true (cell r1 c1 x)) (true (cell r1 c3 x)))", "2 "},
		{"the start", strings.Replace(ticTacToe, "(row ?r) (column ?c))\n(init", "(row ?r) (column ?c) (distinct ?r r1))\n(init (cell r1 c1 b)) (init (cell r1 c2 x)) (init", 1) +
			"(init (cell r1 c3 b))", "2 "},
		{"a goal", strings.Replace(ticTacToe, "(<= (goal o 0) (line x))", "(<= (goal o 10) (line x))", 1), "8 not turned, own goals"},
	} {
		e, info := mustBuild(t, c.text)
		got := fmt.Sprint(len(e.Symmetries), " ", info.Frame)
		if info.OwnGoals {
			got += ", own goals"
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		envtest.Run(t, e)
	}
}
