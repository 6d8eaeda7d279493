package gdl

import (
	"context"
	"fmt"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// longest is a proven upper bound of the plies of a game.
type longest struct {
	plies int
	proof string // the reason, as shown to users
}

// findLongest tries two ways to prove that games end, and returns the bound of the first that succeeds.
func findLongest(ctx context.Context, c *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	if l, ok := countedGame(c, f); ok {
		return l, true
	}
	return usedUpGame(ctx, c, f, t)
}

// maxSteps is the largest number of fluents of a step counter.
const maxSteps = 2048

// countedGame tries to prove that games end by a step counter, such as (step 1), (step 2): fluents that follow each
// other whatever the moves are, until terminal holds.
func countedGame(c *gates.Circuit, f *gates.Folder) (longest, bool) {
	p := c.Program
	for _, set := range controlSets(p, maxSteps) {
		start := slices.IndexFunc(set, func(i int) bool { return slices.Contains(p.Init, p.Fluents[i]) })
		if start < 0 {
			break
		}
		step := set[start]
		for plies := range len(set) {
			assume(c, f, set, step, nil, nil) // whatever the moves are
			if f.Fold(c.Terminal) == gates.True {
				return longest{plies, fmt.Sprintf("counted by facts like %s", p.Terms.Text(p.Fluents[step]))}, true
			}
			var ok bool
			step, ok = nextStep(c, f, set)
			if !ok {
				break
			}
		}
	}
	return longest{}, false
}

// nextStep returns the fluent of a step counter that is true in the next position, whatever the moves are. It reports
// false if there is not exactly one.
func nextStep(c *gates.Circuit, f *gates.Folder, set []int) (step int, ok bool) {
	for _, i := range set {
		switch r := f.Fold(c.Next[i]); {
		case r == gates.False:
		case r == gates.True && !ok:
			step, ok = i, true
		default:
			return 0, false
		}
	}
	return step, ok
}

// usedUpGame tries to prove that games end because moves use up fluents. It gives weights to a set of fluents such that
// every move makes one of them false, and makes true only others whose weights add up to less. Which one may depend on the
// position, as with the size of a heap. The sum of the initial weights then bounds the plies.
func usedUpGame(ctx context.Context, c *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	p := c.Program
	best := longest{}
	for _, set := range weighedSets(p) {
		if ctx.Err() != nil {
			break
		}
		f.Trim()
		w := &weighing{circuit: c, folder: f, turns: t, set: set, inSet: map[int]bool{}, made: map[int][][]int{}}
		if plies, ok := w.bound(ctx); ok && (best.proof == "" || plies < best.plies) {
			best = longest{plies, fmt.Sprintf("every move uses up a fact like %s", p.Terms.Text(p.Fluents[set[0]]))}
		}
	}
	return best, best.proof != ""
}

// weighedSets lists the sets of fluents for which usedUpGame looks for weights: the fluents of a functor, and those of
// a functor with a given constant as one argument.
func weighedSets(p *ground.Program) [][]int {
	groups := map[string][]int{}
	var order []string
	for i, f := range p.Fluents {
		for _, key := range keysOf(p, f) {
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], i)
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

// keysOf returns names of the sets of fluents that a fluent belongs to: its functor, and its functor with each of its
// arguments.
func keysOf(p *ground.Program, t ground.Term) []string {
	keys := []string{functorOf(p, t)}
	for k, a := range p.Terms.Args(t) {
		keys = append(keys, fmt.Sprint(keys[0], " ", k, " ", a))
	}
	return keys
}

// maxWeighed bounds the work for one set of fluents: number of moves times number of fluents.
const maxWeighed = 200_000

// weighing is the search of usedUpGame for weights of one set of fluents.
type weighing struct {
	circuit *gates.Circuit
	folder  *gates.Folder
	turns   *turns
	set     []int
	inSet   map[int]bool
	made    map[int][][]int // for each fluent and each move that uses it up: the other fluents that this move may make true
}

// bound returns the sum of the weights of the initial fluents, which bounds the plies. It reports false if there are no
// weights.
func (w *weighing) bound(ctx context.Context) (int, bool) {
	p, t := w.circuit.Program, w.turns
	if len(w.set)*(len(p.Moves[0])+len(p.Moves[1])) > maxWeighed {
		return 0, false
	}
	for _, i := range w.set {
		w.inSet[i] = true
	}
	for k := range t.fluents {
		for m := range p.Moves[t.mover[k]] {
			if ctx.Err() != nil || !w.addMove(k, m) {
				return 0, false
			}
		}
	}
	return w.sum()
}

// addMove finds the fluents of which move m of a turn uses up one, and the fluents that it may then make true. It reports
// false if the move may be legal and use up nothing.
func (w *weighing) addMove(turn, m int) bool {
	c, f := w.circuit, w.folder
	control, mover := w.turns.fluents[turn], w.turns.mover[turn]
	isTrue, isFalse := moveInputs(c, mover, m, w.turns.idle[turn])
	assumed := func(isTrue, isFalse []gates.Ref) { assume(c, f, w.turns.fluents, control, isTrue, isFalse) }
	assumed(nil, nil) // nothing but whose turn it is
	legal := f.Fold(c.Legal[mover][m])
	var used []gates.Ref // fluents of the set that the move's legality depends on and that the move makes false
	f.Inputs(legal, func(r gates.Ref) {
		if i := r.Gate() - 1; i < len(c.Program.Fluents) && w.inSet[i] { // gate 1+i is fluent i
			used = append(used, r)
		}
	})
	slices.Sort(used)
	with := func(r gates.Ref) { assumed(append(slices.Clone(isTrue), r), isFalse) }
	used = slices.DeleteFunc(used, func(r gates.Ref) bool {
		with(r)
		return f.Fold(c.Next[r.Gate()-1]) != gates.False
	})
	// needsOne reports whether the move is illegal if all these are false: it needs at least one of them.
	needsOne := func(used ...gates.Ref) bool {
		assumed(nil, used)
		return f.Fold(c.Legal[mover][m]) == gates.False
	}
	if k := slices.IndexFunc(used, func(r gates.Ref) bool { return needsOne(r) }); k >= 0 {
		used = used[k : k+1]
	} else if !needsOne(used...) {
		return false
	}
	for _, r := range used {
		with(r)
		if f.Fold(c.Legal[mover][m]) != gates.False {
			w.made[r.Gate()-1] = append(w.made[r.Gate()-1], w.newlyTrue(r))
		}
	}
	return true
}

// newlyTrue lists the other fluents of the set that may become true by the move that the folder assumes, which uses up
// one: those whose next value is neither false nor proven to need their old one.
func (w *weighing) newlyTrue(used gates.Ref) (made []int) {
	next := make([]gates.Ref, len(w.set))
	for j, i := range w.set {
		next[j] = w.folder.Fold(w.circuit.Next[i])
	}
	for j, i := range w.set {
		own := w.circuit.Fluent(i)
		if r := next[j]; r != gates.False && r != own && own != used && !w.folder.Needs(r, own) {
			made = append(made, i)
		}
	}
	return made
}

// sum computes the weights and returns the sum for the initial fluents. The weight of a fluent is 1 plus the weights of
// the fluents that a move may make true when it uses up this one. It reports false if the weights are cyclic or too
// large.
func (w *weighing) sum() (total int, ok bool) {
	weights, open := map[int]int{}, map[int]bool{}
	var weight func(i int) (int, bool)
	weight = func(i int) (int, bool) {
		if known, ok := weights[i]; ok {
			return known, true
		}
		if open[i] {
			return 0, false
		}
		open[i] = true
		most := 0
		for _, made := range w.made[i] {
			sum := 1
			for _, j := range made {
				x, ok := weight(j)
				if !ok {
					return 0, false
				}
				sum += x
			}
			most = max(most, sum)
		}
		weights[i] = most
		return most, most < 1<<20 // a larger bound is useless, and sums must not overflow
	}
	p := w.circuit.Program
	for _, fluent := range p.Init {
		i := slices.Index(p.Fluents, fluent)
		if !w.inSet[i] {
			continue
		}
		x, ok := weight(i)
		if !ok {
			return 0, false
		}
		total += x
	}
	return total, total > 0
}

// moveInputs splits the move inputs of a circuit into those that are true and those that are false when the mover plays
// m and the other role plays its idle move.
func moveInputs(c *gates.Circuit, mover, m, idle int) (isTrue, isFalse []gates.Ref) {
	for role := range 2 {
		for i := range c.Legal[role] {
			if role == mover && i == m || role != mover && i == idle {
				isTrue = append(isTrue, c.Move(role, i))
			} else {
				isFalse = append(isFalse, c.Move(role, i))
			}
		}
	}
	return isTrue, isFalse
}
