package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"golang.org/x/sync/errgroup"

	"ludus/cmd/ludus/internal/lines"
	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/train/agent"
)

// ErrRejected means that lines of the input were invalid.
var ErrRejected = errors.New("input lines rejected")

const (
	maxLine  = 1 << 16 // longest request in bytes; the longest game takes a few thousand
	maxAhead = 1 << 14 // requests read ahead of the agents
)

// Serve answers the requests in r on w until r ends, with one goroutine per agent. It returns an error if ctx ends or r
// or w fails, and at the end one that wraps [ErrRejected] if some replies are errors. It closes r, which must end a
// pending Read, and joins its goroutines.
func Serve(ctx context.Context, game *env.Game, agents []agent.Agent, r io.ReadCloser, w io.Writer) error {
	requests := lines.NewReader(r, maxLine, maxAhead)
	defer requests.Close()
	group, ctx := errgroup.WithContext(ctx)
	var writing sync.Mutex
	rejected := 0
	for _, a := range agents {
		group.Go(func() error {
			for {
				select {
				case <-ctx.Done():
					return ctx.Err()
				case line, more := <-requests.C:
					if !more {
						return nil
					}
					line = bytes.TrimSpace(line)
					if len(line) == 0 {
						continue
					}
					reply, ok := reply(ctx, game, a, line)
					if ctx.Err() != nil {
						return ctx.Err()
					}
					writing.Lock()
					_, err := w.Write(reply)
					if !ok {
						rejected++
					}
					writing.Unlock()
					if err != nil {
						return fmt.Errorf("writing replies: %w", err)
					}
				}
			}
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if requests.Err != nil {
		return fmt.Errorf("reading requests: %w", requests.Err)
	}
	if rejected > 0 {
		return fmt.Errorf("%w: %d; their replies say why", ErrRejected, rejected)
	}
	return nil
}

// reply returns the JSON reply to a request line, with a line break. ok is false if the reply is an error.
func reply(ctx context.Context, game *env.Game, a agent.Agent, line []byte) (text []byte, ok bool) {
	request, err := parse(line)
	var out any
	if err == nil {
		out, err = request.analyze(ctx, game, a)
	}
	if err != nil {
		out = struct {
			ID    json.RawMessage `json:"id"`
			Error string          `json:"error"`
		}{request.id, err.Error()}
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		panic("analysis: a reply cannot be written as JSON")
	}
	return buffer.Bytes(), err == nil
}

// analyze replays the moves of a request. It returns an analysis of the position, or the result if the game is over.
func (r *request) analyze(ctx context.Context, game *env.Game, a agent.Agent) (any, error) {
	state, moves, err := notation.Replay(game, r.moves)
	if err != nil {
		return nil, err
	}
	if state.Done() {
		return struct {
			ID json.RawMessage `json:"id"`
			*GameResult
		}{r.id, NewGameResult(game, state)}, nil
	}
	result, err := Analyze(ctx, game, a, state, moves, r.simulations)
	if err != nil {
		return nil, err
	}
	return struct {
		ID json.RawMessage `json:"id"`
		*Result
	}{r.id, result}, nil
}
