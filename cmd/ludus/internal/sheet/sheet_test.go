package sheet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/gdl/sheets"
)

// watched watches a file and returns a function that waits for the next finished check.
func watched(t *testing.T, path string) (*Watcher, func() *Check) {
	t.Helper()
	w := NewWatcher(path, func(g *env.Game) string { return "found " + g.Name })
	ctx, cancel := context.WithCancel(t.Context())
	checks, ended := make(chan *Check, 100), make(chan error)
	go func() { ended <- w.Run(ctx, func(c *Check) { checks <- c }) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returns %v", err)
		}
	})
	return w, func() *Check {
		t.Helper()
		select {
		case c := <-checks:
			return c
		case <-time.After(30 * time.Second):
			t.Fatal("no check")
			return nil
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWatcher follows a file that is missing, written, broken, replaced and removed.
func TestWatcher(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tic-tac-toe.kif")
	good := sheets.Text("tic-tac-toe")
	w, next := watched(t, path)
	if c := next(); c.State != Missing || !strings.Contains(c.Problem, "no such file") || c.File != path {
		t.Errorf("without a file: %+v", c)
	}
	write(t, path, good)
	c := next()
	if c.State != Accepted || !strings.HasPrefix(c.Game, "gdl(tic-tac-toe-") || c.Found != "found "+c.Game || c.Problem != "" {
		t.Errorf("a good sheet: %+v", c)
	}
	game := w.Game(c.Game)
	if game == nil || w.Game("another") != nil {
		t.Fatal("the game is not known by its name only")
	}
	if r := RandomGame(game, 1); len(r.Positions) < 6 || r.Positions[0].Move == "" || r.Goals[0]+r.Goals[1] != 100 {
		t.Errorf("random game %+v", r)
	}
	if newest := w.Latest(); newest != c {
		t.Errorf("newest %+v", newest)
	}

	write(t, path, strings.Replace(good, "(cell r1 ?c ?p)", "(cel r1 ?c ?p)", 1))
	if c = next(); c.State != Accepted || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "perhaps cell is meant") || len(c.Excerpt) != 2*excerptLines+1 {
		t.Errorf("a sheet with a misspelt word: %+v", c)
	}
	write(t, path, "; Straße ))\n"+good+"\n(<= (p ?x)\n  (not ü)) )")
	if c = next(); c.State != Refused || !strings.Contains(c.Problem, "line ") || w.Game(game.Name) != nil {
		t.Errorf("a broken sheet: %+v", c)
	}
	at := 0
	for _, line := range c.Excerpt {
		if line.Column > 0 {
			at++
			if runes := []rune(line.Text); runes[line.Column-1] != ')' || line.Text != "  (not ü)) )" {
				t.Errorf("the problem is at %+v", line)
			}
		}
	}
	if at != 1 || len(c.Excerpt) != excerptLines+1 {
		t.Errorf("excerpt %+v", c.Excerpt)
	}

	// An editor puts a new file in the place of the old one.
	other := path + ".new"
	write(t, other, strings.Replace(good, "(<= (goal x 0) (line o))", "", 1))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	c = next()
	if c.State != Refused || c.Broken == nil || c.Broken.Law != "the game is over, and x has no goal" {
		t.Fatalf("a sheet without a goal: %+v", c)
	}
	last := c.Broken.Replay.Positions[len(c.Broken.Replay.Positions)-1]
	if last.Status != c.Broken.Law || len(last.Pieces) != 9 || len(c.Broken.Facts) != 10 || len(c.Broken.Description.Cells) != 9 {
		t.Errorf("broken: %+v", c.Broken)
	}
	if number := c.Number; number != 5 {
		t.Errorf("%d checks, want 5", number)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if c = next(); c.State != Missing {
		t.Errorf("after its removal: %+v", c)
	}
}

// TestSavedAgain: a sheet that is saved while it is checked is checked again; the older check is not finished.
func TestSavedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tic-tac-toe.kif")
	good := sheets.Text("tic-tac-toe")
	var slow strings.Builder // takes several seconds
	for i := range 20 {
		fmt.Fprintf(&slow, "(d %d)\n", i)
	}
	slow.WriteString("(<= (slow ?a ?b ?c ?d ?e) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (true (control x)))\n(<= terminal (slow ?a ?b ?c ?d ?e))")
	write(t, path, good+slow.String())
	w, next := watched(t, path)
	for end := time.Now().Add(20 * time.Second); w.Latest().Number == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the slow check does not begin")
		}
	}
	write(t, path, good)
	if c := next(); c.State != Accepted || c.Number != 2 {
		t.Errorf("saved again: %+v", c)
	}
}

// TestForgottenFrame warns of a sheet without the rule that carries cells over, and of random games that end alike.
func TestForgottenFrame(t *testing.T) {
	t.Parallel()
	good := sheets.Text("tic-tac-toe")
	describe := func(*env.Game) string { return "" }
	forgotten := strings.Replace(good, "(<= (next (cell ?r ?c ?v)) (true (cell ?r ?c ?v)) (not (marked ?r ?c)))", "", 1)
	c := check(t.Context(), "t.kif", forgotten, describe)
	if c.State != Accepted || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "facts like (cell r1 c1 b) false") || len(c.Excerpt) == 0 {
		t.Errorf("a forgotten rule: %+v", c)
	}
	short := strings.Replace(good, "(<= terminal (not open))", "(<= terminal (true (control o)))", 1)
	c = check(t.Context(), "t.kif", short, describe)
	if c.State != Accepted || len(c.Warnings) != 1 || !strings.HasPrefix(c.Warnings[0], "all of 1000 random games are over after the first move") || len(c.Excerpt) > 0 {
		t.Errorf("games of one move: %+v", c)
	}
}
