package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/engine"
	"ludus/env"
	"ludus/train/agent"
)

// gtp speaks the Go Text Protocol, version 2, with a program.
type gtp struct {
	*engine.Convention
	*process
	program  agent.Program
	commands []string // that the program says it knows
	settings string   // the last time_settings
}

// newGTP returns what speaks GTP with a program.
func newGTP(game *env.Game, p agent.Program) (func(*process) dialect, error) {
	names := engine.Names{Columns: p.Columns, Rows: p.Rows}
	if p.Pass != agent.NoPass {
		names.Pass = p.Pass
	}
	if p.Colours != "" {
		names.Colours[0], names.Colours[1], _ = strings.Cut(p.Colours, "/")
	}
	if p.Swap != "" && !slices.Contains(game.ActionNames, "swap") {
		return nil, errors.New("swap= is for games of Hex with a swap only")
	}
	c, err := engine.NewConvention(engine.ProtocolGTP, game).With(names)
	return func(process *process) dialect { return &gtp{Convention: c, process: process, program: p} }, err
}

// refusal is an error response.
type refusal struct{ command, text string }

func (r *refusal) Error() string {
	return fmt.Sprintf("%s is answered %s", r.command, env.Quote(r.text))
}

// ask returns the response to a command. Errors are *refusal and those of process.
func (g *gtp) ask(ctx context.Context, format string, args ...any) (string, error) {
	command := fmt.Sprintf(format, args...)
	err := g.send(ctx, command)
	if err != nil {
		return "", err
	}
	for r := (response{}); ; {
		line, err := g.receive(ctx)
		if err != nil {
			return "", err
		}
		if !r.add(line) {
			continue
		}
		if r.refused {
			return "", &refusal{command, r.text.String()}
		}
		return r.text.String(), nil
	}
}

// response collects the lines of a response: "=", "= text" or "? text", with a number after = and ?, further lines, and
// an empty line. Lines before it that do not begin so are comments.
type response struct {
	begun, refused bool
	text           strings.Builder
}

// add adds a line without trailing blanks and reports whether the response is complete.
func (r *response) add(line string) bool {
	switch {
	case r.begun && line == "":
		return true
	case r.begun:
		r.text.WriteString("\n" + line)
	case strings.HasPrefix(line, "="), strings.HasPrefix(line, "?"):
		r.begun, r.refused = true, line[0] == '?'
		r.text.WriteString(strings.TrimSpace(strings.TrimLeft(line[1:], "0123456789")))
	}
	return false
}

// try sends a command that a program may refuse. It is not sent to a program that does not list it.
func (g *gtp) try(ctx context.Context, command string) error {
	name, _, _ := strings.Cut(command, " ")
	if !slices.Contains(g.commands, name) {
		return nil
	}
	_, err := g.ask(ctx, "%s", command)
	if errors.As(err, new(*refusal)) {
		return nil
	}
	return err
}

func (g *gtp) greet(ctx context.Context) error {
	list, err := g.ask(ctx, "list_commands")
	if errors.As(err, new(*refusal)) {
		err = nil
	}
	g.commands = strings.Fields(list)
	for line := range strings.SplitSeq(g.program.Init, "\n") {
		if err == nil && line != "" {
			_, err = g.ask(ctx, "%s", line)
		}
	}
	return err
}

func (g *gtp) begin(ctx context.Context) error {
	size := strconv.Itoa(g.Game.Tensor.W)
	if g.Game.Tensor.H != g.Game.Tensor.W {
		size += " " + strconv.Itoa(g.Game.Tensor.H)
	}
	_, err := g.ask(ctx, "boardsize %s", size)
	if err == nil {
		_, err = g.ask(ctx, "clear_board")
	}
	g.settings = ""
	return err
}

func (g *gtp) quit() string { return "quit" }

