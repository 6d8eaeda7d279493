package solver_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/solver"
)

// A line is legal and keeps the value at each move; it ends early only where the table remembers no more.
func TestLine(t *testing.T) {
	const most = 10
	for _, name := range []string{"tic-tac-toe", "line-up(width=5,height=4,line=4,gravity=1)", "quad-5x5", "breakthrough(columns=4,rows=5)"} {
		g, rng := games.Must(name), rand.New(rand.NewPCG(1, 1))
		s, check := solver.New(g, 1<<22), solver.New(g, 1<<22)
		ended, moves := 0, 0
		const lines = 30
		for range lines {
			state := envtest.RandomPosition(g, rng, g.MaxPlies/4+rng.IntN(g.MaxPlies/4))
			class, ok := s.Solve(state, solver.Limits{Nodes: 100000})
			if !ok {
				continue
			}
			line := s.Line(nil, state, class, most)
			for _, a := range line {
				if !slices.Contains(state.Legal(nil), a) {
					t.Fatalf("%s: %v is illegal", name, g.Names(line))
				}
				state = g.After(state, a)
				after := 0
				if state.Done() {
					after = state.Outcome()
				} else {
					after, _ = check.Solve(state, solver.Limits{})
				}
				if after != class {
					t.Fatalf("%s: %s in %v changes class %d to %d", name, g.ActionNames[a], g.Names(line), class, after)
				}
			}
			moves += len(line)
			if state.Done() || len(line) == most {
				ended++
			}
		}
		t.Logf("%s: %d of %d lines are whole, %d moves", name, ended, lines, moves)
		if ended < lines/3 {
			t.Errorf("%s: only %d of %d lines are whole", name, ended, lines)
		}
	}
}
