package gates

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestPossible compares with all values of a few fluents, for random gates.
func TestPossible(t *testing.T) {
	const fluents = 6
	rng := rand.New(rand.NewPCG(7, 7))
	counts := map[bool]int{}
	for range 2000 {
		f := &Folder{table: newTable(fluents), given: make([]Ref, fluents+1)}
		refs := []Ref{}
		for i := range fluents {
			refs = append(refs, Ref(2*(1+i)))
		}
		random := func() Ref { return refs[rng.IntN(len(refs))] ^ Ref(rng.IntN(2)) }
		for range 12 {
			refs = append(refs, f.table.and([]Ref{random(), random(), random()}))
		}
		groups := [][]int{{0, 1, 2}, {2, 3}}[:rng.IntN(3)]
		f.Exclude(groups)
		asked := []Ref{random(), random(), random()}
		want := false
		for values := range 1 << fluents {
			ok := true
			for _, group := range groups {
				set := 0
				for _, i := range group {
					set |= 1 << i
				}
				ok = ok && bits.OnesCount(uint(values&set)) <= 1
			}
			for _, r := range asked {
				ok = ok && holds(f.table, values, r)
			}
			want = want || ok
		}
		if got := f.Possible(asked...); got != want {
			t.Fatalf("possible is %t, want %t", got, want)
		}
		counts[want]++
		if got, want := f.Exclusive(asked[:2], asked[2:]), !f.Possible(asked...); got != want && asked[0] != asked[1] {
			t.Fatalf("exclusive is %t, want %t", got, want)
		}
	}
	if min(counts[true], counts[false]) < 300 {
		t.Errorf("not a fair mix: %v", counts)
	}
}

// holds computes a gate; bit i of values is fluent i.
func holds(t *table, values int, r Ref) bool {
	gate := r.Gate()
	result := gate > 0
	refs := t.of(gate)
	if gate > 0 && len(refs) == 0 {
		result = values>>(gate-1)&1 != 0
	}
	for _, x := range refs {
		result = result && holds(t, values, x)
	}
	return result != (r&1 != 0)
}
