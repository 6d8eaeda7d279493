package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestSolve(t *testing.T) {
	// x has three corners of the unit square at r2 c2: the fourth wins at once, and other moves later.
	moves := "(mark r2 c2);(mark r1 c2); mark r2 c3 ;(mark r1 c4);(mark r3 c2);(mark r5 c3)"
	out := run(t, "", "", "solve", "quad-5x5", "--moves", moves)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 17 || lines[0] != "value x=100 o=0" || !strings.Contains(out, "\nc3 100 best\n") {
		t.Errorf("the output is\n%s", out)
	}
	if !regexp.MustCompile(`^nodes \d+ seconds \d+\.\d+$`).MatchString(lines[len(lines)-1]) {
		t.Errorf("the last line is %q", lines[len(lines)-1])
	}
	// The moves may be typed as in play.
	typed := run(t, "", "", "solve", "quad-5x5", "--moves", "b2; b 1; C2; mark d1; r3c2; m c5")
	if lines := strings.Split(typed, "\n"); lines[0] != "value x=100 o=0" || !slices.Equal(lines[1:16], strings.Split(out, "\n")[1:16]) {
		t.Errorf("with short moves the output is\n%s", typed)
	}
	var object struct {
		Game, Player string
		Moves        []string
		Value        map[string]int
		Values       map[string]*int
		Nodes        int
	}
	if err := json.Unmarshal([]byte(run(t, "", "", "solve", "quad-5x5", "--moves", moves, "--json")), &object); err != nil {
		t.Fatal(err)
	}
	if object.Game != "quad-5x5" || object.Player != "x" || object.Value["x"] != 100 || object.Value["o"] != 0 ||
		len(object.Moves) != 6 || object.Moves[2] != "c2" || len(object.Values) != 15 || object.Nodes == 0 {
		t.Errorf("%+v", object)
	}
	for i, line := range lines[1:16] {
		line, best := strings.CutSuffix(line, " best")
		cut := strings.LastIndex(line, " ")
		if v := object.Values[line[:cut]]; v == nil || fmt.Sprint(*v) != line[cut+1:] {
			t.Errorf("line %d is %q, but in JSON it is %v", i+2, line, v)
		} else if best != (*v == 100) {
			t.Errorf("line %d, %q: marked as best %t", i+2, line, best)
		}
	}
}

// Free-For-All's outcomes are 100, 50 and 0.
func TestSolveGoals(t *testing.T) {
	out := run(t, "", "", "solve", "free-for-all(size=5,steps=3)", "--moves", "(move 1 3 3 2)")
	if !strings.HasPrefix(out, "value red=50 blue=50\n") {
		t.Errorf("the output is\n%s", out)
	}
}

func TestSolveLimits(t *testing.T) {
	for _, limit := range []string{"--nodes=1000", "--time=50ms", "--nodes=1"} {
		out, errs, code := ludus(t, "", "", "solve", "quad-7x7", limit)
		if code != 3 || !strings.HasPrefix(out, "value unknown\nb1 unknown\n") || !strings.Contains(errs, "not solved within the limits") {
			t.Errorf("%s: exit %d, %s\n%s", limit, code, errs, out)
		}
		if limit == "--nodes=1" && !strings.Contains(out, "\nnodes 1 ") {
			t.Errorf("one node was allowed, but the output is\n%s", out)
		}
	}
}

func TestSolveErrors(t *testing.T) {
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, `move 2: "(mark r9 c9)" is not a move of this game`, []string{"solve", "quad-5x5", "--moves", "(mark r3 c3);(mark r9 c9)"}},
		{2, "move 2: c3 is not legal: x is on c3", []string{"solve", "quad-5x5", "--moves", "(mark r3 c3);mark r3 c3"}},
		{2, "the game is over: x 100, o 0", []string{"solve", "quad-5x5", "--moves",
			"mark r2 c2;mark r1 c2;mark r2 c3;mark r1 c3;mark r3 c2;mark r5 c3;mark r3 c3"}},
		{2, "the game is over", []string{"solve", "quad-5x5", "--moves",
			"mark r2 c2;mark r1 c2;mark r2 c3;mark r1 c3;mark r3 c2;mark r5 c3;mark r3 c3;mark r5 c4"}},
		{2, "--nodes -1", []string{"solve", "quad-5x5", "--nodes", "-1"}},
		{2, "--time -1s", []string{"solve", "quad-5x5", "--time", "-1s"}},
		{2, "--memory 0", []string{"solve", "quad-5x5", "--memory", "0"}},
		{2, "arguments are missing", []string{"solve"}},
		{2, "did you mean quad-5x5?", []string{"solve", "quad-5x6"}},
	} {
		if _, errs, code := ludus(t, "", "", c.args...); code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%v: exit %d, %s; want %d and %q", c.args, code, errs, c.code, c.want)
		}
	}
}

// Ctrl-C prints the values found so far.
func TestSolveInterrupted(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts between processes")
	}
	if out, _, code := interrupt(t, syscall.SIGINT, "solve", "quad-7x7"); code != exitStopped || !strings.HasPrefix(out, "value unknown\n") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

// group makes a control group with a limit of memory and returns a command that runs ludus in it. It skips the test
// where that is not allowed.
func group(t *testing.T, limit int, args ...string) *exec.Cmd {
	t.Helper()
	for _, kind := range []struct{ dir, limit string }{
		{"/sys/fs/cgroup", "memory.max"}, {"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	} {
		if _, err := os.Stat(filepath.Join(kind.dir, "cgroup.procs")); err != nil {
			continue
		}
		dir, err := os.MkdirTemp(kind.dir, "ludus-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		if err := os.WriteFile(filepath.Join(dir, kind.limit), []byte(strconv.Itoa(limit)), 0o666); err != nil {
			continue
		}
		join := "echo $$ >" + filepath.Join(dir, "cgroup.procs") + ` && exec "$0" "$@"`
		if exec.Command("sh", "-c", join, "true").Run() != nil {
			continue
		}
		cmd := exec.Command("sh", append([]string{"-c", join, os.Args[0]}, args...)...)
		cmd.Env = append(os.Environ(), asLudus+"=1")
		return cmd
	}
	t.Skip("no control group with a limit of memory can be made here")
	return nil
}

// TestSmallContainer runs commands with large tables in a container of 150 MB, which kills a program that takes more.
func TestSmallContainer(t *testing.T) {
	for args, code := range map[string]int{
		"solve breakthrough(columns=6,rows=6) --nodes 3000000":                    exitUnsolved,
		"solve breakthrough(columns=6,rows=6) --nodes 10 --memory 200":            exitUsage,
		"arena tic-tac-toe solver:50000000 solver:40000000 --games 4 --threads 4": 0,
	} {
		cmd := group(t, 150<<20, strings.Fields(args)...)
		out, err := cmd.CombinedOutput()
		if err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != code || code == exitUsage && !strings.Contains(string(out), "--memory 200: it must be from 1 to 1") {
			t.Errorf("%s: exit %d (%v)\n%s", args, got, err, out)
		}
	}
}
