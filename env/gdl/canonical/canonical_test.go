package canonical_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/canonical"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

func form(t *testing.T, text string) *canonical.Form {
	t.Helper()
	rules, err := kif.ReadRules(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := canonical.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestScrambled checks that scrambled sheets have the form of the sheet, and that translating their names gives the
// sheet's rules again.
func TestScrambled(t *testing.T) {
	for _, name := range sheets.Names() {
		t.Run(name, func(t *testing.T) {
			original := form(t, sheets.Text(name))
			for i := range 5 {
				text, _, err := sheets.Scramble(sheets.Text(name), rand.New(rand.NewPCG(uint64(i), 1)))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				f := form(t, text)
				if took := time.Since(start); i == 0 {
					t.Logf("%d names in %v", len(f.Names), took)
				}
				if f.Text != original.Text {
					t.Fatal("a scrambled sheet has another form")
				}
				if got, want := plain(t, text, f.Dictionary(original)), plain(t, sheets.Text(name), nil); !slices.Equal(got, want) {
					t.Fatal("a scrambled sheet with the sheet's names has other rules")
				}
			}
		})
	}
}

// plain returns the rules of a sheet in order, each without the names of variables. names are new names.
func plain(t *testing.T, text string, names map[string]string) []string {
	t.Helper()
	rules, err := kif.ReadRules(text)
	if err != nil {
		t.Fatal(err)
	}
	rename := func(name string) string {
		if to, ok := names[name]; ok {
			name = to
		}
		if name[0] == '?' {
			return "?"
		}
		return name
	}
	var list []string
	for _, r := range rules {
		var body []string
		for _, l := range r.Body {
			body = append(body, l.Rename(rename).String())
		}
		slices.Sort(body)
		list = append(list, r.Head.Rename(rename).String()+" <= "+strings.Join(body, " "))
	}
	slices.Sort(list)
	return list
}

// TestDifferent checks that different sheets have different forms: all of ours, and one with small changes.
func TestDifferent(t *testing.T) {
	seen := map[string]string{}
	for _, name := range sheets.Names() {
		f := form(t, sheets.Text(name))
		if other := seen[f.Text]; other != "" {
			t.Errorf("%s and %s have the same form", name, other)
		}
		seen[f.Text] = name
	}
	for _, pair := range [][2]string{
		{"(p a b) (p b c) (p c a)", "(p a b) (p b c) (p a c)"},
		{"(p 1 a)", "(p 2 a)"},
		{"(<= (p ?x) (q ?x ?y))", "(<= (p ?x) (q ?y ?x))"},
		{"(<= (p ?x) (q ?x) (r ?x))", "(<= (p ?x) (q ?x) (r ?y))"},
		{"(p a) (q a)", "(p a) (q b)"},
		// Two triangles and a hexagon: colours alone cannot tell them apart.
		{edges("ab bc ca de ef fd"), edges("ab bc cd de ef fa")},
	} {
		if form(t, pair[0]).Text == form(t, pair[1]).Text {
			t.Errorf("%q and %q have the same form", pair[0], pair[1])
		}
	}
}

// edges returns facts for the edges of an undirected graph.
func edges(list string) string {
	var facts []string
	for _, e := range strings.Fields(list) {
		facts = append(facts, fmt.Sprintf("(e %c %c) (e %c %c)", e[0], e[1], e[1], e[0]))
	}
	return strings.Join(facts, " ")
}

// TestSymmetric checks sheets with many symmetries: interchangeable names, a torus, and interchangeable variables.
func TestSymmetric(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var heaps, torus []string
	for i := range 30 {
		heaps = append(heaps, fmt.Sprintf("(heap h%d)", i))
	}
	for i := range 8 {
		for k := range 8 {
			torus = append(torus, fmt.Sprintf("(e c%d%d c%d%d) (e c%d%d c%d%d)", i, k, (i+1)%8, k, i, k, i, (k+1)%8))
		}
	}
	for _, text := range []string{
		strings.Join(heaps, "\n"),
		strings.Join(torus, "\n"),
		edges("ab bc ca de ef fd gh hi ig"),
		"(<= p (q ?a) (q ?b) (q ?c) (q ?d) (distinct ?a ?b) (distinct ?c ?d) (or (r ?a ?c) (r ?b ?d)))",
	} {
		want := form(t, text)
		for range 3 {
			other, _, err := sheets.Scramble(text, rng)
			if err != nil {
				t.Fatal(err)
			}
			if form(t, other).Text != want.Text {
				t.Errorf("%.60s: a scrambled sheet has another form", text)
			}
		}
	}
	// The arguments of distinct and the alternatives of or have no order.
	if form(t, "(<= p (distinct a b) (or a (q b)))").Text != form(t, "(<= p (or (q x) y) (distinct x y))").Text {
		t.Error("the order in distinct or or makes a difference")
	}
}

// TestBudget checks that a sheet that is too symmetric is refused.
func TestBudget(t *testing.T) {
	var facts []string
	for i := range 12 {
		facts = append(facts, fmt.Sprintf("(q ?v%d)", i))
	}
	rules, err := kif.ReadRules("(<= p " + strings.Join(facts, " ") + ")")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := canonical.New(rules); !errors.Is(err, canonical.ErrBudget) {
		t.Errorf("error %v, want ErrBudget", err)
	}
}

// TestForeignSheets scrambles every sheet in the folder that LUDUS_SHEETS names.
func TestForeignSheets(t *testing.T) {
	seen := map[string]string{}
	sheets.Foreign(t, func(t *testing.T, name, text string) {
		other, _, err := sheets.Scramble(text, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Skip(err)
		}
		var forms []*canonical.Form
		start := time.Now()
		for _, sheet := range []string{text, other} {
			rules, err := kif.ReadRules(sheet)
			if err != nil {
				t.Fatal(err)
			}
			f, err := canonical.New(rules)
			if err != nil {
				t.Fatal(err)
			}
			forms = append(forms, f)
		}
		if took := time.Since(start) / 2; took > time.Second/4 {
			t.Logf("%v", took)
		}
		if forms[0].Text != forms[1].Text {
			t.Error("the scrambled sheet has another form")
		}
		if twin := seen[forms[0].Text]; twin != "" {
			t.Logf("%s is the same game", twin)
		}
		seen[forms[0].Text] = name
	})
}
