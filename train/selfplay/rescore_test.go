package selfplay

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
	"ludus/train/record"
	"ludus/train/record/recordtest"
)

// TestRescore checks rescored random games against the solver without a limit: proven classes are exact and reach back
// from the end without a gap, and no move that loses value keeps a checked share of the policy target.
func TestRescore(t *testing.T) {
	for _, name := range []string{"quad-5x5", "breakthrough(columns=3,rows=5)", "golden-rectangle(columns=5,rows=5)"} {
		game := games.Must(name)
		rng := rand.New(rand.NewPCG(3, 4))
		var games []*record.Record
		for range 15 {
			games = append(games, recordtest.Random(game, rng))
		}
		NewRescorer(game, 2_000_000, 2).Rescore(t.Context(), games)
		exact, proven := solver.New(game, 16<<20), 0
		for _, r := range games {
			state := game.NewState()
			for i, p := range r.Positions(state) {
				if p.Proven >= 0 {
					proven++
					checkRescored(t, game, exact, p, state)
				} else if i > 0 && r.Plies[i-1].Proven >= 0 {
					t.Fatalf("%s: ply %d is proven, the next is not", name, i-1)
				}
			}
		}
		if proven < 100 {
			t.Errorf("%s: %d plies are proven", name, proven)
		}
	}
}

// checkRescored compares a proven ply with the exact values of its moves.
func checkRescored(t *testing.T, game *env.Game, exact *solver.Solver, p *record.Ply, state env.State) {
	t.Helper()
	values := exact.SolveMoves(state, solver.Limits{}, nil)
	for i, class := range values {
		values[i] = game.ClassFor(state.Player(), class)
	}
	if best := slices.Min(values); int(p.Proven) != best {
		t.Fatalf("proven class %d in a position of class %d\n%s", p.Proven, best, game.Board(state))
	}
	if !p.TrainPolicy {
		return
	}
	top := slices.Index(p.Policy, slices.Max(p.Policy))
	if values[top] != int(p.Proven) {
		t.Errorf("the best move of the policy target loses value: %d of %v\n%s", top, values, game.Board(state))
	}
}

// TestRescoreLimit checks that solving a position and refuting its moves share one limit of nodes, and that a flat policy
// target stays flat over the moves that keep the value.
func TestRescoreLimit(t *testing.T) {
	game := games.Must("quad-5x5")
	rng := rand.New(rand.NewPCG(8, 9))
	const limit = 200
	s := NewRescorer(game, limit, 1).idle.Get().(*gameSolver)
	solving, refuting := solver.New(game, rescoreTableBytes), 0
	for range 50 {
		r := recordtest.Random(game, rng)
		for i := range r.Plies {
			for j := range r.Plies[i].Policy {
				r.Plies[i].Policy[j] = 100
			}
		}
		s.replay(r)
		for i := len(r.Plies) - 1; i >= 0; i-- {
			p, state := &r.Plies[i], s.states[i]
			s.solver.Clear()
			solving.Clear()
			if !s.rescorePly(p, state) {
				break
			}
			if s.left < 0 {
				t.Fatalf("%d nodes above the limit", -s.left)
			}
			// Refutations use up what solving leaves.
			searched := len(state.TerminalActions(nil)) < len(p.Policy)
			if solving.Solve(state, solver.Limits{}); searched && state.Player() == env.First && solving.Nodes() < limit {
				refuting++
				if s.left >= limit-solving.Nodes() {
					t.Fatalf("%d nodes are left of %d after solving in %d", s.left, limit, solving.Nodes())
				}
			}
			for _, share := range p.Policy {
				if share != 0 && share != 100 {
					t.Fatalf("the policy target is %v", p.Policy)
				}
			}
		}
	}
	if refuting < 20 {
		t.Errorf("%d positions with refutations", refuting)
	}
}

// TestRescoreThreads checks that results do not depend on threads, and that no limit of nodes means no rescoring.
func TestRescoreThreads(t *testing.T) {
	game := games.Must("quad-5x5")
	play := func(nodes, threads int) (games []*record.Record) {
		rng := rand.New(rand.NewPCG(5, 6))
		for range 3 * minRescoreGames {
			games = append(games, recordtest.Random(game, rng))
		}
		NewRescorer(game, nodes, threads).Rescore(t.Context(), games)
		return games
	}
	one := play(300, 1)
	if !reflect.DeepEqual(one, play(300, 3)) {
		t.Error("results depend on threads")
	}
	if off := play(0, 1); reflect.DeepEqual(one, off) || off[0].Plies[len(off[0].Plies)-1].Proven >= 0 {
		t.Error("games are rescored without nodes")
	}
}
