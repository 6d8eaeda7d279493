package doctor

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/solver"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/record"
)

// Policy targets on moves that keep the value lose none, for both players, and targets on the other moves always lose some.
func TestSearchByExactTargets(t *testing.T) {
	for _, name := range []string{"tic-tac-toe", "quad(size=4,quads=3,whites=1)", "connect-four"} {
		game := newGame(t, name)
		network, err := infer.NewNetwork(game, infertest.RandomWeights(game, 8, 1, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, keep := range []bool{true, false} {
			all, err := examine(t.Context(), game, exactGames(game, keep), network)
			if err != nil {
				t.Fatal(err)
			}
			s, want := &all[0].Search, 0.0
			if !keep {
				want = 1
			}
			if s.Count < 20 || math.Abs(s.Targets-want) > 1e-6 || s.Network <= 0 || s.Network >= 1 || s.Uniform <= 0 || s.Uniform >= 1 {
				t.Errorf("%s, targets that keep the value: %t: %+v; want %v of the targets to lose value", name, keep, s, want)
			}
		}
	}
}

// exactGames returns random games. Where the solver finds that moves differ in value, near the end, the targets are the moves that
// keep it, or the others; elsewhere there are none.
func exactGames(game *env.Game, keep bool) (list []*record.Record) {
	exact, rng := solver.New(game, 1<<20), rand.New(rand.NewPCG(1, 2))
	for range 30 {
		g := &record.Record{}
		for state := game.NewState(); !state.Done(); state.Apply(g.Plies[len(g.Plies)-1].Action) {
			p := record.Ply{Action: state.RandomAction(rng.Uint64()), Proven: -1, Policy: make(record.Shares, len(state.Legal(nil)))}
			g.Plies = append(g.Plies, p)
		}
		state := game.NewState()
		for i, p := range g.Positions(state) {
			if len(g.Plies)-i <= 6 {
				setExactTarget(exact, state, p, keep)
			}
		}
		list = append(list, g)
	}
	return list
}

// setExactTarget spreads the policy target over the moves that keep the value, or over the others, if there are both.
func setExactTarget(exact *solver.Solver, state env.State, p *record.Ply, keep bool) {
	limits := solver.Limits{Nodes: searchNodes}
	class, ok := exact.Solve(state, limits)
	after := exact.SolveMoves(state, limits, nil)
	if !ok || slices.Contains(after, solver.Unknown) {
		return
	}
	n := 0
	for _, c := range after {
		if (c == class) == keep {
			n++
		}
	}
	p.TrainPolicy = n > 0 && n < len(after)
	if !p.TrainPolicy {
		return
	}
	for i, c := range after {
		if (c == class) == keep {
			p.Policy[i] = 1
		}
	}
}
