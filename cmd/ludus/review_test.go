package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/analysis"
)

// A lost game: x opens well, o answers badly, and x wins.
const lostGame = "b2 b1 a1 c3 a2 c2 a3"

func TestReviewCommand(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "games.txt"), lostGame+"\nb2 b2\nb2 a1\n")
	write(t, filepath.Join(dir, "game.txt"), lostGame+"\n")
	out := run(t, dir, lostGame, "review", "tic-tac-toe", "-", "solver:100000")
	for _, want := range []string{
		"game 1: tic-tac-toe, 1-0, 7 moves, reviewed by solver:100000\no lost the game with move 2, b1: from there x wins with best play, proven.\n",
		"o      3   67 %         1                  1     16.7 %\n", "100 % |  ######\n", "         X\n",
		"move 2, o: b1 gives away 50 % (50 % to 0 %, proven), a blunder\n  better: ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if len(line) > 81 {
			t.Errorf("line of %d columns: %s", len(line), line)
		}
	}
	var r analysis.Review
	err := json.Unmarshal([]byte(run(t, dir, "", "review", "tic-tac-toe", "game.txt", "--to", "json")), &r)
	if err != nil || r.Agent != "zoo" || r.Result != "1-0" || r.Lost.Ply != 2 || !r.Lost.Exact() || r.Moves[1].Grade != analysis.Blunder || r.Moves[1].Line[0] != r.Moves[1].Best {
		t.Errorf("%+v, %v", r, err)
	}
	fails(t, dir, 1, "games.txt: line 2, column 4: game 2, move 2: b2 is not legal: x is on b2; moves look like a1; --skip-bad skips such games",
		"review", "tic-tac-toe", "games.txt")
	out, errs, code := ludus(t, dir, "", "review", "tic-tac-toe", "games.txt", "--skip-bad", "-o", "x.jsonl")
	if code != 0 || out != "2 games in x.jsonl\n" || strings.Count(errs, "b2 is not legal") != 1 || !strings.Contains(errs, "1 game skipped") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*x.jsonl*")); len(names) != 1 {
		t.Errorf("files %v", names)
	}
	fails(t, dir, 1, "--output games.txt is the file of the games", "review", "tic-tac-toe", "games.txt", "-o", "games.txt", "--force")
	fails(t, dir, 1, "x.jsonl exists; --force replaces it", "review", "tic-tac-toe", "games.txt", "-o", "x.jsonl")
	fails(t, dir, 2, "random does not evaluate positions; zoo, net:RUN and mcts:N do", "review", "tic-tac-toe", "game.txt", "random")
	fails(t, dir, 2, "random does not evaluate positions", "review", "tic-tac-toe", "game.txt", "random", "-o", "y.txt")
	run(t, dir, "", "review", "tic-tac-toe", "game.txt", "-o", "y.txt") // the failed review left nothing
	write(t, filepath.Join(dir, "bad.txt"), "b2 b2\n")
	_, errs, code = ludus(t, dir, "", "review", "tic-tac-toe", "bad.txt", "--skip-bad", "-o", "z.txt")
	if code != 1 || !strings.HasSuffix(errs, "bad.txt has no game that can be reviewed\n") {
		t.Errorf("of a file of wrong games: exit %d, %s", code, errs)
	}
	write(t, filepath.Join(dir, "random.jsonl"), `{"game":"tic-tac-toe","opening":2,"moves":["b2","b1","a1","c3","a2","c2","a3"]}`+"\n")
	out = run(t, dir, "", "review", "tic-tac-toe", "random.jsonl", "solver:100000")
	if !strings.Contains(out, "o lost the game with move 2, b1 (an opening ply): from there x wins") || strings.Contains(out, "gives away") {
		t.Errorf("of a random opening the review says\n%s", out)
	}
	fails(t, dir, 2, `--to "pgn": it must be text, json, sgf or html`, "review", "tic-tac-toe", "game.txt", "--to", "pgn")
	fails(t, dir, 1, "-: there is no game", "review", "tic-tac-toe", "-")
	fails(t, dir, 1, "nowhere", "review", "tic-tac-toe", "nowhere")
}

