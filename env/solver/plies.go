package solver

import (
	"math"

	"ludus/env"
)

// Plies returns the value of state, as [Solver.Solve] does, and the length of a win: the least number of plies in which
// the player whom the value favours can force that value or a better one, whatever the other plays. plies is 0 if the
// value has utility 0, or if a limit was reached. ok is false if the value was not found.
//
// The limits hold for both searches, one after the other. The state must not be done; it is neither changed nor retained.
func (s *Solver) Plies(state env.State, l Limits) (class, plies int, ok bool) {
	class, ok = s.Solve(state, l)
	if !ok || s.game.Classes[class].Utility == 0 {
		return class, 0, ok
	}
	if l.Nodes == 0 {
		l.Nodes = math.MaxInt
	}
	player := env.First
	if s.game.Classes[class].Utility < 0 {
		player = env.Second
	}
	for depth := 1; ; depth++ {
		forced, decided := s.ForcesWithin(player, state, s.game.ClassFor(player, class), depth, l)
		l.Nodes -= s.nodes
		switch {
		case forced:
			return class, depth, true
		case !decided || l.Nodes <= 0:
			return class, 0, true
		}
	}
}
