package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"ludus/env"
)

// For any input a session ends at the end of the input or before. Its text has no control characters; its JSON has positions
// and moves that are legal from the start of the game.
func FuzzSession(f *testing.F) {
	for _, text := range []string{
		"c3\n?\nundo\nhint\n#1\nboard\nmoves\n2\nswitch\nside x\nnew\nhelp\n#1\n#1\nquit\nc3", "mark b1\nblock c3\nb c3\nb\nundo 2\nside second\n",
		"b2-a3\r\n2 5 1 4\r\nside black\nb6 x a5\nQUIT now", "4\nmoves\n3\nswitch\n1\n", "noop\npass\na4-c5\nundo 99\nundo 0\nundo -1\nside\n",
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
		play := func(json bool) string {
			config.JSON = json
			var out bytes.Buffer
			if err := New(config, &out).Play(context.Background(), io.NopCloser(strings.NewReader(text))); err != nil && !errors.Is(err, ErrRejected) {
				t.Fatal(err)
			}
			return out.String()
		}
		if out := play(false); strings.ContainsFunc(out, func(r rune) bool { return r < ' ' && r != '\n' || r == 0x7f }) {
			t.Errorf("control characters in %q", out)
		}
		checkOutput(t, config.Game, play(true))
	})
}

// checkOutput replays the moves in the JSON output and compares each position with the output.
func checkOutput(t *testing.T, game *env.Game, output string) {
	t.Helper()
	for decoder := json.NewDecoder(strings.NewReader(output)); ; {
		var o struct {
			Type   string
			Player *string
			Moves  json.RawMessage
			Legal  []string
		}
		if err := decoder.Decode(&o); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, output)
		}
		if o.Type != "position" && o.Type != "result" && o.Type != "ended" {
			continue
		}
		var moves []string
		if err := json.Unmarshal(o.Moves, &moves); err != nil {
			t.Fatal(err)
		}
		state := game.NewState()
		for _, text := range moves {
			action, err := game.ParseAction(text)
			if err != nil || !slices.Contains(state.Legal(nil), action) {
				t.Fatalf("%s is said to have been played after %v: %v", text, moves, err)
			}
			state.Apply(action)
		}
		switch {
		case o.Type == "result" && !state.Done():
			t.Fatalf("a result before the end, after %v", moves)
		case o.Type == "position" && len(o.Legal) != len(state.Legal(nil)):
			t.Fatalf("%d legal moves are listed after %v", len(o.Legal), moves)
		case o.Type == "position" && !state.Done() && (o.Player == nil || *o.Player != game.Players[state.Player()]):
			t.Fatalf("another player is to move after %v", moves)
		}
	}
}
