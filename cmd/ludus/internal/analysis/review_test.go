package analysis

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
	"ludus/train/agent"
)

// review returns the review of a game whose moves are texts.
func review(t *testing.T, game *env.Game, a agent.Agent, texts ...string) *Review {
	t.Helper()
	_, moves, err := env.ReplayText(game, texts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReviewGame(context.Background(), game, a, moves, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Moves of a random opening are nobody's mistakes, and count for no side; where they lost the game, it was lost there.
func TestReviewRandomOpening(t *testing.T) {
	game, agents := setup(t, "tic-tac-toe", "solver:100000", 1)
	_, moves, err := env.ReplayText(game, []string{"b2", "b1", "a1", "c3", "a2", "c2", "a3"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReviewGame(context.Background(), game, agents[0], moves, 2, nil)
	if err != nil || mistakes(r) != "" || r.Moves[1].Grade != Random || r.Moves[1].Loss != 1 || r.Moves[2].Grade != Best {
		t.Errorf("moves %+v, error %v", r.Moves, err)
	}
	if x, o := r.Sides[0], r.Sides[1]; x.Moves != 3 || o != (Side{"o", 2, 2, 0, 0, 0}) || r.Lost == nil || r.Lost.Ply != 2 {
		t.Errorf("sides %+v, lost %+v", r.Sides, r.Lost)
	}
}

// mistakes lists the mistakes of a review as text.
func mistakes(r *Review) (text string) {
	for _, m := range r.Moves {
		if m.IsMistake() {
			text += fmt.Sprintf("%d. %s %s %+.1f to %+.1f, %v %v\n", m.Ply, m.Player, m.Move, m.Before, m.After, m.Grade, m.Exact)
		}
	}
	return text
}

// A review finds exactly the moves that lose value, with exact values where the solver knows them, and where the game
// was lost.
func TestReview(t *testing.T) {
	game, agents := setup(t, "tic-tac-toe", "solver:100000", 1)
	r := review(t, game, agents[0], "b2", "b1", "a1", "c3", "a2", "c2", "a3")
	if len(r.Positions) != 8 || r.Positions[0] != (PositionValue{0, true}) || r.Positions[2] != (PositionValue{1, true}) || r.Positions[7] != (PositionValue{1, true}) {
		t.Errorf("positions %v", r.Positions)
	}
	if got, want := mistakes(r), "2. o b1 +0.0 to -1.0, blunder true\n"; got != want {
		t.Errorf("mistakes %s, want %s", got, want)
	}
	m := r.Moves[1]
	if m.Loss != 1 || m.Reason != "leads to a draw if both play perfectly" || len(m.Line) < 2 || m.Line[0] != m.Best || len(m.Reply) < 3 {
		t.Errorf("%+v", m)
	}
	if x, o := r.Sides[0], r.Sides[1]; x != (Side{"x", 4, 4, 0, 0, 0}) || o != (Side{"o", 3, 2, 1, 1, 1. / 3}) {
		t.Errorf("sides %+v", r.Sides)
	}
	if l := r.Lost; l == nil || l.Player != "o" || l.Ply != 2 || l.Move != "b1" || l.Value != -1 || !l.Exact() {
		t.Errorf("lost %+v", r.Lost)
	}
	if r := review(t, game, agents[0], "b2", "a1"); r.Lost != nil || mistakes(r) != "" {
		t.Errorf("an even game is lost: %+v", r.Lost)
	}
	if r := review(t, game, agents[0]); len(r.Positions) != 1 || r.Lost != nil {
		t.Errorf("a game without moves: %+v", r)
	}
	_, agents = setup(t, "tic-tac-toe", "random", 1)
	if _, err := ReviewGame(context.Background(), game, agents[0], nil, 0, nil); !errors.Is(err, ErrNoValues) {
		t.Errorf("an agent without values reviews: %v", err)
	}
}

// Reviews of random games agree with the solver at every ply where they claim to know; with a solver they know the end
// of every game.
func TestReviewAgreesWithSolver(t *testing.T) {
	for _, c := range []struct {
		game, agent string
		known       int // from so many plies before the end on, positions are proven
	}{
		{"tic-tac-toe", "mcts:200", 0}, {"tic-tac-toe", "zoo,solve=100", 2}, {"tic-tac-toe", "solver:100000", 9}, {"quad-5x5", "zoo,sims=16,solve=2000", 6},
		{"connect-four", "zoo,sims=16,solve=2000", 1},
	} {
		game, agents := setup(t, c.game, c.agent, 1)
		exact := solver.New(game, 1<<20)
		rng := rand.New(rand.NewPCG(7, 7))
		checked := 0
		for range 10 {
			var moves []env.Action
			state := game.NewState()
			for !state.Done() {
				moves = append(moves, state.RandomAction(rng.Uint64()))
				state.Apply(moves[len(moves)-1])
			}
			r, err := ReviewGame(context.Background(), game, agents[0], moves, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			state = game.NewState()
			var before *float64
			for ply := 0; ; ply++ {
				if p := r.Positions[ply]; !p.Proven && len(moves)-ply <= c.known {
					t.Errorf("%s, %s: %d of %d plies are not known", c.game, c.agent, ply, len(moves))
				}
				var value *float64
				if len(moves)-ply <= 10 {
					value = solved(game, exact, state)
				}
				if p := r.Positions[ply]; p.Proven && value != nil {
					checked++
					if p.Value != *value {
						t.Errorf("%s, %s, ply %d of %v: %v is not %v", c.game, c.agent, ply, game.Names(moves), p.Value, *value)
					}
				}
				if ply > 0 {
					checkMove(t, r, ply, before, value)
				}
				if ply == len(moves) {
					break
				}
				before = value
				state.Apply(moves[ply])
			}
		}
		t.Logf("%s, %s: %d positions agree", c.game, c.agent, checked)
		if checked < 10 {
			t.Errorf("%s, %s: only %d positions were compared", c.game, c.agent, checked)
		}
	}
}

// solved returns the exact value of a position for the first player; nil if it takes long to find.
func solved(game *env.Game, s *solver.Solver, state env.State) *float64 {
	class := 0
	if state.Done() {
		class = state.Outcome()
	} else if c, ok := s.Solve(state, solver.Limits{Nodes: 20_000}); ok {
		class = c
	} else {
		return nil
	}
	return new(roundUtility(game.Classes[class].Utility))
}

// checkMove compares what a review says of a move with the exact values for the first player before and after it; nil:
// unknown.
func checkMove(t *testing.T, r *Review, ply int, before, after *float64) {
	t.Helper()
	m := r.Moves[ply-1]
	sign := 1.0
	if m.Player != r.Sides[0].Player {
		sign = -1
	}
	if m.Exact && before != nil && after != nil && (m.Before != sign**before || m.After != sign**after || math.Abs(m.Loss-(m.Before-m.After)) > 1e-9) {
		t.Errorf("%s, move %+v: the solver says %v to %v", r.Game, m, *before, *after)
	}
	if m.Loss < 0 || m.Exact && (m.Loss == 0) != (m.Grade == Best) {
		t.Errorf("%s, move %+v", r.Game, m)
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

// A bias of the network towards the player to move does not blame moves that the analysis does not value; one that it
// values is worth what the analysis of the next position says.
func TestReviewByBiasedAgent(t *testing.T) {
	game, _ := setup(t, "tic-tac-toe", "random", 1)
	r := review(t, game, biased{}, "a1", "b1", "b2", "c3", "a3") // c3 is the last one
	if got, want := mistakes(r), "4. o c3 +0.4 to -0.4, blunder false\n"; got != want {
		t.Errorf("mistakes %s; want %s", got, want)
	}
}

// proven values the positions of two-marks for x by the number of marks on the board; so many are exact, from that with
// first marks on.
type proven struct {
	biased
	values       []float64
	first, exact int
}

func (p proven) Analyze(_ context.Context, state env.State, _ int) (*agent.Analysis, error) {
	legal := state.Legal(nil)
	marks := 25 - len(legal)
	value := state.Player().Sign() * p.values[marks]
	a := &agent.Analysis{Player: state.Player(), Value: &value, Proven: marks >= p.first && marks < p.first+p.exact}
	for _, move := range legal {
		a.Moves = append(a.Moves, agent.MoveInfo{Action: move})
	}
	return a, nil
}

// Values are those of the player who moves: here x, o, o, x and x. The exact value of a position comes before estimates
// of its moves.
func TestReviewWherePlayersMoveTwice(t *testing.T) {
	game := games.Must("../../../../env/gdl/sheets/two-marks.kif")
	var moves []env.Action
	state := game.NewState()
	for range 5 {
		legal := state.Legal(nil)
		moves = append(moves, legal[len(legal)-1])
		state.Apply(moves[len(moves)-1])
	}
	names := game.Names(moves)
	for exact, want := range map[int]string{
		6: "1. x A +0.5 to +0.1, mistake true\n3. o B +0.5 to -0.5, blunder true\n5. x C +0.9 to +0.1, blunder true\n",
		3: "1. x A +0.5 to +0.1, mistake true\n3. o B +0.5 to -0.5, blunder false\n", // then only as bad as the other moves
	} {
		want := strings.NewReplacer("A", names[0], "B", names[2], "C", names[4]).Replace(want)
		r, err := ReviewGame(context.Background(), game, proven{values: []float64{0.5, 0.1, -0.5, 0.5, 0.9, 0.1}, exact: exact}, moves, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mistakes(r); got != want {
			t.Errorf("mistakes of %d exact positions\n%s, want\n%s", exact, got, want)
		}
	}
	for _, move := range []env.Action{moves[0], game.NewState().Legal(nil)[0]} { // not the agent's best move, then that
		r, err := ReviewGame(context.Background(), game, proven{values: []float64{0.5, 0.1}, first: 1, exact: 1}, []env.Action{move}, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Moves[0]; r.Positions[0].Proven || !m.Exact || m.Before != 0.1 || m.After != 0.1 || m.Grade != Best {
			t.Errorf("moves with exact values in a position without: %+v", m)
		}
	}
}

// The turning point is after the loser's last chance: what is lost by the estimate may be proven only later. It is the
// loser's move, even if the estimate falls only at the reply.
func TestTurningPoint(t *testing.T) {
	r := func(values string) *Review {
		r := &Review{Sides: [2]Side{{Player: "x"}, {Player: "o"}}, Moves: make([]ReviewedMove, 20)}
		for i := range r.Moves {
			r.Moves[i].Player = r.Sides[i%2].Player
		}
		for text := range strings.FieldsSeq(values) {
			text, isProven := strings.CutSuffix(text, "!")
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			r.Positions = append(r.Positions, PositionValue{value, isProven})
		}
		return r
	}
	for values, want := range map[string]string{
		"0 0.2 0.1":                "",
		"0 -0.6 -0.4 -0.9 -1! -1!": "x 3 -0.9 from 4",
		"0 0.6 -0.1 0.9 0.8":       "o 2 -0.9",
		"1! 1! 1!":                 "o 0 -1 from 0",
		"1! 0! 0! -1! -1!":         "x 3 -1 from 3",
		"-0.9 -1! 0! -1!":          "x 3 -1 from 3",
		"0.9 0!":                   "",
		"0! -0.3! 0.4 -0.3! -0.3!": "x 3 -0.3 from 3",
	} {
		got := ""
		if p := r(values).turningPoint(); p != nil {
			got = fmt.Sprint(p.Player, " ", p.Ply, " ", p.Value)
			if p.ProvenFrom != nil {
				got += fmt.Sprint(" from ", *p.ProvenFrom)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", values, got, want)
		}
	}
}

// A mistake of the loser after the estimates fell, and before a proof, is where the game was lost.
func TestTurningPointAtMistake(t *testing.T) {
	r := &Review{Sides: [2]Side{{Player: "x"}, {Player: "o"}}}
	for i, grade := range []Grade{Best, Best, Good, Mistake, Mistake, Best, Mistake} {
		r.Moves = append(r.Moves, ReviewedMove{Player: r.Sides[i%2].Player, Move: string(rune('a' + i)), Grade: grade})
	}
	for _, value := range []float64{0, 0, 0, -0.6, -0.7, -0.8, -1, -1} {
		r.Positions = append(r.Positions, PositionValue{value, value == -1})
	}
	if p := r.turningPoint(); p.Move != "e" || p.Ply != 5 || p.Value != -0.8 || *p.ProvenFrom != 6 {
		t.Errorf("%+v", p)
	}
	r.Moves[4].Grade = Good // the mistake after the proof says nothing
	if p := r.turningPoint(); p.Move != "c" || p.Ply != 3 || p.Value != -0.6 {
		t.Errorf("%+v", p)
	}
	r.Moves[2].Grade, r.Moves[4].Grade = Mistake, Mistake
	if p := r.turningPoint(); p.Move != "c" {
		t.Errorf("%+v", p)
	}
}

func TestBestPlay(t *testing.T) {
	for name, want := range map[string]string{"quad-5x5": "x wins", "othello-6x6": "white wins", "tic-tac-toe": "it is a draw", "gomoku-9x9": ""} {
		game, _ := setup(t, name, "random", 1)
		if got := BestPlay(game); got != want {
			t.Errorf("%s: %q; want %q", name, got, want)
		}
	}
}
