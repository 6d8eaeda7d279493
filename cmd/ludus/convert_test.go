package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConvertCommand(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "games.txt"), "F5D6C3\nf5 f6 a1\nf5 f6 e6\n")
	write(t, filepath.Join(dir, "q.txt"), "c3 d4\n")
	if out := run(t, dir, "F5D6\n1. f5 f6\n", "convert", "othello", "-", "--to", "ggf"); !strings.Contains(out, "B[F5]W[D6];)\n(;GM[Othello]") {
		t.Error(out)
	}
	fails(t, dir, 1, "games.txt: line 2, column 7: game 2, move 3: a1 is not legal", "convert", "othello", "games.txt", "-o", "x.sgf")
	if names, _ := filepath.Glob(filepath.Join(dir, "*x.sgf*")); len(names) > 0 {
		t.Errorf("the failed conversion left %v", names)
	}
	out, errs, code := ludus(t, dir, "", "convert", "othello", "games.txt", "--skip-bad", "-o", "x.jsonl")
	if code != 0 || out != "2 games in x.jsonl\n" || !strings.Contains(errs, "move 3: a1 is not legal") || !strings.Contains(errs, "1 game skipped") {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	write(t, filepath.Join(dir, "bad.txt"), "f5 f5\n")
	for _, output := range []string{"x.jsonl", "new.jsonl"} {
		_, errs, code := ludus(t, dir, "", "convert", "othello", "bad.txt", "--skip-bad", "--force", "-o", output)
		if code != 1 || !strings.Contains(errs, "no game could be read") {
			t.Errorf("exit %d, %s", code, errs)
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, "x.jsonl")); err != nil || strings.Count(string(data), "\n") != 2 {
		t.Errorf("without a game the output became %q: %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "new.jsonl")); err == nil {
		t.Error("without a game there is a new file")
	}
	if out := run(t, dir, "", "convert", "quad-5x5", "q.txt", "-o", "q.jsonl"); out != "1 game in q.jsonl\n" {
		t.Error(out)
	}
	fails(t, dir, 1, "x.jsonl exists; --force replaces it", "convert", "othello", "games.txt", "-o", "x.jsonl")
	fails(t, dir, 1, "x.jsonl: line 1: game 1: the game is othello, not hex", "convert", "hex", "x.jsonl")
	fails(t, dir, 1, "is a folder", "convert", "hex", ".")
	fails(t, dir, 1, "-: there is no game", "convert", "hex", "-")
	fails(t, dir, 2, "GGF is for Othello, not for quad-5x5", "convert", "quad-5x5", "q.txt", "--to", "ggf")
	fails(t, dir, 2, "the name must end in", "convert", "othello", "games.txt", "-o", "x.pgn")
	fails(t, dir, 2, "unknown format \"pgn\"", "convert", "othello", "games.txt", "--to", "pgn")
	for _, game := range []string{"othello", "quad-7x7"} { // what arena records comes back as SGF, and as moves from that
		run(t, dir, "", "arena", game, "greedy", "random", "--games", "4", "--record", game+".jsonl")
		run(t, dir, "", "convert", game, game+".jsonl", "-o", game+".sgf")
		a, b := run(t, dir, "", "convert", game, game+".jsonl", "--to", "moves"), run(t, dir, "", "convert", game, game+".sgf", "--to", "moves")
		if a != b || strings.Count(a, "\n") != 4 {
			t.Errorf("%s: %s is not %s", game, a, b)
		}
	}
	fails(t, dir, 2, "unknown format \"transcript\"; known: sgf, ggf, moves, json", "convert", "othello", "games.txt", "--to", "transcript")
	data, err := os.ReadFile(filepath.Join(dir, "othello.sgf"))
	if err != nil || !strings.Contains(string(data), "PB[greedy]PW[random]RE[") || !strings.Contains(string(data), "PB[random]PW[greedy]RE[") {
		t.Errorf("%v\n%s", err, data)
	}
}

// play goes on from a game of a file and adds its games to another.
func TestPlayRecords(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "start.txt"), "b2 a1\n")
	args := []string{"play", "tic-tac-toe", "greedy", "--continue", "start.txt", "--record", "mine.sgf", "--seed", "1"}
	out := run(t, dir, "c1\nnew\nc3\nquit\n", args...)
	if !strings.Contains(out, "x to move") {
		t.Error(out)
	}
	run(t, dir, "quit\n", args...) // no move, no record
	games := strings.Split(strings.TrimSpace(run(t, dir, "", "convert", "tic-tac-toe", "mine.sgf", "--to", "moves")), "\n")
	if len(games) != 2 || !strings.HasPrefix(games[0], "b2 a1 c1") || !strings.HasPrefix(games[1], "c3 ") {
		t.Errorf("%q", games)
	}
	data, err := os.ReadFile(filepath.Join(dir, "mine.sgf"))
	if err != nil || !strings.Contains(string(data), "PB[person]PW[greedy]DT[20") {
		t.Errorf("%v\n%s", err, data)
	}
	run(t, dir, "", "arena", "tic-tac-toe", "greedy", "random", "--games", "2", "--record", "match.jsonl")
	fails(t, dir, 1, "its format is match record", "play", "tic-tac-toe", "greedy", "--record", "match.jsonl")
	write(t, filepath.Join(dir, "list.sgf"), "b2 a1\n")
	write(t, filepath.Join(dir, "tree.ggf"), "(;GM[2];B[f5])\n")
	fails(t, dir, 1, "its format is sgf", "play", "othello", "greedy", "--record", "tree.ggf")
	fails(t, dir, 1, "games cannot be added to it", "play", "othello", "greedy", "--record", "mine.sgf")
	fails(t, dir, 1, "games cannot be added to it", "play", "tic-tac-toe", "greedy", "--record", "list.sgf")
	fails(t, dir, 2, "must end in .sgf", "play", "tic-tac-toe", "greedy", "--record", "mine.pgn")
	fails(t, dir, 2, "GGF is for Othello", "play", "tic-tac-toe", "greedy", "--record", "mine.ggf")
	fails(t, dir, 1, "nowhere", "play", "tic-tac-toe", "greedy", "--continue", "nowhere")
	fails(t, dir, 1, "--record nodir/x.sgf: ", "play", "tic-tac-toe", "greedy", "--record", "nodir/x.sgf")
	write(t, filepath.Join(dir, "open.txt"), "b2 a1\n# end")
	for range 2 { // a last line without its end; a given move is taken back
		run(t, dir, "undo\nc3\nquit\n", "play", "tic-tac-toe", "greedy", "--continue", "start.txt", "--record", "open.txt")
	}
	if got := run(t, dir, "", "convert", "tic-tac-toe", "open.txt", "--to", "moves"); strings.Count(got, "\n") != 3 || strings.Count(got, "\nc3 ") != 2 {
		t.Error(got)
	}
}
