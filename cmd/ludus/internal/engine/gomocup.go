package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// gomocup is a session in the protocol of Piskvork and Gomocup.
type gomocup struct {
	session
	turn     time.Duration // time for a move
	hasTurn  bool          // whether turn was sent; 0 means to move at once
	timeLeft time.Duration // for the rest of the game; 0: no limit
}

// Gomocup answers commands of the protocol of Piskvork and Gomocup until the input ends or END. game is five in a row
// on any board; START and RECTSTART choose the size, and INFO rule whether longer lines win. Errors are those of [GTP].
func Gomocup(ctx context.Context, config Config, game *env.Game, r io.ReadCloser, w io.Writer) error {
	g := &gomocup{session: session{Config: config, protocol: ProtocolGomocup}}
	if err := g.open(game); err != nil {
		return err
	}
	g.state = nil // until START
	return g.serve(ctx, r, w, g.line)
}

// line answers a line. Faults are reported as ERROR.
func (g *gomocup) line(ctx context.Context, line string) error {
	reply, err := g.answer(ctx, line)
	if text, faulty := faultText(err); faulty {
		reply, err = "ERROR "+text, nil
	}
	if reply != "" {
		fmt.Fprintln(&g.out, reply)
	}
	return err
}

// answer returns the reply to a line, "" for none.
func (g *gomocup) answer(ctx context.Context, line string) (string, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.ReplaceAll(rest, " ", "")
	name = strings.ToUpper(name)
	var moves []string
	switch name {
	case "":
		return "", nil
	case "END":
		return "", errQuit
	case "ABOUT":
		return fmt.Sprintf("name=\"ludus\", version=%q", g.Version), nil
	case "INFO":
		return "", g.info(line)
	case "START":
		return g.start(rest + "," + rest)
	case "RECTSTART":
		return g.start(rest)
	case "TURN":
		moves = []string{rest}
	case "BOARD":
		var err error
		moves, err = g.readBoard(ctx)
		if err != nil {
			return "", err
		}
	case "RESTART", "BEGIN", "TAKEBACK":
	default:
		return "UNKNOWN command; ludus knows START, RECTSTART, RESTART, BEGIN, TURN, BOARD, TAKEBACK, INFO, ABOUT and END", nil
	}
	if g.state == nil {
		return "", faultf("there is no board; send START 15 first")
	}
	switch name {
	case "RESTART":
		return "OK", g.open(g.Game)
	case "TAKEBACK":
		if n := len(g.plies); n == 0 || g.Write(g.plies[n-1].action) != rest {
			return "", faultf("%s is not the last move", env.Quote(rest))
		}
		g.undo()
		return "OK", nil
	case "BOARD":
		if err := g.open(g.Game); err != nil {
			return "", err
		}
	}
	return g.reply(ctx, moves)
}

// start starts a game on a board of "columns,rows".
func (g *gomocup) start(size string) (string, error) {
	first, second, _ := strings.Cut(size, ",")
	columns, err := strconv.Atoi(first)
	rows, err2 := strconv.Atoi(second)
	game := g.Game
	if err = errors.Join(err, err2); err == nil {
		game, err = games.Sized(game, columns, rows)
	}
	if err != nil {
		return "", faultf("ludus has no such board; it has boards from 5x5 to 19x19, and knows 15x15 and 9x9 best: START 15")
	}
	err = g.open(game)
	if err != nil {
		return "", fault{err}
	}
	return "OK", nil
}

// info reads "INFO key value": times in milliseconds, and rules. Others are ignored.
func (g *gomocup) info(line string) error {
	words := strings.Fields(line)
	if len(words) != 3 {
		return nil
	}
	x, ok := numbers(words[2:])
	switch key := strings.ToLower(words[1]); {
	case !ok:
	case key == "timeout_turn":
		g.turn, g.hasTurn = seconds(x[0]/1000), true
	case key == "timeout_match" || key == "time_left":
		g.timeLeft = seconds(x[0] / 1000)
	case key == "rule":
		return g.rule(x[0])
	}
	return nil
}

// rule starts the game again with the rule of a number, 0 (five or more in a row win) or 1 (exactly five), unless it
// has that rule already.
func (g *gomocup) rule(number float64) error {
	overline, known := map[float64]string{0: "1", 1: "0"}[number]
	if !known {
		return faultf("ludus plays rule 0 (five or more in a row win) and rule 1 (exactly five) only")
	}
	game, err := games.Variant(g.Game, map[string]string{"overline": overline})
	switch {
	case err != nil:
		return err
	case game == g.Game:
		return nil
	case len(g.plies) > 0:
		return faultf("the rule cannot change within a game; send RESTART or START first")
	}
	waits := g.state == nil // for START
	err = g.open(game)
	if err != nil {
		return fault{err}
	}
	if waits {
		g.state = nil
	}
	return nil
}

// reply plays the other program's moves, chooses the next move, plays it and returns it.
func (g *gomocup) reply(ctx context.Context, moves []string) (string, error) {
	for _, move := range moves {
		if g.state.Done() {
			break
		}
		a, err := g.Read(g.state, move)
		if err != nil {
			return "", fault{err}
		}
		g.play(a, false)
	}
	if g.state.Done() {
		return "", faultf("the game is over")
	}
	a, err := g.choose(ctx, g.limit())
	if err != nil {
		return "", err
	}
	g.play(a, false)
	return g.Write(a), nil
}

// limit is the time for the next move; 0: no limit.
func (g *gomocup) limit() time.Duration {
	clock := agent.Clock{Left: [2]time.Duration{g.timeLeft, g.timeLeft}}
	if g.hasTurn {
		clock.Move = max(g.turn, 1)
	}
	limit := clock.Share(g.Game, len(g.plies), g.state.Player())
	if limit == 0 {
		return 0
	}
	return withMargin(limit)
}

// readBoard reads the lines "x,y,who" up to DONE. It returns the moves in turns: those of the player who moves first,
// and the other's between them. The first are ludus's (who is 1) if ludus has as many pieces as its opponent (who is
// 2).
func (g *gomocup) readBoard(ctx context.Context) (moves []string, err error) {
	var pieces [2][]string // ludus's and its opponent's
	for {
		line, stop := g.next(ctx)
		line = strings.ReplaceAll(line, " ", "")
		if stop != nil || strings.EqualFold(line, "DONE") {
			err = cmp.Or(stop, err)
			break
		}
		i := strings.LastIndexByte(line, ',')
		who := slices.Index([]string{"1", "2"}, line[i+1:])
		switch {
		case i < 0 || who < 0:
			err = faultf("%s is no piece; write x,y,1 for ludus's and x,y,2 for its opponent's, and DONE at the end", env.Quote(line))
		case len(pieces[who]) <= g.Game.Tensor.Cells():
			pieces[who] = append(pieces[who], line[:i])
		}
	}
	if len(pieces[0]) != len(pieces[1]) { // the opponent moved first
		pieces[0], pieces[1] = pieces[1], pieces[0]
	}
	if extra := len(pieces[0]) - len(pieces[1]); err == nil && extra != 0 && extra != 1 {
		err = faultf("ludus is not to move: it must have as many pieces as its opponent, or one less")
	}
	if err != nil {
		return nil, err
	}
	for i, move := range pieces[0] {
		moves = append(moves, move)
		if i < len(pieces[1]) {
			moves = append(moves, pieces[1][i])
		}
	}
	return moves, nil
}
