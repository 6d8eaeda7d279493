package games_test

import (
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
)

// This file is a whole game, the example of CONTRIBUTING.md. In package games, and without the tests at its end, it would
// add the game to every command. It has another name than the tic-tac-toe of line_up.go, which is faster.

var _ = games.Register(games.Family{
	Name:    "noughts-and-crosses",
	Params:  []games.Param{games.Number("size", 3, 3, 5)},
	Aliases: []games.Alias{{Name: "noughts-and-crosses-3x3", Full: "noughts-and-crosses(size=3)"}},
	Build:   buildTicTacToe,
})

func buildTicTacToe(v games.Values) (*env.Game, error) {
	size := v.Number("size")
	g := &env.Game{
		Players:  [2]string{"x", "o"},
		Summary:  "fill a row, a column or a diagonal",
		Rules:    "Players mark empty cells in turn; x begins. Whoever fills a row, a column or a diagonal wins.",
		Strategy: "Make two threats at once: the other side can stop only one.",
		Tensor:   env.Shape{H: size, W: size},
		Planes: []string{
			"own pieces: 1 on each cell that the mover has marked, 0 elsewhere",
			"other's pieces: 1 on each cell that the opponent has marked, 0 elsewhere",
			"mover is x: 1 on every cell if x is to move, otherwise 0",
		},
		PolicyNames: []string{"mark"},
		Classes:     env.WinDrawLoss,
		MaxPlies:    size * size,
		Drawing:     env.Drawing{Rows: env.Labels("r", 1, size), Columns: env.Labels("c", 1, size)},
	}
	for cell := range size * size {
		g.AddAction("mark", env.Placed(cell))
	}
	g.Symmetries = g.SquareSymmetries()
	env.Derive(g, ticTacToe{size: size, outcome: env.Unfinished})
	return g.Finish(nil), nil
}

// ticTacToe is a position.
type ticTacToe struct {
	size    int
	owned   [2][25]bool // by player and cell
	plies   int
	outcome int
}

func (t *ticTacToe) Player() env.Player { return env.Player(t.plies % 2) }
func (t *ticTacToe) Outcome() int       { return t.outcome }

func (t *ticTacToe) Legal(dst []env.Action) []env.Action {
	for cell := range t.size * t.size {
		if !t.owned[env.First][cell] && !t.owned[env.Second][cell] {
			dst = append(dst, env.Action(cell))
		}
	}
	return dst
}

func (t *ticTacToe) Apply(a env.Action) {
	p := t.Player()
	t.owned[p][a] = true
	t.plies++
	if n := t.size; t.fills(p, 0, n+1) || t.fills(p, n-1, n-1) || t.fills(p, int(a)/n*n, 1) || t.fills(p, int(a)%n, n) {
		t.outcome = 2 * int(p) // class 0 is x's win, class 2 is x's loss
	} else if t.plies == n*n {
		t.outcome = 1
	}
}

// fills reports whether p owns a whole line of cells, given by its first cell and the step from each to the next.
func (t *ticTacToe) fills(p env.Player, first, step int) bool {
	for i := range t.size {
		if !t.owned[p][first+i*step] {
			return false
		}
	}
	return true
}

func (t *ticTacToe) Key() (k env.Key) {
	for p := range t.owned {
		for cell, owned := range t.owned[p] {
			if owned {
				k[p] |= 1 << cell
			}
		}
	}
	return k // whose turn it is follows from the number of marks
}

func (t *ticTacToe) Encode(dst []float32) {
	n, p := t.size*t.size, t.Player()
	clear(dst)
	for cell := range n {
		if t.owned[p][cell] {
			dst[cell] = 1
		}
		if t.owned[p.Opponent()][cell] {
			dst[n+cell] = 1
		}
		if p == env.First {
			dst[2*n+cell] = 1
		}
	}
}

func (t *ticTacToe) Pieces(dst []uint8) []uint8 {
	for cell := range t.size * t.size {
		piece := uint8(0)
		for p := range t.owned {
			if t.owned[p][cell] {
				piece = uint8(p + 1)
			}
		}
		dst = append(dst, piece)
	}
	return dst
}

// TestTicTacToe runs the conformance suite. For a game in package games, TestConformance does.
func TestTicTacToe(t *testing.T) {
	for _, name := range []string{"noughts-and-crosses", "noughts-and-crosses(size=4)"} {
		envtest.Run(t, games.Must(name))
	}
}
