package gdl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

// TestWarnings looks for undefined names.
func TestWarnings(t *testing.T) {
	const begin = "(role x) (role o) (init (cell 1 b)) (succ 1 2)\n"
	for _, c := range []struct{ rules, want string }{
		{"", "[]"},
		{"(<= (legal ?p (mark ?n)) (true (cel ?n b)))", "[line 2, column 32: no init and no next makes (cel ?n b) true (perhaps cell is meant)]"},
		{"(<= (legal ?p (mark ?n)) (true (cell ?n b)) (int 0))", "[line 2, column 45: no rule and no fact gives (int 0)]"},
		{"(<= (next (cell ?n ?v)) (true (cell ?n ?v ?w)))", "[line 2, column 31: no init and no next makes (cell ?n ?v ?w) true (elsewhere cell has 2 arguments)]"},
		{"(<= (next (cell ?n ?p)) (does ?p (mark ?n)) (not (suc 1 ?n)) (not (suc ?n 1)))", "[line 2, column 34: no rule makes the move (mark ?n) legal " +
			"line 2, column 50: no rule and no fact gives (suc 1 ?n) (perhaps succ is meant)]"},
		{"(<= terminal (or open (distinct 1 2) full))", "[line 2, column 18: no rule and no fact gives open line 2, column 38: no rule and no fact gives full]"},
		{"(<= (next ?f) (true ?f)) (<= (legal x ?m) (does x ?m)) (<= terminal (true (anything)) (does x any) (goal x 100))", "[]"},
		{"(<= (nxt (cell ?n b)) (true (cell ?n b))) (gaol x 100) (<= (leagal ?p go) (role ?p)) (<= (terminl) (true (cell 1 b)))",
			"[line 2, column 5: nothing asks for (nxt (cell ?n b)) (perhaps next is meant) line 2, column 43: nothing asks for (gaol x 100) (perhaps goal is meant) " +
				"line 2, column 60: nothing asks for (leagal ?p go) (perhaps legal is meant) line 2, column 90: nothing asks for terminl (perhaps terminal is meant)]"},
		{"(legal 0 noop) (<= (goal xx 0) (true (cell ?n b))) (<= (next (cell 1 b)) (does o noop) (or (does oo noop)))",
			"[line 2, column 8: nobody has the role 0 (perhaps o is meant) line 2, column 26: nobody has the role xx (perhaps x is meant) " +
				"line 2, column 98: nobody has the role oo (perhaps o is meant)]"},
		{"(<= (line ?p) (role ?p)) (<= (base (cell 1 ?v)) (value ?v)) (value b)", "[]"},
		{"(nextRank 1) (nextrank 1)", "[line 2, column 15: nextrank and nextRank (line 2, column 2) are two words, so upper and lower case differ in the whole sheet]"},
		{"(", "[]"},
	} {
		if got := fmt.Sprint(check(begin+c.rules, nil)); got != c.want {
			t.Errorf("%s: %s, want %s", c.rules, got, c.want)
		}
	}
}

