package gdl

import (
	"testing"

	"ludus/env/gdl/sheets"
)

// TestStepsForAnyMoves proves that a step counter is one number whatever the moves are.
func TestStepsForAnyMoves(t *testing.T) {
	e, _ := mustBuild(t, sheets.Text("free-for-all-2p"))
	g := e.NewState().(*state).game
	var steps []int
	for i, f := range g.circuit.Program.Fluents {
		if g.circuit.Program.Terms.Name(f) == "step" {
			steps = append(steps, i)
		}
	}
	p := &proof{circuit: g.circuit, folder: g.circuit.NewFolder(), set: g.turns.fluents, groups: [][]int{steps}}
	if !p.induce(g.turns, p.checkTurns) || len(p.groups) != 1 {
		t.Errorf("%d steps, groups %v", len(steps), p.groups)
	}
}
