package suite

import (
	"slices"
	"testing"

	"ludus/env/games"
	"ludus/env/solver"
)

// The shipped suites can be read, have a suitable size, and solving a sample again gives the same values.
func TestShipped(t *testing.T) {
	const size = 1 << 20 // of all together
	bytes, suites := 0, 0
	for _, name := range games.Names() {
		game := mustGame(t, name)
		s, ok := Shipped(game)
		if !ok { // a new game
			continue
		}
		suites++
		bytes += len(s.Pack())
		least := 2000
		if name == "quad-5x5" {
			least = 10000
		}
		if len(s.Positions) < least {
			t.Errorf("%s has %d positions, less than %d", name, len(s.Positions), least)
		}
		checkSuite(t, s)
		agents := 0
		for i := range s.Positions {
			if s.Positions[i].Source != RandomMoves {
				agents++
			}
		}
		if 2*agents < len(s.Positions) {
			t.Errorf("%s has %d of %d positions from agents' games", name, agents, len(s.Positions))
		}
		sample := 16
		if testing.Short() {
			sample = 3
		}
		resolve(t, s, sample)
	}
	if suites < 5 {
		t.Errorf("%d games have a suite, want 5 at least", suites)
	}
	if bytes > size {
		t.Errorf("all suites take %d bytes, more than %d", bytes, size)
	}
}

// resolve solves n positions of a suite again.
func resolve(t *testing.T, s *Suite, n int) {
	t.Helper()
	solve := solver.New(s.Game, maxTableBytes)
	for _, p := range s.sample(n) {
		state, err := p.replay(s.Game)
		if err != nil {
			t.Fatal(err)
		}
		values := solve.SolveMoves(state, solver.Limits{Nodes: 100 * s.Origin.Nodes}, nil)
		for i := range values {
			if values[i] != solver.Unknown {
				values[i] = s.Game.ClassFor(state.Player(), values[i])
			}
		}
		if !slices.Equal(values, p.Values) {
			t.Errorf("%s after %v: values %v, solved again %v", s.Game.Name, p.Moves, p.Values, values)
		}
	}
}
