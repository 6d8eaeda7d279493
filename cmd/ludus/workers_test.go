package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ludus/train/rundir"
)

// workerURL matches the URL that "train --listen" prints.
var workerURL = regexp.MustCompile(`worker --connect (\S+)`)

// process is ludus as a process that runs in the background.
type process struct {
	*exec.Cmd
	output io.Reader // of standard error
}

// startLudus starts the program. It is killed at the end of the test, if it still runs.
func startLudus(t *testing.T, dir string, args ...string) process {
	t.Helper()
	cmd := command(dir, args...)
	output, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return process{cmd, output}
}

// TestWorkers: a run that only learns trains on the games of a worker in another process, and its status shows the
// worker. Another worker may take the place of a killed one.
func TestWorkers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	dir := t.TempDir()
	args := []string{"train", "quad(size=4,quads=4,whites=1)", "--run", "run", "--generations", "5000", "--listen", "127.0.0.1:0", "--learn-only"}
	for _, set := range []string{
		"parallel_games=16", "plies_per_generation=10", "simulations=4", "channels=4", "blocks=1", "batch_size=16", "rating_share=0",
	} {
		args = append(args, "--set", set)
	}
	learner := startLudus(t, dir, args...)
	lines := bufio.NewScanner(learner.output)
	url := ""
	for url == "" && lines.Scan() {
		if match := workerURL.FindStringSubmatch(lines.Text()); match != nil {
			url = strings.Trim(match[1], "'")
		}
	}
	if url == "" {
		t.Fatal("the learner prints no URL")
	}
	go io.Copy(io.Discard, learner.output)
	if runtime.GOOS == "linux" && len(sockets(t, learner)) == 0 {
		t.Error("TestTrainOpensNoPort would not see the port of this learner")
	}
	first := startLudus(t, dir, "worker", "--connect", url, "--threads", "1", "--name", "first")
	var s rundir.WorkersStatus
	for deadline := time.Now().Add(time.Minute); len(s.Workers) == 0; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("no games of the worker arrive")
		}
		out, _, code := ludus(t, dir, "", "status", url, "--json")
		if code == 0 {
			if err := json.Unmarshal([]byte(out), &s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Workers[0].Name != "first" || s.Workers[0].Games == 0 || s.Workers[0].Rejected > 0 {
		t.Errorf("status %+v", s)
	}
	if out := run(t, dir, "", "status", url); !strings.Contains(out, "first") || !strings.Contains(out, "positions/s") {
		t.Errorf("status prints\n%s", out)
	}
	first.Process.Kill()
	startLudus(t, dir, "worker", "--connect", url, "--threads", "1", "--name", "second")
	for s.Workers = nil; len(s.Workers) < 2; time.Sleep(200 * time.Millisecond) {
		if err := json.Unmarshal([]byte(run(t, dir, "", "status", url, "--json")), &s); err != nil {
			t.Fatal(err)
		}
	}
	learner.Process.Signal(syscall.SIGTERM)
	learner.Wait()
	if learner.ProcessState.ExitCode() != exitStopped {
		t.Errorf("the learner: %v", learner.ProcessState)
	}
	metrics, _, err := rundir.MetricsFile.Read(filepath.Join(dir, "run"))
	if err != nil || len(metrics) == 0 || metrics[0].ReceivedGames != metrics[0].Games {
		t.Errorf("%d generations, error %v", len(metrics), err)
	}
	if _, errs, code := ludus(t, dir, "", "status", url); code != exitFailure {
		t.Errorf("status after the end: exit %d, %s", code, errs)
	}
}

// sockets returns the sockets of a process.
func sockets(t *testing.T, p process) (open []string) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Process.Pid))
	if err != nil || len(files) == 0 {
		t.Fatalf("no open files of the process: error %v", err)
	}
	for _, f := range files {
		if name, err := os.Readlink(f); err == nil && strings.HasPrefix(name, "socket:") { // otherwise it was closed meanwhile
			open = append(open, name)
		}
	}
	return open
}

// TestTrainOpensNoPort: a training without workers has no sockets.
func TestTrainOpensNoPort(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows the sockets of a process as files")
	}
	dir := t.TempDir()
	p := startLudus(t, dir, "train", "quad(size=4,quads=4,whites=1)", "--run", "run", "--generations", "5000", "--set", "parallel_games=16",
		"--set", "simulations=4", "--set", "channels=4", "--set", "blocks=1", "--set", "batch_size=16", "--set", "rating_share=0")
	go io.Copy(io.Discard, p.output)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if open := sockets(t, p); len(open) > 0 {
			t.Fatalf("the process has the sockets %v", open)
		}
		if metrics, _, err := rundir.MetricsFile.Read(filepath.Join(dir, "run")); err == nil && len(metrics) >= 3 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the run does not get on")
		}
	}
}

// TestNoRunWithoutServer: a training whose server cannot be reached or started leaves nothing behind.
func TestNoRunWithoutServer(t *testing.T) {
	for _, args := range [][]string{
		{"--listen", "127.0.0.1"}, {"--listen", "192.0.2.1:4222"},
	} {
		dir := t.TempDir()
		if _, errs, code := ludus(t, dir, "", append([]string{"train", "quad-5x5"}, args...)...); code != exitFailure {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%v: left %v, error %v", args, entries, err)
		}
	}
}

// TestStoredGames: a training that continues without the server of its folder says that games may wait there.
func TestStoredGames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]") // no pattern
	if text := (&workersFlags{}).stored(dir); text != "" {
		t.Error(text)
	}
	if err := os.MkdirAll(filepath.Join(dir, rundir.ServerDir, "jetstream", "LUDUS", "streams", "ludus-games"), 0o700); err != nil {
		t.Fatal(err)
	}
	if text := (&workersFlags{}).stored(dir); !strings.Contains(text, "--listen") {
		t.Errorf("it says %q", text)
	}
	if text := (&workersFlags{listen: "127.0.0.1:0"}).stored(dir); text != "" {
		t.Error(text)
	}
}

func TestWorkersUsage(t *testing.T) {
	for _, args := range [][]string{
		{"worker"}, {"worker", "--connect", "localhost"}, {"train", "quad-5x5", "--learn-only"}, {"train", "quad-5x5", "--insecure"},
		{"train", "quad-5x5", "--listen", "127.0.0.1:0", "--dry-run"}, {"status"},
	} {
		dir := t.TempDir()
		if _, errs, code := ludus(t, dir, "", args...); code != exitUsage && (code != exitFailure || args[len(args)-1] != "localhost") {
			t.Errorf("%v: exit %d, %s", args, code, errs)
		}
	}
}
