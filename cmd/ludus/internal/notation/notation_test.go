package notation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
)

func parserOf(t testing.TB, name string) *Parser {
	t.Helper()
	game, err := games.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return NewParser(game)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ game, line, want string }{
		{"quad-5x5", "(mark r3 c3)", "(mark r3 c3)"},
		{"quad-5x5", "mark r3 c3", "(mark r3 c3)"},
		{"quad-5x5", "MARK R3 C3", "(mark r3 c3)"},
		{"quad-5x5", "r3 c3", "(mark r3 c3)"},
		{"quad-5x5", "r3c3", "(mark r3 c3)"},
		{"quad-5x5", "3 3", "(mark r3 c3)"},
		{"quad-5x5", "3,4", "(mark r3 c4)"},
		{"quad-5x5", "34", "(mark r3 c4)"},
		{"quad-5x5", "m34", "(mark r3 c4)"},
		{"quad-5x5", "m 3 3", "(mark r3 c3)"},
		{"quad-5x5", "c4 r3", "(mark r3 c4)"},
		{"quad-5x5", "row 3, column 4", "(mark r3 c4)"},
		{"quad-5x5", "play at 3 4", "(mark r3 c4)"},
		{"quad-7x7", "block 3 3", "(block r3 c3)"},
		{"quad-7x7", "b 3 3", "(block r3 c3)"},
		{"quad-7x7", "b33", "(block r3 c3)"},
		{"quad(size=11)", "b 11 3", "(block r11 c3)"},
		{"quad(size=11)", "m113", "(mark r11 c3)"}, // there is no c13
		{"quad(size=11)", "m111", ""},              // r1 c11 or r11 c1
		{"breakthrough-6x6", "2 2 3 3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "2 2 - 3 3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "22-33", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "2233", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "b2-c3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "B2C3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "c2 c3", "(move 3 2 3 3)"},
		{"breakthrough-6x6", "b2xc3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "b2 x c3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "from x2 y2 to x3 y3", "(move 2 2 3 3)"},
		{"breakthrough-6x6", "y2 x2 y3 x3", "(move 2 2 3 3)"},
		{"golden-rectangle", "4 0", "(mark 4 0)"},
		{"golden-rectangle", "4", "(mark 4 0)"},
		{"golden-rectangle", "c4", "(mark 4 0)"},
		{"golden-rectangle", "column 4", "(mark 4 0)"},
		{"golden-rectangle", "40", "(mark 4 0)"},
		{"connect-four", "4", "(drop 4 1)"},
		{"connect-four", "drop 4", "(drop 4 1)"},
		{"hex-5x5", "3 4", "(mark r3 c4)"},
		{"hex-5x5", "pass", ""}, // a swap is no pass
		{"free-for-all-2p", "move 1 4 3 5", "(move 1 4 3 5)"},
		{"free-for-all-2p", "3 5", "(move 1 4 3 5)"}, // only one move ends there
		{"free-for-all-2p", "a4-c5", "(move 1 4 3 5)"},
		{"quad-7x7", "3 3", ""},         // mark or block
		{"quad-5x5", "r3", ""},          // which column
		{"quad-5x5", "3", ""},           // which row or column
		{"quad-5x5", "1 1", ""},         // no such cell
		{"quad-5x5", "move 3 3", ""},    // no such word
		{"quad-5x5", "3 3 3", ""},       // too many
		{"quad-5x5", "c4 c3", ""},       // no row
		{"quad-5x5", "0", ""},           // nothing
		{"breakthrough-6x6", "2 2", ""}, // where to
		{"breakthrough-6x6", "noop", ""},
		{"golden-rectangle", "8", ""},
		{"golden-rectangle", "4 1", ""}, // in the air
		{"quad-5x5", "()", ""},
		{"quad-5x5", "", ""},
		{"quad-5x5", "\xff\x00", ""},
		{"quad-5x5", "9999999999999999999999", ""},
	} {
		g := parserOf(t, c.game)
		state := g.game.NewState()
		action, err := g.Parse(state, state.Legal(nil), c.line)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: %q is read as %s", c.game, c.line, g.game.ActionTexts[action])
		case c.want != "" && (err != nil || g.game.ActionTexts[action] != c.want):
			t.Errorf("%s: %q is not read as %s: %s %s", c.game, c.line, c.want, g.game.ActionTexts[action], err)
		}
	}
}

