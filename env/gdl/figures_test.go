package gdl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/gdl"
	"ludus/env/gdl/sheets"
)

// TestFigures compares the figures of sheets, scrambled ones too, with those of the same games written in Go; those of
// Othello are in no rule.
func TestFigures(t *testing.T) {
	for sheet, name := range sheets.Natives {
		native := games.Must(name)
		want := slices.SortedFunc(slices.Values(native.Figures), slices.Compare)
		if native.Family == "othello" {
			want = nil
		}
		plain := mustNew(t, sheet)
		if !slices.EqualFunc(plain.Figures, want, slices.Equal) {
			t.Errorf("%s: figures %v, want %v", sheet, plain.Figures, want)
		}
		for seed := range uint64(3) {
			text, _, err := sheets.Scramble(sheets.Text(sheet), rand.New(rand.NewPCG(seed, 9)))
			if err != nil {
				t.Fatal(err)
			}
			g, _, err := gdl.New(t.Context(), sheet, text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(turned(plain), func(f [][]int32) bool { return slices.EqualFunc(f, g.Figures, slices.Equal) }) {
				t.Errorf("%s, scrambled: figures %v, want %v", sheet, g.Figures, plain.Figures)
			}
		}
	}
}

// turned returns a game's figures on the board and on the board with rows and columns exchanged or in reverse, which
// happens if names are scrambled.
func turned(g *env.Game) (all [][][]int32) {
	h, w := g.Tensor.H, g.Tensor.W
	for k := range 8 {
		var list [][]int32
		for _, figure := range g.Figures {
			var cells []int32
			for _, cell := range figure {
				r, c, width := int(cell)/w, int(cell)%w, w
				if k&1 != 0 {
					r = h - 1 - r
				}
				if k&2 != 0 {
					c = w - 1 - c
				}
				if k&4 != 0 {
					r, c, width = c, r, h
				}
				cells = append(cells, int32(r*width+c))
			}
			slices.Sort(cells)
			list = append(list, cells)
		}
		slices.SortFunc(list, slices.Compare)
		all = append(all, list)
	}
	return all
}

// TestFigureRules changes how tic-tac-toe is won.
func TestFigureRules(t *testing.T) {
	ticTacToe := sheets.Text("tic-tac-toe")
	over := strings.Replace(ticTacToe, "(<= terminal (line ?p))", "(<= terminal (over))", 1)
	const lines = "[[0 1 2] [0 3 6] [0 4 8] [1 4 7] [2 4 6] [2 5 8] [3 4 5] [6 7 8]]"
	for _, c := range []struct{ name, text, want string }{
		{"lines", ticTacToe, lines},
		{"a blank cell besides", over + "(<= over (line ?p) open)", lines},
		{"by steps", strings.Replace(ticTacToe, "(true (cell ?r c2 ?p)) (true (cell ?r c3 ?p))", "(rest ?r ?p)", 1) +
			"(<= (rest ?r ?p) (true (cell ?r c2 ?p)) (last ?r ?p)) (<= (last ?r ?p) (true (cell ?r c3 ?p)))", lines},
		{"within others", ticTacToe +
			"(<= terminal (true (cell r1 c1 x)) (true (cell r1 c2 x)) (true (cell r2 c1 x)) (true (cell r2 c2 x)))" +
			"(<= terminal (true (cell r1 c1 x)) (true (cell r1 c2 x)) (true (cell r2 c1 x)))",
			"[[0 1 2] [0 1 3 4] [0 3 6] [0 4 8] [1 4 7] [2 4 6] [2 5 8] [3 4 5] [6 7 8]]"},
		{"a full board", ticTacToe + "(<= (taken ?r ?c) (role ?p) (true (cell ?r ?c ?p))) (<= (fullrow ?r) (taken ?r c1) (taken ?r c2) (taken ?r c3))" +
			"(<= terminal (fullrow r1) (fullrow r2) (fullrow r3))", lines},
		{"two cells", strings.NewReplacer(" (true (cell ?r c3 ?p))", "", " (true (cell r3 ?c ?p))", "", " (true (cell r3 c3 ?p))", "",
			" (true (cell r3 c1 ?p))", "").Replace(ticTacToe), "[]"},
	} {
		g, _, err := gdl.New(t.Context(), "small", c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := fmt.Sprint(g.Figures); got != c.want {
			t.Errorf("%s: figures %s, want %s", c.name, got, c.want)
		}
		envtest.Run(t, g)
	}
}
