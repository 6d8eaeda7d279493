package ground_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

func groundText(ctx context.Context, text string, limits ground.Limits) (*ground.Program, error) {
	rules, err := kif.ReadRules(text)
	if err != nil {
		return nil, err
	}
	return ground.Ground(ctx, rules, limits)
}

// TestSizes compares numbers of fluents and moves with counts by hand.
func TestSizes(t *testing.T) {
	for name, want := range map[string][2]int{
		"tic-tac-toe":  {9*3 + 2, 9 + 1},
		"connect-four": {42*3 + 2, 42 + 1},
		"hex":          {25*3 + 2, 25 + 1},
		"quad-7x7":     {45*4 + 2*(13+6) + 2, 2*45 + 1},
		"race":         {2*13 + 4 + 2, 3 + 1},
		"two-marks":    {25*3 + 4, 25 + 1},
	} {
		p, err := groundText(t.Context(), sheets.Text(name), ground.DefaultLimits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := [2]int{len(p.Fluents), len(p.Moves[0])}; got != want {
			t.Errorf("%s: %d fluents and moves, want %d", name, got, want)
		}
	}
}

const tiny = "(role a) (role b) (init (s 0)) (<= (legal ?r go) (role ?r)) (succ 0 1)\n"

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"(init x)":                                            "no (role",
		"(role a)\n(role random)":                             "line 2, column 1: the role random",
		"(role a)\n(<= (sees a b) (true c))":                  "line 2, column 5: sees",
		"(role a)\n(<= (p ?x) (not q))\n(<= terminal (p a))":  "line 2, column 1: the variable ?x",
		"(role a)\n(<= p (not q))\n(<= q p)\n(<= terminal p)": "depends on its own negation",
		"(role a)\n(<= (true p) q)":                           "true cannot be the head",
		"(role a)\n(<= (legal a) q)":                          "legal has 1 arguments; it takes 2",
		"(role a)\n(<= (init p) (true q))":                    "init depends on the position",
		tiny + "(<= (goal a (+ 1)) (true (s 0)))":             "not a number from 0 to 100",
		tiny + "(<= (goal a 101) (true (s 0)))":               "not a number from 0 to 100",
		tiny + "(<= terminal (does a go))":                    "terminal depends on does",
		tiny + "(<= (next (s (t ?x))) (true (s ?x)))":         "line 2, column 1: the rules nest terms without end",
	} {
		_, err := groundText(t.Context(), text, ground.DefaultLimits)
		var e *kif.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestLimits checks that a rule with too many instances is refused in time, and that the error names it.
func TestLimits(t *testing.T) {
	text := tiny + strings.Repeat("(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7)\n", 1) +
		"(<= (next (p ?a ?b ?c ?d ?e ?f ?g ?h)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))"
	limits := ground.Limits{Instances: 1000, Atoms: 1 << 20, Depth: 10, Work: 1 << 20}
	_, err := groundText(t.Context(), text, limits)
	if err == nil || !strings.Contains(err.Error(), "line 3, column 1: the rules have more than 1000 instances") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err = groundText(ctx, text, ground.DefaultLimits); err == nil || !strings.Contains(err.Error(), "the time ran out") {
		t.Errorf("error %v", err)
	}
}

// FuzzGround checks that no text makes Ground panic or run for long.
func FuzzGround(f *testing.F) {
	for _, name := range []string{"tic-tac-toe", "nim", "hex", "race"} {
		f.Add(sheets.Text(name))
	}
	f.Add(tiny + "(<= (next (s ?y)) (or (true (s ?x)) (not (and p q))) (succ ?x ?y))")
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = groundText(t.Context(), text, ground.Limits{Instances: 1 << 12, Atoms: 1 << 12, Depth: 10, Work: 1 << 16})
	})
}
