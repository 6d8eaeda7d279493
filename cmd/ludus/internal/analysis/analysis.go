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
//	{"id":"a1","error":"move 2, (mark r3 c3), is not legal here"}
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
	"math"
	"slices"
	"strings"
	"sync"

	"ludus/env"
	"ludus/train/arena"
)

const (
	maxLine = 1 << 16 // bytes of a request; the longest game takes a few thousand
	maxWait = 1 << 14 // requests that are read before they are answered
)

// Serve answers the requests in r on w until r ends, with one goroutine for each agent. Only ctx, r and w can make it fail.
// A goroutine that is reading r then stays behind until r has another line or ends.
func Serve(ctx context.Context, game *env.Game, agents []arena.Agent, r io.Reader, w io.Writer) error {
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
			s := server{game: game, agent: agent, state: game.NewState()}
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
	agent arena.Agent
	state env.State
	legal []env.Action
}

// reply is an answer; which fields are written depends on its kind.
type reply struct {
	ID          json.RawMessage `json:"id"`
	Player      string          `json:"player"`
	Value       *float64        `json:"value"`
	Goals       *goals          `json:"goals"`
	Best        string          `json:"best"`
	Simulations int             `json:"simulations"`
	Proven      bool            `json:"proven,omitempty"`
	Moves       []moveReply     `json:"moves"`
}

type moveReply struct {
	Move   string   `json:"move"`
	Visits *int     `json:"visits"`
	Value  *float64 `json:"value"`
	Prior  *float64 `json:"prior"`
}

type terminalReply struct {
	ID       json.RawMessage `json:"id"`
	Terminal bool            `json:"terminal"`
	Goals    *goals          `json:"goals"`
}

type errorReply struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// goals are both players' goals by their names, the first player's first.
type goals struct {
	players [2]string
	values  [2]float64
}

func (g *goals) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "{%q:%v,%q:%v}", g.players[0], g.values[0], g.players[1], g.values[1]), nil
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
	s.state.CopyFrom(s.game.NewState())
	for i, text := range r.moves {
		if s.state.Done() {
			return nil, fmt.Errorf("move %d, %s, comes after the end of the game", i+1, short(text))
		}
		action, err := s.game.ParseAction(text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %s is no move of %s, which read like %s", i+1, short(text), s.game.Name, s.example())
		}
		s.legal = s.state.Legal(s.legal[:0])
		if !slices.Contains(s.legal, action) {
			return nil, fmt.Errorf("move %d, %s, is not legal here", i+1, s.game.ActionTexts[action])
		}
		s.state.Apply(action)
	}
	if s.state.Done() {
		g := s.state.Goals()
		return terminalReply{r.id, true, s.goals(&[2]float64{float64(g[0]), float64(g[1])})}, nil
	}
	s.agent.Reset(0) // the same question has the same answer
	analysis, err := s.agent.Analyze(ctx, s.state, r.simulations)
	if err != nil {
		return nil, err
	}
	out := reply{
		ID:          r.id,
		Player:      s.game.Players[analysis.Player],
		Value:       rounded(analysis.Value),
		Goals:       s.goals(analysis.Goals),
		Best:        s.game.ActionTexts[analysis.Moves[0].Action],
		Simulations: analysis.Simulations,
		Proven:      analysis.Proven,
	}
	for _, m := range analysis.Moves {
		text := s.game.ActionTexts[m.Action]
		out.Moves = append(out.Moves, moveReply{text, m.Visits, rounded(m.Value), rounded(m.Prior)})
	}
	return out, nil
}

// example is a move of the starting position.
func (s *server) example() string {
	s.legal = s.game.NewState().Legal(s.legal[:0])
	return s.game.ActionTexts[s.legal[0]]
}

func (s *server) goals(values *[2]float64) *goals {
	if values == nil {
		return nil
	}
	return &goals{s.game.Players, [2]float64{*rounded(&values[0]), *rounded(&values[1])}}
}

// rounded keeps six decimals, which is what there is in float32.
func rounded(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := math.Round(*x*1e6) / 1e6
	if y == 0 {
		y = 0 // not -0
	}
	return &y
}

// short cuts a text for an error message.
func short(text string) string {
	if len(text) > 60 {
		text = strings.ToValidUTF8(text[:60], "") + "..."
	}
	return fmt.Sprintf("%q", text)
}
