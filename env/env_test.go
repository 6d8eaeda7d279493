package env_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// line describes a game of two cells with one policy plane and one extra entry.
func line() *env.Game {
	return &env.Game{
		Name: "line", Tensor: env.Shape{C: 2, H: 1, W: 2}, Planes: []string{"own", "other"},
		PolicyExtras: 1, PolicyNames: []string{"mark", "pass"},
		ActionTexts: []string{"(mark 1)", "(mark 2)", "pass"},
		Classes:     []env.Class{{Utility: 1}, {Utility: 0}, {Utility: -1}},
	}
}

// TestMarks gives each kind of piece a mark of its own, with one or two columns.
func TestMarks(t *testing.T) {
	for names, want := range map[string]string{
		"x o":                       "x o",
		"white black wall":          "W B A",
		"wp wr bp br w":             "W R B b w",
		"走 走马 белый é ♚":            "走 马 Б é ♚",
		"(king) (man) k":            "K M k",
		"+ * . · red":               "1 2 3 4 R",
		"\u0301 e\u0301 👩\u200d🚀 ⸻": "1 e\u0301 👩\u200d🚀 2", // a mark without a letter, and a dash of four columns
		"ß ßa":                      "ß A",
	} {
		var g env.Game
		for _, name := range strings.Fields(names) {
			g.Drawing.Pieces = append(g.Drawing.Pieces, env.Piece{Name: name})
		}
		if got := strings.Join(g.Marks(), " "); got != want {
			t.Errorf("%s: marks %s, want %s", names, got, want)
		}
	}
	chess := env.Game{Players: [2]string{"white", "black"}}
	for _, name := range strings.Split("white king,white man,black king,black man,king of black,wall 1,wall 2", ",") {
		kind := env.Piece{Name: name, Neutral: strings.HasPrefix(name, "wall")}
		if strings.Contains(name, "black") {
			kind.Player = env.Second
		}
		chess.Drawing.Pieces = append(chess.Drawing.Pieces, kind)
	}
	if got, want := strings.Join(chess.Marks(), " "), "K M k m O W A"; got != want {
		t.Errorf("marks %s, want %s", got, want)
	}
	var many env.Game
	for i := range 255 {
		many.Drawing.Pieces = append(many.Drawing.Pieces, env.Piece{Name: "piece " + string(rune('ა'+i))})
	}
	seen := map[string]bool{}
	for _, mark := range many.Marks() {
		seen[mark] = true
	}
	if len(seen) != 255 {
		t.Errorf("%d marks for 255 kinds", len(seen))
	}
}

func TestParseAction(t *testing.T) {
	g := line().Finish(nil)
	for text, want := range map[string]env.Action{
		"(mark 1)": 0, "mark 2": 1, " ( MARK   2 ) ": 1, "pass": 2, "(pass)": 2,
	} {
		if a, err := g.ParseAction(text); err != nil || a != want {
			t.Errorf("ParseAction(%q) = %d, %v; want %d", text, a, err, want)
		}
	}
	for _, text := range []string{"", "()", "(mark 3)", "mark", "mark1", "(mark 1 1)"} {
		_, err := g.ParseAction(text)
		if !errors.Is(err, env.ErrAction) || !strings.Contains(err.Error(), "line") {
			t.Errorf("ParseAction(%q): %v; want ErrAction that names the game", text, err)
		}
	}
}

// Brackets count where two texts differ in them alone.
func TestBrackets(t *testing.T) {
	g := line()
	g.ActionTexts = []string{"(f a b)", "(f (a b))", "((f a) b)"}
	g.Finish(nil)
	for a, text := range g.ActionTexts {
		for _, text := range []string{text, g.ActionNames[a], strings.ToUpper(text)} {
			if back, err := g.ParseAction(text); err != nil || back != env.Action(a) {
				t.Errorf("%s reads as action %d, %v; want %d", text, back, err, a)
			}
		}
	}
	if a, err := g.ParseAction("f a b"); err != nil || a != 0 {
		t.Errorf("f a b reads as action %d, %v", a, err)
	}
}

// Names come from the cells; a verb or the official text tells those apart that share them.
func TestActionNames(t *testing.T) {
	cells := []env.FromTo{env.Placed(3), env.Placed(3), env.Placed(3), env.Moved(0, 4), env.NoCells, env.NoCells, env.NoCells, env.NoCells}
	g := &env.Game{
		Name: "names", Tensor: env.Shape{C: 1, H: 2, W: 3}, Planes: []string{"own"},
		PolicyExtras: len(cells), PolicyNames: make([]string, len(cells)),
		ActionTexts: []string{"(mark 1 2)", "(block 1 2)", "(block x)", "(move 1 1 2 2)", "noop", "(bid 10)", "", "a2"},
		Drawing:     env.Drawing{ActionCells: cells},
	}
	want := []string{"mark a2", "block a2", "block x", "a1-b2", "pass", "bid 10", "", "a2"} // a2 is the text of the last
	if g.Finish(nil); !slices.Equal(g.ActionNames, want) {
		t.Errorf("names %q, want %q", g.ActionNames, want)
	}
	if names := g.Names([]env.Action{3, 4}); !slices.Equal(names, []string{"a1-b2", "pass"}) {
		t.Errorf("names %q", names)
	}
	for a, name := range g.ActionNames {
		if back, err := g.ParseAction(name); name != "" && (err != nil || back != env.Action(a)) {
			t.Errorf("%s reads as action %d, %v", name, back, err)
		}
	}
}

func TestFrames(t *testing.T) {
	swapped := []env.Action{1, 0, 2}
	g := line().Finish(swapped)
	if !slices.Equal(g.Frame(env.First), []env.Action{0, 1, 2}) || !slices.Equal(g.Frame(env.Second), swapped) {
		t.Errorf("frames %v and %v", g.Frame(env.First), g.Frame(env.Second))
	}
	if g.ClassFor(env.First, 0) != 0 || g.ClassFor(env.Second, 0) != 2 || g.ClassFor(env.Second, 1) != 1 {
		t.Error("Second's classes are not First's backwards")
	}
	if env.First.Opponent() != env.Second || env.Second.Opponent() != env.First {
		t.Error("Opponent is not the other player")
	}
}

func TestFinishRefusesInconsistentShapes(t *testing.T) {
	for name, spoil := range map[string]func(g *env.Game){
		"texts":  func(g *env.Game) { g.ActionTexts = g.ActionTexts[1:] },
		"policy": func(g *env.Game) { g.PolicyNames = nil },
		"columns": func(g *env.Game) { // more than letters
			g.Tensor = env.Shape{C: 2, H: 1, W: 27}
			g.ActionTexts = make([]string, 28)
		},
	} {
		g := line()
		spoil(g)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: Finish does not panic", name)
				}
			}()
			g.Finish(nil)
		}()
	}
}

func TestHashMixesEveryWord(t *testing.T) {
	seen := map[uint64]bool{}
	for word := range len(env.Key{}) {
		for bit := range 64 {
			var k env.Key
			k[word] = 1 << bit
			h := k.Hash()
			if seen[h] || seen[h>>32] {
				t.Fatalf("bit %d of word %d: hash %x repeats", bit, word, h)
			}
			seen[h], seen[h>>32] = true, true
		}
	}
}
