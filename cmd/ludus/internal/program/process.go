package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
)

const (
	maxReply = 1 << 20 // bytes that a program may write after a line that it was sent
	maxAhead = 1 << 10 // lines that it may write before the next one is sent
	maxLine  = 1 << 16 // bytes of a line
	maxNoise = 1 << 11 // bytes of its error output that are kept
	// grace is the time for a program to end after it was asked to, and for its last words to arrive after its end.
	grace = 500 * time.Millisecond
)

var (
	errEnded   = errors.New("it ended")
	errFlooded = errors.New("too much output")
)

// process is a running program with its children. It belongs to one goroutine.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	out    *lines.Reader // of its output
	meter  *meter
	errors *os.File
	noise  noise         // of its error output
	silent chan struct{} // closed at the end of the error output
	ended  chan struct{} // closed when the program has ended and its group was killed
	joined sync.WaitGroup
	trace  func(prefix, line string) // sees the lines sent, prefix ">", and received, "<"; nil: nobody
}

// startProcess starts a program in a process group of its own. memory is its limit in megabytes; 0: none.
func startProcess(words []string, dir string, memory int) (_ *process, err error) {
	var readers, writers [3]*os.File // of its input, output and error output
	for i := range readers {
		readers[i], writers[i], err = os.Pipe()
		if err != nil {
			closeFiles(readers[:], writers[:])
			return nil, err
		}
	}
	p := &process{cmd: exec.Command(words[0], words[1:]...), stdin: writers[0], meter: &meter{file: readers[1]}, errors: readers[2],
		silent: make(chan struct{}), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = dir, readers[0], writers[1], writers[2]
	inOwnGroup(p.cmd)
	err = p.cmd.Start()
	closeFiles(readers[:1], writers[1:])
	if err != nil {
		closeFiles(readers[1:], writers[:1])
		return nil, err
	}
	guards.add(p.cmd.Process.Pid)
	if memory > 0 {
		err = limitMemory(p.cmd.Process.Pid, memory)
	}
	p.out = lines.NewReader(p.meter, maxLine, maxAhead)
	p.joined.Go(func() {
		io.Copy(&p.noise, p.errors)
		close(p.silent)
	})
	p.joined.Go(func() {
		awaitEnd(p.cmd)
		killGroup(p.cmd.Process.Pid) // its children
		guards.remove(p.cmd.Process.Pid)
		p.cmd.Wait()
		close(p.ended)
	})
	if err != nil {
		p.close("")
		return nil, fmt.Errorf("limiting its memory: %w", err)
	}
	return p, nil
}

func closeFiles(lists ...[]*os.File) {
	for _, f := range slices.Concat(lists...) {
		f.Close() // nil is allowed
	}
}

// meter reads a program's output. It fails after maxReply bytes since the last reset.
type meter struct {
	file  *os.File
	count atomic.Int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.file.Read(p)
	if m.count.Add(int64(n)) > maxReply {
		return 0, errFlooded
	}
	return n, err
}

func (m *meter) Close() error { return m.file.Close() }

func (m *meter) reset() { m.count.Store(0) }

// noise keeps the end of what is written to it.
type noise struct {
	mutex sync.Mutex
	text  []byte
}

func (n *noise) Write(p []byte) (int, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	n.text = append(n.text, p...)
	n.text = append(n.text[:0], n.text[max(0, len(n.text)-maxNoise):]...)
	return len(p), nil
}

// line returns the last line that is not blank; "" if there is none.
func (n *noise) line() string {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	text := bytes.TrimSpace(n.text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// send sends a line. What the program has written before no longer counts. Errors are those of receive.
func (p *process) send(ctx context.Context, line string) error {
	for waiting := len(p.out.C); waiting > 0; waiting-- {
		if waiting >= maxAhead {
			return errFlooded
		}
		text, ok := <-p.out.C
		if !ok {
			return p.end()
		}
		p.show("<", string(text))
	}
	p.meter.reset()
	p.show(">", line)
	stop := context.AfterFunc(ctx, func() { p.stdin.SetWriteDeadline(time.Unix(1, 0)) })
	_, err := io.WriteString(p.stdin, line+"\n")
	switch {
	case !stop():
		return ctx.Err()
	case err != nil:
		return errEnded
	}
	return nil
}

// receive returns the next line of the program's output. Errors are errEnded, errFlooded, and ctx's.
func (p *process) receive(ctx context.Context) (string, error) {
	ended, last := p.ended, (<-chan time.Time)(nil)
	for {
		select {
		case line, ok := <-p.out.C:
			if !ok {
				return "", p.end()
			}
			if len(line) > maxLine {
				return "", errFlooded
			}
			text := strings.TrimRight(string(line), " \t\r")
			p.show("<", text)
			return text, nil
		case <-ctx.Done():
			return "", ctx.Err()
		case <-ended: // its last lines come first, but a child may keep the pipe open
			ended, last = nil, time.After(grace)
		case <-last:
			return "", errEnded
		}
	}
}

func (p *process) show(prefix, line string) {
	if p.trace != nil {
		p.trace(prefix, line)
	}
}

// end returns why the output has ended: errFlooded or errEnded.
func (p *process) end() error {
	if errors.Is(p.out.Err, errFlooded) {
		return errFlooded
	}
	return errEnded
}

// detail returns a text with the last line of the error output.
func (p *process) detail(text string) string {
	if line := p.noise.line(); line != "" {
		text += "; its last error output: " + env.Quote(line)
	}
	return text
}

// status says how the program ended. It waits for the rest of the error output.
func (p *process) status() string {
	limit := time.After(grace)
	select {
	case <-p.ended:
	case <-limit:
		return "it closed its output"
	}
	select {
	case <-p.silent:
	case <-limit: // a child holds it open
	}
	return p.cmd.ProcessState.String()
}

// close ends the program and its children, and frees what belongs to it. quit is a line that asks the program to end;
// "" kills it.
func (p *process) close(quit string) {
	if quit != "" {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		if err := p.send(ctx, quit); err == nil {
			p.stdin.Close()
			select {
			case <-p.ended:
			case <-ctx.Done():
			}
		}
	}
	p.cmd.Process.Kill() // at its end its group is killed
	select {
	case <-p.ended:
		defer p.joined.Wait()
	case <-time.After(10 * grace): // the system is slow to end it
	}
	closeFiles([]*os.File{p.stdin, p.errors})
	p.out.Close()
}
