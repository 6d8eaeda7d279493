package solver_test

import (
	"math/rand/v2"
	"testing"

	"ludus/env"
	"ludus/env/envtest"
	"ludus/env/games"
	"ludus/env/solver"
)

// question asks in how many plies, at most so many, a player forces its class or a better one from a position.
type question struct {
	key    env.Key
	player env.Player
	class  int
	most   int
}

// pliesToForce is the definition: it returns the least number of plies, or 0 if there is none. It sets q.key; known
// holds earlier answers. The state is not done.
func pliesToForce(g *env.Game, state env.State, q question, known map[question]int) (plies int) {
	q.key = state.Key()
	if n, ok := known[q]; ok || q.most == 0 {
		return n
	}
	own, later := state.Player() == q.player, q
	later.most--
	for _, a := range state.Legal(nil) {
		n, next := 0, g.After(state, a)
		if !next.Done() {
			if n = pliesToForce(g, next, later, known); n > 0 {
				n++
			}
		} else if g.ClassFor(q.player, next.Outcome()) <= q.class {
			n = 1
		}
		if n == 0 && !own {
			plies = 0
			break
		}
		if n > 0 && (plies == 0 || own && n < plies || !own && n > plies) {
			plies = n
		}
	}
	known[q] = plies
	return plies
}

// ForcesWithin agrees with its definition, for both players, where a player moves twice, and with a warm table.
func TestForcesWithin(t *testing.T) {
	for _, name := range []string{"tic-tac-toe", "breakthrough(columns=3,rows=4)", "quad(size=4,quads=3,whites=3)", "line-up(width=4,height=4,line=3)",
		"othello(size=4)", "free-for-all(size=5,steps=8)"} {
		g := games.Must(name)
		s, rng, forcedOnes := solver.New(g, 1<<20), rand.New(rand.NewPCG(1, 2)), 0
		for range 120 {
			state := envtest.RandomPosition(g, rng, rng.IntN(10))
			player, k, most := env.Player(rng.IntN(2)), rng.IntN(len(g.Classes)-1), 4
			want := pliesToForce(g, state, question{player: player, class: k, most: most}, map[question]int{})
			for plies := 1; plies <= most; plies++ {
				forced, ok := s.ForcesWithin(player, state, k, plies, solver.Limits{})
				if !ok || forced != (want > 0 && want <= plies) {
					t.Fatalf("%s, %v, class %d within %d: %v, %v; the least is %d\n%s", name, player, k, plies, forced, ok, want, g.Board(state))
				}
				if forced {
					forcedOnes++
				}
				s.Solve(state, solver.Limits{Nodes: 2000})
			}
		}
		if forcedOnes == 0 {
			t.Errorf("%s: nothing was forced", name)
		}
		if forced, ok := solver.New(g, 1).ForcesWithin(env.First, g.NewState(), 0, 9, solver.Limits{Nodes: 1}); forced || ok {
			t.Errorf("%s: a limit of one node gives %v, %v", name, forced, ok)
		}
	}
}
