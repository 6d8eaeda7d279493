package terminal

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/gdl"
)

func TestDetectStyle(t *testing.T) {
	for _, c := range []struct {
		variables string
		want      Style
	}{
		{"", Style{}},
		{"TERM=dumb LANG=en_GB.UTF-8", Style{Unicode: true}},
		{"TERM=xterm", Style{Live: true}},
		{"TERM=xterm-256color LC_ALL=C LANG=en_GB.UTF-8", Style{Colour: true, Live: true}},
		{"TERM=screen COLORTERM=truecolor LANG=C.utf8", Style{Colour: true, Live: true, Unicode: true}},
		{"TERM=xterm-256color NO_COLOR=1", Style{Live: true}},
	} {
		getenv := func(name string) string {
			for _, v := range strings.Fields(c.variables) {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value
				}
			}
			return ""
		}
		if got := DetectStyle(getenv, nil); got.Colour != c.want.Colour || got.Unicode != c.want.Unicode || got.Live != c.want.Live {
			t.Errorf("%q: %+v, want %+v", c.variables, got, c.want)
		}
	}
}

// drawn plays moves and draws the position, the moves of the player to move marked.
func drawn(t *testing.T, name string, style Style, moves ...string) string {
	t.Helper()
	game := games.Must(name)
	state := game.NewState()
	var last []env.Action
	for _, text := range moves {
		a, err := game.ParseAction(text)
		if err != nil {
			t.Fatal(err)
		}
		state.Apply(a)
		last = []env.Action{a}
	}
	return newCanvas(game, &style).draw(state, cellMarks(game, state, last, state.Legal(nil)))
}

// slabs returns the name of a game of a sheet in which kings step onto free cells, which are called by a name, and
// leave cells of which no fact is true.
func slabs(t *testing.T, free string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../env/gdl/testdata/slabs.kif")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "slabs.kif")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "slab", free)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDraw(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{drawn(t, "quad-5x5", Style{}, "mark r3 c3", "mark r2 c5"), `
5      .   .   .
4  .   .   .   .   .
3  .   .   x   .   .
2  .   .   .   .  [o]
1      .   .   .
   a   b   c   d   e
`},
		{drawn(t, "breakthrough(columns=3,rows=4)", Style{Unicode: true}, "move 1 2 2 3"), `
4  B   B   B
3  B  [W]  B
2 [ ]  W•  W
1  W   W   W
   a   b   c
`},
		{drawn(t, "breakthrough(columns=3,rows=5)", Style{}, "move 1 2 2 3"), `
5  B   B   B
4  B   B   B
3  .  [W]  .
2 [ ]  W   W
1  W   W   W
   a   b   c
`},
		{drawn(t, "hex(size=3)", Style{}, "mark r3 c1", "mark r2 c2"), `
    3  R   .   .
  2  .  [B]  .
1  .   .   .
   a   b   c
`},
		{drawn(t, "golden-rectangle(columns=4,rows=4)", Style{Width: func() int { return 12 }}, "mark 2 0"), `
4 . . . .
3 . . . .
2 . + . .
1 + R]+ +
  a b c d
`},
		{drawn(t, "quad-5x5", Style{}, "mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3", "mark r3 c3"), `
5      .   o   .
4  .   .   o   o   .
3  .  *x* *x*  .   .
2  .  *x* *x*  .   .
1      .   .   .
   a   b   c   d   e
`},
		{drawn(t, "quad(size=4,quads=3,whites=1,corners=full)", Style{}, "a1", "block c1", "d4", "b1", "d3", "a2", "c4"), `
4  .   .  [o]  o
3  .   .   .   o
2 *x* *.*  .   .
1 *x* *x*  W   .
   a   b   c   d
`},
		{drawn(t, "breakthrough(columns=2,rows=4)", Style{Width: func() int { return 6 }}, "move 1 2 2 3", "move 1 3 2 2", "move 2 3 1 4"), `
4 W*B
3 .  ]
2 . B
1 W W
  a b
`},
		{drawn(t, slabs(t, "slab"), Style{}, "move a 1 a 2", "move c 3 c 2", "move a 2 b 2"), `
3  S   S   .
2 [ ] [R]  B
1  .   S   S
   a   b   c
`}, // it is blue's move: only the king that can be captured is marked, no slab
		{drawn(t, slabs(t, "blank"), Style{}, "move a 1 a 2", "move c 3 c 2", "move a 2 b 2"), `
3  .   .
2 [ ] [R]  B
1      .   .
   a   b   c
