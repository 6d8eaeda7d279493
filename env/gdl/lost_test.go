package gdl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/sheets"
)

// TestLostFacts takes rules away that carry facts over.
func TestLostFacts(t *testing.T) {
	for _, c := range []struct{ name, rule, fact string }{
		{"tic-tac-toe", "(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (marked ?r ?c)))", "(cell r1 c1 b)"},
		{"breakthrough-6x6", "(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (changed ?x ?y)))", "(cell 1 1 white)"},
		{"connect-four", "(<= (next (cell ?x ?y b)) (true (cell ?x ?y b)) (not (filled ?x ?y)))", "(cell 1 1 b)"},
		{"nim", "(<= (next (left ?h ?n)) (true (left ?h ?n)) (not (taken ?h)))", "(left a 1)"},
		{"reversi", "(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (turned ?r ?c)) (not (placed ?r ?c)))", "(cell r3 c3 white)"},
	} {
		text := sheets.Text(c.name)
		changed := strings.Replace(text, c.rule, "", 1)
		circuit, err := Read(t.Context(), changed)
		if err != nil || changed == text {
			t.Fatalf("%s: error %v", c.name, err)
		}
		warnings := fmt.Sprint(check(changed, circuit))
		if want := "every move makes all facts like " + c.fact + " false. "; !strings.Contains(warnings, want) || !strings.HasPrefix(warnings, "[line ") {
			t.Errorf("%s: warnings %s, want %s", c.name, warnings, want)
		}
	}
}

// TestNoLostFacts finds no facts to be lost in sheets that are right.
func TestNoLostFacts(t *testing.T) {
	for _, name := range sheets.Names() {
		e, _, err := New(t.Context(), name, sheets.Text(name))
		if err != nil || len(Warnings(e)) > 0 {
			t.Errorf("%s: error %v, warnings %v", name, err, Warnings(e))
		}
	}
	sheets.Foreign(t, func(t *testing.T, name, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		circuit, err := Read(ctx, text)
		if err != nil {
			t.Skip(err)
		}
		for _, i := range lostFluents(circuit) {
			t.Errorf("%s is lost", circuit.Program.Terms.Text(circuit.Program.Fluents[i]))
		}
		if len(circuit.Program.Roles) != 2 {
			return
		}
		if e, _, err := New(ctx, name, text); err == nil {
			g := e.NewState().(*state).game
			if h := g.trial.warnings(); len(h) > 0 {
				t.Log(name, h)
			}
		}
	})
}
