package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/train/rundir"
	"ludus/train/sweep"
)

// sweepArgs are the arguments of a sweep of two arms that takes a second or two.
func sweepArgs(dir string, more ...string) []string {
	return append([]string{
		"sweep", "quad-5x5", "--dir", dir, "--set", "channels=4", "--set", "blocks=1", "--set", "parallel_games=8",
		"--set", "plies_per_generation=4", "--set", "batch_size=8", "--set", "simulations=2,4", "--generations", "30",
		"--seeds", "1", "--positions", "100", "--threads", "2",
	}, more...)
}

// sweepReport parses the last line of a sweep's output with --json.
func sweepReport(t *testing.T, output string) (r sweep.Report) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(output), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatalf("%v in %s", err, output)
	}
	return r
}

// TestSweep: a sweep that was killed and one that was interrupted continue, leave no training process behind, and give
// the results of a sweep that was neither.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	whole, _, code := ludus(t, dir, "", sweepArgs("whole", "--json")...)
	want := sweepReport(t, whole)
	if code != 0 || want.Seeds != 1 || len(want.Arms) != 2 || want.Arms[1].Search == nil || want.Arms[1].SearchKeptOut == nil || !strings.Contains(whole, "equal CPU time") {
		t.Fatalf("exit %d, %s", code, whole)
	}
	if runtime.GOOS != "linux" { // elsewhere training processes outlive a killed sweep
		t.Skip("sweeps kill training processes on Linux only")
	}
	for _, s := range []struct {
		name   string
		signal os.Signal
		code   int
	}{{"killed", syscall.SIGKILL, -1}, {"interrupted", syscall.SIGINT, exitStopped}} {
		cmd := command(dir, sweepArgs(s.name)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		run := filepath.Join(dir, s.name, "simulations=4+seed=1")
		waitFor(t, "training", func() bool { return len(rundir.MetricsFile.Tail(run)) >= 3 })
		cmd.Process.Signal(s.signal)
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != s.code {
			t.Errorf("%s: exit %d, want %d: %s", s.name, got, s.code, errs.String())
		}
		waitFor(t, "the end of training", func() bool { return !rundir.Locked(run) })
		before := len(rundir.MetricsFile.Tail(run))
		again, errText, code := ludus(t, dir, "", sweepArgs(s.name, "--json")...)
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", s.name, code, errText)
		}
		got := sweepReport(t, again)
		for i := range want.Arms {
			a, b := &want.Arms[i], &got.Arms[i]
			if *a.Policy != *b.Policy || *a.Search != *b.Search || *a.SearchKeptOut != *b.SearchKeptOut || b.CPUSeconds <= 0 {
				t.Errorf("%s: %s\nwant %s", s.name, again, whole)
			}
		}
		if before < 3 {
			t.Errorf("%s: %d generations left", s.name, before)
		}
	}
	start := time.Now()
	if _, errs, code := ludus(t, dir, "", sweepArgs("whole")...); code != 0 || strings.Contains(errs, "seed 1:") {
		t.Errorf("a finished sweep: exit %d after %v, %s", code, time.Since(start), errs)
	}
}

// waitFor waits until done returns true.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for start := time.Now(); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > 60*time.Second {
			t.Fatalf("waited for %s for too long", what)
		}
	}
}

func TestSweepErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"quad-5x5", "--set", "simulation=1,2"}, `did you mean "simulations"?`},
		{[]string{"quad-5x5", "--cpu", "10s", "--generations", "3"}, "--cpu and --generations exclude each other"},
		{[]string{"quad-5x5", "--seeds", "0"}, "--seeds 0: it must be from 1 to 1000"},
		{[]string{"quad-5x5", "--opponent", "mtcs:10"}, "did you mean mcts:N?"},
		{[]string{"quad(size=4,quads=4,whites=1)"}, "name them with --suite, or give an --opponent"},
	} {
		_, errs, code := ludus(t, dir, "", append([]string{"sweep"}, c.args...)...)
		if code == 0 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, %s", c.args, code, errs)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("left %v, error %v", entries, err)
	}
}
