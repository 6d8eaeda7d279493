package agent

import (
	"context"
	"slices"
	"testing"

	"ludus/env"
)

// From quad-5x5's start x wins only by the nine inner cells: the solver plays them, and wins against random play.
func TestSolverPlaysPerfectly(t *testing.T) {
	// Three plies on, a position is solved in well under a second.
	game, state := position(t, "quad-5x5", "mark r3 c3", "mark r1 c2", "mark r2 c3")
	a := newAgent(t, game, "solver:10000000")
	analysis, err := a.Analyze(context.Background(), state, 0)
	if err != nil || !analysis.Proven || analysis.Value == nil || analysis.Goals == nil {
		t.Fatalf("%+v, %v; want a proven value", analysis, err)
	}
	move, err := a.Choose(context.Background(), state)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range analysis.Moves {
		if info.Value == nil {
			t.Fatalf("%s is not known", game.ActionTexts[info.Action])
		}
		if *info.Value > *analysis.Value {
			t.Errorf("%s is worth %v; the position only %v", game.ActionTexts[info.Action], *info.Value, *analysis.Value)
		}
		if info.Action == move && *info.Value != *analysis.Value {
			t.Errorf("%s loses value", game.ActionTexts[move])
		}
	}
	if analysis.Moves[0].Value == nil || *analysis.Moves[0].Value != *analysis.Value {
		t.Error("the first move is not the best")
	}
}

// Values are the mover's, goals those of First and Second.
func TestSolverPerspective(t *testing.T) {
	// o has three corners of a square and the move.
	game, state := position(t, "quad-5x5", "mark r1 c2", "mark r2 c2", "mark r1 c3", "mark r2 c3", "mark r5 c2", "mark r3 c2", "mark r5 c3")
	analysis, err := newAgent(t, game, "solver:1000").Analyze(context.Background(), state, 0)
	if err != nil {
		t.Fatal(err)
	}
	if analysis.Player != env.Second || !analysis.Proven || *analysis.Value != 1 || *analysis.Goals != [2]float64{0, 100} {
		t.Errorf("%+v; want a proven win of o", analysis)
	}
	only(t, game, state, "solver:1000", "(mark r3 c3)")
}

// Where the nodes do not suffice the agent says so and plays a legal move nevertheless; so it does in a lost position.
func TestSolverFallsBack(t *testing.T) {
	game, state := position(t, "quad-7x7")
	a := newAgent(t, game, "solver:100")
	analysis, err := a.Analyze(context.Background(), state, 0)
	if err != nil || analysis.Proven || analysis.Value != nil || len(analysis.Moves) != 90 {
		t.Errorf("%+v, %v; want no value", analysis, err)
	}
	move, err := a.Choose(context.Background(), state)
	if err != nil || !slices.Contains(state.Legal(nil), move) {
		t.Errorf("move %d, %v", move, err)
	}
	// o has two ways to complete a square, x none: every move loses.
	game, state = position(t, "quad-5x5", "mark r1 c2", "mark r2 c2", "mark r5 c4", "mark r2 c3", "mark r1 c4", "mark r3 c2",
		"mark r3 c3", "mark r4 c3", "mark r5 c2", "mark r4 c2")
	analysis, err = newAgent(t, game, "solver:100000").Analyze(context.Background(), state, 0)
	if err != nil || !analysis.Proven {
		t.Fatalf("%+v, %v", analysis, err)
	}
	choices(t, game, state, "solver:100000", 3)
}

// A game depends on its seed alone, not on those that the agent has played before.
func TestSolverForgets(t *testing.T) {
	game, start := position(t, "breakthrough-6x6")
	play := func(a Agent, seed uint64) (moves []env.Action) {
		a.Reset(seed)
		state := game.NewState()
		for state.CopyFrom(start); !state.Done(); {
			move, err := a.Choose(context.Background(), state)
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(move)
			a.Observe(move)
			moves = append(moves, move)
		}
		return moves
	}
	used := newAgent(t, game, "solver:300")
	play(used, 1)
	if again, fresh := play(used, 2), play(newAgent(t, game, "solver:300"), 2); !slices.Equal(again, fresh) {
		t.Errorf("a used agent plays\n%v, a new one\n%v", again, fresh)
	}
}

func TestSolverStops(t *testing.T) {
	game, state := position(t, "quad-7x7")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newAgent(t, game, "solver:1000000000").Choose(ctx, state); err != context.Canceled {
		t.Errorf("error %v; want that of the context", err)
	}
}