`},
	} {
		var lines []string
		for line := range strings.Lines(c.got) {
			lines = append(lines, strings.TrimRight(line, " \n")+"\n")
		}
		if got := strings.Join(lines, ""); got != c.want[1:] {
			t.Errorf("drawn\n%swant%s", got, c.want)
		}
	}
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colours add nothing: without their codes every board reads as it does in plain text, in every game and at every width
// that has room for it.
func TestColourIsNotAll(t *testing.T) {
	for _, name := range append(games.Names(), "quad(size=11)", "free-for-all(size=9)") {
		game := games.Must(name)
		for _, width := range []int{0, 80, 60, 40, 25} {
			room := func() int { return width }
			plain := drawn(t, name, Style{Width: room})
			coloured := drawn(t, name, Style{Colour: true, Width: room})
			if strings.Count(coloured, "\x1b[0m")*2 != strings.Count(coloured, "\x1b[")-2*strings.Count(coloured, "\x1b[24m") {
				t.Errorf("%s: a colour does not end", name)
			}
			got := strings.Split(escape.ReplaceAllString(coloured, ""), "\n")
			for i, line := range strings.Split(plain, "\n") {
				line = strings.TrimRight(line, " ")
				if got := strings.TrimRight(got[i], " "); got != line {
					t.Errorf("%s, line %d is %q in colour, %q without", name, i, got, line)
				}
				if n := utf8.RuneCountInString(line); width > 0 && n > width && (game.Tensor.W < 10 || width >= 80) {
					t.Errorf("%s: a line of %d columns on a terminal of %d", name, n, width)
				}
			}
		}
	}
}

// boardSheet is a game whose cells hold pieces of these names at the start; a move takes a piece from the board.
func boardSheet(pieces ...string) string {
	text := `(role x) (role o) (opponent x o) (opponent o x) (init (control x)) (row 1) (row 2)
		(<= (legal ?p (take ?c ?r)) (true (control ?p)) (true (cell ?c ?r ?k)))
		(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
		(<= (next (cell ?c ?r ?k)) (true (cell ?c ?r ?k)) (not (taken ?c ?r)))
		(<= (taken ?c ?r) (does ?p (take ?c ?r)))
		(<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
		(<= open (true (cell ?c ?r ?k))) (<= terminal (not open))
		(<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (opponent ?p ?q) (true (control ?q)))`
	for i, name := range pieces {
		text += fmt.Sprintf(" (init (cell %c %d %s))", 'a'+i/2, i%2+1, name)
	}
	for i := range (len(pieces) + 1) / 2 {
		text += fmt.Sprintf(" (init (cell %c 3 x))", 'a'+i)
	}
	return text
}

// TestCharacters draws pieces of several scripts: each by a character of its name, in a column of its own width.
func TestCharacters(t *testing.T) {
	game, _, err := gdl.New(t.Context(), "pieces", boardSheet("走", "é", "белый", "чёрный", "♚", "👩\u200d🚀", "wp", "wr", "走马", "x"))
	if err != nil {
		t.Fatal(err)
	}
	style := Style{Unicode: true}
	want := "3  x    x    x    x    x\n2  é    Ч    👩\u200d🚀   R    x\n1  走   Б    ♚    W    马\n   a    b    c    d    e\nx to move\n"
	if got := style.Board(game, game.NewState()); got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
	if got, want := newCanvas(game, &style).legend(), " On the board, R is wr, 马 is 走马."; got != want {
		t.Errorf("legend %q, want %q", got, want)
	}
	for _, line := range strings.Split(strings.TrimSpace(game.Board(game.NewState())), "\n")[:2] {
		if got := uniseg.StringWidth(line); got != 16 {
			t.Errorf("%q is %d columns wide, want 16", line, got)
		}
	}
}

func TestWrapped(t *testing.T) {
	s := Style{Width: func() int { return 10 }}
	for text, want := range map[string]string{
		"": "", "one two": "one two", "one two three four": "one two\nthree four", "longer-than-that is": "longer-than-that\nis",
	} {
		if got := s.Wrapped(text); got != want {
			t.Errorf("%q is broken to %q, want %q", text, got, want)
		}
	}
}

// A live terminal shows that an agent is thinking, and erases it.
func TestThinkingIsErased(t *testing.T) {
	for _, live := range []bool{true, false} {
		config := configure(t, "quad-5x5", "random", env.Second)
		config.Style.Live = live
		var out strings.Builder
		if err := New(config, &out).Play(context.Background(), io.NopCloser(strings.NewReader("quit\n"))); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Contains(out.String(), "random is thinking\r\x1b[Kx plays"); shown != live {
			t.Errorf("live %v:\n%q", live, out.String())
		}
	}
}

// An interrupt at a keyboard ends the line of the prompt.
func TestInterruptAtThePrompt(t *testing.T) {
	config := configure(t, "quad-5x5", "random", env.First)
	config.Keyboard = true
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in, keyboard, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer keyboard.Close()
	var out strings.Builder
	if err := New(config, &out).Play(ctx, lines.Interruptible(in)); err != context.Canceled || !strings.HasSuffix(out.String(), "x> \n") {
		t.Errorf("%v after %q", err, out.String())
	}
}
