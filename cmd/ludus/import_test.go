package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/env/games"
	"ludus/train/record"
	"ludus/train/rundir"
)

// TestTrainGames trains on games of files, with errors that name the place and say what helps.
func TestTrainGames(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.txt"), "a1 b1 a2 b2 a3\nb2 a1 c3\nb2 a1 1-0\n")
	write(t, filepath.Join(dir, "b.sgf"), "(;AP[ludus]LUDUS[tic-tac-toe]RE[B+R];B[b2]V[0.5];W[a1])")
	write(t, filepath.Join(dir, "bad.txt"), "b2 a1 b2\na1 b2 0-1\n")
	write(t, filepath.Join(dir, "none.txt"), "b2 a1\n")
	run(t, dir, "", "arena", "tic-tac-toe", "greedy", "random", "--games", "6", "--opening-plies", "2", "--record", "match.jsonl")
	args := func(more ...string) []string {
		return append([]string{"train", "tic-tac-toe", "--run", "r", "--generations", "8", "--set", "channels=4", "--set", "blocks=1",
			"--set", "parallel_games=4", "--set", "batch_size=8", "--set", "simulations=2", "--set", "rating_share=0"}, more...)
	}
	fails(t, dir, 1, "bad.txt: line 1, column 7: game 1, move 3: b2 is not legal", args("--games", "a.txt", "bad.txt")...)
	fails(t, dir, 1, "--skip-bad skips such games", args("--games", "bad.txt")...)
	fails(t, dir, 1, "b.sgf: line 1, column 12: game 1: the game is tic-tac-toe, not othello", "train", "othello", "--games", "b.sgf", "--run", "r")
	fails(t, dir, 1, "no games to learn from: 0 are wrong, 1 have no result, or no moves to learn", args("--games", "none.txt")...)
	fails(t, dir, 1, "--games .: it must be a file", args("--games", ".")...)
	fails(t, dir, 1, "no such file", args("--games", "c.txt")...)
	fails(t, dir, 2, "--skip-bad needs --games", args("--skip-bad")...)
	fails(t, dir, 2, "one argument too many", args("a.txt")...)
	fails(t, dir, 1, "bad.txt: line 1, column 7: game 1, move 3: b2 is not legal", args("--dry-run", "--games", "a.txt", "bad.txt")...)
	out, errs, code := ludus(t, dir, "", args("--dry-run", "--json", "--games", "a.txt", "b.sgf", "bad.txt", "match.jsonl", "--skip-bad")...)
	for _, want := range []string{"; skipped", "left out: 1 of 11", "from 10 games"} {
		if code != 0 || !strings.Contains(errs, want) || !strings.Contains(out, `"games":10,"positions":`) {
			t.Errorf("exit %d, %q is missing:\n%s%s", code, want, errs, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "r")); err == nil {
		t.Error("a run that could not begin left its folder behind")
	}
	_, errs, code = ludus(t, dir, "", args("--games", "a.txt", "b.sgf", "bad.txt", "match.jsonl", "--skip-bad")...)
	for _, want := range []string{
		"bad.txt: line 1, column 7: game 1, move 3: b2 is not legal", "; skipped", "left out: 1 of 11", "from 10 games", "games, from files",
	} {
		if code != 0 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, %q is missing:\n%s", code, want, errs)
		}
	}
	config, err := rundir.ReadConfig(filepath.Join(dir, "r"))
	if err != nil {
		t.Fatal(err)
	}
	if f := config.Import.Files; len(f) != 4 || f[0].Name != "a.txt" || f[0].Bytes != 34 || len(f[0].SHA256) != 64 || config.Import.Games != 10 {
		t.Errorf("%+v", config.Import)
	}
	for _, again := range [][]string{{"--games", "a.txt", "b.sgf", "bad.txt", "match.jsonl", "--skip-bad"}, nil} {
		if out, errs, code := ludus(t, dir, "", args(again...)...); code != 0 || !strings.Contains(out, "This run is finished") {
			t.Errorf("%v: exit %d\n%s%s", again, code, out, errs)
		}
	}
	write(t, filepath.Join(dir, "a.txt"), "b2 a1 1-0\n")
	for name, want := range map[string]string{"a.txt": "a.txt has changed since the run began", "none.txt": "none.txt is not a.txt"} {
		_, errs, code := ludus(t, dir, "", args("--games", name, "b.sgf", "bad.txt", "match.jsonl", "--skip-bad")...)
		if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, %s", code, errs)
		}
	}

	game := games.Must("tic-tac-toe")
	first := func(name string) *record.Imported {
		file, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		g, err := gamefile.First(game, file, name, "")
		if err != nil {
			t.Fatal(err)
		}
		return imported(g)
	}
	if g := first("b.sgf"); g.Result != 1 || len(g.Values) != 2 || g.Values[0] != 0.5 || !math.IsNaN(g.Values[1]) || g.Opening != 0 {
		t.Errorf("%+v", g)
	}
	if g := first("match.jsonl"); g.Opening != 2 || len(g.Moves) < 5 {
		t.Errorf("%+v", g)
	}
	if g := first("none.txt"); !math.IsNaN(g.Result) {
		t.Errorf("%+v", g)
	}
}
