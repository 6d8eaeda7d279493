package gdl

import (
	"slices"
	"testing"

	"ludus/env/gdl/sheets"
)

// TestNumbersInSteps compares the two inductions about mutex groups.
func TestNumbersInSteps(t *testing.T) {
	withoutMoves := 0
	for _, name := range sheets.Names() {
		e, _ := mustBuild(t, sheets.Text(name))
		g := e.NewState().(*state).game
		all := make([]int, len(g.circuit.Next))
		for i := range all {
			all[i] = i
		}
		var candidates [][]int
		for _, c := range countersOf(g.circuit.Program, all) {
			if len(c.fluents) > 2 && countTrue(g.circuit.Program.Starts(), c.fluents) <= 1 {
				candidates = append(candidates, c.fluents)
			}
		}
		f := g.circuit.NewFolder()
		once := &proof{circuit: g.circuit, folder: f, set: g.turns.fluents, groups: candidates}
		if !once.induce(g.turns, once.checkMoves) {
			t.Fatalf("%s: given up", name)
		}
		steps := &proof{circuit: g.circuit, folder: f, set: g.turns.fluents}
		steps.induceInSteps(g.turns, slices.Clone(candidates))
		withoutMoves += steps.proven
		byFirst := func(a, b []int) int { return a[0] - b[0] }
		slices.SortFunc(once.groups, byFirst)
		slices.SortFunc(steps.groups, byFirst)
		if !slices.EqualFunc(once.groups, steps.groups, slices.Equal) {
			t.Errorf("%s: %v, in steps %v", name, once.groups, steps.groups)
		}
	}
	if withoutMoves == 0 {
		t.Error("nothing is proven without looking at moves")
	}
}
