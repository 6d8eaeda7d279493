package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ludus/env/games"
	"ludus/train/rundir"
)

// trainedRuns trains two small runs of a game that takes a second, in folders a and b of dir.
func trainedRuns(t *testing.T, dir string) {
	t.Helper()
	for i, name := range []string{"a", "b"} {
		_, errs, code := ludus(t, dir, "", "train", "quad(size=4,quads=4,whites=1)", "--run", name, "--generations", "4",
			"--seed", string(rune('1'+i)), "--set", "parallel_games=12", "--set", "plies_per_generation=3", "--set", "simulations=6", "--set", "channels=4",
			"--set", "blocks=1", "--set", "batch_size=16", "--set", "replay_window=100", "--set", "validation_share=0.2")
		if code != 0 {
			t.Fatalf("training exits %d: %s", code, errs)
		}
	}
}

func TestCompareCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	if out := run(t, dir, "", "compare", "a", "b"); out != "compare.html\n" {
		t.Errorf("compare prints %q", out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "compare.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a: validation", "b: validation", `"seconds":[`, `"games":[`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%q is missing on the page", want)
		}
	}
	for _, c := range []struct {
		code       int
		want, args string
	}{
		{1, "compare.html exists; --force replaces it", "a b"},
		{1, "missing: not a run directory", "a missing --force"},
		{2, "arguments are missing", "a"},
		{1, "no such file", "a b -o nowhere/x.html"},
		{1, "-o -: the output cannot be written to a stream", "a b -o -"},
	} {
		fails(t, dir, c.code, c.want, append([]string{"compare"}, strings.Fields(c.args)...)...)
	}
	other := filepath.Join(dir, "other")
	if err := os.Rename(runFolder(t), other); err != nil {
		t.Fatal(err)
	}
	game, err := games.New("quad-5x5")
	if err != nil {
		t.Fatal(err)
	}
	config := rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))
	config.Plan = rundir.Plan{Generations: 1, ParallelGames: 1, PliesPerGeneration: 1}
	if err := config.Write(other); err != nil {
		t.Fatal(err)
	}
	fails(t, dir, 1, "compare runs of one game", "compare", "a", "other", "--force")
}
