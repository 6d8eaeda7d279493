package analysis

import (
	"context"
	"testing"

	"ludus/env"
)

// A review finds exactly the moves that lose value, with exact values where the solver knows them.
func TestReview(t *testing.T) {
	game, agents := setup(t, "tic-tac-toe", "solver:100000", 1)
	_, moves, err := env.ReplayText(game, []string{"b2", "b1", "a1", "c3", "a2", "c2", "a3"})
	if err != nil {
		t.Fatal(err)
	}
	values, list, ok, err := Review(context.Background(), game, agents[0], moves)
	if err != nil || !ok || len(values) != 8 || values[0] != 0 || values[2] != 1 || values[7] != 1 {
		t.Fatalf("%v, %v, %v", values, ok, err)
	}
	if len(list) != 1 || list[0].Move != "b1" || list[0].Ply != 2 || list[0].Player != env.Second || list[0].Before != 0 || list[0].After != -1 || !list[0].Exact {
		t.Errorf("mistakes %+v; want b1, which loses a draw", list)
	}
	_, agents = setup(t, "tic-tac-toe", "random", 1)
	if _, _, ok, err := Review(context.Background(), game, agents[0], moves); ok || err != nil {
		t.Errorf("an agent without values reviews: %v, %v", ok, err)
	}
}

func TestBestPlay(t *testing.T) {
	for name, want := range map[string]string{"quad-5x5": "x wins", "othello-6x6": "white wins", "tic-tac-toe": "nobody wins", "gomoku": ""} {
		game, _ := setup(t, name, "random", 1)
		if got := BestPlay(game); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
