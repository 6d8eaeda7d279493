package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/env"
	"ludus/train/agent"
)

// nboard is a session in NBoard's protocol.
type nboard struct{ session }

// NBoard answers commands of NBoard's protocol, version 2, until the input ends. game is Othello 8x8. Errors are those
// of [GTP].
func NBoard(ctx context.Context, config Config, game *env.Game, r io.ReadCloser, w io.Writer) error {
	n := &nboard{session{Config: config, protocol: ProtocolNBoard}}
	if err := n.open(game); err != nil {
		return err
	}
	return n.serve(ctx, r, w, n.line)
}

// line answers a line. The protocol has no errors: faults are shown in NBoard's status line. Unknown commands are
// ignored.
func (n *nboard) line(ctx context.Context, line string) error {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	err := error(nil)
	switch name {
	case "nboard":
		fmt.Fprintln(&n.out, "set myname ludus")
	case "set":
		game, isGame := strings.CutPrefix(rest, "game ")
		if isGame {
			err = n.setGame(game)
		}
	case "move":
		err = n.move(rest)
	case "go":
		err = n.thinking(ctx, n.choice)
	case "hint":
		err = n.thinking(ctx, func(ctx context.Context) error { return n.hint(ctx, rest) })
	case "ping":
		fmt.Fprintf(&n.out, "pong %s\n", rest)
	case "learn":
		fmt.Fprintln(&n.out, "learned")
	case "quit":
		return errQuit
	}
	if text, faulty := faultText(err); faulty {
		fmt.Fprintf(&n.out, "status %s\n", text)
		return nil
	}
	return err
}

// setGame replaces the game by one in GGF. If ludus cannot play that, there is no game until the next one.
func (n *nboard) setGame(text string) error {
	record, err := gamefile.First(n.Game, strings.NewReader(text), "", gamefile.GGF)
	if err != nil {
		n.state = nil
		return fault{err}
	}
	err = n.open(n.Game)
	if err != nil {
		n.state = nil
		return err
	}
	for _, a := range record.Actions() {
		n.play(a, false)
	}
	return nil
}

// move plays a move such as "F5/1.5/2.25": its cell, and an evaluation and a time that are not used.
func (n *nboard) move(text string) error {
	switch {
	case n.state == nil:
		return errNoGame
	case n.state.Done():
		return faultf("the game is over: %s cannot be played", env.Quote(text))
	}
	move, _, _ := strings.Cut(text, "/")
	a, err := n.Read(n.state, strings.TrimSpace(move))
	if err != nil {
		return fault{err}
	}
	n.play(a, false)
	return nil
}

var errNoGame = faultf("there is no game; send set game")

// thinking runs work, which a ping interrupts, for the player to move, and shows that in NBoard's status line.
func (n *nboard) thinking(ctx context.Context, work func(ctx context.Context) error) error {
	switch {
	case n.state == nil:
		return errNoGame
	case n.state.Done():
		return faultf("the game is over: %s", n.score(n.state))
	}
	fmt.Fprintln(&n.out, "status ludus is thinking")
	err := n.flush()
	if err == nil {
		err = n.think(ctx, func(line []byte) bool { return bytes.HasPrefix(line, []byte("ping")) }, work)
	}
	fmt.Fprintln(&n.out, "status")
	return err
}

// choice answers go. It does not play the move; a move command follows.
func (n *nboard) choice(ctx context.Context) error {
	start := time.Now()
	a, err := n.choose(ctx, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(&n.out, "=== %s//%.2f\n", n.Write(a), time.Since(start).Seconds())
	return nil
}

// lastHint is the number of simulations at which hints end.
const lastHint = 1 << 14

// hint answers a request for the evaluations of so many moves. An evaluation is in discs, of which a sure win counts
// 64.
func (n *nboard) hint(ctx context.Context, text string) error {
	most, err := strconv.Atoi(text)
	if err != nil || most < 1 {
		return faultf("%s is no number of moves; write hint 3", env.Quote(text))
	}
	return n.deepen(ctx, 0, lastHint, func(a *agent.Analysis, took time.Duration) error {
		for i, m := range a.Moves {
			value, depth := m.Value, strconv.Itoa(a.Simulations)
			if i == 0 && a.Value != nil {
				value = a.Value
			}
			if i >= most || value == nil {
				break
			}
			if i == 0 && a.Proven {
				depth = "100%W"
			}
			fmt.Fprintf(&n.out, "search %s %.2f 0 %s\n", n.Write(m.Action), 64**value+0, depth) // + 0 turns -0 into 0
		}
		fmt.Fprintf(&n.out, "nodestats %d %.2f\n", a.Simulations, took.Seconds())
		return n.flush()
	})
}
