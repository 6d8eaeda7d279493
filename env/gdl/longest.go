package gdl

import (
	"fmt"
	"slices"

	"ludus/env/gdl/gates"
	"ludus/env/gdl/ground"
)

// findLongest tries two ways to prove that games end. It returns an upper bound of the plies, by the first that
// succeeds, and the reason, as shown to users; "" without a proof.
func findLongest(c *gates.Circuit, f *gates.Folder, t *turns) (plies int, proof string) {
	if plies, proof = countedGame(c, f); proof != "" {
		return plies, proof
	}
	return usedUpGame(c, f, t)
}

// maxSteps is the largest number of fluents of a step counter.
const maxSteps = 2048

// countedGame tries to prove that games end by a step counter, such as (step 1), (step 2): fluents that follow each
// other whatever the moves are, until terminal holds.
func countedGame(c *gates.Circuit, f *gates.Folder) (plies int, proof string) {
	p := c.Program
	for _, set := range controlSets(p, maxSteps) {
		start := slices.IndexFunc(set, func(i int) bool { return slices.Contains(p.Init, p.Fluents[i]) })
		if start < 0 {
			break
		}
		step := set[start]
		for plies := range len(set) {
			assume(c, f, set, step) // whatever the moves are
			if f.Fold(c.Terminal) == gates.True {
				return plies, fmt.Sprintf("counted by facts like %s", p.Terms.Text(p.Fluents[step]))
			}
			var ok bool
			step, ok = nextStep(c, f, set)
			if !ok {
				break
			}
		}
	}
	return 0, ""
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
func usedUpGame(c *gates.Circuit, f *gates.Folder, t *turns) (plies int, proof string) {
	p := c.Program
	for _, set := range weighedSets(p) {
		f.Trim()
		w := &weighing{circuit: c, folder: f, turns: t, set: set, inSet: map[int]bool{}, made: map[int][][]int{}}
		if bound, ok := w.bound(); ok && (proof == "" || bound < plies) {
			plies, proof = bound, fmt.Sprintf("every move uses up a fact like %s", p.Terms.Text(p.Fluents[set[0]]))
		}
	}
	return plies, proof
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
func (w *weighing) bound() (int, bool) {
	p, t := w.circuit.Program, w.turns
	if len(w.set)*(len(p.Moves[0])+len(p.Moves[1])) > maxWeighed {
		return 0, false
	}
	for _, i := range w.set {
		w.inSet[i] = true
	}
	induction := &proof{circuit: w.circuit, folder: w.folder, set: t.fluents}
	for k, control := range t.fluents {
		mover := t.mover[k]
		all := make([]int, len(p.Moves[mover]))
		for m := range all {
			all[m] = m
		}
		err := induction.eachMove(control, mover, t.idle[k], all, func(m int) error {
			if !w.addMove(mover, m) {
				return errGivenUp
			}
			return nil
		})
		if err != nil {
			return 0, false
		}
	}
	return w.sum()
}

// addMove finds the fluents of which a move, which the folder assumes, uses up one, and the fluents that it may then
// make true. It reports false if the move may be legal and use up nothing.
func (w *weighing) addMove(mover, m int) bool {
	c, f := w.circuit, w.folder
	legal := f.Fold(c.Legal[mover][m])
	var used []gates.Ref // fluents of the set that the move's legality depends on and that the move makes false
	f.Inputs(legal, func(r gates.Ref) {
		if i := r.Gate() - 1; i < len(c.Program.Fluents) && w.inSet[i] { // gate 1+i is fluent i
			used = append(used, r)
		}
	})
	slices.Sort(used)
	used = slices.DeleteFunc(used, func(r gates.Ref) bool { return f.FoldUnder(c.Next[r.Gate()-1], r) != gates.False })
	// needsOne reports whether the move is illegal if all these are false: it needs at least one of them.
	needsOne := func(used ...gates.Ref) bool {
		var allFalse []gates.Ref
		for _, r := range used {
			allFalse = append(allFalse, r.Not())
		}
		return f.FoldUnder(legal, allFalse...) == gates.False
	}
	if k := slices.IndexFunc(used, func(r gates.Ref) bool { return needsOne(r) }); k >= 0 {
		used = used[k : k+1]
	} else if !needsOne(used...) {
		return false
	}
	for _, r := range used {
		if f.FoldUnder(legal, r) != gates.False {
			w.made[r.Gate()-1] = append(w.made[r.Gate()-1], w.newlyTrue(r))
		}
	}
	return true
}

// newlyTrue lists the other fluents of the set that may become true by the move that the folder assumes, which uses up
// one: those whose next value is neither false nor proven to need their old one.
func (w *weighing) newlyTrue(used gates.Ref) (made []int) {
	next := make([]gates.Ref, len(w.set))
	w.folder.Under([]gates.Ref{used}, func() {
		for j, i := range w.set {
			next[j] = w.folder.Fold(w.circuit.Next[i])
		}
	})
	for j, i := range w.set {
		r, own := next[j], w.circuit.Fluent(i)
		if r != gates.False && r != own && own != used && w.folder.FoldUnder(r, own.Not()) != gates.False {
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
