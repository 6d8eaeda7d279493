package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
)

// For any input a session ends at the end of the input or before. Its text has no control characters, and its position
// is that after its moves, which are legal from the start of the game.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"c3\n?\nundo\nhint\n#1\nboard\nmoves\n2\nswitch\nnew\nhelp\n#1\n#1\nquit\nc3", "mark b1\nblock c3\nb c3\nb\nundo 2\nundo\n",
		"b2-a3\r\n2 5 1 4\r\nswitch\nb6 x a5\nQUIT now", "4\nmoves\n3\nswitch\n1\n", "noop\npass\na4-c5\nundo -1\nundo\nundo\n",
		strings.Repeat("#1\n", 60), "\x1b[A\n\x00\n\xff\xfe", strings.Repeat("7", maxLine) + "\n" + strings.Repeat("new\n", 9),
	} {
		for which := range uint8(5) {
			f.Add(text, which)
		}
	}
	names := []string{"quad-5x5", "quad-7x7", "breakthrough-6x6", "golden-rectangle", "free-for-all-2p"}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		if len(text) > 4000 {
			t.Skip("long")
		}
		config := configure(t, names[int(which)%len(names)], "random", env.Player(which/5%2))
		config.Keyboard = which >= 128
		var out bytes.Buffer
		s := New(config, &out)
		if err := s.Play(context.Background(), io.NopCloser(strings.NewReader(text))); err != nil && !errors.Is(err, analysis.ErrRejected) {
			t.Fatal(err)
		}
		if strings.ContainsFunc(out.String(), func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
			t.Errorf("control characters in %q", &out)
		}
		replayed, err := env.Replay(config.Game, s.moves)
		if err != nil || replayed.Key() != s.state.Key() {
			t.Errorf("another position than after the moves %v: %v", s.moves, err)
		}
	})
}
