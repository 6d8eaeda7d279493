// Package analysis answers questions about positions, one JSON object a line, for other programs. Requests:
//
//	{"id":"a1","moves":["(mark r3 c3)"],"simulations":64}
//
// id is a string or a number; moves lead from the start to the position (none: the start itself); simulations, 1 to
// 1,000,000, is the agent's own number if left out. Each request gets one reply, in any order:
//
//	{"id":"a1","player":"o","value":-0.62,"goals":{"x":81,"o":19},"best":"(mark r2 c2)","simulations":64,
//	 "moves":[{"move":"(mark r2 c2)","visits":40,"value":-0.6,"prior":0.31}]}
//
// on one line. Every value is the expected utility, in [-1, 1], for player, who is to move; goals are expected goals;
// moves holds every legal move, best first, then by visits and prior; what the agent does not know is null; simulations is
// what was done; "proven":true says that the value is exact. A finished game and a bad line get
//
//	{"id":"a1","terminal":true,"goals":{"x":100,"o":0}}
//	{"id":"a1","error":"move 2: illegal move (mark r3 c3)"}
//
// the latter with "id":null where no id can be read.
package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"ludus/env"
	"ludus/train/agent"
)

const (
	maxLine = 1 << 16 // bytes of a request; the longest game takes a few thousand
	maxWait = 1 << 14 // requests that are read before they are answered
)

// Serve answers the requests in r on w until r ends, with one goroutine for each agent. Only ctx, r and w can make it fail.
// A goroutine that is reading r then stays behind until r has another line or ends.
func Serve(ctx context.Context, game *env.Game, agents []agent.Agent, r io.Reader, w io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	lines := make(chan []byte, maxWait)
	go func() {
		defer close(lines)
		if err := read(ctx, r, lines); err != nil {
			cancel(fmt.Errorf("reading requests: %w", err))
		}
	}()
	var wait sync.WaitGroup
	var writing sync.Mutex
	for _, agent := range agents {
		wait.Go(func() {
			s := server{game, agent}
			for ctx.Err() == nil {
				select {
				case <-ctx.Done():
				case line, ok := <-lines:
					if !ok {
						return
					}
					reply := s.answer(ctx, line)
					if ctx.Err() != nil {
						return
					}
					writing.Lock()
					_, err := w.Write(reply)
					writing.Unlock()
					if err != nil {
						cancel(fmt.Errorf("writing replies: %w", err))
					}
				}
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// read sends every line of r that is not blank; one that is too long is cut, which makes it a bad request.
func read(ctx context.Context, r io.Reader, lines chan<- []byte) error {
	buffered := bufio.NewReader(r)
	for {
		line, err := readLine(buffered)
		if len(bytes.TrimSpace(line)) > 0 {
			select {
			case lines <- line:
			case <-ctx.Done():
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns a fresh copy of the next line, of which at most maxLine+1 bytes.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine+1-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// server answers requests with one agent.
type server struct {
	game  *env.Game
	agent agent.Agent
}

// judgedReply is the answer about a position that is not done.
type judgedReply struct {
	ID json.RawMessage `json:"id"`
	*Judgement
}

// finishedReply is the answer about one that is.
type finishedReply struct {
	ID json.RawMessage `json:"id"`
	*Finished
}

type errorReply struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// answer returns the reply to a line, with its line end.
func (s *server) answer(ctx context.Context, line []byte) []byte {
	request, err := parse(line)
	var out any
	if err == nil {
		out, err = s.judge(ctx, request)
	}
	if err != nil {
		out = errorReply{request.id, err.Error()}
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		panic("analysis: a reply that JSON cannot hold")
	}
	return buffer.Bytes()
}

// judge plays the moves of a request and asks the agent.
func (s *server) judge(ctx context.Context, r request) (any, error) {
	state, _, err := env.ReplayText(s.game, r.moves)
	if err != nil {
		return nil, err
	}
	if state.Done() {
		return finishedReply{r.id, Finish(s.game, state)}, nil
	}
	judgement, err := Judge(ctx, s.game, s.agent, state, r.simulations)
	if err != nil {
		return nil, err
	}
	return judgedReply{r.id, judgement}, nil
}
