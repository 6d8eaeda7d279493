package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/page"
	"ludus/train/match"
)

// A book is made, shown and played; a killed command continues with the same bytes.
func TestBookCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"book", "tic-tac-toe", "mcts:100", "--positions", "150", "-o", "ttt.book"}
	if out := run(t, dir, "", args...); !strings.Contains(out, "ttt.book: 150 positions of tic-tac-toe, ") || !strings.Contains(out, "x scores ") {
		t.Errorf("%s", out)
	}
	want, err := os.ReadFile(filepath.Join(dir, "ttt.book"))
	if err != nil {
		t.Fatal(err)
	}
	killed := command(dir, append(args[:5:5], "-o", "killed.book")...)
	if err := killed.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "killed.book")
	for range 1000 {
		if data, _ := os.ReadFile(path); bytes.Count(data, []byte("\n")) > 20 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	killed.Process.Kill()
	killed.Wait() // its error is that it was killed
	if data, _ := os.ReadFile(path); len(data) == 0 || len(data) >= len(want) {
		t.Errorf("the killed command wrote %d of %d bytes", len(data), len(want))
	}
	run(t, dir, "", "book", "--show", "killed.book") // is a smaller book
	run(t, dir, "", append(args[:5:5], "-o", "killed.book", "--threads", "1")...)
	if got, _ := os.ReadFile(path); !bytes.Equal(got, want) {
		t.Error("a killed command ends with another book")
	}

	write(t, filepath.Join(dir, "games.txt"), "b2 a1 c3\nB2 C3\na1 b2\nb1\n")
	out := run(t, dir, "", "book", "--show", "ttt.book", "--plies", "2", "--games", "games.txt")
	for _, line := range []string{"tic-tac-toe: 150 positions, searched by mcts:100\n", "\nb2  ", "  2 of 4 games\n", "  1 of 4 games\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("no %q in\n%s", line, out)
		}
	}
	if strings.Contains(out, "      ") {
		t.Errorf("more than two plies:\n%s", out)
	}

	run(t, dir, "", "book", "--show", "ttt.book", "--page", "a.html", "--games", "games.txt")
	fails(t, dir, exitFailure, "a.html exists; --force replaces it", "book", "--show", "ttt.book", "--page", "a.html")
	if page, err := os.ReadFile(filepath.Join(dir, "a.html")); err != nil || !bytes.Contains(page, []byte("Numbers of games are of 4.")) {
		t.Errorf("the page is %.300s, %v", page, err)
	}

	reply := run(t, dir, `{"id":"a","moves":[]}`+"\n", "analyze", "tic-tac-toe", "policy:zoo,solve=0,book=ttt.book")
	var analysis struct {
		Best  string
		Value float64
		Moves []struct{ Value *float64 }
	}
	if err := json.Unmarshal([]byte(reply), &analysis); err != nil || analysis.Moves[0].Value == nil || analysis.Value < *analysis.Moves[0].Value {
		t.Errorf("%s, %v", reply, err)
	}
	result := lastLine[match.Result](t, run(t, dir, "", "arena", "tic-tac-toe", "policy:zoo,book=ttt.book", "random", "--games", "20", "--opening-plies", "0", "--json"))
	if result.Games != 20 || result.Losses > 3 {
		t.Errorf("%+v", result)
	}
}

func TestBookErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run(t, dir, "", "book", "tic-tac-toe", "mcts:100", "--positions", "5")
	data, err := os.ReadFile(filepath.Join(dir, "tic-tac-toe.book"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "damaged.book"), strings.Replace(string(data), `"visits":`, `"visits":-1`, 1))
	write(t, filepath.Join(dir, "big.book"), string(data)+strings.Repeat(" ", page.MaxBook))
	for _, c := range []struct {
		code int
		want string
		args string
	}{
		{exitFailure, "big.book: 4.2 MB; a page holds a book of at most 4.2 MB", "export zoo --game tic-tac-toe --book big.book"},
		{exitFailure, "damaged.book: line 2: bad book", "export zoo --game tic-tac-toe --book damaged.book"},
		{exitFailure, "open missing.book: no such file", "export zoo --game tic-tac-toe --book missing.book"},
		{exitUsage, "--book needs a file", "export zoo --game tic-tac-toe --book="},
		{exitFailure, "no book: open missing.book: no such file", "arena tic-tac-toe zoo,book=missing.book random"},
		{exitFailure, "no book: tic-tac-toe.book: bad book of hex-5x5: it is one of tic-tac-toe", "arena hex-5x5 zoo,book=tic-tac-toe.book random"},
		{exitFailure, "no book: damaged.book: line 2: bad book", "arena tic-tac-toe zoo,book=damaged.book random"},
		{exitUsage, "random,book=tic-tac-toe.book", "arena tic-tac-toe mcts:5 random,book=tic-tac-toe.book"},
		{exitFailure, "tic-tac-toe.book: bad book of hex-5x5: it is one of tic-tac-toe", "export zoo --game hex-5x5 --book tic-tac-toe.book"},
		{exitUsage, "--book needs --format html", "export zoo --game tic-tac-toe --book tic-tac-toe.book --format onnx"},
		{exitUsage, "a solver or a book would undo it", "arena tic-tac-toe zoo,elo=300,book=tic-tac-toe.book random"},
		{exitUsage, "has a time limit", "book tic-tac-toe zoo,time=1s"},
		{exitUsage, "does not evaluate positions", "book tic-tac-toe greedy -o new.book"},
		{exitUsage, "has a book itself", "book tic-tac-toe zoo,book=tic-tac-toe.book"},
		{exitFailure, "it is another book: of tic-tac-toe by mcts:100 with seed 1; -o names another file", "book tic-tac-toe mcts:50"},
		{exitFailure, "it has 5 positions already", "book tic-tac-toe mcts:100 --positions 4"},
		{exitUsage, "--positions 0", "book tic-tac-toe --positions 0"},
		{exitUsage, "--plies -1", "book tic-tac-toe --plies -1"},
		{exitFailure, "x.txt: line 1, column 1: game 1, move 1: ", "book tic-tac-toe mcts:100 --positions 5 --games x.txt"},
		{exitUsage, "--seed is for making", "book --show tic-tac-toe.book --seed 2"},
		{exitUsage, "one argument too many", "book --show tic-tac-toe.book tic-tac-toe"},
		{exitUsage, "arguments are missing", "book"},
		{exitFailure, "no such file", "book --show none.book"},
		{exitFailure, "does not begin with", "book --show x.txt"},
		{exitFailure, "x.txt: line 1, column 1: game 1, move 1: ", "book --show tic-tac-toe.book --games x.txt"},
	} {
		write(t, filepath.Join(dir, "x.txt"), "hello\n")
		fails(t, dir, c.code, c.want, strings.Fields(c.args)...)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.book")); err == nil {
		t.Error("a refused agent has left a file")
	}
}
