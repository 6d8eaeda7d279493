package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

func TestRateCommand(t *testing.T) {
	t.Parallel()
	dir := runFolder(t)
	args := []string{"rate", dir, "--sims", "2", "--to", "150", "--json"}
	out := run(t, "", "", args...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var table rundir.Ratings
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"quad-5x5: ", "random is 0; known: from the card of the shipped agent", "with 2 simulations per move", "net@0", "net@1", "mcts:1000", "widest 95 % interval: ±"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	if rated := slices.DeleteFunc(table.Agents, func(a rundir.Rating) bool { return a.Known }); len(rated) != 6 || table.Simulations != 2 {
		t.Errorf("%+v", table)
	}
	if again := run(t, "", "", args...); again != out {
		t.Errorf("nothing is left to find out, and the table became\n%s", again)
	}
	if out := run(t, "", "", "analyze", "quad-5x5", "net:"+dir+"@best"); out != "" {
		t.Errorf("analyze prints %q", out)
	}
	// A damaged checkpoint is a warning, and the others are rated.
	if err := os.Truncate(filepath.Join(dir, "checkpoints", "000001", "weights.safetensors"), 50); err != nil {
		t.Fatal(err)
	}
	out, errs, code := ludus(t, "", "", "rate", dir, "--sims", "3", "--to", "150")
	if code != 0 || strings.Count(errs, "warning") != 1 || !strings.Contains(errs, "weights.safetensors") || strings.Contains(out, "net@1") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
}

// A dial belongs to one checkpoint; elo=N plays with it, and with no other. Random networks are all about as strong.
func TestRateDial(t *testing.T) {
	t.Parallel()
	dir := runFolder(t)
	out := run(t, "", "", "rate", dir, "--dial", "--to", "200", "--json")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var table rundir.Ratings
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &table); err != nil {
		t.Fatal(err)
	}
	if len(table.Dials) != 1 || len(table.Dials[0].Strengths) == 0 || !strings.Contains(out, "strength dial") || strings.Contains(out, "temp=") {
		t.Fatalf("%+v\n%s", table, out)
	}
	dial := table.Dials[0]
	spec := fmt.Sprintf("net:%s@%d,elo=", dir, dial.Generation)
	if low, high, ok := dial.Strengths.Range(); ok {
		run(t, "", "", "arena", "quad-5x5", fmt.Sprintf("%s%d", spec, (low+high)/2), "random", "--games", "2")
		fails(t, "", 2, fmt.Sprintf("elo is from %d to %d", low, high), "arena", "quad-5x5", spec+"9999", "random", "--games", "2")
	} else {
		fails(t, "", 2, "has no strength dial", "arena", "quad-5x5", spec+"100", "random", "--games", "2")
	}
	fails(t, "", 2, "--dial\" measures that of a run's best checkpoint", "play", "quad-5x5", fmt.Sprintf("net:%s@%d,elo=100", dir, 1-dial.Generation))
	fails(t, "", 2, "--dial true: it must be without --sims", "rate", dir, "--dial", "--sims", "2")
}

func TestRateErrors(t *testing.T) {
	dir := runFolder(t)
	release, err := checkpoints.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	fails(t, "", 1, "in use by another process", "rate", dir)
	fails(t, "", 1, "not a run directory", "rate", t.TempDir())
	fails(t, "", 1, "not a run directory", "rate", "nowhere")
	fails(t, "", 2, "--checkpoints 0: it must be 1 or more", "rate", dir, "--checkpoints", "0")
	fails(t, "", 2, "--sims 0", "rate", dir, "--sims", "0")
	fails(t, "", 2, "--to 0", "rate", dir, "--to", "0")
	fails(t, "", 2, "--time -1s", "rate", dir, "--time", "-1s")
}

// TestRateStopped: Ctrl-C and kill -9 lose nothing finished.
func TestRateStopped(t *testing.T) {
	t.Parallel()
	dir := runFolder(t)
	path := filepath.Join(dir, "arena.jsonl")
	finished := 0
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGKILL, os.Interrupt} {
		cmd := command("", "rate", dir, "--sims", "2", "--to", "5")
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		more := finished
		for deadline := time.Now().Add(time.Minute); more < finished+2 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
			lines, _ := checkpoints.ReadLines(path)
			more = len(lines)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait() // its error is that it was stopped
		lines, err := checkpoints.ReadLines(path)
		if err != nil || len(lines) < more {
			t.Fatalf("%d lines after %d, %v", len(lines), more, err)
		}
		finished = len(lines)
		if signal == os.Interrupt && (cmd.ProcessState.ExitCode() != exitStopped || !strings.Contains(out.String(), "finished matches are kept; continue with:") ||
			!strings.Contains(out.String(), "agents rated")) {
			t.Errorf("exit %d: %s", cmd.ProcessState.ExitCode(), out.String())
		}
	}
}

// The last line is about the wanted agents.
func TestWriteRatings(t *testing.T) {
	table := rundir.Ratings{Agents: []rundir.Rating{
		{Agent: "zoo", Rating: 1182.5, Low: 1159, High: 1218, Known: true},
		{Agent: "net@2", Rating: 200, Low: 20.5, High: 300.5, Score: 0.3125},
		{Agent: "net@1", Rating: 100, Low: 70, High: 120},
		{Agent: "net@0", Rating: 90, Low: 0, High: 180, Gone: true},
		{Agent: "random"},
	}}
	shown := regexp.MustCompile(`(?s)zoo +1183 +known .*net@2 +200 +21 to 301 +0 +31\.3 %.*random +0 +– `)
	var out strings.Builder
	writeRatings(&out, &table, []string{"net@1", "net@0"})
	if !strings.Contains(out.String(), "widest 95 % interval: ±30 Elo\n") || !shown.MatchString(out.String()) || !strings.Contains(out.String(), "70 to 120") {
		t.Error(out.String())
	}
}

// Levels of one program keep their names apart, and without ratings there is no table.
func TestWriteAnchors(t *testing.T) {
	var out strings.Builder
	writeRatings(&out, &rundir.Ratings{Agents: []rundir.Rating{
		{Agent: `gtp:"/usr/games/gtp-rhino -l 2",deterministic=yes`}, {Agent: `gtp:"/usr/games/gtp-rhino -l 3",deterministic=yes`},
	}}, nil)
	for _, want := range []string{"rhino -l 2", "rhino -l 3"} {
		if !strings.Contains(out.String(), want) {
			t.Error(out.String())
		}
	}
	out.Reset()
	writeRatings(&out, &rundir.Ratings{Game: "quad-5x5"}, nil)
	if got := out.String(); got != "quad-5x5: no agent is rated yet: the anchor has not played\n" {
		t.Error(got)
	}
}

// A run with rating_share=0 says that its strength is not measured.
func TestUnmeasured(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	out, _, code := ludus(t, "", "", "train", "quad-5x5", "--run", dir, "--generations", "1",
		"--set", "rating_share=0", "--set", "parallel_games=2", "--set", "plies_per_generation=1", "--set", "channels=4", "--set", "blocks=1")
	if code != 0 || !strings.Contains(out, "not measured (rating_share=0)") || !strings.Contains(out, " rate "+dir) || strings.Contains(out, "against") {
		t.Error(out)
	}
}
