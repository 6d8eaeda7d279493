package main

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The commands write nothing but replies to standard output, and end with the input.
func TestEngineCommands(t *testing.T) {
	for _, test := range []struct {
		args, input, want string
	}{
		{"gtp tic-tac-toe", "name\ngenmove b\nquit\n", `^= ludus\n\n= [ABC][123]\n\n=\n\n$`},
		{"gtp hex-5x5 mcts:20 --resign 1", "genmove b\n", `^= resign\n\n$`},
		{"gtp tic-tac-toe random --seed 3", "7 genmove x", `^=7 [ABC][123]\n\n$`},
		{"gtp breakthrough-6x6 mcts:20", "genmove white\nboardsize 5 6", `^= [a-f]2-[a-f]3\n\n=\n\n$`},
		{"gomocup mcts:20", "START 5\r\nBEGIN\r\nEND\r\n", `^OK\n[0-4],[0-4]\n$`},
		{"nboard mcts:20", "nboard 2\nping 3\n", `^set myname ludus\npong 3\n$`},
	} {
		out, errs, code := ludus(t, t.TempDir(), test.input, strings.Fields(test.args)...)
		if code != 0 || errs != "" || !regexp.MustCompile(test.want).MatchString(out) {
			t.Errorf("ludus %s: exit %d, output %q, errors %q", test.args, code, out, errs)
		}
	}
	// the default agent of a board without a shipped one is told on standard error
	out, errs, code := ludus(t, t.TempDir(), "boardsize 4\nname\n", "gtp", "othello-6x6")
	if code != 0 || out != "=\n\n= ludus\n\n" || !strings.Contains(errs, "no agent was trained on othello(size=4)") || !strings.Contains(errs, "train 'othello(size=4)'") {
		t.Errorf("exit %d, output %q, errors %q", code, out, errs)
	}
}

func TestEngineErrors(t *testing.T) {
	dir := t.TempDir()
	fails(t, dir, exitUsage, "arguments are missing", "gtp")
	fails(t, dir, exitUsage, "did you mean gomoku?", "gtp", "gomok")
	fails(t, dir, exitUsage, "did you mean mcts:N?", "gtp", "gomoku", "mct:5")
	fails(t, dir, exitUsage, "--resign 2: it must be from 0 to 1", "gtp", "gomoku", "--resign", "2")
	fails(t, dir, exitUsage, "one argument too many", "gomocup", "random", "random")
	fails(t, dir, exitFailure, "no such", "nboard", "net:runs/othello")
}

// SIGTERM ends a session that waits for a command or thinks.
func TestEnginesEndOnSIGTERM(t *testing.T) {
	for args, first := range map[string]string{
		"gtp othello mcts:1000000": "name\ngenmove b\n", "gomocup mcts:1000000": "ABOUT\nSTART 9\nBEGIN\n", "nboard mcts:1000000": "nboard 2\n",
	} {
		cmd := command(t.TempDir(), strings.Fields(args)...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in, first)
		reader := bufio.NewReader(out)
		if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "ludus") {
			t.Errorf("ludus %s: %q, %v", args, line, err)
		}
		killed := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
		cmd.Process.Signal(syscall.SIGTERM)
		io.Copy(io.Discard, reader)
		cmd.Wait()
		killed.Stop()
		if code := cmd.ProcessState.ExitCode(); code != exitStopped {
			t.Errorf("ludus %s: exit %d", args, code)
		}
	}
}
