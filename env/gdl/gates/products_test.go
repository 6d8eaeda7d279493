package gates

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env/gdl/ground"
)

// TestProducts compares products of random gates without negations with the gates: one holds if one of its products does.
func TestProducts(t *testing.T) {
	const fluents = 8
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := &Circuit{Program: &ground.Program{}, table: newTable(fluents)}
		refs := []Ref{}
		for i := range fluents {
			refs = append(refs, n.Fluent(i))
		}
		for range 6 {
			var inputs []Ref
			for range 2 + rng.IntN(2) {
				inputs = append(inputs, refs[rng.IntN(len(refs))])
			}
			if rng.IntN(2) == 0 {
				refs = append(refs, n.table.and(inputs))
			} else {
				refs = append(refs, n.table.or(inputs))
			}
		}
		result := refs[len(refs)-1]
		list := n.Products([]Ref{result}, slices.Repeat([]bool{true}, fluents))
		for position := range 1 << fluents {
			on := func(i int32) bool { return position>>i&1 != 0 }
			want := valueOf(n.table, result, on)
			if got := slices.ContainsFunc(list, func(p []int32) bool { return !slices.ContainsFunc(p, func(i int32) bool { return !on(i) }) }); got != want {
				t.Fatalf("products %v give %t in position %b, want %t", list, got, position, want)
			}
		}
	}
}

// valueOf computes a gate the slow way.
func valueOf(t *table, r Ref, on func(fluent int32) bool) bool {
	value, inputs := r.Gate() > 0, t.of(r.Gate())
	if len(inputs) == 0 && value {
		value = on(int32(r.Gate() - 1))
	}
	for _, x := range inputs {
		value = value && valueOf(t, x, on)
	}
	return value != (r&1 != 0)
}

// TestProductsLimits checks what is left out: negated fluents, those that do not count, and alternatives with too many
// products.
func TestProductsLimits(t *testing.T) {
	const fluents = 40
	n := &Circuit{Program: &ground.Program{}, table: newTable(fluents)}
	g := n.table
	var sums []Ref // of 10 fluents each
	for k := range 4 {
		var refs []Ref
		for i := range 10 {
			refs = append(refs, n.Fluent(10*k+i))
		}
		sums = append(sums, g.or(refs))
	}
	many := g.and(slices.Clone(sums)) // 10,000 products
	counts := slices.Repeat([]bool{true}, fluents)
	counts[3] = false
	few := g.and([]Ref{n.Fluent(1), n.Fluent(2).Not(), n.Fluent(3), n.Fluent(4), sums[0]})
	result := g.or([]Ref{many, few})
	got := n.Products([]Ref{result, few}, counts)
	want := [][]int32{{0, 1, 4}, {1, 2, 4}, {1, 4}, {1, 4, 5}, {1, 4, 6}, {1, 4, 7}, {1, 4, 8}, {1, 4, 9}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("products %v, want %v", got, want)
	}
	if got := n.Products([]Ref{many, g.and([]Ref{many, n.Fluent(1)})}, counts); len(got) > 0 {
		t.Errorf("%d products of a gate with 10,000", len(got))
	}
}
