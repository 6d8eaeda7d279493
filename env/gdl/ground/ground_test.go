package ground_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strconv"
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
		"(role a)\n(<= (goal a 0) (not (goal a 0)))":          "goal 0 depends on its own negation",
		"(role a)\n(<= (true p) q)":                           "true cannot be the head",
		"(role a)\n(<= (legal a) q)":                          "legal has 1 arguments; it takes 2",
		"(role a)\n(<= (init p) (true q))":                    "init depends on the position",
		tiny + "(<= (goal a (+ 1)) (true (s 0)))":             "not a number from 0 to 100",
		tiny + "(<= (goal a 101) (true (s 0)))":               "not a number from 0 to 100",
		tiny + "(<= terminal (does a go))":                    "terminal depends on does",
		tiny + "(<= n1 n2) (<= n1 (does a go)) (<= n2 n3) (<= n2 n1) (<= n3 n2) (<= terminal n3)": "terminal depends on does",
		tiny + "(<= (next (s (t ?x))) (true (s ?x)))":                                             "line 2, column 1: this rule nests terms without end",
	} {
		_, err := groundText(t.Context(), text, ground.DefaultLimits)
		var e *kif.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// TestLongBody grounds a rule with more literals than a join can handle.
func TestLongBody(t *testing.T) {
	const n = 200
	for text, want := range map[string]int{
		"(<= (next all)" + repeated(n, " (true (s #))") + ")":                      n,
		"(<= (next all)" + repeated(n, " (not (true (s #)))") + ")":                n,
		"(<= (next (all ?x))" + repeated(n, " (true (s #)) (true (q # ?x))") + ")": 2 * n,
	} {
		p, err := groundText(t.Context(), tiny+repeated(n, "(init (s #)) (init (q # 1)) (init (q # 2)) (<= (next (s #)) (true (s #)))")+text,
			ground.DefaultLimits)
		if err != nil {
			t.Errorf("%.40s: %v", text, err)
			continue
		}
		for f, a := range p.Next {
			if p.Terms.Name(f) == "all" {
				if got := len(needs(p, a)); got != want {
					t.Errorf("%.40s: %d fluents are needed, want %d", text, got, want)
				}
			}
		}
	}
}

// needs returns the atoms that an atom depends on and that have no rules: inputs.
func needs(p *ground.Program, a ground.Term) map[ground.Term]bool {
	found := map[ground.Term]bool{}
	var visit func(a ground.Term)
	visit = func(a ground.Term) {
		if p.Rules[a] == nil {
			found[a] = true
		}
		for _, body := range p.Rules[a] {
			for _, l := range body {
				visit(ground.Term(max(l, ^l)))
			}
		}
	}
	visit(a)
	return found
}

// unlimited are limits for tests that look at one of them.
var unlimited = ground.Limits{Instances: 1 << 30, Atoms: 1 << 30, Depth: 100, Work: 1 << 30, Memory: math.MaxInt}

// eight is a rule with 8^8 instances.
var eight = tiny + "(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7)\n" +
	"(<= (next (p ?a ?b ?c ?d ?e ?f ?g ?h)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f) (d ?g) (d ?h))"

// TestLimits checks that a rule with too many instances is refused in time, and that the error names it.
func TestLimits(t *testing.T) {
	few, small := unlimited, unlimited
	few.Instances, small.Memory = 1000, 1<<20
	for want, limits := range map[string]ground.Limits{
		"line 3, column 1: the rules have more than 1000 instances":        few,
		"line 3, column 1: grounding takes more than 1 MB of memory; this": small,
	} {
		if _, err := groundText(t.Context(), eight, limits); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := groundText(ctx, eight, unlimited); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "grounding was not finished") {
		t.Errorf("error %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := groundText(ctx, eight, unlimited); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// repeated joins n texts; each has its number in place of #.
func repeated(n int, text string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
	}
	return b.String()
}

// TestLargeRules checks that rules of an unreasonable size are refused at once, within a bounded memory.
func TestLargeRules(t *testing.T) {
	for text, want := range map[string]string{
		"(p" + repeated(100_000, " ?x#") + ")":                      "line 2, column 1: a rule with 100000 variables; at most 128",
		"(<= (p ?x)" + repeated(2000, " (q # ?x)") + ")":            "line 2, column 1: a rule with 2000 conditions; at most 1024",
		"(<= (p ?x) (or" + repeated(2000, " (not (q # ?x))") + "))": "a rule with 2000 conditions",
		"(p" + repeated(65, " #") + ")":                             "line 2, column 1: p with 65 arguments; at most 64",
		// Alternatives with different variables cannot become a predicate: 2^12 clauses each.
		repeated(1000, "(<= (next (p# ?x)) (d ?x)"+repeated(12, " (or (not (true (s ?x))) (not (true (s 0))) )")+")\n"): "or turns the rules up to this one into too many",
		// A term of 20^12 names.
		"(<= (next (s (f" + strings.Repeat(" ?x", 20) + "))) (true (s ?x)))": "this rule makes a term of next with more than 4096 names",
		// Tests of terms that no fact has.
		"(<= (next (p ?a)) (d ?a) (d ?b) (d ?c) (d ?d) (distinct (f ?a ?b ?c ?d) (g ?a ?b ?c ?d)))\n" +
			repeated(40, "(d #)"): "grounding takes more than 32 MB of memory",
	} {
		limits := unlimited
		limits.Memory = 32 << 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_, err := groundText(t.Context(), tiny+text, limits)
		took := time.Since(begin)
		runtime.ReadMemStats(&after)
		mb := (after.TotalAlloc - before.TotalAlloc) >> 20
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: error %v, want one with %q", text, err, want)
		}
		if mb > 512 {
			t.Errorf("%.60q: %d MB were allocated", text, mb)
		}
		t.Logf("%.40q: %v, %d MB allocated", text, took, mb)
	}
}

// FuzzGround checks that no text makes Ground panic, or allocate much more than its limits allow.
func FuzzGround(f *testing.F) {
	for _, name := range []string{"tic-tac-toe", "nim", "hex", "race"} {
		f.Add(sheets.Text(name))
	}
	f.Add(tiny + "(<= (next (s ?y)) (or (true (s ?x)) (not (and p q))) (succ ?x ?y))")
	f.Add(tiny + "(<= (next (s (f ?x ?x))) (true (s ?x)))")
	f.Add(eight)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return // TestLargeRules has larger ones
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = groundText(t.Context(), text, ground.Limits{Instances: 1 << 12, Atoms: 1 << 12, Depth: 10, Work: 1 << 16, Memory: 8 << 20})
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 512 {
			t.Errorf("%d MB were allocated", mb)
		}
	})
}

// TestNestingRule names the rule that nests terms, though another one costs more.
func TestNestingRule(t *testing.T) {
	_, err := groundText(t.Context(), `(role x) (init (num zero))
		(<= (legal ?p (grow ?n)) (role ?p) (true (num ?n)))
		(<= (legal ?p (see ?n ?m)) (role ?p) (true (num ?n)) (true (num ?m)))
		(<= (next (num (s ?n))) (true (num ?n)))`, ground.DefaultLimits)
	if err == nil || !strings.HasPrefix(err.Error(), "line 4, ") {
		t.Errorf("error %v, want line 4", err)
	}
}
