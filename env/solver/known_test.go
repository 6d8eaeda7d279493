package solver_test

import (
	"testing"

	"ludus/env/games"
	"ludus/env/solver"
)

// BestPlay agrees with SOLVED.md, knows the games that people play first, and claims nothing about others.
func TestBestPlay(t *testing.T) {
	for name, want := range map[string]int{
		"quad-5x5": 1, "connect-four": 1, "othello-6x6": -1, "othello": 0, "hex": -1, "hex(size=5,swap=0)": 1, "hex(size=4)": -1,
		"tic-tac-toe": 0, "breakthrough(columns=2,rows=6)": 1, "free-for-all(size=5,steps=14)": -1, "line-up(width=4,height=4,line=4)": 0,
	} {
		if got, ok := solver.BestPlay(games.Must(name)); !ok || got != want {
			t.Errorf("%s: %d, %v; want %d", name, got, ok, want)
		}
	}
	for _, name := range []string{"breakthrough-6x6", "quad-7x7", "gomoku-9x9", "golden-rectangle", "free-for-all-2p"} {
		if got, ok := solver.BestPlay(games.Must(name)); ok {
			t.Errorf("%s: %d, although nobody knows", name, got)
		}
	}
}
