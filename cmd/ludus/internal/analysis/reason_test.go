package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// TestReason: the reason for a choice follows from the rules or from a proof.
func TestReason(t *testing.T) {
	for _, c := range []struct{ game, agent, moves, want string }{
		{"tic-tac-toe", "mcts:500", "a1 b1 a2 b2", "wins at once"},
		{"tic-tac-toe", "mcts:500", "a1 b2 a2", "is the only move after which x cannot win at once"},
		{"tic-tac-toe", "mcts:500", "a1 b2 c1 b1", "is the only move after which o cannot win at once"},
		{"tic-tac-toe", "mcts:500", "a1 b1 b2 c2 a3", "cannot stop x from winning at once; nor can any other move"},
		{"tic-tac-toe", "solver:100000", "", "leads to a draw if both play perfectly"},
		{"tic-tac-toe", "solver:100000", "a1 b1", "wins against any reply"},
		{"tic-tac-toe", "solver:100000", "a1 b1 b2 c3", "wins against any reply"},
		{"tic-tac-toe", "mcts:2000", "", ""},
		{"tic-tac-toe", "random", "", ""},
		{"tic-tac-toe", "mcts:500", "a1 b2 b1 c1 a3 a2 c2 b3", "is the only move"},
	} {
		game, agents := setup(t, c.game, c.agent, 1)
		state := game.NewState()
		for _, text := range strings.Fields(c.moves) {
			move, err := game.ParseAction(text)
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(move)
		}
		r, err := Analyze(context.Background(), game, agents[0], state, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != c.want {
			t.Errorf("%s after %q: %s, which %q, want %q", c.game, c.moves, r.Best, r.Reason, c.want)
		}
	}
}

// TestReasonsOfRandomPositions compares what a reason says about wins at once with the rules, for every move and every
// reply.
func TestReasonsOfRandomPositions(t *testing.T) {
	counts := map[string]int{}
	for _, name := range []string{"breakthrough-6x6", "connect-four", "quad(size=4,quads=4,whites=1)", "tic-tac-toe"} {
		game := games.Must(name)
		rng := rand.New(rand.NewPCG(1, 1))
		for range 30 {
			for state := game.NewState(); !state.Done(); state.Apply(state.RandomAction(rng.Uint64())) {
				legal := state.Legal(nil)
				best := rng.IntN(len(legal)) // any move, so that every reason occurs
				a := &agent.Analysis{Player: state.Player(), Moves: []agent.MoveInfo{{Action: legal[best]}}}
				for i, move := range legal {
					if i != best {
						a.Moves = append(a.Moves, agent.MoveInfo{Action: move})
					}
				}
				want := wantedReason(game, state, legal[best])
				if got := reason(game, state, a); got != want {
					t.Fatalf("%s: %s, which %q, want %q\n%s", name, game.ActionNames[legal[best]], got, want, game.Board(state))
				}
				counts[strings.NewReplacer("0", "", "1", "", "2", "", "3", "", "4", "", "5", "", "6", "", "7", "", "8", "", "9", "").Replace(want)]++
			}
		}
	}
	t.Log(counts)
	if len(counts) < 8 {
		t.Errorf("only %d kinds of reasons: %v", len(counts), counts)
	}
}

// wantedReason finds the reason of a move by trying all moves and replies.
func wantedReason(game *env.Game, state env.State, best env.Action) string {
	mover := state.Player()
	opponent := env.First + env.Second - mover
	wins := func(s env.State, player env.Player) bool {
		goals := s.Goals()
		return s.Done() && goals[player] > goals[env.First+env.Second-player]
	}
	legal := state.Legal(nil)
	if wins(game.After(state, best), mover) {
		return "wins at once"
	}
	if len(legal) == 1 {
		return "is the only move"
	}
	safe, bestIsSafe := 0, false
	for _, move := range legal {
		next := game.After(state, move)
		loses := wins(next, opponent)
		if !next.Done() && next.Player() == opponent {
			for _, reply := range next.Legal(nil) {
				loses = loses || wins(game.After(next, reply), opponent)
			}
		}
		if !loses {
			safe++
			bestIsSafe = bestIsSafe || move == best
		}
	}
	name := game.Players[opponent]
	switch {
	case 2*safe > len(legal):
		return ""
	case safe == 0:
		return "cannot stop " + name + " from winning at once; nor can any other move"
	case bestIsSafe && safe == 1:
		return "is the only move after which " + name + " cannot win at once"
	case bestIsSafe:
		return fmt.Sprintf("is one of %d moves after which %s cannot win at once", safe, name)
	}
	return ""
}

// TestReasonsOfProofs: reasons that follow from a proof.
func TestReasonsOfProofs(t *testing.T) {
	game := games.Must("tic-tac-toe")
	state := game.NewState()
	moves := []agent.MoveInfo{{Action: state.Legal(nil)[0]}, {Action: state.Legal(nil)[1]}}
	for value, want := range map[float64]string{
		1: "wins against any reply", 0: "leads to a draw if both play perfectly",
		-1: "loses, like every other move, if the opponent plays perfectly",
	} {
		if got := reason(game, state, &agent.Analysis{Value: &value, Proven: true, Moves: moves}); got != want {
			t.Errorf("value %v: %q, want %q", value, got, want)
		}
	}
}

// A hint compares the best move with the one that the agent would play next, if that gives value away.
func TestComparison(t *testing.T) {
	game := games.Must("connect-four")
	state, next := game.NewState(), game.NewState().Legal(nil)
	move := func(i, visits int, value, prior *float64) agent.MoveInfo {
		return agent.MoveInfo{Action: next[i], Visits: &visits, Value: value, Prior: prior}
	}
	for want, moves := range map[string][]agent.MoveInfo{
		"is better than c1, which gives away about 45 %": {move(0, 9, new(0.5), new(0.9)), move(1, 8, new(0.5), new(0.01)), move(2, 1, new(-0.4), new(0.09))},
		"is better than b1, which loses":                 {move(0, 9, new(0.0), new(0.3)), move(1, 8, new(-1.0), new(0.6)), move(2, 1, new(0.0), new(0.1))},
		"is better than b1, which gives away about 50 %": {move(0, 9, new(0.0), nil), move(1, 8, new(-1.0), nil), move(2, 1, new(0.0), nil)}, // playouts prove nothing
		"": {move(0, 9, new(0.5), new(0.9)), move(1, 8, new(0.4), new(0.09)), move(2, 1, new(-1.0), new(0.01))},
	} {
		if got := reason(game, state, &agent.Analysis{Value: new(0.5), Moves: moves}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
