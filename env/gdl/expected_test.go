package gdl

import (
	"fmt"
	"strings"
	"testing"

	"ludus/env/gdl/sheets"
)

// expected is what is found in our sheets, see foundIn.
var expected = map[string]string{
	"breakthrough-6x6": `board "6 x 6", tensor {5 6 6}, 216 actions, 0 extra, ` +
		`2 symmetries, 0 figures, frame "rows in reverse", 108 plies: proven, 3 classes`,
	"connect-four": `board "7 x 6", tensor {6 6 7}, 42 actions, 0 extra, ` +
		`2 symmetries, 69 figures, frame "not turned", 42 plies: proven, 3 classes`,
	"free-for-all-2p": `board "7 x 5", tensor {8 5 7}, 561 actions, 1 extra, ` +
		`2 symmetries, 0 figures, frame "columns in reverse", 30 plies: proven, 21 classes`,
	"golden-rectangle": `board "7 x 8", tensor {8 8 7}, 56 actions, 0 extra, ` +
		`2 symmetries, 150 figures, frame "not turned, own goals", 56 plies: proven, 2 classes`,
	"hex": `board "5 x 5", tensor {6 5 5}, 25 actions, 0 extra, ` +
		`1 symmetries, 0 figures, frame "rows and columns exchanged", 25 plies: proven, 3 classes`,
	"nim": `board "", tensor {8 1 1}, 16 actions, 0 extra, ` +
		`1 symmetries, 0 figures, frame "not turned", 16 plies: proven, 3 classes`,
	"quad-5x5": `board "5 x 5", tensor {9 5 5}, 25 actions, 0 extra, ` +
		`8 symmetries, 37 figures, frame "not turned, own goals", 21 plies: proven, 5 classes`,
	"quad-7x7": `board "7 x 7", tensor {12 7 7}, 98 actions, 0 extra, ` +
		`8 symmetries, 175 figures, frame "not turned, own goals", 45 plies: proven, 7 classes`,
	"race": `board "", tensor {7 1 1}, 3 actions, 0 extra, ` +
		`1 symmetries, 0 figures, frame "not turned", 56 plies: a cap, 3 classes`,
	"reversi": `board "6 x 6", tensor {8 6 6}, 37 actions, 1 extra, ` +
		`1 symmetries, 0 figures, frame "not turned, own goals", 144 plies: a cap, 3 classes`,
	"tic-tac-toe": `board "3 x 3", tensor {6 3 3}, 9 actions, 0 extra, ` +
		`8 symmetries, 8 figures, frame "not turned", 9 plies: proven, 3 classes`,
	"two-marks": `board "5 x 5", tensor {8 5 5}, 25 actions, 0 extra, ` +
		`8 symmetries, 28 figures, frame "not turned", 25 plies: proven, 3 classes`,
}

// foundIn says in a line what is found in a sheet: its board, the size of tensor and policy, symmetries, figures and how the board is
// turned for Second, the longest game, the classes.
func foundIn(t *testing.T, text string) string {
	t.Helper()
	e, info, err := New(t.Context(), "sheet", text)
	if err != nil {
		return err.Error()
	}
	end := "proven"
	if !info.Proven {
		end = "a cap"
	}
	board, _, _ := strings.Cut(info.Board, ",")
	frame := info.Frame
	if info.OwnGoals {
		frame += ", own goals"
	}
	return fmt.Sprintf("board %q, tensor %v, %d actions, %d extra, %d symmetries, %d figures, frame %q, %d plies: %s, %d classes", board, e.Tensor,
		e.NumActions(), e.PolicyExtras, len(e.Symmetries), len(e.Figures), frame, e.MaxPlies, end, len(e.Classes))
}

// TestExpected compares what is found in our sheets with a table.
func TestExpected(t *testing.T) {
	for _, name := range sheets.Names() {
		if got := foundIn(t, sheets.Text(name)); got != expected[name] {
			t.Errorf("%s: %s\nwant %s", name, got, expected[name])
		}
	}
	if len(expected) != len(sheets.Names()) {
		t.Errorf("%d sheets are expected, there are %d", len(expected), len(sheets.Names()))
	}
}

// TestRefusedSheets compares the reasons of refusals with a table: small changes of tic-tac-toe, and small sheets.
func TestRefusedSheets(t *testing.T) {
	ticTacToe := sheets.Text("tic-tac-toe")
	change := func(from, to string) string {
		t.Helper()
		if !strings.Contains(ticTacToe, from) {
			t.Fatalf("no %s", from)
		}
		return strings.Replace(ticTacToe, from, to, 1)
	}
	const xor = `(role x) (role o) (init (p 0)) (init (q 0)) (init (step 0)) (other 0 1) (other 1 0)
		(<= xmoves (true (p ?i)) (true (q ?i)))
		(choice c) (choice d)
		(<= (legal x ?c) (choice ?c) xmoves) (<= (legal x noop) (not xmoves))
		(<= (legal o ?c) (choice ?c) (not xmoves)) (<= (legal o noop) xmoves)
		(<= (next (p ?j)) xmoves (true (p ?i)) (other ?i ?j)) (<= (next (p ?i)) (not xmoves) (true (p ?i)))
		(<= (next (q ?j)) (not xmoves) (true (q ?i)) (other ?i ?j)) (<= (next (q ?i)) xmoves (true (q ?i)))
		(<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1))) (<= terminal (true (step 2)))
		(goal x 100) (goal o 0) (<= (goal x 0) (true (p 7)))`
	for _, c := range []struct{ name, text, want string }{
		{"no role", "(init a)", "line 1, column 1: the sheet has no (role ...)"},
		{"one role", change("(role o)", ""), "the sheet has one role; only games of two players are supported"},
		{"three roles", change("(role o)", "(role o) (role z)"), "the sheet has 3 roles; only games of two players are supported"},
		{"chance", change("(role o)", "(role random)"), "line 3, column 1: the role random: games with chance are not supported"},
		{"hidden", ticTacToe + "(<= (sees ?p ?m) (does ?p ?m))", "games with hidden information are not supported"},
		{"both choose", change("(<= (legal ?p (mark ?r ?c)) (true (control ?p)) ", "(<= (legal ?p (mark ?r ?c)) (role ?p) "),
			"x and o both have a choice, in the position "},
		{"no proof", xor, "it is not shown that players take turns: "},
		{"no noop", change("(<= (legal x noop) (true (control o)))", ""), "x, who is not to move, has no legal move such as noop, in the position "},
		{"no turn", change("(<= (next (control x)) (true (control o)))", ""), "x has no legal move, and the game is not over, in the position "},
		{"no winner", change("(<= (next (cell ?r ?c ?p)) (does ?p (mark ?r ?c)))", ""), "all goals are equal: nobody can win"},
		{"two goals", ticTacToe + "(<= (goal ?p 20) (line ?p))", "the game is over, and "},
		{"over at once", ticTacToe + "terminal", "the game is over at its start: terminal holds in the first position"},
		{"unsafe", ticTacToe + "(<= (line ?p) (row ?r))", "the variable ?p must stand in a condition of this rule that is neither a not nor a distinct"},
		{"negation", ticTacToe + "(<= (line x) (not (line x)))", "line depends on its own negation"},
		{"arguments", ticTacToe + "(<= (legal ?p) (role ?p))", "legal has 1 arguments; it takes 2"},
		{"brackets", ticTacToe + "(", "this bracket is never closed"},
	} {
		if got := foundIn(t, c.text); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
