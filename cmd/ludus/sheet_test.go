package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/env/gdl/sheets"
	"ludus/train/rundir"
)

// smallRun are the settings of a training on a sheet that takes some seconds.
var smallRun = []string{
	"--generations", "12", "--set", "parallel_games=16", "--set", "plies_per_generation=4", "--set", "simulations=8", "--set", "channels=8",
	"--set", "blocks=1", "--set", "batch_size=16", "--set", "replay_window=200", "--set", "rating_share=0", "--threads", "1",
}

// TestKilledWithoutSheet kills a training on a sheet and deletes the sheet. The same command continues, with the same weights
// as a training that nobody disturbed, and whatever needs the game finds it in the run.
func TestKilledWithoutSheet(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signals between processes")
	}
	t.Parallel()
	dir := t.TempDir()
	sheet := filepath.Join(dir, "tic-tac-toe.kif")
	if err := os.WriteFile(sheet, []byte(sheets.Text("tic-tac-toe")), 0o600); err != nil {
		t.Fatal(err)
	}
	calm := append([]string{"train", "gdl(tic-tac-toe.kif)", "--run", "calm"}, smallRun...)
	if _, errs, code := ludus(t, dir, "", calm...); code != 0 {
		t.Fatalf("exit %d, %s", code, errs)
	}

	disturbed := append([]string{"train", "gdl(tic-tac-toe.kif)", "--run", "killed"}, smallRun...)
	run := filepath.Join(dir, "killed")
	cmd := command(dir, disturbed...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if ids, _ := rundir.Checkpoints(run).List(); len(ids) > 0 && slices.Max(ids) >= 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no checkpoint within a minute")
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	ids, err := rundir.Checkpoints(run).List()
	if err != nil || slices.Max(ids) >= 12 {
		t.Fatalf("checkpoints %v, error %v: it was not killed in time", ids, err)
	}
	if err := os.Remove(sheet); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := ludus(t, dir, "", disturbed...); code != 0 {
		t.Fatalf("exit %d after the sheet was deleted: %s", code, errs)
	}
	var weights [2][]byte
	for i, name := range []string{"calm", "killed"} {
		data, err := rundir.Checkpoints(filepath.Join(dir, name)).Load(12)
		if err != nil {
			t.Fatal(err)
		}
		weights[i] = data.Part(rundir.WeightsPart)
	}
	if len(weights[0]) == 0 || !slices.Equal(weights[0], weights[1]) {
		t.Errorf("other weights (%d and %d bytes) after the interruption", len(weights[0]), len(weights[1]))
	}

	name := "gdl(" + run + ")"
	if game, err := games.New(name); err != nil || game.Sheet != sheets.Text("tic-tac-toe") {
		t.Fatalf("the run's game: %v", err)
	}
	out, errs, code := ludus(t, dir, "c3\nquit\n", "play", "gdl(killed)", "net:killed,sims=2")
	if code != 0 || !strings.Contains(out, "x plays c3") || !strings.Contains(out, "o plays ") {
		t.Errorf("play exits %d: %s%s", code, out, errs)
	}
	for _, format := range []string{"html", "onnx", "weights"} {
		file := "agent." + format
		if _, errs, code := ludus(t, dir, "", "export", "killed", "--format", format, "-o", file); code != 0 {
			t.Errorf("export --format %s exits %d: %s", format, code, errs)
		}
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || format != "html" && !strings.Contains(string(data), "(goal x 0)") { // the page's weights are compressed
			t.Errorf("%s lacks the sheet, error %v", file, err)
		}
	}
	if _, errs, code := ludus(t, dir, "", "arena", "gdl(agent.weights)", "net:agent.weights,sims=4", "random", "--games", "4"); code != 0 {
		t.Errorf("arena with exported weights exits %d: %s", code, errs)
	}
	for _, file := range []string{"t.suite", "t.jsonl"} {
		if _, errs, code := ludus(t, dir, "", "suite", "gdl(killed)", "--positions", "20", "--out", file); code != 0 {
			t.Errorf("suite exits %d: %s", code, errs)
		}
		if out, errs, code := ludus(t, dir, "", "suite", "--check", file, "policy:killed"); code != 0 || !strings.Contains(out, "20 positions") {
			t.Errorf("suite --check %s exits %d: %s%s", file, code, out, errs)
		}
	}
	server, address, _ := served(t, dir, nil, ".", "--addr", "127.0.0.1:0")
	game := games.Must(name)
	r, err := http.Get(address + "api/runs") // the server reads the sheets of runs with this request, which pages make first
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	r, err = http.Post(address+"api/choose", "application/json", strings.NewReader(`{"game":"`+game.Name+`","agent":"net:killed,sims=2"}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || !strings.HasPrefix(string(data), `{"move":"`) {
		t.Errorf("serve plays %s, error %v", data, err)
	}
	endServed(t, server)
}

// TestShortGame trains, rates and compares agents of a game of two plies: matches have shorter openings then.
func TestShortGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const text = `(role x) (role o) (init (step 1)) (succ 1 2) (succ 2 3)
		(<= (legal x (say ?m)) (true (step 1)) (word ?m)) (<= (legal o noop) (true (step 1)))
		(<= (legal o (say ?m)) (true (step 2)) (word ?m)) (<= (legal x noop) (true (step 2)))
		(word yes) (word no)
		(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
		(<= (next (said ?p ?m)) (does ?p (say ?m))) (<= (next (said ?p ?m)) (true (said ?p ?m)))
		(<= same (true (said x ?m)) (true (said o ?m)))
		(<= terminal (true (step 3))) (<= (goal x 100) same) (<= (goal x 0) (not same)) (<= (goal o 0) same) (<= (goal o 100) (not same))`
	if err := os.WriteFile(filepath.Join(dir, "same.kif"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		append(append([]string{"train", "gdl(same.kif)", "--run", "runs/a"}, smallRun...), "--set", "rating_share=0.1"),
		append([]string{"train", "gdl(same.kif)", "--run", "runs/b"}, smallRun...),
		{"arena", "gdl(runs/a)", "net:runs/a", "random", "--games", "4"},
		{"rate", "runs/a", "--games", "4"},
		{"compare", "runs/a", "runs/b", "--games", "4"},
	} {
		if out, errs, code := ludus(t, dir, "", args...); code != 0 {
			t.Errorf("%s exits %d: %s%s", args, code, out, errs)
		}
	}
}

// TestPrintedCommands runs the commands that a training on a sheet and an export of its weights print, after the sheet was
// deleted: they work for a run in any folder.
func TestPrintedCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sheet := filepath.Join(dir, "tic-tac-toe.kif")
	if err := os.WriteFile(sheet, []byte(sheets.Text("tic-tac-toe")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"runs/ttt", "elsewhere"} {
		printed, errs, code := ludus(t, dir, "", append([]string{"train", "gdl(tic-tac-toe.kif)", "--run", folder}, smallRun...)...)
		if code != 0 {
			t.Fatalf("exit %d, %s", code, errs)
		}
		file := filepath.Base(folder) + ".weights"
		more, errs, code := ludus(t, dir, "", "export", folder, "--format", "weights", "-o", file)
		if code != 0 {
			t.Fatalf("exit %d, %s", code, errs)
		}
		name := "'gdl(" + folder + ")'"
		for _, want := range []string{"play " + name + " net:" + folder, "arena " + name + " net:" + folder + " mcts:200"} {
			if !strings.Contains(printed, want) {
				t.Errorf("%s is not printed:\n%s", want, printed)
			}
		}
		if want := "play 'gdl(" + file + ")' net:" + file; !strings.Contains(more, want) {
			t.Errorf("%s is not printed:\n%s", want, more)
		}
	}
	if err := os.Remove(sheet); err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{
		{"gdl(runs/ttt)", "net:runs/ttt,sims=2"}, {"gdl(elsewhere)", "net:elsewhere,sims=2"}, {"gdl(ttt.weights)", "net:ttt.weights,sims=2"},
	} {
		if out, errs, code := ludus(t, dir, "quit\n", append([]string{"play"}, words...)...); code != 0 {
			t.Errorf("play %s exits %d: %s%s", words, code, out, errs)
		}
	}
}
