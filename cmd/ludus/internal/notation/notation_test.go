package notation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
)

func parserOf(t testing.TB, name string) *Parser {
	t.Helper()
	game := games.Must(name)
	return NewParser(game)
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ game, line, want string }{
		{"quad-5x5", "(mark r3 c4)", "d3"},
		{"quad-5x5", "MARK R3 C4", "d3"},
		{"quad-5x5", "mark r3 c4", "d3"},
		{"quad-5x5", "d3", "d3"},
		{"quad-5x5", " ( D3 ) ", "d3"},
		{"quad-5x5", "d 3", "d3"},
		{"quad-5x5", "mark d3", "d3"},
		{"quad-5x5", "m d3", "d3"},
		{"quad-5x5", "r3 c4", "d3"},
		{"quad-5x5", "r3c4", "d3"},
		{"quad-5x5", "m r3 c4", "d3"},
		{"quad-7x7", "c3", "c3"},
		{"quad-7x7", "r3 c3", "c3"},
		{"quad-7x7", "(block r3 c3)", "block c3"},
		{"quad-7x7", "block c3", "block c3"},
		{"quad-7x7", "b c3", "block c3"},
		{"quad-7x7", "bl r3 c3", "block c3"},
		{"quad(size=11)", "b c11", "block c11"},
		{"quad(size=11)", "k2", "k2"},
		{"breakthrough-6x6", "(move 2 2 3 3)", "b2-c3"},
		{"breakthrough-6x6", "2 2 3 3", "b2-c3"},
		{"breakthrough-6x6", "2 2 - 3 3", "b2-c3"},
		{"breakthrough-6x6", "b2-c3", "b2-c3"},
		{"breakthrough-6x6", "B2C3", "b2-c3"},
		{"breakthrough-6x6", "b2 c3", "b2-c3"},
		{"breakthrough-6x6", "b2xc3", "b2-c3"},
		{"breakthrough-6x6", "b2 x c3", "b2-c3"},
		{"breakthrough-6x6", "move b2 c3", "b2-c3"},
		{"golden-rectangle", "4 0", "d1"},
		{"golden-rectangle", "mark 4 0", "d1"},
		{"golden-rectangle", "d1", "d1"},
		{"golden-rectangle", "d", "d1"},
		{"connect-four", "d", "d1"},
		{"connect-four", "drop d", "d1"},
		{"hex-5x5", "d3", "d3"},
		{"hex-5x5", "r3 c4", "d3"},
		{"free-for-all-2p", "move 1 4 3 5", "a4-c5"},
		{"free-for-all-2p", "a4-c5", "a4-c5"},
		{"free-for-all-2p", "c5", "a4-c5"}, // only one move ends there
		{"quad-5x5", "33", ""},
		{"quad-5x5", "3 3", ""},
		{"quad-5x5", "c4 r3", ""},
		{"quad-5x5", "c", ""},       // which row
		{"quad-5x5", "3", ""},       // which column
		{"quad-5x5", "a1", ""},      // no such cell
		{"quad-5x5", "move d3", ""}, // no such word
		{"quad-5x5", "d3 d4", ""},   // too many
		{"quad-5x5", "0", ""},       // nothing
		{"quad-7x7", "block", ""},
		{"hex-5x5", "pass", ""},        // a swap is no pass
		{"breakthrough-6x6", "b2", ""}, // where to
		{"breakthrough-6x6", "x2 y2 x3 y3", ""},
		{"breakthrough-6x6", "noop", ""},
		{"golden-rectangle", "4", ""},
		{"golden-rectangle", "h", ""},
		{"golden-rectangle", "d2", ""}, // in the air
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
		case c.want != "" && (err != nil || g.game.ActionNames[action] != c.want):
			t.Errorf("%s: %q is not read as %s: %s %s", c.game, c.line, c.want, g.game.ActionTexts[action], err)
		}
	}
}

