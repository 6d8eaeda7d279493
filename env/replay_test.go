package env_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

func TestReplay(t *testing.T) {
	game := games.Must("quad-5x5")
	won := []string{"(mark r2 c2)", "(mark r1 c2)", "mark r2 c3", "(mark r1 c3)", "(mark r3 c2)", "(mark r1 c4)", "(mark r3 c3)"}
	state, moves, err := env.ReplayText(game, won)
	if err != nil || !state.Done() || len(moves) != len(won) {
		t.Fatalf("done %t after %d moves, %v", state.Done(), len(moves), err)
	}
	again, err := env.Replay(game, moves)
	if err != nil || again.Key() != state.Key() {
		t.Errorf("the actions lead to another position than their texts: %v", err)
	}
	for _, c := range []struct {
		texts []string
		is    error
		says  string
	}{
		{append(slices.Clone(won), "(mark r5 c2)"), env.ErrIllegal, "move 8: illegal move b5 (mark r5 c2): the game is over"},
		{[]string{"(mark r3 c3)", "(mark r3 c3)"}, env.ErrIllegal, "move 2: illegal move c3 (mark r3 c3)"},
		{[]string{"(mark r9 c9)"}, env.ErrAction, `move 1: unknown move "(mark r9 c9)" of quad-5x5`},
	} {
		if _, _, err := env.ReplayText(game, c.texts); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v, want %q", c.texts, err, c.says)
		}
	}
	for _, a := range []env.Action{-1, 0, env.Action(game.NumActions())} {
		if _, err := env.Replay(game, []env.Action{a}); !errors.Is(err, env.ErrIllegal) {
			t.Errorf("action %d: %v, want ErrIllegal", a, err)
		}
	}
}

func TestReplayerKeepsItsPosition(t *testing.T) {
	game := games.Must("breakthrough-6x6")
	r := env.NewReplayer(game)
	for len(r.Legal) > 0 {
		before := r.State.Key()
		if r.Play(-1) == nil || r.State.Key() != before {
			t.Fatal("an illegal move is played")
		}
		if err := r.Play(r.Legal[len(r.Legal)/2]); err != nil {
			t.Fatal(err)
		}
	}
	if !r.State.Done() || len(r.Moves) == 0 {
		t.Errorf("without legal moves after %d, but the game goes on", len(r.Moves))
	}
}
