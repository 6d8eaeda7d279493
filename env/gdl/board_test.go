package gdl

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ludus/env/envtest"
	"ludus/env/gdl/sheets"
)

// TestHalfBoard finds the board of a game that uses the dark cells only.
func TestHalfBoard(t *testing.T) {
	var b strings.Builder
	for row := range 4 {
		for column := range 4 {
			if (row+column)%2 == 0 {
				fmt.Fprintf(&b, "(init (cell %c %d))", 'a'+column, row)
			}
		}
	}
	n, err := Read(t.Context(), b.String()+`
(role x) (role o) (<= (legal ?p (take ?c ?r)) (role ?p) (true (cell ?c ?r)))
(<= (next (cell ?c ?r)) (true (cell ?c ?r)))`)
	if err != nil {
		t.Fatal(err)
	}
	if board, _ := findBoard(n.Program, nil); board == nil || board.width() != 4 || board.height() != 4 {
		t.Errorf("board %v", board)
	}
}

// TestCellNames names cells by the constants of the sheet, where these are digits and letters.
func TestCellNames(t *testing.T) {
	for _, c := range []struct{ rows, columns, first, last string }{
		{"r1 r2 r3", "c1 c2 c3", "a1", "c3"},
		{"0 1 2", "0 1 2", "a0", "c2"},
		{"r5 r6 r7", "f g h", "f5", "h7"},
		{"up middle down", "1 2 3", "a1", "c3"},
		{"3 2 1", "c b a", "c3", "a1"},
	} {
		var pairs []string
		for i, name := range strings.Fields(c.rows) {
			pairs = append(pairs, fmt.Sprint("r", i+1), name)
		}
		for i, name := range strings.Fields(c.columns) {
			pairs = append(pairs, fmt.Sprint("c", i+1), name)
		}
		e, _ := mustBuild(t, strings.NewReplacer(pairs...).Replace(sheets.Text("tic-tac-toe")))
		rows, columns := strings.Fields(c.rows), strings.Fields(c.columns)
		for i, want := range map[int]string{0: c.first, 2: c.last} {
			a, err := e.ParseAction("mark " + rows[i] + " " + columns[i])
			if err != nil || e.ActionNames[a] != want {
				t.Errorf("%s, %s: move %d is %s, error %v; want %s", c.rows, c.columns, i, e.ActionNames[a], err, want)
			}
		}
		envtest.Run(t, e)
	}
}

// TestLargeBoard says that a board is too large, and turns one that fits when turned.
func TestLargeBoard(t *testing.T) {
	for size, want := range map[[2]int]string{
		{26, 27}: "The board is 26 x 27, from facts cell/3.", {27, 26}: "The board is 26 x 27, from facts cell/3.",
		{27, 27}: "The board is too large: 27 x 27, from facts cell/3. At most 26 columns and 60 rows", {2, 61}: "The board is too large: 2 x 61",
	} {
		text := twoPlayers + goals + `(<= (legal ?p (take ?c ?r)) (true (control ?p)) (true (cell ?c ?r full)))
			(<= (next (cell ?c ?r full)) (true (cell ?c ?r full)) (not (taken ?c ?r))) (<= (taken ?c ?r) (does ?p (take ?c ?r)))
			(<= (init (cell ?c ?r full)) (column ?c) (row ?r)) (<= terminal (not (true (cell 1 1 full))))`
		for c := range size[0] {
			text += fmt.Sprintf("(column %d)", c+1)
		}
		for r := range size[1] {
			text += fmt.Sprintf("(row %d)", r+1)
		}
		e, _ := mustBuild(t, text)
		if found := strings.Join(Findings(e), "\n"); !strings.Contains(found, want) {
			t.Errorf("%v: %q is missing in\n%s", size, want, found)
		}
	}
}

// TestScripts finds a board whose columns are letters of another script, and names its cells as people type them.
func TestScripts(t *testing.T) {
	e, info := mustBuild(t, strings.NewReplacer("c1", "а", "c2", "б", "c3", "в").Replace(sheets.Text("tic-tac-toe")))
	if a, err := e.ParseAction("mark r3 б"); err != nil || e.ActionNames[a] != "b3" || info.Board == "" {
		t.Errorf("board %q, move %d, error %v", info.Board, a, err)
	}
	envtest.Run(t, e)
}

// TestNoCoordinates finds no board where one of two ordered arguments holds roles, or a value that the other determines.
func TestNoCoordinates(t *testing.T) {
	said := `(val 1) (val 2) (val 3) (<= (legal ?p (say ?v)) (true (control ?p)) (val ?v))
		(<= (next (said ?p ?v)) (does ?p (say ?v))) (<= (next (said ?p ?v)) (true (said ?p ?v)) (does ?p noop))
		(<= terminal (true (said a ?v)) (true (said b ?w)))`
	for name, c := range map[string]struct{ text, board string }{
		"roles":  {twoPlayers + goals + said, ""},
		"values": {sheets.Text("nim"), ""},
		"cells":  {strings.ReplaceAll(sheets.Text("tic-tac-toe"), "(cell ?r ?c b)", "(cell ?r ?c n)"), "cell/3"},
	} {
		_, info := mustBuild(t, c.text)
		if !strings.HasSuffix(info.Board, c.board) || (info.Board == "") != (c.board == "") {
			t.Errorf("%s: board %q, want %q", name, info.Board, c.board)
		}
	}
}

// TestEmptyNames draws nothing on empty cells.
func TestEmptyNames(t *testing.T) {
	for _, name := range []string{"b", "nil", "empty"} {
		e, _ := mustBuild(t, strings.ReplaceAll(sheets.Text("tic-tac-toe"), "?c b)", "?c "+name+")"))
		if pieces := e.NewState().Pieces(nil); slices.Max(pieces) != 0 {
			t.Errorf("%s: pieces %v", name, pieces)
		}
	}
}