// TestCase: where moves differ in case only, their names keep it, and a text in another case is ambiguous.
func TestCase(t *testing.T) {
	game, _, err := gdl.New(t.Context(), "case", `(role a) (role b) (init (control a)) (other a b) (other b a)
		(<= (legal ?p Move) (true (control ?p))) (<= (legal ?p move) (true (control ?p))) (<= (legal ?p (Jump 1)) (true (control ?p)))
		(<= (legal ?p noop) (true (control ?q)) (other ?p ?q)) (<= (next (won ?p)) (does ?p Move))
		(<= (next (won ?q)) (does ?p move) (other ?p ?q)) (<= (next (won ?q)) (does ?p (Jump 1)) (other ?p ?q)) (<= terminal (true (won ?p)))
		(<= (goal ?p 100) (true (won ?p))) (<= (goal ?p 0) (true (won ?q)) (other ?p ?q))`)
	if err != nil {
		t.Fatal(err)
	}
	p, state := NewParser(game), game.NewState()
	for text, want := range map[string]string{"Move": "Move", "move": "move", " (Move)": "Move", "jump 1": "Jump 1", "J 1": "Jump 1", "MOVE": "", "mOve": "", "(MOVE)": ""} {
		a, err := p.Parse(state, state.Legal(nil), text)
		switch {
		case want != "" && (err != nil || game.ActionNames[a] != want):
			t.Errorf("%s is not read as %s: %v", text, want, err)
		case want == "" && (err == nil || !strings.Contains(err.Error(), "ambiguous: Move or move") && !strings.Contains(err.Error(), "ambiguous: move or Move")):
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// slabs is a game with pieces that belong to no player.
const slabs = "../../../../env/gdl/testdata/slabs.kif"

// TestErrors checks the errors for moves that are illegal or ambiguous.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ game, moves, line, want string }{
		{"quad-5x5", "(mark r3 c3)", "r3c3", "c3 is not legal: x is on c3; moves look like b1"},
		{"quad-5x5", "", "a1", `"a1" is not a move of this game; moves look like b1`},
		{"quad-5x5", "", "f3", `"f3" is not a move of this game; moves look like b1`},
		{"quad-5x5", "", "r9 c9", `"r9 c9" is not a move of this game; moves look like b1`},
		{"quad-5x5", "", "33", `"33" is not a move of this game; moves look like b1`},
		{"golden-rectangle", "", "9", `"9" is not a move of this game; moves look like a1`},
		{"quad-7x7", "", "b c33", `"b c33" is not a move of this game; moves look like b1`},
		{"breakthrough-6x6", "", "b3-b4", "b3-b4 is not legal: no piece is on b3; moves look like b2-a3"},
		{"breakthrough-6x6", "", "2 5 2 4", "b5-b4 is not legal: the piece on b5 is black; moves look like b2-a3"},
		{"breakthrough-6x6", "", "b1b2", "b1-b2 is not legal: white is on b2, too; moves look like b2-a3"},
		{"breakthrough-6x6", "", "b2", `"b2" is ambiguous: b2-a3, b2-b3 or b2-c3`},
		{"golden-rectangle", "", "d3", "d3 is not legal now; moves look like a1"},
		{"free-for-all-2p", "", "noop", "pass is not legal now; moves look like a4-b2"},
		{"quad-7x7", "b2", "block b2", "block b2 is not legal: x is on b2; moves look like block b1"},
		{"quad-7x7", "", "block", `"block" is incomplete; moves look like block b1`},
		{slabs, "", "b1-c1", "b1-c1 is not legal: slab is on b1; moves look like a1-a2"},
		{slabs, "a1-a2", "a1-b1", "a1-b1 is not legal: no piece is on a1; moves look like c3-b3"},
		{slabs, "a1-a2", "a2-a3", "a2-a3 is not legal: the piece on a2 is red; moves look like c3-b3"},
		{"quad-5x5", "", "qiut", `"qiut" is not a move of this game; moves look like b1`},
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

// An x between two cells separates them, and an x before a number is a column.
func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"b2xc3": "b 2 c 3", "B2 x c3": "b 2 c 3", "w1-x2": "w 1 x 2", "w1x2": "w 1 x 2", "w1xx2": "w 1 x 2", "x2": "x 2", "(mark r3 c3)": "mark r 3 c 3",
	} {
		if got := strings.Join(new(Parser).tokens(text), " "); got != want {
			t.Errorf("%q: tokens %s, want %s", text, got, want)
		}
	}
}

// In every position of every game each legal move is read from its name and its official text, as printed and with
// other separators, with and without the verb.
func TestEveryMoveIsReadAsItself(t *testing.T) {
	for _, name := range append(games.Names(), "quad(size=11,quads=30,whites=20)", "breakthrough(columns=8,rows=8)", "golden-rectangle(columns=9,rows=9)", "free-for-all(size=9)") {
		g, rng := parserOf(t, name), rand.New(rand.NewPCG(1, 2))
		for range 3 {
			var legal []env.Action
			for state := g.game.NewState(); !state.Done(); state.Apply(legal[rng.IntN(len(legal))]) {
				legal = state.Legal(legal[:0])
				for _, a := range legal {
					text, name := g.game.ActionTexts[a], g.game.ActionNames[a]
					for _, line := range []string{text, name, strings.Trim(text, "()"), strings.ReplaceAll(name, "-", ""), strings.ReplaceAll(name, "-", "x")} {
						if got, err := g.Parse(state, legal, line); err != nil || got != a {
							t.Fatalf("%s: %q is read as %s: %s\n%s", name, line, g.game.ActionNames[got], err, g.game.Board(state))
						}
					}
				}
			}
		}
	}
}

// For any text Parse returns a legal move or an error; an action's own text is always read as that action.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"(mark r3 c3)", "c3", "b b3", "r3c4", "b2-b3", "b2xc3", "noop", "pass", "#3", "d", "moev c2", "m m m 3", "99999999999999999999", "b2x", "\xff3"} {
		f.Add(line, uint8(3), uint8(5))
	}
	var parsers []*Parser
	for _, name := range append(games.Names(), "quad(size=11,quads=30,whites=20)") {
		parsers = append(parsers, parserOf(f, name))
	}
	words, _, err := gdl.New(f.Context(), "words", wordsSheet("да", "走", "+", "→", "(шаг ä 1)", "(→ +)", "(- ☂\ufe0f)", "(knight-move 1 2)"))
	if err != nil {
		f.Fatal(err)
	}
	parsers = append(parsers, NewParser(words))
	for _, line := range []string{"д", "→+", "\xd0", "-", "ä1", "(шаг ä 1)"} {
		f.Add(line, uint8(len(parsers)-1), uint8(0))
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
	game := games.Must("breakthrough-6x6")
	state, actions, err := Replay(game, []string{"(move 2 2 2 3)", "b5-b4", "2 3 1 4"})
	if err != nil || len(actions) != 3 || game.ActionTexts[actions[1]] != "(move 2 5 2 4)" || state.Player() != env.Second {
		t.Errorf("%v, %v", actions, err)
	}
	if _, _, err := Replay(game, []string{"b2b3", "b5-b3"}); err == nil || !strings.HasPrefix(err.Error(), `move 2: "b5-b3" is not a move of this game; moves look like `) {
		t.Errorf("error %v", err)
	}
}

