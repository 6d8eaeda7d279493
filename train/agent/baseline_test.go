package agent

import (
	"context"
	"slices"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

// position plays moves, given by their texts, from the start of a game.
func position(t testing.TB, name string, moves ...string) (*env.Game, env.State) {
	t.Helper()
	game := games.Must(name)
	state, _, err := env.ReplayText(game, moves)
	if err != nil {
		t.Fatal(err)
	}
	return game, state
}

// newAgent returns the agent of a spec.
func newAgent(t testing.TB, game *env.Game, text string) Agent {
	t.Helper()
	a, err := parse(t, game, text).New(1)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// choices collects what an agent plays under several seeds.
func choices(t testing.TB, game *env.Game, state env.State, text string, seeds int) map[string]int {
	t.Helper()
	a, counts := newAgent(t, game, text), map[string]int{}
	for seed := range seeds {
		a.Reset(uint64(seed))
		move, err := a.Choose(context.Background(), state)
		if err != nil {
			t.Fatal(err)
		}
		counts[game.ActionTexts[move]]++
	}
	return counts
}

// only fails unless the agent always plays one of the wanted moves.
func only(t *testing.T, game *env.Game, state env.State, text string, want ...string) {
	t.Helper()
	for move := range choices(t, game, state, text, 20) {
		if !slices.Contains(want, move) {
			t.Errorf("%s plays %s; want one of %v on\n%s", text, move, want, game.Board(state))
		}
	}
}

func TestImmediateWin(t *testing.T) {
	// x has three corners of the unit square at r2 c2 and so has o at r4 c3: whoever moves wins.
	game, state := position(t, "quad-5x5", "mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3")
	for _, text := range []string{"greedy", "mcts:300", "alphabeta:1", "alphabeta:2", "alphabeta:3"} {
		only(t, game, state, text, "(mark r3 c3)")
	}
}

func TestImmediateLossAvoided(t *testing.T) {
	game, state := position(t, "quad-5x5", "mark r2 c2", "mark r5 c4", "mark r2 c3", "mark r4 c5", "mark r3 c2")
	for _, text := range []string{"greedy", "alphabeta:2", "alphabeta:3"} {
		only(t, game, state, text, "(mark r3 c3)")
	}
	if moves := choices(t, game, state, "alphabeta:1", 40); len(moves) < 8 {
		t.Errorf("at depth 1 all moves are equal, but only %v are played", moves)
	}
}

// A player with a white left moves again after a block: two threats are no loss, one is parried by a block, the other
// by a mark. A mark at once, or a block elsewhere, loses.
func TestDoubleMove(t *testing.T) {
	game, state := position(t, "quad(size=7,quads=12,whites=1,corners=cut)", "mark r2 c2", "mark r1 c3", "mark r2 c3",
		"mark r1 c4", "mark r3 c2", "mark r7 c3", "mark r5 c5", "mark r7 c4", "mark r5 c6", "mark r1 c5", "mark r6 c5")
	if state.Player() != env.Second {
		t.Fatal("o should be to move")
	}
	for _, text := range []string{"alphabeta:3", "greedy"} {
		only(t, game, state, text, "(block r3 c3)", "(block r6 c6)")
	}
}

func TestGoals(t *testing.T) {
	// A capture is the best immediate change of the goals.
	game, state := position(t, "free-for-all-2p", "move 1 4 3 5", "move 7 4 5 5", "move 3 5 2 3", "move 5 5 3 4")
	captures := map[string]bool{}
	for _, a := range state.Legal(nil) {
		next := game.After(state, a)
		if next.Goals()[0] == 10 {
			captures[game.ActionTexts[a]] = true
		}
	}
	if len(captures) == 0 {
		t.Fatal("no capture to be had")
	}
	for _, text := range []string{"greedy", "alphabeta:1"} {
		for move := range choices(t, game, state, text, 20) {
			if !captures[move] {
				t.Errorf("%s plays %s instead of capturing by %v", text, move, captures)
			}
		}
	}
}