// TestExplain builds games of sheets with a misspelt word.
func TestExplain(t *testing.T) {
	ticTacToe := sheets.Text("tic-tac-toe")
	for _, c := range []struct{ from, to, problem, warnings string }{
		{"(<= (legal ?p (mark ?r ?c)) (true (control ?p))", "(<= (legal ?p (mark ?r ?c)) (true (contrl ?p))",
			"(contrl ?p) true (perhaps control is meant). The sheet is refused because ", ""},
		{"(<= (init (cell ?r ?c b)) (row ?r)", "(<= (init (cell ?r ?c b)) (rwo ?r)",
			"(rwo ?r) (perhaps row is meant). The sheet is refused because ", ""},
		{"(true (cell r2 c2 ?p)) (true (cell r3 c1 ?p))", "(true (cel r2 c2 ?p)) (true (cell r3 c1 ?p))", "",
			"line 30, column 54: no init and no next makes (cel r2 c2 ?p) true (perhaps cell is meant)"},
		{"(true (cell r2 c2 ?p)) (true (cell r3 c1 ?p))", "(true (cell r2 c2 ?p)) (true (cell r3 cc1 ?p))", "",
			"line 30, column 71: (true (cell r3 cc1 ?p)) never holds: no position has such a fact"},
		{"(init (control x))", "", "line 16, column 29: (true (control ?p)) never holds: no position has such a fact; line 17, column 20: (true (control o)) never holds: ", ""},
		{"(<= (legal x noop) (true (control o)))", "(<= (legal x noop) (true (control oo)))", "line 17, column 20: (true (control oo)) never holds: no position has such a fact. The sheet", ""},
		{"(true (cell ?r ?c b)))", "(true (cell ?r ?c d)))", "line 16, column 49: (true (cell ?r ?c d)) never holds: no position has such a fact; line 21, column 28: (does ?p (mark ?r ?c)) never holds: nobody ever has such a move; ", ""},
		{"(legal ?p (mark ?r ?c)) (true (control ?p))", "(legal ?p (mark ?r ?c)), (true (control ?p))", "line 16, column 1: a comma in this rule: blanks alone separate words. The sheet is refused because ", ""},
		{"(<= (next (cell ?r ?c ?v))", "(<= (next (cell ?r, ?c ?v))", "line 22, column 1: the variable ?r, must stand in a condition of this rule that is neither a not nor a distinct. Also: line 22, column 1: a comma in this rule: blanks", ""},
		{"(init (control x))", "(init control x)", "line 13, column 1: init has 2 arguments; it takes 1", ""},
		{"(<= terminal (not open))", "(<= (terminl) (not open))", "line 35, column 5: nothing asks for terminl (perhaps terminal is meant). The sheet is refused because ", ""},
		{"(<= (goal ?p 50)", "(<= (goall ?p 50)", "line 41, column 5: nothing asks for (goall ?p 50) (perhaps goal is meant). The sheet is refused because ", ""},
		{"(<= (next (cell ?r ?c ?v))", "(<= (nxt (cell ?r ?c ?v))", "", "line 22, column 5: nothing asks for (nxt (cell ?r ?c ?v)) (perhaps next is meant)"},
		{"(row r1) (row r2) (row r3)", "(row r1) (row r2) (row r3) (<= (goal ?z 3) (wins x))", "the variable ?z", ""},
		{"(<= (legal x noop) (true (control o)))", "(<= (legal x noop) (tru (control o))) (<= (p ?z) terminal) (<= (goal x 3) (p x))", ". Also: line 17, column 20: no rule and no fact gives (tru (control o))", ""},
	} {
		text := strings.Replace(ticTacToe, c.from, c.to, 1)
		if text == ticTacToe {
			t.Fatalf("no %s", c.from)
		}
		e, _, err := New(t.Context(), "misspelt", text)
		switch {
		case c.problem == "" && (err != nil || textOf(Warnings(e)) != c.warnings):
			t.Errorf("error %v, warnings %s, want %s", err, textOf(Warnings(e)), c.warnings)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("error %v, want %s", err, c.problem)
		case c.problem != "":
			if place := new(kif.Error); !errors.As(err, &place) {
				t.Errorf("%v has no place", err)
			}
			t.Log(err)
		}
	}
}

// TestSureWarnings tells sure mistakes from likely ones.
func TestSureWarnings(t *testing.T) {
	const begin = "(role x) (role o) (init (cell 1 b)) (<= (legal x (mark ?n)) (true (cell ?n b)))\n"
	for text, want := range map[string]bool{
		"(<= (nxt (cell ?n b)) (true (cell ?n b)))": true,
		"(<= (terminl) (true (cell 1 b)))":          true,
		"(<= (gaol x 100) (true (cell 1 b)))":       true,
		"(gaol x 100)":                              false,
		"(int 0)":                                   false,
		"(<= terminal (true (cel 1 b)))":            true,
		"(<= terminal (true (cell 1)))":             true,
		"(<= terminal (true (other 1)))":            false,
		"(<= terminal (wins x))":                    false,
		"(<= terminal (true (cell 1, b)))":          true,
	} {
		for _, w := range check(begin+text, nil) {
			if w.Sure != want {
				t.Errorf("%s: sure %t of %s", text, w.Sure, w)
			}
		}
	}
}