// wordsSheet returns a sheet in which each player says one of the moves, and x wins if both say the same.
func wordsSheet(moves ...string) string {
	text := `(role x) (role o) (init (step 1)) (succ 1 2) (succ 2 3)
		(<= (legal x ?m) (true (step 1)) (word ?m)) (<= (legal o noop) (true (step 1)))
		(<= (legal o ?m) (true (step 2)) (word ?m)) (<= (legal x noop) (true (step 2)))
		(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
		(<= (next (said ?p ?m)) (does ?p ?m) (word ?m)) (<= (next (said ?p ?m)) (true (said ?p ?m)))
		(<= same (true (said x ?m)) (true (said o ?m)))
		(<= terminal (true (step 3))) (<= (goal x 100) same) (<= (goal x 0) (not same)) (<= (goal o 0) same) (<= (goal o 100) (not same))`
	for _, m := range moves {
		text += " (word " + m + ")"
	}
	return text
}

// TestWords reads moves in other scripts, of signs alone, and shorter forms of both.
func TestWords(t *testing.T) {
	game, _, err := gdl.New(t.Context(), "words", wordsSheet("да", "нет", "走", "+", "-", "→", "(шаг ä 1)", "(шаг ö 1)", "(→ +)", "(→ 👩\u200d🚀)",
		"(knight-move 1 2)", "(beißen ☂\ufe0f)", "undo", "quit", "#1"))
	if err != nil {
		t.Fatal(err)
	}
	p, state := NewParser(game), game.NewState()
	legal := state.Legal(nil)
	for _, a := range legal {
		for _, line := range []string{game.ActionTexts[a], game.ActionNames[a], strings.ToUpper(game.ActionTexts[a]), " " + strings.Trim(game.ActionTexts[a], "()") + "  "} {
			if got, err := p.Parse(state, legal, line); err != nil || got != a {
				t.Errorf("%q is read as %s: %v", line, game.ActionTexts[got], err)
			}
		}
	}
	for line, want := range map[string]string{
		"д": "да", "НЕ": "нет", "ш ö 1": "(шаг ö 1)", "ä1": "", "шаг ä": "", "knight-move, 1 2": "(knight-move 1 2)", "k 1 2": "(knight-move 1 2)",
		"→+": "(→ +)", "→ 👩\u200d🚀": "(→ 👩\u200d🚀)", "b ☂\ufe0f": "(beißen ☂\ufe0f)", "走走": "", "\xff": "", "é": "",
	} {
		a, err := p.Parse(state, legal, line)
		if (err == nil) != (want != "") || err == nil && game.ActionTexts[a] != want {
			t.Errorf("%q is read as %s, want %s: %v", line, game.ActionTexts[a], want, err)
		}
	}
	if _, _, err := Replay(game, []string{"→", "+"}); err != nil {
		t.Error(err)
	}
}

// TestRemovals reads the moves of a sheet in which a move takes the piece of its cell away.
func TestRemovals(t *testing.T) {
	const text = `(role x) (role o) (opponent x o) (opponent o x) (row 1) (row 2) (column a) (column b) (init (control x))
		(<= (init (cell ?c ?r stone)) (row ?r) (column ?c))
		(<= (legal ?p (take ?c ?r)) (true (control ?p)) (true (cell ?c ?r stone)))
		(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
		(<= (next (cell ?c ?r stone)) (true (cell ?c ?r stone)) (not (taken ?c ?r)))
		(<= (taken ?c ?r) (does ?p (take ?c ?r)))
		(<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
		(<= open (true (cell ?c ?r stone))) (<= terminal (not open)) (<= terminal (true (control o)) (not (true (cell a 1 stone))))
		(<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (opponent ?p ?q) (true (control ?q)))`
	game, _, err := gdl.New(t.Context(), "take", text)
	if err != nil {
		t.Fatal(err)
	}
	state := game.NewState()
	for _, line := range []string{"b2", "take b2", "take a 1"} {
		if _, err := NewParser(game).Parse(state, state.Legal(nil), line); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
