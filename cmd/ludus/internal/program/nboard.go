package program

import (
	"context"
	"fmt"
	"strings"

	"ludus/cmd/ludus/internal/engine"
	"ludus/cmd/ludus/internal/gamefile"
	"ludus/env"
	"ludus/train/agent"
)

// nboard speaks NBoard's protocol, version 2, with a program.
type nboard struct {
	*engine.Convention
	*process
	program agent.Program
	pings   int // sent so far
}

// newNBoard returns what speaks NBoard's protocol with a program.
func newNBoard(game *env.Game, p agent.Program) (func(*process) dialect, error) {
	if game.Name != "othello" {
		return nil, fmt.Errorf("nboard: programs play othello, and not %s", game.Name)
	}
	c, err := fixedConvention(engine.ProtocolNBoard, game, p)
	return func(process *process) dialect { return &nboard{Convention: c, process: process, program: p} }, err
}

// sync sends lines, and a ping after them, and waits for its pong: what the program writes later is about what follows.
func (n *nboard) sync(ctx context.Context, lines ...string) error {
	n.pings++
	for _, line := range append(lines, fmt.Sprintf("ping %d", n.pings)) {
		if err := n.send(ctx, line); err != nil {
			return err
		}
	}
	for {
		line, err := n.receive(ctx)
		if err != nil || strings.Join(strings.Fields(line), " ") == fmt.Sprintf("pong %d", n.pings) {
			return err
		}
	}
}

func (n *nboard) greet(ctx context.Context) error {
	lines := []string{"nboard 2"}
	if n.program.Init != "" {
		lines = append(lines, strings.Split(n.program.Init, "\n")...)
	}
	return n.sync(ctx, lines...)
}

func (n *nboard) begin(context.Context) error { return nil } // set game begins a game

func (n *nboard) quit() string { return "quit" }

func (n *nboard) choose(ctx context.Context, p *position, _ bool) (env.Action, bool, error) {
	var lines []string
	if p.known == 0 {
		game, err := gamefile.Text(gamefile.New(n.Game, p.moves), gamefile.GGF)
		if err != nil {
			return 0, false, err
		}
		lines = append(lines, "set game "+strings.TrimSpace(game))
	} else {
		for _, a := range p.moves[p.known:] {
			lines = append(lines, "move "+n.Write(a))
		}
	}
	err := n.sync(ctx, lines...)
	if err != nil {
		return 0, false, err
	}
	if pass, forced := forcedPass(n.Game, p.state); forced {
		return pass, false, nil
	}
	err = n.send(ctx, "go")
	for err == nil {
		var line string
		line, err = n.receive(ctx)
		if move, ok := nboardMove(line); ok && err == nil {
			a, err := n.Read(p.state, move)
			if err != nil {
				err = &agent.Fault{Kind: agent.Illegal, Detail: err.Error()}
			}
			return a, false, err
		}
	}
	return 0, false, err
}

// nboardMove returns the move of a line such as "=== F5/1.23/4.5". Other lines have none: the program's name, status
// and hints.
func nboardMove(line string) (move string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "===")
	move, _, _ = strings.Cut(rest, "/")
	return strings.TrimSpace(move), ok
}