func (g *gtp) choose(ctx context.Context, p *position, keep bool) (env.Action, bool, error) {
	c, err := g.tell(ctx, p)
	if err != nil {
		return 0, false, err
	}
	if pass, forced := forcedPass(g.Game, p.state); forced {
		return pass, false, nil
	}
	colour := g.colour(c, p.state.Player())
	err = g.tellTime(ctx, c, p)
	if err != nil {
		return 0, false, err
	}
	command := "genmove"
	keep = keep && slices.Contains(g.commands, "reg_genmove")
	if keep {
		command = "reg_genmove"
	}
	text, err := g.ask(ctx, "%s %s", command, colour)
	if refused := (*refusal)(nil); errors.As(err, &refused) {
		return 0, false, &agent.Fault{Kind: agent.Illegal, Detail: refused.Error()}
	}
	if err != nil {
		return 0, false, err
	}
	a, err := readMove(c, p.state, text)
	if err != nil && !errors.Is(err, agent.ErrResigned) {
		err = &agent.Fault{Kind: agent.Illegal, Detail: err.Error()}
	}
	return a, !keep, err
}

// readMove returns the move of a response to genmove. Errors are agent.ErrResigned and those of Convention.Read.
func readMove(c *engine.Convention, state env.State, text string) (env.Action, error) {
	text, _, _ = strings.Cut(text, "\n")
	if strings.EqualFold(text, "resign") {
		return 0, agent.ErrResigned
	}
	return c.Read(state, strings.TrimSpace(text))
}

// tell sends the moves that the program does not know, and returns the convention after them.
func (g *gtp) tell(ctx context.Context, p *position) (*engine.Convention, error) {
	c, state := g.Convention, g.Game.NewState()
	for i, a := range p.moves {
		_, passes := forcedPass(g.Game, state)
		if i >= p.known && !(passes && g.passless()) {
			_, err := g.ask(ctx, "play %s %s", g.colour(c, state.Player()), c.Write(a))
			if refused := (*refusal)(nil); errors.As(err, &refused) {
				return nil, &agent.Fault{Kind: agent.Refused, Detail: refused.Error()}
			}
			if err != nil {
				return nil, err
			}
		}
		if g.program.Swap != "stone" && g.Game.ActionNames[a] == "swap" {
			c = c.Exchanged()
		}
		state.Apply(a)
	}
	return c, nil
}

// passless reports whether passes that are the only move are not told.
func (g *gtp) passless() bool { return g.program.Pass == "" || g.program.Pass == agent.NoPass }

// colour returns the word for a player: b or w, unless the spec says otherwise.
func (g *gtp) colour(c *engine.Convention, player env.Player) string {
	word := c.Colours[player]
	if g.program.Colours == "" {
		word = word[:1]
	}
	return word
}

// tellTime tells the program its time: the most for this move if moves have a limit, or else what is left for all.
// Refusals do not matter.
func (g *gtp) tellTime(ctx context.Context, c *engine.Convention, p *position) error {
	total, settings := p.total() && p.clock.Move == 0, g.settings
	switch {
	case p.clock.Move > 0:
		settings = fmt.Sprintf("time_settings 0 %s 1", gtpSeconds(p.clock.Limit(p.state.Player())))
	case total && settings == "":
		settings = fmt.Sprintf("time_settings %s 0 0", gtpSeconds(p.clock.Left[p.state.Player()]))
	}
	if settings != g.settings {
		g.settings = settings
		if err := g.try(ctx, settings); err != nil {
			return err
		}
	}
	for player, left := range p.clock.Left {
		if !total {
			continue
		}
		err := g.try(ctx, fmt.Sprintf("time_left %s %s 0", g.colour(c, env.Player(player)), gtpSeconds(left)))
		if err != nil {
			return err
		}
	}
	return nil
}

// gtpSeconds writes a time in seconds, whole ones if there are any: many programs read only these. Less is in
// milliseconds.
func gtpSeconds(d time.Duration) string {
	d = d.Truncate(time.Millisecond)
	if d >= time.Second {
		d = d.Truncate(time.Second)
	}
	return strconv.FormatFloat(max(0, d.Seconds()), 'f', -1, 64)
}
