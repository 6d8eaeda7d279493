package analysis

import (
	"context"
	"fmt"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
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

// biased values every position too highly for the player to move, and so every move: it likes the first legal move
// best, and thinks that the last one, unless it is the only one, gives value away. It does not value the others.
type biased struct{ agent.Agent }

func (biased) Reset(uint64) {}

func (biased) Observe(env.Action) {}

func (biased) Analyze(_ context.Context, state env.State, _ int) (*agent.Analysis, error) {
	a := &agent.Analysis{Player: state.Player(), Value: new(0.4)}
	for _, move := range state.Legal(nil) {
		a.Moves = append(a.Moves, agent.MoveInfo{Action: move})
	}
	a.Moves[len(a.Moves)-1].Value = new(-0.1)
	a.Moves[0].Value = new(0.4)
	return a, nil
}

// A bias of the network towards the player to move blames nobody: only moves that one analysis finds worse than
// another.
func TestReviewByBiasedAgent(t *testing.T) {
	game, _ := setup(t, "tic-tac-toe", "random", 1)
	_, moves, err := env.ReplayText(game, []string{"a1", "b1", "b2", "c3", "a3"}) // c3 is the last one
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok, err := Review(context.Background(), game, biased{}, moves)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if len(list) != 1 || list[0].Ply != 4 || list[0].Move == list[0].Best || list[0].Before != 0.4 || list[0].After != -0.1 || list[0].Exact {
		t.Errorf("mistakes %+v; want c3 alone, from 0.4 to -0.1", list)
	}
}

// proven knows the value of each position of two-marks for x, by the number of marks on the board.
type proven struct {
	biased
	values []float64
}

func (p proven) Analyze(_ context.Context, state env.State, _ int) (*agent.Analysis, error) {
	legal := state.Legal(nil)
	value := state.Player().Sign() * p.values[25-len(legal)]
	a := &agent.Analysis{Player: state.Player(), Value: &value, Proven: true}
	for _, move := range legal {
		a.Moves = append(a.Moves, agent.MoveInfo{Action: move})
	}
	return a, nil
}

// Values are those of the player who moves: here x, o, o, x and x.
func TestReviewWherePlayersMoveTwice(t *testing.T) {
	game, err := games.New("../../../../env/gdl/sheets/two-marks.kif")
	if err != nil {
		t.Fatal(err)
	}
	var moves []env.Action
	state := game.NewState()
	for range 5 {
		legal := state.Legal(nil)
		moves = append(moves, legal[len(legal)-1])
		state.Apply(moves[len(moves)-1])
	}
	_, list, _, err := Review(context.Background(), game, proven{values: []float64{0.5, 0.1, -0.5, 0.5, 1, 0.1}}, moves)
	got := ""
	for _, m := range list {
		got += fmt.Sprintf("%d. %s %+.1f to %+.1f\n", m.Ply, game.Players[m.Player], m.Before, m.After)
	}
	want := "1. x +0.5 to +0.1\n3. o +0.5 to -0.5\n5. x +1.0 to +0.1\n"
	if err != nil || got != want {
		t.Errorf("mistakes\n%s%v, want\n%s", got, err, want)
	}
}

func TestBestPlay(t *testing.T) {
	for name, want := range map[string]string{"quad-5x5": "x wins", "othello-6x6": "white wins", "tic-tac-toe": "it is a draw", "gomoku": ""} {
		game, _ := setup(t, name, "random", 1)
		if got := BestPlay(game); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
