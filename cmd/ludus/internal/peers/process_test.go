package peers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"time"
)

// ErrMissing is wrapped by the error of starting an engine that is not installed.
var ErrMissing = errors.New("not installed")

// Peer is the process of another engine. It has one user at a time, who must close it.
type Peer struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
	ended  func() error // Err of the process's context
}

// start runs a command until ctx ends and sends it the first request.
func start(ctx context.Context, name string, command []string, first any) (*Peer, error) {
	p := &Peer{name: name, cmd: exec.CommandContext(ctx, command[0], command[1:]...), ended: ctx.Err}
	p.cmd.Stderr, p.cmd.WaitDelay = &p.stderr, time.Second
	stdin, err := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err, err2); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.stdin, p.stdout = stdin, bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s is %w", command[0], ErrMissing)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var reply struct{ Missing string }
	if err := p.call(first, &reply); err != nil {
		p.Close()
		return nil, err
	}
	if reply.Missing != "" {
		p.Close()
		return nil, fmt.Errorf("%s: %s is %w", name, reply.Missing, ErrMissing)
	}
	return p, nil
}

// call sends a request and reads its reply. If the process has ended, the error has the last line of its stderr.
func (p *Peer) call(request, reply any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	if _, err = p.stdin.Write(append(line, '\n')); err == nil {
		line, err = p.stdout.ReadBytes('\n')
	}
	if err != nil {
		p.Close()
		if ended := p.ended(); ended != nil {
			return ended
		}
		words := strings.Split(strings.TrimSpace(p.stderr.String()), "\n")
		return fmt.Errorf("%s has stopped: %s", p.name, words[len(words)-1])
	}
	if err := json.Unmarshal(line, reply); err != nil {
		return fmt.Errorf("%s answers %.100q: %w", p.name, line, err)
	}
	return nil
}

// Measure runs the peer for about d and returns its rows (positions or samples) per second.
func (p *Peer) Measure(d time.Duration) (rowsPerSecond float64, err error) {
	var reply struct{ Rows, Seconds float64 }
	request := struct {
		Seconds float64 `json:"seconds"`
	}{d.Seconds()}
	if err := p.call(request, &reply); err != nil {
		return 0, err
	}
	return reply.Rows / reply.Seconds, nil
}

// Close ends the process. It may be called twice.
func (p *Peer) Close() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}
