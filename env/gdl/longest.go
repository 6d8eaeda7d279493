package gdl

import (
	"context"
	"fmt"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// longest is what is known about the longest game.
type longest struct {
	plies int
	proof string // for people; "" if plies is a cap
}

// findLongest looks for a proof that games end. Proofs that came later have a folder of their own: what a folder holds
// could change what is found about counters, and so the tensors of runs on an older layout.
func findLongest(ctx context.Context, n *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	if l, ok := countedGame(n, f); ok {
		return l, true
	}
	if l, ok := usedUpGame(ctx, n, f, t); ok {
		return l, true
	}
	return progressGame(ctx, n, n.NewFolder(), t)
}

// maxSteps is the largest number of fluents that are tried as a counter of steps.
const maxSteps = 2048

// countedGame looks for fluents of one name of which exactly one is true, and the next one does not depend on moves,
// until the game ends.
func countedGame(n *gates.Circuit, f *gates.Folder) (longest, bool) {
	p := n.Program
	for _, set := range turnSets(p, maxSteps) {
		start := slices.IndexFunc(set, func(i int) bool { return slices.Contains(p.Init, p.Fluents[i]) })
		if start < 0 {
			break
		}
		c := set[start]
		for plies := range len(set) {
			assume(n, f, set, c, nil, nil)
			if f.Fold(n.Terminal) == gates.True {
				return longest{plies, fmt.Sprintf("counted by facts like %s", p.Terms.Text(p.Fluents[c]))}, true
			}
			next := -1
			for _, i := range set {
				switch r := f.Fold(n.Next[i]); {
				case r == gates.False:
				case r == gates.True && next < 0:
					next = i
				default:
					next = len(p.Fluents) // not decided
				}
			}
			if next < 0 || next == len(p.Fluents) {
				break
			}
			c = next
		}
	}
	return longest{}, false
}

// usedUpGame looks for fluents that every move uses up. It gives them weights: a move turns one of them false, and can
// turn only those true whose weights add up to less. So the sum of the weights of the first position bounds the plies.
func usedUpGame(ctx context.Context, n *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	p := n.Program
	best := longest{}
	for _, set := range fluentSets(p) {
		if ctx.Err() != nil {
			break
		}
		f.Trim()
		if plies, ok := weigh(ctx, n, f, t, set); ok && (best.proof == "" || plies < best.plies) {
			best = longest{plies, fmt.Sprintf("every move uses up a fact like %s", p.Terms.Text(p.Fluents[set[0]]))}
		}
	}
	return best, best.proof != ""
}

// fluentSets lists sets of fluents to weigh: those of one name, and of one name with a constant at one place.
func fluentSets(p *ground.Program) [][]int {
	groups := map[string][]int{}
	var order []string
	add := func(key string, i int) {
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], i)
	}
	for i, f := range p.Fluents {
		name := groupName(p, f)
		add(name, i)
		for k, a := range p.Terms.Args(f) {
			add(fmt.Sprint(name, " ", k, " ", a), i)
		}
	}
	var sets [][]int
	starts := p.Starts()
	for _, key := range order {
		if len(groups[key]) > 1 && countTrue(starts, groups[key]) > 0 {
			sets = append(sets, groups[key])
		}
	}
	return sets
}

// maxWeighed bounds the work of one set: moves times fluents.
const maxWeighed = 200_000

// weigh returns the sum of the weights of the first position.
func weigh(ctx context.Context, n *gates.Circuit, f *gates.Folder, t *turns, set []int) (int, bool) {
	p := n.Program
	if len(set)*(len(p.Moves[0])+len(p.Moves[1])) > maxWeighed {
		return 0, false
	}
	after := map[int][][]int{} // by fluent: what the moves that use it up may make true
	inSet := map[int]bool{}
	for _, i := range set {
		inSet[i] = true
	}
	var refs []gates.Ref
	for k := range t.fluents {
		mover, idle := t.mover[k], t.idle[k]
		for m := range p.Moves[mover] {
			assume(n, f, t.fluents, t.fluents[k], nil, nil)
			legal := f.Fold(n.Legal[mover][m])
			if legal == gates.False {
				continue
			}
			if ctx.Err() != nil {
				return 0, false
			}
			used, made := -1, []int(nil)
			isTrue, isFalse := moveInputs(n, mover, m, idle)
			// Which fluents does the legal move need?
			var needs []int
			f.Inputs(legal, func(r gates.Ref) {
				if i := r.Gate() - 1; i < len(p.Fluents) && inSet[i] {
					needs = append(needs, i)
				}
			})
			slices.Sort(needs)
			for _, i := range needs {
				assume(n, f, t.fluents, t.fluents[k], nil, []gates.Ref{n.Fluent(i)})
				if f.Fold(n.Legal[mover][m]) != gates.False {
					continue
				}
				assume(n, f, t.fluents, t.fluents[k], append(slices.Clone(isTrue), n.Fluent(i)), isFalse)
				if f.Fold(n.Next[i]) == gates.False {
					used = i
					break
				}
			}
			if used < 0 {
				return 0, false
			}
			assume(n, f, t.fluents, t.fluents[k], append(slices.Clone(isTrue), n.Fluent(used)), isFalse)
			refs = refs[:0]
			for _, i := range set {
				refs = append(refs, f.Fold(n.Next[i]))
			}
			for j, i := range set {
				if r := refs[j]; r != gates.False && r != n.Fluent(i) && i != used && !f.Needs(r, n.Fluent(i)) {
					made = append(made, i)
				}
			}
			after[used] = append(after[used], made)
		}
	}
	// The weight of a fluent is one more than what can come of it.
	weights, open := map[int]int{}, map[int]bool{}
	var weight func(i int) (int, bool)
	weight = func(i int) (int, bool) {
		if w, ok := weights[i]; ok {
			return w, true
		}
		if open[i] {
			return 0, false
		}
		open[i] = true
		most := 0
		for _, made := range after[i] {
			sum := 1
			for _, j := range made {
				w, ok := weight(j)
				if !ok {
					return 0, false
				}
				sum += w
			}
			most = max(most, sum)
		}
		weights[i] = most
		return most, most < 1<<20
	}
	total := 0
	for _, fluent := range p.Init {
		i := slices.Index(p.Fluents, fluent)
		if !inSet[i] {
			continue
		}
		w, ok := weight(i)
		if !ok {
			return 0, false
		}
		total += w
	}
	return total, total > 0
}

// moveInputs returns which moves are done and which are not if the mover plays m.
func moveInputs(n *gates.Circuit, mover, m, idle int) (isTrue, isFalse []gates.Ref) {
	for role := range 2 {
		for i := range n.Legal[role] {
			if role == mover && i == m || role != mover && i == idle {
				isTrue = append(isTrue, n.Move(role, i))
			} else {
				isFalse = append(isFalse, n.Move(role, i))
			}
		}
	}
	return isTrue, isFalse
}
