// Package terminal lets a person play against an agent by lines of text, at a keyboard or through a pipe.
package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"ludus/env"
	"ludus/train/arena"
)

const help = `Type a move, or one of
  moves    list the legal moves; a number then plays one of them
  hint     ask the other side what it would play
  undo     take back your last move
  board    draw the board again
  quit     stop
A move may be written in full, or as much of it as is clear: %s.
`

// Game is one game between a person and an agent. It has one owner.
type Game struct {
	rules  *env.Game
	agent  arena.Agent
	name   string     // of the agent
	person env.Player // whose moves are read
	out    io.Writer

	state env.State
	moves []env.Action
	legal []env.Action
}

// New prepares a game; the agent has been reset.
func New(rules *env.Game, agent arena.Agent, name string, person env.Player, out io.Writer) *Game {
	return &Game{rules: rules, agent: agent, name: name, person: person, out: out, state: rules.NewState()}
}

// Play reads the person's lines from in until the game is over, the person quits or in ends. The error is that of ctx, in or
// the output. If ctx is cancelled, a goroutine stays behind until in has another line.
func (g *Game) Play(ctx context.Context, in io.Reader) error {
	lines, fault := readLines(ctx, in)
	fmt.Fprintf(g.out, "%s: you are %s, %s is %s. Type help to see what you can type.\n\n",
		g.rules.Name, g.rules.Players[g.person], g.name, g.rules.Players[g.person.Other()])
	g.draw()
	for !g.state.Done() {
		if g.state.Player() != g.person {
			if err := g.answer(ctx); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(g.out, "%s> ", g.rules.Players[g.person])
		select {
		case <-ctx.Done():
			return ctx.Err()
		case line, ok := <-lines:
			if !ok {
				fmt.Fprintln(g.out, "\nThe input has ended before the game.")
				return <-fault
			}
			if quit, err := g.obey(ctx, line); quit || err != nil {
				return err
			}
		}
	}
	g.finish()
	return nil
}

// maxLine is the number of bytes from which on a line is too long to be a move; only its beginning is kept.
const maxLine = 1024

// readLines sends the lines of in; once they are closed, fault has what ended them, nil for the end of in.
func readLines(ctx context.Context, in io.Reader) (lines <-chan string, fault <-chan error) {
	send, failed := make(chan string), make(chan error, 1)
	go func() {
		defer close(send)
		reader := bufio.NewReaderSize(in, 2*maxLine)
		for {
			part, more, err := reader.ReadLine()
			line := string(part)
			for more && err == nil {
				_, more, err = reader.ReadLine()
			}
			if err != nil {
				if err == io.EOF {
					err = nil
				}
				failed <- err
				return
			}
			select {
			case send <- line:
			case <-ctx.Done():
				return
			}
		}
	}()
	return send, failed
}

// obey does what a line says.
func (g *Game) obey(ctx context.Context, line string) (quit bool, err error) {
	if len(line) >= maxLine {
		fmt.Fprintln(g.out, "That line is too long; \"help\" says what can be typed.")
		return false, nil
	}
	line = strings.ToLower(strings.TrimSpace(line))
	switch line {
	case "":
	case "help", "?":
		fmt.Fprintf(g.out, help, g.example())
	case "quit", "q", "exit":
		return true, nil
	case "moves", "list":
		g.list()
	case "board":
		g.draw()
	case "undo":
		g.undo()
	case "hint":
		return false, g.hint(ctx)
	default:
		g.legal = g.state.Legal(g.legal[:0])
		action, problem := match(g.rules, g.legal, line)
		if problem != "" {
			fmt.Fprintln(g.out, problem)
			return false, nil
		}
		g.play(action)
		g.draw()
	}
	return false, nil
}

// answer lets the agent move.
func (g *Game) answer(ctx context.Context) error {
	action, err := g.agent.Choose(ctx, g.state)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%s plays %s\n\n", g.rules.Players[g.state.Player()], g.rules.ActionTexts[action])
	g.play(action)
	g.draw()
	return nil
}

func (g *Game) play(action env.Action) {
	g.state.Apply(action)
	g.moves = append(g.moves, action)
	g.agent.Observe(action)
}

// undo goes back to the person's last decision.
func (g *Game) undo() {
	state := g.rules.NewState()
	last := -1
	for i, action := range g.moves {
		if state.Player() == g.person {
			last = i
		}
		state.Apply(action)
	}
	if last < 0 {
		fmt.Fprintln(g.out, "There is nothing to take back.")
		return
	}
	g.state.CopyFrom(g.rules.NewState())
	for _, action := range g.moves[:last] {
		g.state.Apply(action)
	}
	g.moves = g.moves[:last]
	g.agent.Reset(uint64(last)) // what it kept belongs to a game that did not happen
	g.draw()
}

// hint says what the agent thinks of the best few moves.
func (g *Game) hint(ctx context.Context) error {
	analysis, err := g.agent.Analyze(ctx, g.state, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.out, "%s would play %s", g.name, g.rules.ActionTexts[analysis.Moves[0].Action])
	if analysis.Value != nil {
		certain := ""
		if analysis.Proven {
			certain = ", proven"
		}
		fmt.Fprintf(g.out, " (value %+.2f from -1 to 1%s)", *analysis.Value, certain)
	}
	fmt.Fprintln(g.out)
	for _, m := range analysis.Moves[:min(3, len(analysis.Moves))] {
		if m.Visits != nil && m.Value != nil {
			fmt.Fprintf(g.out, "  %-20s %5d visits, value %+.2f\n", g.rules.ActionTexts[m.Action], *m.Visits, *m.Value)
		}
	}
	return nil
}

func (g *Game) list() {
	g.legal = g.state.Legal(g.legal[:0])
	for i, a := range g.legal {
		fmt.Fprintf(g.out, "%4d  %s\n", i+1, g.rules.ActionTexts[a])
	}
}

func (g *Game) draw() {
	fmt.Fprintf(g.out, "%s\n\n", strings.TrimRight(g.state.Board(), "\n"))
}

func (g *Game) finish() {
	goals := g.state.Goals()
	own, other := goals[g.person], goals[g.person.Other()]
	verdict := "You win"
	switch {
	case own == other:
		verdict = "A draw"
	case own < other:
		verdict = "You lose"
	}
	fmt.Fprintf(g.out, "%s: %s %d, %s %d.\n", verdict, g.rules.Players[0], goals[0], g.rules.Players[1], goals[1])
}

// example shows ways to write a legal move.
func (g *Game) example() string {
	g.legal = g.state.Legal(g.legal[:0])
	text := g.rules.ActionTexts[g.legal[0]]
	var numbers []string
	for _, t := range tokens(text) {
		if isNumber(t) {
			numbers = append(numbers, t)
		}
	}
	bare := strings.Trim(text, "()")
	if len(numbers) == 0 {
		return text
	}
	return fmt.Sprintf("%s, %s or %s", text, bare, strings.Join(numbers, " "))
}
