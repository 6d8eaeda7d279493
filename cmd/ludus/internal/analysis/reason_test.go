package analysis

import (
	"context"
	"strings"
	"testing"
)

// TestReason: the reason for a choice follows from the rules, from a proof, or from the values.
func TestReason(t *testing.T) {
	for _, c := range []struct{ game, agent, moves, want string }{
		{"tic-tac-toe", "mcts:500", "a1 b1 a2 b2", "wins at once"},
		{"tic-tac-toe", "mcts:500", "a1 b2 a2", "is the only move after which x cannot win at once"},
		{"tic-tac-toe", "mcts:500", "a1 b1 b2 c2 a3", "cannot stop x from winning at once; nor can any other move"},
		{"tic-tac-toe", "solver:100000", "", "leads to a draw if both play perfectly"},
		{"tic-tac-toe", "solver:100000", "a1 b1", "wins against any reply"},
		{"tic-tac-toe", "solver:100000", "a1 b1 b2 c3", "wins against any reply"},
		{"tic-tac-toe", "mcts:2000", "", "is worth "},
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
		r, err := Analyze(context.Background(), game, agents[0], state, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r.Reason != c.want && (!strings.HasSuffix(c.want, " ") || !strings.HasPrefix(r.Reason, c.want)) {
			t.Errorf("%s after %q: %s, which %q, want %q", c.game, c.moves, r.Best, r.Reason, c.want)
		}
	}
}
