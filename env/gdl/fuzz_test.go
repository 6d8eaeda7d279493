package gdl

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
)

// FuzzMutations changes rules of our sheets at random. No such sheet makes the pipeline panic, and games of those that are
// accepted can be played to their ends.
func FuzzMutations(f *testing.F) {
	names := []string{"tic-tac-toe", "nim", "race", "two-marks"}
	for i := range names {
		f.Add(uint8(i), uint64(1), uint8(1))
		f.Add(uint8(i), uint64(2), uint8(3))
	}
	f.Fuzz(func(t *testing.T, sheet uint8, seed uint64, changes uint8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		rules, err := kif.ReadRules(sheets.Text(names[int(sheet)%len(names)]))
		if err != nil {
			t.Fatal(err)
		}
		for range 1 + changes%6 {
			mutate(rules, rng)
		}
		var lines []string
		for _, r := range rules {
			lines = append(lines, r.String())
		}
		text := strings.Join(lines, "\n")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		again, err := kif.ReadRules(text) // the mutation may have made a literal where none may stand
		if err != nil {
			return
		}
		p, err := ground.Ground(ctx, again, ground.Limits{Instances: 1 << 16, Atoms: 1 << 14, Depth: 10, Work: 1 << 20, Memory: 64 << 20})
		if err != nil {
			return
		}
		net, err := gates.New(t.Context(), p)
		if err != nil {
			return
		}
		g, _, err := FromCircuit(ctx, "mutation", text, net)
		if err != nil {
			FindWitness(ctx, net)
			return
		}
		for range 3 {
			plies := 0
			for state := g.NewState(); !state.Done(); plies++ {
				state.Apply(state.RandomAction(rng.Uint64()))
			}
			if plies > g.MaxPlies {
				t.Fatalf("%d plies, at most %d are possible:\n%s", plies, g.MaxPlies, text)
			}
		}
	})
}

// mutate changes one rule.
func mutate(rules []kif.Rule, rng *rand.Rand) {
	r, other := &rules[rng.IntN(len(rules))], &rules[rng.IntN(len(rules))]
	switch k := rng.IntN(7); {
	case k == 0 && len(r.Body) > 0: // drop a literal
		i := rng.IntN(len(r.Body))
		r.Body = append(r.Body[:i:i], r.Body[i+1:]...)
	case k == 1 && len(other.Body) > 0: // add another rule's
		r.Body = append(r.Body[:len(r.Body):len(r.Body)], other.Body[rng.IntN(len(other.Body))])
	case k == 2 && len(r.Body) > 0: // negate one
		i := rng.IntN(len(r.Body))
		r.Body[i] = kif.Term{Name: "not", Args: []kif.Term{r.Body[i]}}
	case k == 3:
		r.Head = other.Head
	case k == 4:
		*r = *other
	case k == 5: // another head, with the names of its terms exchanged
		r.Head = exchange(r.Head, other.Head, rng)
	case len(r.Body) > 0:
		i := rng.IntN(len(r.Body))
		r.Body[i] = exchange(r.Body[i], other.Head, rng)
	}
}

// exchange returns a copy of a term in which one argument is one of another term.
func exchange(t, from kif.Term, rng *rand.Rand) kif.Term {
	if len(t.Args) == 0 || len(from.Args) == 0 {
		return t
	}
	t.Args = append([]kif.Term(nil), t.Args...)
	i := rng.IntN(len(t.Args))
	if rng.IntN(2) == 0 {
		t.Args[i] = from.Args[rng.IntN(len(from.Args))]
	} else {
		t.Args[i] = exchange(t.Args[i], from.Args[rng.IntN(len(from.Args))], rng)
	}
	return t
}
