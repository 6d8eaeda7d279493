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

// findLongest tries three ways to prove that games end, and returns the bound of the first that succeeds.
func findLongest(ctx context.Context, c *gates.Circuit, f *gates.Folder, t *turns) (longest, bool) {
	if l, ok := countedGame(c, f); ok {
		return l, true
	}
	if l, ok := usedUpGame(ctx, c, f, t); ok {
		return l, true
	}
	return progressGame(ctx, c, c.NewFolder(), t)
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
			assume(c, f, set, step, nil, nil)
			if f.Fold(c.Terminal) == gates.True {
				return longest{plies, fmt.Sprintf("counted by facts like %s", p.Terms.Text(p.Fluents[step]))}, true
			}
			var ok bool
			if step, ok = nextStep(c, f, set); !ok {
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
// every move makes one of them false, and makes true only others whose weights add up to less. The sum of the initial
// weights then bounds the plies.
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

// addMove finds a fluent that move m of a turn uses up, and the fluents that the move may make true. It reports false
// if the move may be legal and uses up nothing.
func (w *weighing) addMove(turn, m int) bool {
	c, f := w.circuit, w.folder
	control, mover := w.turns.fluents[turn], w.turns.mover[turn]
	assumed := func(isTrue, isFalse []gates.Ref) { assume(c, f, w.turns.fluents, control, isTrue, isFalse) }
	assumed(nil, nil)
	legal := f.Fold(c.Legal[mover][m])
	if legal == gates.False {
		return true
	}
	var needs []int // fluents of the set that the move's legality depends on
	f.Inputs(legal, func(r gates.Ref) {
		if i := r.Gate() - 1; i < len(c.Program.Fluents) && w.inSet[i] {
			needs = append(needs, i)
		}
	})
	slices.Sort(needs)
	isTrue, isFalse := moveInputs(c, mover, m, w.turns.idle[turn])
	usesUp := func(i int) bool {
		assumed(nil, []gates.Ref{c.Fluent(i)})
		if f.Fold(c.Legal[mover][m]) != gates.False {
			return false
		}
		assumed(append(slices.Clone(isTrue), c.Fluent(i)), isFalse)
		return f.Fold(c.Next[i]) == gates.False
	}
	k := slices.IndexFunc(needs, usesUp)
	if k < 0 {
		return false
	}
	used := needs[k]
	assumed(append(slices.Clone(isTrue), c.Fluent(used)), isFalse)
	next := make([]gates.Ref, len(w.set))
	for j, i := range w.set {
		next[j] = f.Fold(c.Next[i])
	}
	var made []int
	for j, i := range w.set {
		if r := next[j]; r != gates.False && r != c.Fluent(i) && i != used && !f.Needs(r, c.Fluent(i)) {
			made = append(made, i)
		}
	}
	w.made[used] = append(w.made[used], made)
	return true
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
		return most, most < 1<<20
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
