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
		want := ""
		switch {
		case name == "nim":
			want = "-v4" // once it had a board
		case len(plain.Figures) > 0 || info.OwnGoals:
			want = "-v3"
		case info.Frame != "":
			want = "-v2"
		}
		if _, v, _ := parseName(plain.Name, plain.Sheet); !strings.HasSuffix(plain.Name, want+")") || v.layout == firstLayout != (want == "") {
			t.Errorf("%s has frame %q and %d figures", plain.Name, info.Frame, len(plain.Figures))
		}
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
		if info.Frame == "" || info.OwnGoals != (len(g.first) > 0) {
			t.Errorf("%s: frame %q, own goals %t, %d entries for First", name, info.Frame, info.OwnGoals, len(g.first))
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
	for i := range g.net.Next {
		if s.position.On()[i/64]>>(i%64)&1 == 0 {
			continue
		}
		image := slices.IndexFunc(g.entries, func(e []entry) bool { return slices.Equal(e, g.framed[i]) })
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
	x := tensor(s)
	for _, e := range s.game.first {
		x[e.index] = 0
	}
	return x
}

func tensor(s *state) []float32 {
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

// TestOldNames checks that games of names of earlier versions keep their tensors, and their networks the form.
func TestOldNames(t *testing.T) {
	for _, c := range []struct {
		name, sheet string
		planes      int
		framed      bool
		figures     int
	}{
		{"gdl(breakthrough-6x6-733c46b7)", "breakthrough-6x6", 5, false, 0},
		{"gdl(breakthrough-6x6-733c46b7-v2)", "breakthrough-6x6", 5, true, 0},
		{"gdl(two-marks-2dc2dcd3)", "two-marks", 6, false, 0},
		{"gdl(two-marks-2dc2dcd3-v2)", "two-marks", 8, true, 0},
		{"gdl(two-marks-2dc2dcd3-v3)", "two-marks", 8, true, 28},
		{"gdl(race-2f48fe48-56)", "race", 7, false, 0},
		{"gdl(race-2f48fe48-56-v2)", "race", 7, true, 0},
		{"gdl(quad-5x5-e86f958b)", "quad-5x5", 8, false, 0},
		{"gdl(quad-5x5-e86f958b-v3)", "quad-5x5", 9, true, 37},
		{"gdl(reversi-e9dfb92b-144)", "reversi", 7, false, 0},
		{"gdl(reversi-e9dfb92b-144-v3)", "reversi", 8, true, 0},
	} {
		e, err := Restore(t.Context(), c.name, sheets.Text(c.sheet))
		if err != nil {
			t.Fatal(err)
		}
		g := e.NewState().(*state).game
		framed := !slices.EqualFunc(g.entries, g.framed, slices.Equal)
		if e.Name != c.name || e.Tensor.C != c.planes || framed != c.framed || len(e.Figures) != c.figures {
			t.Errorf("%s: name %s, %d planes, framed %t, %d figures", c.name, e.Name, e.Tensor.C, framed, len(e.Figures))
		}
	}
	for _, name := range []string{"gdl(quad-5x5-e86f958b-v2)", "gdl(breakthrough-6x6-733c46b7-v3)"} {
		sheet := strings.TrimPrefix(name[:strings.LastIndex(name, "-")], "gdl(")
		if _, err := Restore(t.Context(), name, sheets.Text(sheet[:strings.LastIndex(sheet, "-")])); err == nil {
			t.Errorf("%s is the name of a game", name)
		}
	}
}
