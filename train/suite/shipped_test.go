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
		s, ok := Shipped(games.Must(name))
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
			if s.Positions[i].Source != randomMoves {
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

// The shipped hard suites can be read and are small and hard. Solving cheap positions again gives the same values.
func TestShippedHard(t *testing.T) {
	const size = 100_000 // of each
	suites := 0
	for _, name := range games.Names() {
		s, ok := ShippedHard(games.Must(name))
		if !ok { // a game that tuning does not use
			continue
		}
		suites++
		if n := len(s.Pack()); n > size {
			t.Errorf("%s takes %d bytes, more than %d", name, n, size)
		}
		if usual, ok := Shipped(s.Game); !ok || usual.Origin.Nodes >= s.Origin.Nodes {
			t.Errorf("%s is not solved deeper than the usual suite", name)
		}
		checkSuite(t, s)
		checkHard(t, s, 0.5)
		if len(s.Positions) < MinPositions {
			t.Errorf("%s has %d positions, less than %d", name, len(s.Positions), MinPositions)
		}
		slices.SortStableFunc(s.Positions, func(a, b Position) int { return a.PliesToEnd - b.PliesToEnd })
		s.Positions = s.Positions[:len(s.Positions)/4] // nearest to the end: cheap
		resolve(t, s, 4)
	}
	if suites < 5 {
		t.Errorf("%d games have a hard suite, want 5 at least", suites)
	}
}

// resolve solves n positions of a suite again.
func resolve(t *testing.T, s *Suite, n int) {
	t.Helper()
	solve := solver.New(s.Game, 32<<20)
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

// checkHard checks that UCT loses value in the given share of the first positions, however many.
func checkHard(t *testing.T, s *Suite, share float64) {
	t.Helper()
	hard := 0
	for i := range s.Positions {
		if s.Positions[i].UCT == uctLoses {
			hard++
		}
		if float64(hard) < share*float64(i+1) {
			t.Errorf("of the first %d positions %d are hard, less than the share of %v", i+1, hard, share)
		}
	}
}
