package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/train/match"
	"ludus/train/rundir"
)

// trained has the runs of trainedRuns.
var trained struct {
	dir string // TestMain makes and removes it
	sync.Once
}

// trainedRuns puts two small runs of a game into the folders a and b of dir. They are trained once and copied.
func trainedRuns(t *testing.T, dir string) {
	t.Helper()
	trained.Do(func() {
		for seed, name := range map[string]string{"1": "a", "2": "b"} {
			_, errs, code := ludus(t, trained.dir, "", "train", "quad(size=4,quads=4,whites=1)", "--run", name, "--generations", "4",
				"--seed", seed, "--set", "parallel_games=12", "--set", "plies_per_generation=3", "--set", "simulations=6", "--set", "channels=4",
				"--set", "blocks=1", "--set", "batch_size=16", "--set", "replay_window=100", "--set", "validation_share=0.2")
			if code != 0 {
				t.Errorf("training exits %d: %s", code, errs)
			}
		}
	})
	if err := os.CopyFS(dir, os.DirFS(trained.dir)); err != nil {
		t.Fatal(err)
	}
}

func TestCompareCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	var first string
	for _, threads := range []string{"1", "3"} {
		out := run(t, dir, "", "compare", "a", "b", "--games", "10", "--threads", threads, "-o", threads+".html", "--json")
		for _, want := range []string{"whites=1,corners=cut): 2 runs", "a against b", "curves: " + threads + ".html"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var summary struct {
			Runs []struct {
				Name       string
				Generation int
			}
			Matches []map[string]any
		}
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &summary); err != nil {
			t.Fatal(err)
		}
		if len(summary.Runs) != 2 || summary.Runs[1].Name != "b" || summary.Runs[1].Generation != 4 ||
			len(summary.Matches) != 1 || summary.Matches[0]["games"] != 10.0 {
			t.Errorf("summary %+v", summary)
		}
		delete(summary.Matches[0], "seconds")
		text, err := json.Marshal(summary)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		} else if string(text) != first {
			t.Errorf("on %s threads %s; on one %s", threads, text, first)
		}
		page, err := os.ReadFile(filepath.Join(dir, threads+".html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"a: validation", "b: validation", "a against b", `"seconds":[`, `"games":[`} {
			if !strings.Contains(string(page), want) {
				t.Errorf("%q is missing on the page", want)
			}
		}
	}
}

// TestCompareDamaged: what cannot be read is left out where two runs remain.
func TestCompareDamaged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, errs, code := ludus(t, dir, "", "compare", "a", "empty", "b", "--games", "0", "--json")
	if code != 0 || !strings.Contains(out, "2 runs") || !strings.Contains(out, `"matches":[]`) || !strings.Contains(errs, "empty") || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit %d, %q, %q; want a warning that names the empty folder", code, out, errs)
	}
	for _, c := range []struct {
		code       int
		want, args string
	}{
		{1, "compare.html exists; --force replaces it", "a b"},
		{1, "fewer than two runs can be read", "a empty --force"},
		{2, "./a/ is named twice", "a ./a/ --force"},
		{2, "arguments are missing", "a"},
		{2, "games is -1", "a b --games -1 --force"},
		{1, "no such file", "a b -o nowhere/x.html"},
		{2, "-: the output cannot be written to a stream", "a b -o -"},
	} {
		fails(t, dir, c.code, c.want, append([]string{"compare"}, strings.Fields(c.args)...)...)
	}
	other := filepath.Join(dir, "other")
	if err := os.Rename(runFolder(t), other); err != nil {
		t.Fatal(err)
	}
	game := games.Must("quad-5x5")
	config := rundir.NewConfig(game.Name, 1, rundir.DefaultSettings(game))
	config.Plan = rundir.Plan{Generations: 1, ParallelGames: 1, PliesPerGeneration: 1}
	if err := config.Write(other); err != nil {
		t.Fatal(err)
	}
	fails(t, dir, 1, "compare runs of one game", "compare", "a", "other", "--force")
}

// TestCompareUnwritten: where the page cannot be written, the matches are printed all the same.
func TestCompareUnwritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	trainedRuns(t, dir)
	page := strings.Repeat("x", 250) + ".html" // a name that is possible; that of the temporary file is not
	out, errs, code := ludus(t, dir, "", "compare", "a", "b", "--games", "4", "-o", page)
	if code != exitFailure || !strings.Contains(out, "a against b") || strings.Contains(out, "curves:") || !strings.Contains(errs, "too long") {
		t.Errorf("exit %d, %q, %q; want the match and an error", code, out, errs)
	}
}

// TestCompareShutout: where one run wins every game, its lead in Elo has no upper bound, neither in print nor on the
// page.
func TestCompareShutout(t *testing.T) {
	c := comparison{
		Game: "quad-5x5", Runs: []contender{{Name: "a"}, {Name: "b"}},
		Matches: []pairing{{A: "a", B: "b", Result: match.Result{
			Games: 20, Wins: 20, Score: 1, Low: 0.8, High: 1, Elo: match.MaxElo, EloLow: 240, EloHigh: match.MaxElo,
		}}},
	}
	var text bytes.Buffer
	c.write(&text)
	bar := c.ladder(&match.Config{OpeningPlies: 4}).Bars[0]
	if !strings.Contains(text.String(), "above +240") || !strings.Contains(bar.Detail, "above +240") ||
		bar.Value != 100 || bar.Low != 80 || bar.High != 100 {
		t.Errorf("%s\n%+v", &text, bar)
	}
}

// Ctrl-C ends the matches; the result so far is printed and on the page.
func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	dir := t.TempDir()
	trainedRuns(t, dir)
	out := ""
	for wait := time.Second; !strings.Contains(out, "a against b"); wait *= 4 { // until the machine is quick enough
		if wait > time.Minute {
			t.Fatalf("no game was played: %q", out)
		}
		out = interrupted(t, dir, wait, "compare", "a", "b", "--games", "1000000", "--force")
	}
	if page, err := os.ReadFile(filepath.Join(dir, "compare.html")); err != nil || !strings.Contains(string(page), "a against b") {
		t.Errorf("the page does not have the match; %v", err)
	}
}

// interrupted runs the program in dir, interrupts it after a while and returns what it printed.
func interrupted(t *testing.T, dir string, wait time.Duration, args ...string) string {
	t.Helper()
	cmd := command(dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(wait)
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
	cmd.Wait()
	late.Stop()
	if code := cmd.ProcessState.ExitCode(); code != exitStopped || !strings.HasSuffix(errs.String(), "ludus: stopped\n") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	return out.String()
}
