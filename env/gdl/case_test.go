package gdl

import (
	"strings"
	"testing"

	"ludus/env/gdl/sheets"
)

// TestCase reads a sheet in capitals as the same in lower case. Where names differ in case only, they are different.
func TestCase(t *testing.T) {
	text := sheets.Text("tic-tac-toe")
	game, _, err := New(t.Context(), "t", strings.ToUpper(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := game.ActionTexts[0]; got != strings.ToLower(got) {
		t.Errorf("a move is %s", got)
	}
	// The moves (take A) and (take a) are two.
	game, _, err = New(t.Context(), "t", `(role x) (role o) (init (control x)) (init (left 4)) (after 4 3) (after 3 2) (after 2 1) (after 1 0)
		(other x o) (other o x) (<= (legal ?p (take A)) (true (control ?p))) (<= (legal ?p (take a)) (true (control ?p)))
		(<= (legal ?q noop) (true (control ?p)) (other ?p ?q)) (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
		(<= (next (left ?m)) (true (left ?n)) (after ?n ?m)) (<= terminal (true (left 0)))
		(<= (next A) (does ?p (take A))) (<= (goal x 100) (true A)) (<= (goal x 0) (not (true A)))
		(<= (goal o 0) (true A)) (<= (goal o 100) (not (true A)))`)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for a, text := range game.ActionTexts {
		parsed, err := game.ParseAction(text)
		if err != nil || int(parsed) != a || seen[game.ActionNames[a]] || game.ActionNames[a] == "" {
			t.Errorf("%s is move %d, named %q, and read as %d (%v)", text, a, game.ActionNames[a], parsed, err)
		}
		seen[game.ActionNames[a]] = true
	}
	if len(seen) != 2 || !seen["take A"] || !seen["take a"] {
		t.Errorf("moves %v", seen)
	}
	for _, text := range []string{"TAKE A", "(TAKE  a)", "Take a"} {
		if a, err := game.ParseAction(text); err == nil {
			t.Errorf("%s is read as %s", text, game.ActionTexts[a])
		}
	}
}
