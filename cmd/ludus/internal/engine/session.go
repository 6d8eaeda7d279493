package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
	"ludus/train/agent"
)

// Player is who plays a game.
type Player struct {
	Agent   agent.Agent // chooses moves
	Advisor agent.Agent // analyses; another agent, so that analyses do not change the choice of moves
}

// Config says who plays and how.
type Config struct {
	Load    func(game *env.Game) (Player, error) // returns the player of a game
	Version string                               // version of ludus
	Seed    uint64                               // seed of the agents; each new game and undo derives another from it
	// Resign is the expected share of the score, 0 to 1, below which genmove resigns; 0: never.
	Resign float64
}

// session is the state that the protocols share: a game, its player, and the streams. It has one owner.
type session struct {
	Config
	*Convention // nil until a game is open
	protocol    Protocol
	player      Player
	state       env.State
	plies       []ply
	resets      uint64 // number of calls of reset
	clocks      [2]clock

	in      *lines.Reader
	pending [][]byte      // lines that were read while the player thought
	ended   chan struct{} // closed by end when the input has ended while the player thought
	end     func()
	out     bytes.Buffer // output that is not written to w yet
	w       io.Writer
}

// ply is a move of the game.
type ply struct {
	action  env.Action // noMove for a pass after the end of the game
	implied bool       // the only legal move, a pass, which the other program left out
}

const noMove env.Action = -1

const (
	maxLine  = 1 << 14 // longest line in bytes: a game of Othello with times takes 2,000
	maxAhead = 1 << 10 // lines read ahead
)

// errQuit ends a session without an error.
var errQuit = errors.New("quit")

// fault is an error that is reported to the other program; the session goes on.
type fault struct{ error }

func faultf(format string, args ...any) error { return fault{fmt.Errorf(format, args...)} }

// faultText returns the text of a fault in one line.
func faultText(err error) (text string, ok bool) {
	var f fault
	if !errors.As(err, &f) {
		return "", false
	}
	return strings.ReplaceAll(f.Error(), "\n", " "), true
}

