package gates

import (
	"slices"
	"testing"

	"ludus/env/gdl/ground"
	"ludus/env/gdl/kif"
)

// TestMatch looks for automorphisms of a small game: marks spread along the edges of a square.
func TestMatch(t *testing.T) {
	const square = `(role a) (role b)
		(edge 1 2) (edge 2 3) (edge 3 4) (edge 4 1) (edge 2 1) (edge 3 2) (edge 4 3) (edge 1 4)
		(<= (node ?n) (edge ?n ?m))
		(<= (legal ?p (take ?n)) (role ?p) (node ?n) (not (true (taken ?n ?p))))
		(<= (next (taken ?n ?p)) (does ?p (take ?n)))
		(<= (next (taken ?n ?p)) (true (taken ?n ?p)))
		(<= (near ?n ?p) (true (taken ?n ?p)))
		(<= (near ?m ?p) (near ?n ?p) (edge ?n ?m) (true (taken ?m ?q)) (role ?q))
		(<= terminal (near 1 a) (near 2 a) (near 3 b))
		(<= terminal (near 1 b) (near 2 b) (near 3 a))
		(<= (goal ?p 100) (near 4 ?p)) (<= (goal ?p 0) (role ?p) (not (near 4 ?p)))`
	rules, err := kif.ReadRules(square)
	if err != nil {
		t.Fatal(err)
	}
	p, err := ground.Ground(t.Context(), rules, ground.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.blocks) == 0 {
		t.Fatal("no loops")
	}
	inputs := n.firstGate() - 1
	// labels names each input by its node, or not; it exchanges nodes and roles.
	labels := func(nodes, roles map[string]string) []uint64 {
		list := make([]uint64, inputs)
		set := func(k int, t ground.Term, role string, kind uint64) {
			node := p.Terms.Name(p.Terms.Args(t)[0])
			if other, ok := nodes[node]; ok {
				node = other
			}
			if other, ok := roles[role]; ok {
				role = other
			}
			list[k] = Mix(Mix(kind, uint64(node[0])), uint64(role[0]))
		}
		for i, f := range p.Fluents {
			set(n.Fluent(i).Gate()-1, f, p.Terms.Name(p.Terms.Args(f)[1]), 1)
		}
		for role, moves := range p.Moves {
			for i, m := range moves {
				set(n.Move(role, i).Gate()-1, m, p.Terms.Name(p.Roles[role]), 2)
			}
		}
		return list
	}
	plain, swap := labels(nil, nil), map[string]string{"a": "b", "b": "a"}
	for _, c := range []struct {
		name         string
		nodes, roles map[string]string
		becomes      []int
		want         bool
	}{
		{"nothing", nil, nil, []int{0, 1}, true},
		{"roles", nil, swap, []int{1, 0}, true},
		{"roles, but not their goals", nil, swap, []int{0, 1}, false},
		{"1 and 2", map[string]string{"1": "2", "2": "1"}, nil, []int{0, 1}, false}, // 4 is no neighbour of 2
		{"1 and 3", map[string]string{"1": "3", "3": "1"}, nil, []int{0, 1}, false}, // the end treats them otherwise
	} {
		images := n.NewMatcher(1<<20, n.Goals).Match(labels(c.nodes, c.roles), plain, c.becomes)
		if (images != nil) != c.want {
			t.Errorf("%s: %v, want an automorphism: %t", c.name, images, c.want)
		}
	}
	if n.NewMatcher(1<<20, make([][]Goal, 2)).Match(labels(nil, swap), plain, []int{0, 1}) == nil {
		t.Error("without goals, roles that keep their own are not exchanged")
	}
	if n.NewMatcher(0, n.Goals).Match(plain, plain, []int{0, 1}) != nil {
		t.Error("loops that look alike are told apart without any work")
	}
	// Without labels everything looks alike to begin with, and inputs stay where they are if they can.
	same := make([]uint64, inputs)
	images := n.NewMatcher(1<<20, n.Goals).Match(same, same, []int{0, 1})
	if images == nil || slices.ContainsFunc(images, func(k int32) bool { return images[k] != k }) {
		t.Errorf("images %v, want each itself", images)
	}
}
