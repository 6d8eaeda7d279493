package gdl

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

// TestHints looks for undefined names.
func TestHints(t *testing.T) {
	const begin = "(role x) (role o) (init (cell 1 b)) (succ 1 2)\n"
	for _, c := range []struct{ rules, want string }{
		{"", "[]"},
		{"(<= (legal ?p (mark ?n)) (true (cel ?n b)))", "[line 2, column 32: no init and no next makes (cel ?n b) true (perhaps cell is meant)]"},
		{"(<= (next (cell ?n ?v)) (true (cell ?n ?v ?w)))", "[line 2, column 31: no init and no next makes (cell ?n ?v ?w) true (elsewhere cell has 2 arguments)]"},
		{"(<= (next (cell ?n ?p)) (does ?p (mark ?n)) (not (suc 1 ?n)) (not (suc ?n 1)))", "[line 2, column 34: no rule makes the move (mark ?n) legal " +
			"line 2, column 50: no rule and no fact gives (suc 1 ?n) (perhaps succ is meant)]"},
		{"(<= terminal (or open (distinct 1 2) full))", "[line 2, column 18: no rule and no fact gives open line 2, column 38: no rule and no fact gives full]"},
		{"(<= (next ?f) (true ?f)) (<= (legal x ?m) (does x ?m)) (<= terminal (true (anything)) (does x any) (goal x 100))", "[]"},
		{"(", "[]"},
	} {
		if got := fmt.Sprint(Hints(begin + c.rules)); got != c.want {
			t.Errorf("%s: %s, want %s", c.rules, got, c.want)
		}
	}
	for _, name := range sheets.Names() {
		if hints := Hints(sheets.Text(name)); len(hints) > 0 {
			t.Errorf("%s: %v", name, hints)
		}
	}
}

// TestExplain builds games of sheets with a misspelt word.
func TestExplain(t *testing.T) {
	ticTacToe := sheets.Text("tic-tac-toe")
	for _, c := range []struct{ from, to, problem, rules string }{
		{"(<= (legal ?p (mark ?r ?c)) (true (control ?p))", "(<= (legal ?p (mark ?r ?c)) (true (contrl ?p))",
			"(contrl ?p) true (perhaps control is meant). The sheet is refused because ", ""},
		{"(<= (init (cell ?r ?c b)) (row ?r)", "(<= (init (cell ?r ?c b)) (rwo ?r)",
			"(rwo ?r) (perhaps row is meant). The sheet is refused because ", ""},
		{"(true (cell r2 c2 ?p)) (true (cell r3 c1 ?p))", "(true (cel r2 c2 ?p)) (true (cell r3 c1 ?p))", "",
			"mistakes in the sheet: line 30, column 54: no init and no next makes (cel r2 c2 ?p) true (perhaps cell is meant)."},
		{"(row r1) (row r2) (row r3)", "(row r1) (row r2) (row r3) (<= (goal ?z 3) (wins x))", "the variable ?z", ""},
	} {
		text := strings.Replace(ticTacToe, c.from, c.to, 1)
		if text == ticTacToe {
			t.Fatalf("no %s", c.from)
		}
		e, _, err := New(t.Context(), "misspelt", text)
		switch {
		case c.problem == "" && (err != nil || !strings.Contains(e.Rules, c.rules)):
			t.Errorf("error %v, rules %s, want %s", err, e.Rules, c.rules)
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