// Reviewed SGF has the values, marks, comments and better lines, and a second review of it changes nothing.
func TestReviewSGF(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "game.jsonl"), `{"game":"tic-tac-toe","players":["ann","bob"],"moves":["b2",{"move":"b1","comment":"hm"},"a1","c3"],"comment":"a game"}`+"\n")
	run(t, dir, "", "review", "tic-tac-toe", "game.jsonl", "solver:100000", "-o", "a.sgf")
	run(t, dir, "", "review", "tic-tac-toe", "a.sgf", "solver:100000", "-o", "b.sgf")
	a, err := os.ReadFile(filepath.Join(dir, "a.sgf"))
	b, err2 := os.ReadFile(filepath.Join(dir, "b.sgf"))
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%v, %v\n%s is not\n%s", err, err2, a, b)
	}
	for _, want := range []string{"PB[ann]PW[bob]C[a game\nReviewed by solver:100000.\nx: 2 moves,", ";W[bc]V[1]BM[2]C[hm\nb1 gives away 50 % (50 % to 0 %, proven), a blunder. Better: ", ")\n(\n;W[", "o: 2 moves, 1 best, 1 mistake, of these 1 blunder; mean loss 25.0 %."} {
		if !strings.Contains(string(a), want) {
			t.Errorf("no %q in\n%s", want, a)
		}
	}
	var back struct {
		Moves []json.RawMessage
	}
	text := run(t, dir, "", "convert", "tic-tac-toe", "a.sgf", "--to", "json")
	if err := json.Unmarshal([]byte(text), &back); err != nil || len(back.Moves) != 4 || !strings.Contains(text, `"value":-1,"bad":2,"comment":"hm\n`) || !strings.Contains(text, `"instead":[[{"move":`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// A review of many games that was killed continues after the last whole one, and gives what an undisturbed one gives,
// with any number of threads. Another agent does not continue it.
func TestReviewContinues(t *testing.T) {
	dir := t.TempDir()
	run(t, dir, "", "arena", "tic-tac-toe", "random", "greedy", "--games", "40", "--record", "games.jsonl")
	args := []string{"review", "tic-tac-toe", "games.jsonl", "mcts:2000", "-o", "x.txt", "--threads", "2"}
	want := run(t, dir, "", "review", "tic-tac-toe", "games.jsonl", "mcts:2000", "--threads", "1")
	part := filepath.Join(dir, "x.txt.part")
	games, err := os.ReadFile(filepath.Join(dir, "games.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfterN(string(games), "\n", 3)
	write(t, filepath.Join(dir, "first.jsonl"), lines[0]+lines[1])
	cmd := command(dir, args...)
	err = cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	var kept []byte
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && bytes.Count(kept, []byte("\n")) < 4; time.Sleep(time.Millisecond) {
		kept, _ = os.ReadFile(part) // missing at first
	}
	cmd.Process.Kill() // fails only if it has ended
	cmd.Wait()
	kept, err = os.ReadFile(part)
	if err != nil || bytes.Count(kept, []byte("\n")) < 4 {
		t.Fatalf("%v, kept %d bytes", err, len(kept))
	}
	write(t, part, string(kept)+`{"moves":"b2`) // a line cut short
	fails(t, dir, 1, "x.txt.part has reviews of another game, agent or format", append(args[:3:3], "mcts:100", "-o", "x.txt")...)
	if out := run(t, dir, "", args...); out != "40 games in x.txt\n" {
		t.Error(out)
	}
	got, err := os.ReadFile(filepath.Join(dir, "x.txt"))
	if err != nil || string(got) != want {
		t.Errorf("%v: the continued review differs: %d bytes, not %d", err, len(got), len(want))
	}
	if _, err := os.Stat(part); err == nil {
		t.Error("the part file is left")
	}
	write(t, part, string(kept))
	fails(t, dir, 1, "x.txt.part has reviews of more games than first.jsonl", "review", "tic-tac-toe", "first.jsonl", "mcts:2000", "-o", "x.txt", "--force")
	write(t, filepath.Join(dir, "other.txt"), "b2 a1\n")
	fails(t, dir, 1, "x.txt.part has reviews of other games than other.txt: game 1 differs", "review", "tic-tac-toe", "other.txt", "mcts:2000", "-o", "x.txt", "--force")
}
