package openings

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/book"
)

// whole returns a book of all positions of Tic-tac-toe.
func whole(t *testing.T) *book.Book {
	t.Helper()
	game := games.Must("tic-tac-toe")
	f, err := agent.ParseFactory(game, "mcts:40", nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := book.Make(t.Context(), book.Options{Agent: f, Plies: 4, Positions: 200, Threads: 2, File: filepath.Join(t.TempDir(), "a")})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Every line of the tree can be played, although positions of the book are merged by symmetry, and games count wherever
// an image of a position came up.
func TestTree(t *testing.T) {
	b := whole(t)
	played := func(yield func([]env.Action, error) bool) {
		for _, text := range []string{"a1 b2", "c3 b2 c2 a1", "b1", "b3 b2"} {
			_, moves, err := env.ReplayText(b.Game, strings.Fields(text))
			if !yield(moves, err) {
				return
			}
		}
	}
	if err := b.Count(played, 3); err != nil {
		t.Fatal(err)
	}
	tree := NewTree(b, 3)
	size, seen := 0, map[string]int{}
	var walk func(state env.State, o *Opening, line string)
	walk = func(state env.State, o *Opening, line string) {
		size++
		seen[line] = o.Games
		if o.Status != b.Game.Status(state) || o.Player != int(state.Player()) {
			t.Errorf("%s: %+v", line, o)
		}
		for i, next := range o.Next {
			after, err := env.Replay(b.Game, nil)
			if err != nil {
				t.Fatal(err)
			}
			after.CopyFrom(state)
			a, err := b.Game.ParseAction(next.Move)
			if err != nil {
				t.Fatal(err)
			}
			after.Apply(a)
			if i == 0 && o.ply > 0 && -o.Value != next.Value && !o.Exact {
				t.Errorf("%s: value %v, best move %v", line, o.Value, next.Value)
			}
			walk(after, next, strings.TrimSpace(line+" "+next.Move))
		}
	}
	walk(b.Game.NewState(), tree.Root, "")
	if b.Games != 4 || seen[""] != 4 || len(tree.Root.Next) != 3 || size < 50 {
		t.Errorf("%d games, %d first moves, %d openings", b.Games, len(tree.Root.Next), size)
	}
	corner, edge, reply := 0, 0, 0
	for line, games := range seen {
		switch line {
		case "a1", "c1", "a3", "c3":
			corner += games
		case "b1", "a2", "c2", "b3":
			edge += games
		case "a1 b2", "c1 b2", "a3 b2", "c3 b2":
			reply += games
		}
	}
	if corner != 2 || edge != 2 || reply != 2 {
		t.Errorf("%d games begin in a corner, %d at an edge, %d in a corner and the centre; want 2, 2, 2", corner, edge, reply)
	}
	var text bytes.Buffer
	tree.Write(&text)
	if lines := strings.Count(text.String(), "\n"); lines != size {
		t.Errorf("%d lines for %d openings:\n%s", lines, size, &text)
	}
}

// The page holds the tree, and its texts are no markup.
func TestHTML(t *testing.T) {
	b := whole(t)
	b.Origin.Agent = "<script>"
	tree := NewTree(b, 2)
	data, err := tree.HTML()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(data, []byte(`type="application/json">`))
	text, _, _ := bytes.Cut(rest, []byte("</script>"))
	var got struct {
		Description struct{ Game string }
		Root        Opening
	}
	if err := json.Unmarshal(text, &got); err != nil || got.Description.Game != "tic-tac-toe" || len(got.Root.Next) != len(tree.Root.Next) {
		t.Errorf("%s, %v", text, err)
	}
	if bytes.Contains(data, []byte("<script>,")) || !bytes.Contains(data, []byte("by &lt;script&gt;.")) {
		t.Error("the agent's name is markup")
	}
}
