package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/arena"
)

// session plays a game by the given lines and returns all that was printed.
func session(t testing.TB, name, text string, person env.Player, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	if err := start(t, name, text, person, &out).Play(context.Background(), strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func start(t testing.TB, name, text string, person env.Player, out io.Writer) *Game {
	t.Helper()
	rules, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := arena.Parse(rules, text)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := spec.New(1)
	if err != nil {
		t.Fatal(err)
	}
	return New(rules, agent, text, person, out)
}

func contains(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		i := strings.Index(out, want)
		if i < 0 {
			t.Fatalf("%q is missing, or comes too early, in\n%s", want, out)
		}
		out = out[i+len(want):]
	}
}

func TestSession(t *testing.T) {
	out := session(t, "quad-5x5", "mcts:50", env.First, "help", "", "HINT", "moves", "3 3", "r3 c3", "nonsense", "99", "undo", "undo", "Q", "never read")
	contains(t, out, "you are x, mcts:50 is o", "c1  c2", "x> Type a move", "(mark r1 c2), mark r1 c2 or 1 2", "mcts:50 would play", "visits",
		"   1  (mark r1 c2)", "  21  (mark r5 c4)", "o plays (mark", "(mark r3 c3) is not legal now", `"nonsense" is no move here`,
		"There are moves 1 to 19", "x> ", "There is nothing to take back.", "x> ")
	if strings.Contains(out, "never read") || strings.Contains(out, "ended") {
		t.Errorf("the game goes on after quit:\n%s", out)
	}
}

// A line without end is wrong input like any other, whatever it begins with.
func TestLongLine(t *testing.T) {
	contains(t, session(t, "quad-5x5", "greedy", env.First, "3 3"+strings.Repeat(" ", 1<<17)+"x", "board", "3 3", "quit"),
		"x> That line is too long", "x> ", "o plays (mark")
}

func TestAgentMovesFirst(t *testing.T) {
	contains(t, session(t, "breakthrough-6x6", "greedy", env.Second, "undo", "board"),
		"you are black", "white plays (move", "black> ", "There is nothing to take back.", "black> ", "The input has ended before the game.")
}

// A whole game by numbers of the list: it ends with both goals.
func TestWholeGame(t *testing.T) {
	for _, name := range games.Names() {
		lines := slices.Repeat([]string{"1"}, 200)
		for _, person := range []env.Player{env.First, env.Second} {
			out := session(t, name, "greedy", person, lines...)
			last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
			if !strings.HasPrefix(last, "You win: ") && !strings.HasPrefix(last, "You lose: ") && !strings.HasPrefix(last, "A draw: ") {
				t.Errorf("%s: the last line is %q", name, last)
			}
		}
	}
}

// After undo the position is that before the person's last move, also where the agent or the person moved twice.
func TestUndo(t *testing.T) {
	for seed := range 5 {
		g := start(t, "quad-7x7", "random", env.First, io.Discard)
		g.agent.Reset(uint64(seed))
		var before []env.Key
		for ply := 0; !g.state.Done() && ply < 25; ply++ {
			if g.state.Player() != g.person {
				if err := g.answer(context.Background()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			before = append(before, g.state.Key())
			legal := g.state.Legal(nil)
			g.play(legal[(7*ply+seed)%len(legal)])
		}
		for _, want := range slices.Backward(before) {
			g.undo()
			if g.state.Key() != want || g.state.Player() != g.person {
				t.Fatalf("undo leads to another position:\n%s", g.state.Board())
			}
		}
		if len(g.moves) != 0 {
			t.Errorf("%d moves are left", len(g.moves))
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct{ game, line, want string }{
		{"quad-5x5", "(mark r3 c3)", "(mark r3 c3)"},
		{"quad-5x5", "mark r3 c3", "(mark r3 c3)"},
		{"quad-5x5", "r3 c3", "(mark r3 c3)"},
		{"quad-5x5", "r3c3", "(mark r3 c3)"},
		{"quad-5x5", "3 3", "(mark r3 c3)"},
		{"quad-5x5", "3,3", "(mark r3 c3)"},
		{"quad-5x5", "m 3 3", "(mark r3 c3)"},
		{"quad-5x5", "2", "(mark r1 c3)"},
		{"quad-7x7", "block 3 3", "(block r3 c3)"},
		{"quad-7x7", "b 3 3", "(block r3 c3)"},
		{"breakthrough-6x6", "2 2 3 3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "2 2 - 3 3", "(move 2 2 3 3)"},
		{"golden-rectangle", "4 0", "(mark 4 0)"},
		{"free-for-all-2p", "move 1 4 3 5", "(move 1 4 3 5)"},
		{"quad-7x7", "3 3", ""},      // mark or block
		{"quad-5x5", "r3", ""},       // which column
		{"quad-5x5", "c3 r3", ""},    // the wrong way round
		{"quad-5x5", "1 1", ""},      // no such cell
		{"quad-5x5", "move 3 3", ""}, // no such word
		{"quad-5x5", "3 3 3", ""},    // too many
		{"quad-5x5", "0", ""},        // the list begins with 1
		{"quad-5x5", "()", ""},       // nothing
		{"quad-5x5", "\xff\x00", ""}, // rubbish
		{"quad-5x5", "9999999999999999999999", ""},
	} {
		game, err := games.New(c.game)
		if err != nil {
			t.Fatal(err)
		}
		action, problem := match(game, game.NewState().Legal(nil), c.line)
		switch {
		case c.want == "" && problem == "":
			t.Errorf("%s: %q is taken for %s", c.game, c.line, game.ActionTexts[action])
		case c.want != "" && (problem != "" || game.ActionTexts[action] != c.want):
			t.Errorf("%s: %q is not taken for %s: %s %s", c.game, c.line, c.want, game.ActionTexts[action], problem)
		}
	}
}

func TestInterruptedAndBroken(t *testing.T) {
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := start(t, "quad-5x5", "random", env.First, io.Discard).Play(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	fault := errors.New("no such thing")
	in.CloseWithError(fault)
	keyboard.CloseWithError(fault)
	if err := start(t, "quad-5x5", "random", env.First, io.Discard).Play(context.Background(), in); err == nil {
		t.Error("no error from a broken input")
	}
}
