//go:build unix

package program

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/lines"
	"ludus/train/agent"
)

// scripted returns a process that answers each line that it is sent with the next part of a text, and then ends its
// output.
func scripted(t *testing.T, text string) *process {
	in, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{stdin: stdin, meter: &meter{file: stdout}, ended: make(chan struct{})}
	p.out = lines.NewReader(p.meter, maxLine, maxAhead)
	done := make(chan struct{})
	go func() {
		defer close(done)
		parts := strings.Split(text, "\x01")
		for scanner := bufio.NewScanner(in); len(parts) > 0 && scanner.Scan(); parts = parts[1:] {
			io.WriteString(out, parts[0])
		}
		out.Close()
	}()
	t.Cleanup(func() {
		stdin.Close()
		p.out.Close()
		<-done
		in.Close()
	})
	return p
}

// exchange starts a game and lets the program, whose answers are a text, move twice. Whatever they are, moves are
// legal, and errors those that dialect documents.
func exchange(t *testing.T, spec, name, text string) {
	if len(text) > 2000 {
		t.Skip("long")
	}
	p, err := newAgent(name, spec)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	d := p.speak(scripted(t, text))
	err = d.greet(ctx)
	if err == nil {
		err = d.begin(ctx)
	}
	for err == nil && len(p.moves) < 4 {
		a, _, wrong := d.choose(ctx, &position{moves: p.moves, known: max(0, len(p.moves)-1), state: p.state}, len(text)%2 == 0)
		var fault *agent.Fault
		switch err = wrong; {
		case err == nil && !slices.Contains(p.state.Legal(nil), a):
			t.Fatalf("illegal move %d", a)
		case err == nil:
			p.Observe(a)
			p.Observe(p.state.Legal(nil)[0])
		case errors.As(err, &fault):
			if fault.Void() || strings.ContainsAny(fault.Detail, "\r\n\x1b") {
				t.Errorf("%q", err)
			}
		case !slices.ContainsFunc([]error{errEnded, errFlooded, agent.ErrResigned, context.DeadlineExceeded}, func(e error) bool {
			return errors.Is(err, e)
		}):
			t.Error(err)
		}
	}
}

func FuzzGTP(f *testing.F) {
	const start = "= play\ngenmove\ntime_left\n\n\x01=\n\n\x01=\n\n\x01"
	for _, text := range []string{
		start + "= a1\n\n\x01=\n\n\x01=\n\n\x01=b2\n\n", start + "=12 c3\n\n\x01?\n\n", start + "= resign\n\n", start + "# comment\n\nnoise\n= C3 \nand more\n\n",
		start + "? cannot\n\n", start + "=\n\n", start + "= \x1b[31ma1\n\n", "= 1\n\n", "? what\n\n", "=2\r\n\r\n\x01=3\r\n\r\n", "=\n", "\n\n\n", "", "?\x01=",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { exchange(t, `gtp:"true"`, "hex-5x5", text) })
}

func FuzzGomocup(f *testing.F) {
	const start = "OK\n\x01\x01"
	for _, text := range []string{
		start + "4,4\n\x014,5\n", "MESSAGE hello\nDEBUG x\n\nok\n\x01\x01 4 , 4 \n\x01ERROR no\n", start + "UNKNOWN\n", "ERROR size\n", start + "9,9\n", start + "-1,0\n",
		start + "SUGGEST 4,4\n", start + "4,4,4\n", start + "\x1b,\x00\n", "", "OK",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { exchange(t, `gomocup:"true"`, "gomoku-9x9", text) })
}

func FuzzNBoard(f *testing.F) {
	const start = "set myname x\n\x01pong 1\n\x01\x01pong 2\n\x01"
	for _, text := range []string{
		start + "status thinking\nnodestats 1 2\n=== F5/1.2/3\nstatus\n\x01pong 3\n\x01===C5\n", start + "=== PA\n", start + "===\n", start + "=== //\n",
		start + "=== f5 is good\n", "pong 7\n", "\x01pong  1 \n\x01\x01pong 2\n\x01=== e6\n", start + "search F5 1 2 3\n=== Z9\n", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { exchange(t, `nboard:"true"`, "othello", text) })
}