// TestErrors checks the errors for moves that are illegal or ambiguous.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ game, moves, line, want string }{
		{"quad-5x5", "(mark r3 c3)", "33", "(mark r3 c3) is not legal: x is on r3 c3. Nearest: (mark r2 c3), (mark r3 c2) or (mark r3 c4)"},
		{"quad-5x5", "", "1 1", `"1 1" is not a move of this game. Nearest: (mark r1 c2), (mark r2 c1) or (mark r1 c3)`},
		{"quad-7x7", "", "3 3", `"3 3" is ambiguous: (mark r3 c3) [m 3 3] or (block r3 c3) [b 3 3]`},
		{"quad-7x7", "", "c3", `"c3" is ambiguous: (mark r1 c3) [m 1 3], (mark r2 c3) [m 2 3], (mark r3 c3) [m 3 3], (mark r4 c3) [m 4 3] and 10 more`},
		{"breakthrough-6x6", "", "b3-b4", "(move 2 3 2 4) is not legal: no piece is on 2 3. Nearest: (move 2 2 2 3), (move 2 2 1 3) or (move 3 2 2 3)"},
		{"breakthrough-6x6", "", "2 5 2 4", "(move 2 5 2 4) is not legal: the piece on 2 5 is black. Nearest: (move 2 2 2 3), (move 2 2 1 3) or (move 3 2 2 3)"},
		{"breakthrough-6x6", "", "2 1 2 2", "(move 2 1 2 2) is not legal: white is on 2 2, too. Nearest: (move 2 2 2 3), (move 2 2 1 3) or (move 3 2 2 3)"},
		{"breakthrough-6x6", "", "2 2", `"2 2" is ambiguous: (move 2 2 1 3), (move 2 2 2 3) or (move 2 2 3 3)`},
		{"golden-rectangle", "", "4 2", "(mark 4 2) is not legal now. Nearest: (mark 4 0) [4], (mark 3 0) [3] or (mark 5 0) [5]"},
		{"free-for-all-2p", "", "noop", "noop is not legal now; moves look like (move 1 4 2 2)"},
		{"quad-7x7", "", "block", `"block" is incomplete; moves look like (block r1 c2) [b 1 2]`},
		{"quad-5x5", "", "qiut", `"qiut" is not a move of this game; moves look like (mark r1 c2)`},
	} {
		g := parserOf(t, c.game)
		state := g.game.NewState()
		if c.moves != "" {
			a, err := g.game.ParseAction(c.moves)
			if err != nil {
				t.Fatal(err)
			}
			state.Apply(a)
		}
		if _, err := g.Parse(state, state.Legal(nil), c.line); err == nil || err.Error() != c.want {
			t.Errorf("%s, %q: %v\nwant %s", c.game, c.line, err, c.want)
		}
	}
}

// In every position of every game each legal move is read as itself as it is written, and in the short way.
func TestEveryMoveIsReadAsItself(t *testing.T) {
	for _, name := range append(games.Names(), "quad(size=11,quads=30,whites=20)", "breakthrough(columns=8,rows=8)", "golden-rectangle(columns=9,rows=9)", "free-for-all(size=9)") {
		g, rng := parserOf(t, name), rand.New(rand.NewPCG(1, 2))
		for range 3 {
			var legal []env.Action
			for state := g.game.NewState(); !state.Done(); state.Apply(legal[rng.IntN(len(legal))]) {
				legal = state.Legal(legal[:0])
				for _, a := range legal {
					for _, line := range []string{g.game.ActionTexts[a], g.Short(a)} {
						if got, err := g.Parse(state, legal, line); err != nil || got != a {
							t.Fatalf("%s: %q is read as %s: %s\n%s", name, line, g.game.ActionTexts[got], err, g.game.Board(state))
						}
					}
				}
			}
		}
	}
}

// For any text Parse returns a legal move or an error; an action's own text is always read as that action.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"(mark r3 c3)", "b33", "c4 r3", "x3 y2", "22-33", "b2xc3", "noop", "pass", "#3", "4", "moev 3 2", "r r r 3", "99999999999999999999", "row", "\xff3"} {
		f.Add(line, uint8(3), uint8(5))
	}
	var parsers []*Parser
	for _, name := range append(games.Names(), "quad(size=11,quads=30,whites=20)") {
		parsers = append(parsers, parserOf(f, name))
	}
	f.Fuzz(func(t *testing.T, line string, which, plies uint8) {
		g := parsers[int(which)%len(parsers)]
		state := g.game.NewState()
		for range plies {
			if next := state.Legal(nil); len(next) > 0 {
				state.Apply(next[len(line)%len(next)])
			}
		}
		if state.Done() {
			return
		}
		legal := state.Legal(nil)
		action, err := g.Parse(state, legal, line)
		switch exact, inexact := g.game.ParseAction(line); {
		case err != nil && strings.ContainsAny(err.Error(), "\n\x1b"):
			t.Errorf("%q gives an error of several lines: %q", line, err)
		case err == nil && !slices.Contains(legal, action):
			t.Errorf("%q is read as action %d, which is not legal", line, action)
		case inexact == nil && slices.Contains(legal, exact) && (err != nil || action != exact):
			t.Errorf("%q is read as %s: %v", line, g.game.ActionTexts[action], err)
		}
	})
}

// Replay reads the same notation, and its errors name the move.
func TestReplay(t *testing.T) {
	game, err := games.New("breakthrough-6x6")
	if err != nil {
		t.Fatal(err)
	}
	state, actions, err := Replay(game, []string{"(move 2 2 2 3)", "b5-b4", "2 3 1 4"})
	if err != nil || len(actions) != 3 || game.ActionTexts[actions[1]] != "(move 2 5 2 4)" || state.Player() != env.Second {
		t.Errorf("%v, %v", actions, err)
	}
	if _, _, err := Replay(game, []string{"22-23", "b5-b3"}); err == nil || !strings.HasPrefix(err.Error(), `move 2: "b5-b3" is not a move of this game. Nearest: (move 2 5`) {
		t.Errorf("error %v", err)
	}
}
