package program

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ludus/cmd/ludus/internal/engine"
	"ludus/env"
	"ludus/train/agent"
)

// gomocup speaks the protocol of Piskvork and Gomocup with a program.
type gomocup struct {
	*engine.Convention
	*process
	program agent.Program
	rule    int64            // 0: five or more in a row win; 1: exactly five
	fresh   bool             // the program has just started with an empty board
	told    map[string]int64 // values of INFO by key
}

// newGomocup returns what speaks Gomocup's protocol with a program.
func newGomocup(game *env.Game, p agent.Program) (func(*process) dialect, error) {
	has := func(name, value string) bool {
		return slices.Contains(game.Params, env.Param{Name: name, Value: value})
	}
	switch {
	case game.Family != "line-up" || !has("line", "5") || !has("gravity", "0"):
		return nil, fmt.Errorf("gomocup: programs play gomoku, also on other boards, such as gomoku-9x9, and not %s", game.Name)
	case has("swap", "1"):
		return nil, fmt.Errorf("gomocup: the protocol has no word for a swap, so programs do not play %s; take swap=0", game.Name)
	}
	rule := int64(0)
	if has("overline", "0") {
		rule = 1
	}
	c, err := fixedConvention(engine.ProtocolGomocup, game, p)
	return func(process *process) dialect {
		return &gomocup{Convention: c, process: process, program: p, rule: rule, told: make(map[string]int64)}
	}, err
}

// answer returns the program's next line that is an answer: not empty, and no message for people.
func (g *gomocup) answer(ctx context.Context) (string, error) {
	for {
		line, err := g.receive(ctx)
		if err != nil {
			return "", err
		}
		line = strings.TrimSpace(line)
		word, _, _ := strings.Cut(strings.ToUpper(line), " ")
		if word != "" && word != "MESSAGE" && word != "DEBUG" {
			return line, nil
		}
	}
}

// confirm sends a line that is to be answered OK.
func (g *gomocup) confirm(ctx context.Context, line string) error {
	err := g.send(ctx, line)
	if err != nil {
		return err
	}
	text, err := g.answer(ctx)
	if err == nil && !strings.EqualFold(text, "OK") {
		err = &refusal{line, text}
	}
	return err
}

// board starts a game on a board of the game's size.
func (g *gomocup) board(ctx context.Context) error {
	if size := g.Game.Tensor; size.W != size.H {
		return g.confirm(ctx, fmt.Sprintf("RECTSTART %d,%d", size.W, size.H))
	}
	return g.confirm(ctx, fmt.Sprintf("START %d", g.Game.Tensor.W))
}

func (g *gomocup) greet(ctx context.Context) error {
	err := g.board(ctx)
	if err == nil {
		err = g.info(ctx, "rule", g.rule)
	}
	if err == nil && g.program.Memory > 0 {
		err = g.info(ctx, "max_memory", int64(g.program.Memory)<<20/4*3) // programs fill it with a table and need more
	}
	for line := range strings.SplitSeq(g.program.Init, "\n") {
		if err == nil && line != "" {
			err = g.send(ctx, line)
		}
	}
	g.fresh = true
	return err
}

func (g *gomocup) begin(ctx context.Context) error {
	if g.fresh {
		g.fresh = false
		return nil
	}
	return g.confirm(ctx, "RESTART")
}

// info tells a value unless the program knows it. Programs do not answer.
func (g *gomocup) info(ctx context.Context, key string, value int64) error {
	known, told := g.told[key]
	if told && known == value {
		return nil
	}
	g.told[key] = value
	return g.send(ctx, fmt.Sprintf("INFO %s %d", key, value))
}

func (g *gomocup) quit() string { return "END" }

func (g *gomocup) choose(ctx context.Context, p *position, _ bool) (env.Action, bool, error) {
	err := g.tellTime(ctx, p)
	for _, line := range g.request(p) {
		if err == nil {
			err = g.send(ctx, line)
		}
	}
	if err != nil {
		return 0, false, err
	}
	text, err := g.answer(ctx)
	if err != nil {
		return 0, false, err
	}
	a, err := g.Read(p.state, strings.ReplaceAll(text, " ", ""))
	if err != nil {
		err = &agent.Fault{Kind: agent.Illegal, Detail: err.Error()}
	}
	return a, true, err
}

// request returns the lines that tell the program the moves that it does not know, and ask it for its move.
func (g *gomocup) request(p *position) []string {
	n := len(p.moves)
	switch {
	case n == 0:
		return []string{"BEGIN"}
	case p.known == n-1:
		return []string{"TURN " + g.Write(p.moves[n-1])}
	}
	lines := []string{"BOARD"}
	for i, a := range p.moves {
		who := 1 // the program
		if (n-i)%2 == 1 {
			who = 2
		}
		lines = append(lines, fmt.Sprintf("%s,%d", g.Write(a), who))
	}
	return append(lines, "DONE")
}

// tellTime tells the program its time for each move and for the game.
func (g *gomocup) tellTime(ctx context.Context, p *position) error {
	err, left := error(nil), max(0, p.clock.Left[p.state.Player()]).Milliseconds()
	if p.clock.Move > 0 {
		err = g.info(ctx, "timeout_turn", p.clock.Move.Milliseconds())
	}
	if err == nil && p.total() && p.known == 0 {
		err = g.info(ctx, "timeout_match", left)
	}
	if err == nil && p.total() {
		err = g.info(ctx, "time_left", left)
	}
	return err
}
