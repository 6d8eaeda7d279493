package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
)

const nobody env.Player = 2 // no seat

// programs seats a program opposite a person; nobody: two programs.
func programs(t *testing.T, p *agenttest.Programs, person env.Player) Config {
	t.Helper()
	game := games.Must("tic-tac-toe")
	config := Config{Game: game}
	for i := range config.Seats {
		if env.Player(i) == person {
			continue
		}
		seat := &config.Seats[i]
		seat.Name, seat.AdvisorName = "engine", "engine"
		seat.Agent, _ = p.Start(game, agent.Spec{}) // has no errors
		seat.Advisor, _ = p.Start(game, agent.Spec{})
	}
	return config
}

// play plays a session by lines of input. Rejected lines are no error.
func play(t *testing.T, config Config, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	err := New(config, &out).Play(context.Background(), io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))))
	if err != nil && !errors.Is(err, analysis.ErrRejected) {
		t.Fatal(err)
	}
	return out.String()
}

// A program follows the game through undo, a change of sides, hints, analyses, reviews and new games. The fake panics
// if it has not observed the moves of a position.
func TestProgram(t *testing.T) {
	out := play(t, programs(t, new(agenttest.Programs), env.First),
		"a1", "undo", "b2", "hint", "?", "b1", "switch", "hint", "review", "undo", "c1", "new", "a2", "quit")
	contains(t, out, "x plays a1", "o plays c3", "taken back: 2 moves", "x plays b2", "engine would play", "engine would play",
		"It does not evaluate positions", "you are o", "engine would play", "engine does not evaluate positions.", "you are o", "o plays a2")
}

// A program that fails ends the game with its result. The session goes on: with undo, another analysis, a new game.
func TestProgramFails(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{agent.ErrResigned, "o (engine) resigns. You win."},
		{&agent.Fault{Kind: agent.Died, Detail: "exit status 3"}, "o (engine) cannot go on: the program died: exit status 3. You win."},
		{&agent.Fault{Kind: agent.Illegal, Detail: "legal moves: a1, ..."}, "with no legal move: legal moves: a1, ... You win."},
		{&agent.Fault{Kind: agent.Lost}, "o (engine) cannot go on: the program lost track of the game. The game does not count."},
	} {
		p := &agenttest.Programs{Fail: func(moves []env.Action) error {
			if slices.Contains(moves, 0) { // a1
				return c.err
			}
			return nil
		}}
		out := play(t, programs(t, p, env.First), "a1", "b1", "?", "hint", "undo", "b2", "hint", "a1", "new", "b3", "quit")
		contains(t, out, "x plays a1", c.want, "The game is over; type", "The game is over.", "The game is over.", "taken back: 1 move",
			"x plays b2", "o plays c3", "engine would play", "x plays a1", c.want, "x plays b3", "o plays c3")
	}
	fails := &agenttest.Programs{Fail: func(moves []env.Action) error {
		if len(moves) == 3 {
			return agent.ErrResigned
		}
		return nil
	}}
	out := play(t, programs(t, fails, nobody))
	contains(t, out, "x plays", "o plays", "x plays", "o (engine) resigns. x wins.")
	config := programs(t, &agenttest.Programs{Fail: func([]env.Action) error { return agent.ErrResigned }}, env.First)
	contains(t, play(t, config, "hint", "review"), "engine has no move here: resigned", "engine does not evaluate positions.")
}
