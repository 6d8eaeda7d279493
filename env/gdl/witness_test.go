package gdl

import (
	"slices"
	"strings"
	"testing"

	"ludus/env/gdl/sheets"
)

// TestWitness breaks laws in the sheet of tic-tac-toe, and checks the games that show it.
func TestWitness(t *testing.T) {
	text := sheets.Text("tic-tac-toe")
	for _, c := range []struct{ from, to, law string }{
		{"", "", ""},
		{"(true (control ?p)) (true (cell ?r ?c b))", "(role ?p) (true (cell ?r ?c b))", "x and o both have a choice"},
		{"(<= (legal o noop) (true (control x)))", "", "o, who is not to move, has no legal move such as noop"},
		{"(<= terminal (not open))", "", "has no legal move, and the game is not over"},
		{"(<= (goal x 0) (line o))", "", "the game is over, and x has no goal"},
		{"(not (line x)) (not (line o))", "(not (line x))", " and 50"},
		{"(<= terminal (line ?p))\n(<= terminal (not open))", "", "has no legal move, and the game is not over"},
	} {
		net, err := Read(t.Context(), strings.Replace(text, c.from, c.to, 1))
		if err != nil {
			t.Fatal(err)
		}
		w := FindWitness(t.Context(), net)
		if w == nil {
			if c.law != "" {
				t.Errorf("no witness of %q", c.law)
			}
			continue
		}
		if c.law == "" || !strings.Contains(w.Law, c.law) {
			t.Errorf("law %q is broken, want %q", w.Law, c.law)
		}
		first, last := w.Positions[0], w.Positions[len(w.Positions)-1]
		if len(first.Facts) != 10 || !slices.Contains(first.Facts, "(control x)") || slices.Max(first.Pieces) != 0 {
			t.Errorf("%s: the first position is %+v", w.Law, first)
		}
		if last.Moves != nil || len(last.Pieces) != 9 {
			t.Errorf("%s: the last position is %+v", w.Law, last)
		}
		for ply, p := range w.Positions[:len(w.Positions)-1] {
			marked := 0
			for _, kind := range w.Positions[ply+1].Pieces {
				if kind > 0 {
					marked++
				}
			}
			if len(p.Moves) != 2 || marked != ply+1 {
				t.Errorf("%s: ply %d has moves %q and leads to %d marks", w.Law, ply, p.Moves, marked)
			}
		}
	}
}

// TestWitnessLong finds a game that never ends.
func TestWitnessLong(t *testing.T) {
	net, err := Read(t.Context(), `(role a) (role b) (init (turn a)) (<= (legal ?p go) (role ?p))
		(<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a))) (<= terminal (true (turn c)))
		(<= (goal ?p 50) (role ?p))`)
	if err != nil {
		t.Fatal(err)
	}
	if w := FindWitness(t.Context(), net); w == nil || w.Law != "the game is not over after 5000 plies" || len(w.Positions) != 5001 {
		t.Errorf("witness %+v", w)
	}
}
