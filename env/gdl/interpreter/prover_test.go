package interpreter

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/kif"
)

// TestRecursion asks for relations that need themselves and each other, with cycles in the facts.
func TestRecursion(t *testing.T) {
	g, err := New(t.Context(), `(role a) (edge 1 2) (edge 2 3) (edge 3 1) (edge 3 4) (edge 5 6) (init (marked 2)) (init (marked 5))
		(<= (path ?x ?y) (edge ?x ?y)) (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
		(<= (even ?x ?y) (edge ?x ?z) (odd ?z ?y)) (<= (even ?x ?x) (edge ?x ?y)) (<= (odd ?x ?y) (edge ?x ?z) (even ?z ?y))
		(<= (near ?x) (true (marked ?x))) (<= (near ?y) (near ?x) (edge ?x ?y))
		(<= (legal a (path 1 ?y)) (path 1 ?y)) (<= (legal a (path ?x 6)) (path ?x 6)) (<= (legal a loop) (path 2 2) (not (path 4 4)))
		(<= (legal a (even ?y)) (even 1 ?y)) (<= (legal a (odd ?y)) (odd 1 ?y)) (<= (legal a (near ?x)) (near ?x) (not (near 7)))`, MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	want := "(even 1) (even 2) (even 3) (near 1) (near 2) (near 3) (near 4) (near 5) (near 6) (odd 1) (odd 2) (odd 3) " +
		"(path 1 1) (path 1 2) (path 1 3) (path 1 4) (path 5 6) loop"
	if got := strings.Join(p.Legal("a"), " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestRandomRules compares random stratified rules, with recursion and negation, with plain evaluation of all instances.
func TestRandomRules(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		text := randomRules(rng)
		g, err := New(t.Context(), text, MaxTerms)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, err := g.Start()
		if err != nil {
			t.Fatal(err)
		}
		want := naive(t, text)
		for range 2 { // from the tables the second time
			if got := p.Legal("a"); !slices.Equal(got, want) {
				t.Fatalf("%s\nlegal are\n%v, want\n%v", text, got, want)
			}
		}
	}
}

// Relations of randomRules: strata of three, over three constants.
const (
	strata, perStratum, constants = 3, 3, 3
)

// randomRules returns a sheet whose relations of two arguments are all moves of the role a, and some of whose facts are.
func randomRules(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("(role a)\n")
	atom := func(relation int, args ...string) string {
		return fmt.Sprintf("(r%d %s)", relation, strings.Join(args, " "))
	}
	constant := func() string { return fmt.Sprint(rng.IntN(constants)) }
	for range 4 {
		fmt.Fprintf(&b, "(base %s %s) (init (f %s %s))\n", constant(), constant(), constant(), constant())
	}
	variables := []string{"?x", "?y", "?z"}
	word := func() string {
		if rng.IntN(6) == 0 {
			return constant()
		}
		return variables[rng.IntN(3)]
	}
	for r := range strata * perStratum {
		stratum := r / perStratum
		for range 1 + rng.IntN(3) {
			body := []string{"(pair ?x ?y) (pair ?y ?z)"} // safe
			if rng.IntN(2) == 0 {
				body[0] = "(true (f ?x ?y)) (true (f ?y ?z))"
			}
			for range 1 + rng.IntN(2) {
				body = append(body, atom(rng.IntN((stratum+1)*perStratum), word(), word()))
			}
			if stratum > 0 && rng.IntN(2) == 0 {
				body = append(body, "(not "+atom(rng.IntN(stratum*perStratum), word(), word())+")")
			}
			if rng.IntN(3) == 0 {
				one := func() string { return atom(rng.IntN((stratum+1)*perStratum), word(), word()) }
				body = append(body, fmt.Sprintf("(or %s (and %s %s) (true (f ?x ?z)))", one(), one(), one()))
			}
			rng.Shuffle(len(body), func(i, j int) { body[i], body[j] = body[j], body[i] })
			fmt.Fprintf(&b, "(<= %s %s)\n", atom(r, word(), word()), strings.Join(body, " "))
		}
		if rng.IntN(2) == 0 {
			b.WriteString(atom(r, constant(), constant()) + "\n")
		}
		fmt.Fprintf(&b, "(<= (legal a (all %d ?x ?y)) %s)\n", r, atom(r, "?x", "?y"))
		fmt.Fprintf(&b, "(<= (legal a (some %d ?x)) %s)\n", r, atom(r, "?x", constant()))
		fmt.Fprintf(&b, "(<= (legal a (is %d)) %s)\n", r, atom(r, constant(), constant()))
	}
	for x := range constants {
		for y := range constants {
			fmt.Fprintf(&b, "(pair %d %d)\n", x, y)
		}
	}
	return strings.ReplaceAll(b.String(), "(base ", "(pairs ")
}

// naive returns the legal moves of role a, sorted: it applies all rules to all constants until nothing is new, for the
// relations of one stratum after the other.
func naive(t *testing.T, text string) []string {
	rules, err := kif.ReadRules(text)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range rules {
		if r.Head.Name == "init" {
			known["(true "+r.Head.Args[0].String()+")"] = true
		}
	}
	for stratum := range strata + 1 {
		for changed := true; changed; {
			changed = false
			for _, r := range rules {
				var relation int
				if n, _ := fmt.Sscanf(r.Head.Name, "r%d", &relation); n == 1 && relation/perStratum > stratum || r.Head.Name == "legal" && stratum < strata {
					continue
				}
				for i := range constants * constants * constants {
					values := strings.NewReplacer("?x", fmt.Sprint(i%constants), "?y", fmt.Sprint(i/constants%constants), "?z", fmt.Sprint(i/constants/constants))
					var holds func(l kif.Term) bool
					holds = func(l kif.Term) bool {
						isFalse := func(l kif.Term) bool { return !holds(l) }
						switch l.Name {
						case "not":
							return !holds(l.Args[0])
						case "or":
							return slices.ContainsFunc(l.Args, holds)
						case "and":
							return !slices.ContainsFunc(l.Args, isFalse)
						}
						return known[values.Replace(l.String())]
					}
					if head := values.Replace(r.Head.String()); holds(kif.Term{Name: "and", Args: r.Body}) && !known[head] {
						known[head], changed = true, true
					}
				}
			}
		}
	}
	var legal []string
	for fact := range known {
		if move, ok := strings.CutPrefix(fact, "(legal a "); ok {
			legal = append(legal, strings.TrimSuffix(move, ")"))
		}
	}
	slices.Sort(legal)
	return legal
}

// TestWithin: an evaluation ends with its context, and a later one finds what the first did not.
func TestWithin(t *testing.T) {
	const digits = "(d 0) (d 1) (d 2) (d 3) (d 4) (d 5) (d 6) (d 7) (d 8) (d 9)"
	g, err := New(t.Context(), "(role a) "+digits+`(<= (legal a (m ?u ?v ?w ?x ?y ?z)) (d ?u) (d ?v) (d ?w) (d ?x) (d ?y) (d ?z) (true slow)) (init slow)
		(legal a wait) (<= (next fast) (does a wait))`, MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Start()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	g.Within(ctx)
	begin := time.Now()
	p.Legal("a")
	if took := time.Since(begin); !errors.Is(g.Err(), context.DeadlineExceeded) || took > time.Second {
		t.Errorf("after %v: %v", took, g.Err())
	}
	g.Within(t.Context())
	p, err = p.Next([]string{"wait"})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Legal("a"), p.True()); got != "[wait] [fast]" {
		t.Errorf("%s", got)
	}
}

// TestLimits: reading a sheet ends with the context, or at the given number of terms.
func TestLimits(t *testing.T) {
	text := "(role me) (nat z) (<= (nat (suc ?x)) (nat ?x)) (<= (init (c ?x)) (nat ?x)) (legal me go) (goal me 100)"
	if _, err := New(t.Context(), text, 5000); err == nil || err.Error() != "more than 5000 terms" {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := New(ctx, text, 1<<30); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > time.Second {
		t.Errorf("error %v after %v", err, time.Since(begin))
	}
}
