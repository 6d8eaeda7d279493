package interpreter

import (
	"slices"
	"strings"
	"testing"
)

// TestDerivation checks a recursion, or, not, distinct, a repeated variable and moves with arguments.
func TestDerivation(t *testing.T) {
	g, err := New(t.Context(), `(role a) (role b) (init (at 1 1)) (init (pair 2 2)) (init (pair 2 3))
		(succ 1 2) (succ 2 3) (succ 3 4)
		(<= (above ?x ?y) (succ ?y ?x)) (<= (above ?x ?z) (above ?x ?y) (succ ?z ?y))
		(<= (legal a (go ?x ?y)) (true (at ?x ?y)))
		(<= (legal a (go ?x ?x)) (above ?x 1) (not (true (pair ?x ?x))))
		(<= (legal b (pick ?x)) (true (pair ?x ?x)))
		(<= (legal b (pick ?y)) (true (pair ?x ?y)) (distinct ?x ?y))
		(<= (legal b (same ?y)) (true (pair ?x ?y)) (not (distinct ?x ?y)))
		(<= (next (at ?y ?x)) (does a (go ?x ?y)) (does b (pick ?x)))
		(<= (next (pair ?x 1)) (or (does b (pick ?x)) (does a (go 3 ?x))))
		(<= terminal (true (at ?x ?y)) (above ?x 2))
		(<= (goal a 100) terminal) (<= (goal a 0) (not terminal)) (goal b 50)`, MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, got []string, want ...string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	check("roles", g.Roles, "a", "b")
	check("start", p.True(), "(at 1 1)", "(pair 2 2)", "(pair 2 3)")
	check("moves of a", p.Legal("a"), "(go 1 1)", "(go 3 3)", "(go 4 4)")
	check("moves of b", p.Legal("b"), "(pick 2)", "(pick 3)", "(same 2)")
	if p.Terminal() || !slices.Equal(p.Goals("a"), []int{0}) || !slices.Equal(p.Goals("b"), []int{50}) {
		t.Errorf("terminal %t, goals %v and %v", p.Terminal(), p.Goals("a"), p.Goals("b"))
	}
	next, err := p.Next([]string{"(go 3 3)", "(pick 3)"})
	if err != nil {
		t.Fatal(err)
	}
	check("next position", next.True(), "(at 3 3)", "(pair 3 1)")
	if !next.Terminal() || !slices.Equal(next.Goals("a"), []int{100}) {
		t.Errorf("terminal %t, goals of a %v", next.Terminal(), next.Goals("a"))
	}
	check("the position before", p.Legal("b"), "(pick 2)", "(pick 3)", "(same 2)")
	if _, err := p.Next([]string{"(go ?x 1)", "(pick 3)"}); err == nil {
		t.Error("a move with a variable is accepted")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(<= p (not q)) (<= q p)", "depends on its own negation"},
		{"(<= (p ?x) (q 1)) (q 1)", "free variable"},
		{"(<= p (not (q ?x))) (q 1)", "free in a negation"},
		{"(<= terminal (does a x))", "terminal depends on does"},
	} {
		if _, err := New(t.Context(), c.text, MaxTerms); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
}
