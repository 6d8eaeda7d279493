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
		if len(info.Line) < 2 || info.Line[0] != info.Action {
			t.Errorf("%s has the line %v", game.ActionTexts[info.Action], game.Names(info.Line))
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

// With too few nodes the value is not proven, and the agent still plays a legal move, as it does in a lost position.
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

// The fallback may not choose a move that is solved as worse than another one.
func TestSolverPrefersSolvedMoves(t *testing.T) {
	game, state := position(t, "quad-5x5")
	a := newSolving(game, 3000)
	a.fallback = newUCT(game, 1) // a random move
	rng := newRand(1)
	mixed, rescued := 0, 0 // positions with solved and unsolved moves; those where UCT picks a worse solved one
	for range 300 {
		state.CopyFrom(game.NewState())
		for range 6 {
			legal := state.Legal(nil)
			if state.Apply(legal[rng.IntN(len(legal))]); state.Done() {
				break
			}
		}
		if state.Done() {
			continue
		}
		seed := rng.Uint64()
		a.Reset(seed)
		analysis, err := a.Analyze(context.Background(), state, 0)
		if err != nil {
			t.Fatal(err)
		}
		best, values := -2.0, map[env.Action]float64{}
		for _, info := range analysis.Moves {
			if info.Value != nil {
				best = max(best, *info.Value)
				values[info.Action] = *info.Value
			}
		}
		if value, ok := values[analysis.Moves[0].Action]; ok && value < best {
			t.Fatalf("the first move is worth %v, another one %v", value, best)
		}
		if !analysis.Proven && len(values) > 0 {
			mixed++
			a.fallback.Reset(seed)
			move, _ := a.fallback.Choose(context.Background(), state)
			if value, ok := values[move]; ok && value < best {
				rescued++
			}
		}
	}
	if rescued == 0 {
		t.Errorf("UCT chose no worse move in any of %d positions", mixed)
	}
}