// serve answers each line until the input ends or handle returns errQuit. The other errors are handle's, ctx's, and
// those of the streams. It closes r, which must end a pending Read.
func (s *session) serve(ctx context.Context, r io.ReadCloser, w io.Writer, handle func(ctx context.Context, line string) error) error {
	s.connect(r, w)
	defer s.in.Close()
	for {
		line, err := s.next(ctx)
		if err == nil {
			err = handle(ctx, line)
		}
		err = errors.Join(err, s.flush())
		switch {
		case errors.Is(err, errQuit), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// connect starts reading r, which serve ends.
func (s *session) connect(r io.ReadCloser, w io.Writer) {
	s.in, s.w, s.ended = lines.NewReader(r, maxLine, maxAhead), w, make(chan struct{})
	s.end = sync.OnceFunc(func() { close(s.ended) })
}

// next returns the next line, io.EOF at the end of the input.
func (s *session) next(ctx context.Context) (string, error) {
	if len(s.pending) > 0 {
		line := s.pending[0]
		s.pending = s.pending[1:]
		return string(line), nil
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-s.in.C:
		if ok {
			return string(line), nil
		}
		if s.in.Err != nil {
			return "", fmt.Errorf("reading commands: %w", s.in.Err)
		}
		return "", io.EOF
	}
}

// flush writes the output to w.
func (s *session) flush() error {
	_, err := s.w.Write(s.out.Bytes())
	s.out.Reset()
	if err != nil {
		return fmt.Errorf("writing replies: %w", err)
	}
	return nil
}

// open starts a game with the player that plays it. If there is none, nothing changes.
func (s *session) open(game *env.Game) error {
	if s.Convention == nil || s.Game != game {
		player, err := s.Load(game)
		if err != nil {
			return err
		}
		s.player = player
	}
	s.Convention, s.state, s.plies = NewConvention(s.protocol, game), game.NewState(), nil
	s.reset()
	return nil
}

// reset gives the player a new seed and clears what it knows of the game. Seeds differ in the upper 32 bits.
func (s *session) reset() {
	s.player.Agent.Reset(s.Seed + s.resets<<32)
	s.resets++
}

// play plays a legal move.
func (s *session) play(a env.Action, implied bool) {
	s.state.Apply(a)
	s.player.Agent.Observe(a)
	s.plies = append(s.plies, ply{a, implied})
}

// undo takes the last move back, and implied moves before it. It reports whether there was one.
func (s *session) undo() bool {
	n := len(s.plies) - 1
	for n > 0 && s.plies[n-1].implied {
		n--
	}
	if n < 0 {
		return false
	}
	s.plies, s.state = s.plies[:n], s.Game.NewState()
	if s.exchanged && n <= 2 { // no move after the swap tells how it is meant
		s.Convention = s.Exchanged()
	}
	for _, p := range s.plies {
		if p.action != noMove {
			s.state.Apply(p.action)
		}
	}
	s.reset()
	return true
}

// choose returns the player's move within the time limit; 0: no limit. Agents without simulations ignore it.
func (s *session) choose(ctx context.Context, limit time.Duration) (env.Action, error) {
	if timed, ok := s.player.Agent.(agent.Timed); ok && limit > 0 {
		return timed.ChooseWithin(ctx, s.state, limit)
	}
	return s.player.Agent.Choose(ctx, s.state)
}

// think runs work in a goroutine and reads lines meanwhile, which stay the next ones. A line that interrupts cancels
// work's context; think then waits for work's end and returns nil. Otherwise it returns work's error.
func (s *session) think(ctx context.Context, interrupts func(line []byte) bool, work func(ctx context.Context) error) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	if slices.ContainsFunc(s.pending, interrupts) {
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- work(inner) }()
	for c := s.in.C; ; {
		select {
		case err := <-done:
			if inner.Err() != nil && ctx.Err() == nil {
				return nil
			}
			return err
		case line, ok := <-c:
			if !ok {
				s.end()
				c = nil
				continue
			}
			s.pending = append(s.pending, line)
			if interrupts(line) {
				cancel()
				c = nil
			} else if len(s.pending) >= maxAhead {
				c = nil
			}
		}
	}
}

// Simulations of the first and the last analysis of deepen, which double in between. The tree of the last takes some
// 100 MB.
const (
	firstAnalysis = 64
	lastAnalysis  = 1 << 17
)

// deepen analyses the position again and again, with more and more simulations up to the last number, until more do not
// change the result. It calls show after each analysis, but not more often than the interval says. It stops when the
// input has ended, after the first analysis at the earliest.
func (s *session) deepen(ctx context.Context, interval time.Duration, last int, show func(a *agent.Analysis, took time.Duration) error) error {
	start := time.Now()
	s.player.Advisor.Reset(0)
	for n := firstAnalysis; ; n *= 2 {
		a, err := s.player.Advisor.Analyze(ctx, s.state, n)
		if err == nil {
			err = show(a, time.Since(start))
		}
		if err != nil {
			return err
		}
		if a.Proven || a.Simulations < n || n >= last {
			return nil
		}
		select {
		case <-s.ended:
			return nil
		default:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ended:
			return nil
		case <-time.After(interval - time.Since(start)%max(interval, 1)):
		}
	}
}

// winrate is a value as an expected share of the score.
func winrate(value float64) float64 { return (value + 1) / 2 }

// clock is the time of a player, as the other program tells it.
type clock struct {
	limited bool
	main    time.Duration // left for the rest of the game
	period  time.Duration // of overtime, after main
	moves   int           // moves of a period; 0: there is none
}

// margin is kept of each move's time for the reply's way to the other program.
const margin = 50 * time.Millisecond

// limit returns the time for a move if some more are to be made in the game: 0 without a limit.
func (c *clock) limit(moves int) time.Duration {
	if !c.limited {
		return 0
	}
	return withMargin(c.main/time.Duration(moves) + c.period/time.Duration(max(c.moves, 1)))
}

// spend takes the time of a move off.
func (c *clock) spend(took time.Duration) { c.main = max(0, c.main-took) }

// withMargin takes the margin off a time, or half of it if that is less. The result is positive.
func withMargin(d time.Duration) time.Duration { return max(d-margin, d/2, time.Millisecond) }
