package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ludus/cmd/ludus/internal/gamefile"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

// gtp is a session in the Go Text Protocol.
type gtp struct {
	session
	settings clock  // of time_settings
	id       string // number of the current command; may be empty
	streamed bool   // the current command has written its response, except the empty line at its end
}

// GTP answers commands of the Go Text Protocol, version 2, until the input ends or quit. It begins with the given game.
// An error is that of loading the first player, of ctx or of the streams. It closes r, which must end a pending Read.
func GTP(ctx context.Context, config Config, game *env.Game, r io.ReadCloser, w io.Writer) error {
	g := &gtp{session: session{Config: config, protocol: ProtocolGTP}}
	if err := g.open(game); err != nil {
		return err
	}
	return g.serve(ctx, r, w, g.line)
}

// gtpCommand answers a command with the text of its response. Other errors than faults end the session.
type gtpCommand func(g *gtp, ctx context.Context, args []string) (string, error)

// says returns a command that takes no arguments and cannot fail.
func says(text func(g *gtp) string) gtpCommand {
	return func(g *gtp, _ context.Context, _ []string) (string, error) { return text(g), nil }
}

// gtpCommands has the commands by name. It is set by init, because list_commands reads it.
var gtpCommands map[string]gtpCommand

func init() {
	gtpCommands = map[string]gtpCommand{
		"protocol_version": says(func(*gtp) string { return "2" }),
		"name":             says(func(*gtp) string { return "ludus" }),
		"version":          says(func(g *gtp) string { return g.Version }),
		"list_commands":    says(func(*gtp) string { return strings.Join(slices.Sorted(maps.Keys(gtpCommands)), "\n") }),
		"known_command": func(_ *gtp, _ context.Context, args []string) (string, error) {
			return strconv.FormatBool(len(args) == 1 && gtpCommands[args[0]] != nil), nil
		},
		"quit":          func(*gtp, context.Context, []string) (string, error) { return "", errQuit },
		"boardsize":     (*gtp).boardsize,
		"clear_board":   func(g *gtp, _ context.Context, _ []string) (string, error) { return "", g.newGame(g.Game) },
		"set_game":      (*gtp).setGame,
		"list_games":    says(func(*gtp) string { return strings.Join(gtpGames(), "\n") }),
		"komi":          says(func(*gtp) string { return "" }), // no game has one
		"play":          (*gtp).playMove,
		"genmove":       (*gtp).genmove,
		"reg_genmove":   (*gtp).regGenmove,
		"undo":          (*gtp).undoMove,
		"time_settings": (*gtp).timeSettings,
		"time_left":     (*gtp).timeLeft,
		"final_score":   (*gtp).finalScore,
		"loadsgf":       (*gtp).loadSGF,
		"printsgf":      (*gtp).printSGF,
		"showboard":     says(func(g *gtp) string { return "\n" + g.board(g.state) }),
		"lz-analyze": func(g *gtp, ctx context.Context, args []string) (string, error) {
			return "", g.analyze(ctx, args, "info move %s visits %d winrate %.0f prior %.0f order %d pv %s", 1e4)
		},
		"kata-analyze": func(g *gtp, ctx context.Context, args []string) (string, error) {
			return "", g.analyze(ctx, args, "info move %s visits %d winrate %.6f prior %.6f order %d pv %s", 1)
		},
		"gogui-rules_game_id":      gogui(func(g *gtp) string { return capital(strings.ReplaceAll(g.Game.Family, "-", "")) }),
		"gogui-rules_board_size":   gogui(func(g *gtp) string { return strconv.Itoa(g.Game.Tensor.W) }),
		"gogui-rules_board":        gogui((*gtp).goguiBoard),
		"gogui-rules_legal_moves":  gogui((*gtp).goguiMoves),
		"gogui-rules_side_to_move": gogui(func(g *gtp) string { return g.Colours[g.state.Player()] }),
		"gogui-rules_final_result": (*gtp).finalScore,
	}
}

// line answers a line: an optional number, a command and its arguments. Lines without a command are ignored.
func (g *gtp) line(ctx context.Context, line string) error {
	id, name, args := parseGTP(line)
	if id == "" && name == "" {
		return nil
	}
	g.id, g.streamed = id, false
	response, err := "", faultf("unknown command; list_commands lists them")
	if command := gtpCommands[name]; len(line) > maxLine {
		err = faultf("the line is longer than %d bytes", maxLine)
	} else if command != nil {
		response, err = command(g, ctx, args)
	}
	text, faulty := faultText(err)
	switch {
	case faulty:
		fmt.Fprintf(&g.out, "?%s %s\n\n", id, text)
		return nil
	case err != nil && !errors.Is(err, errQuit): // the session ends
	case g.streamed:
		g.out.WriteByte('\n')
	case response == "" || response[0] == '\n':
		fmt.Fprintf(&g.out, "=%s%s\n\n", id, response)
	default:
		fmt.Fprintf(&g.out, "=%s %s\n\n", id, response)
	}
	return err
}

// parseGTP splits a line as the protocol says: control characters are dropped, a tab is a space, # begins a comment.
func parseGTP(line string) (id, name string, args []string) {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, line))
	if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		id, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return id, "", nil
	}
	return id, words[0], words[1:]
}

// syntax returns the error about wrong arguments.
func syntax(form string) error { return faultf("syntax error; write %s", form) }

// newGame starts a game and its clocks.
func (g *gtp) newGame(game *env.Game) error {
	if err := g.open(game); err != nil {
		return faultf("%s: %w", game.Name, err)
	}
	g.clocks = [2]clock{g.settings, g.settings}
	return nil
}

// boardsize changes the board within the family: "boardsize 7", or "boardsize 9 7" for columns and rows.
func (g *gtp) boardsize(_ context.Context, args []string) (string, error) {
	x, ok := numbers(args)
	if !ok || len(x) < 1 || len(x) > 2 {
		return "", syntax("boardsize 7, or boardsize 9 7 for columns and rows")
	}
	game, err := games.Sized(g.Game, int(x[0]), int(x[len(x)-1]))
	if err != nil {
		return "", faultf("unacceptable size; %w", err)
	}
	return "", g.newGame(game)
}

// gtpGames lists the games with a capital each, as GTP names games.
func gtpGames() (names []string) {
	for _, name := range games.Names() {
		names = append(names, capital(name))
	}
	return names
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// setGame changes the game: "set_game Othello", or another name of a game. Capitals do not matter.
func (g *gtp) setGame(_ context.Context, args []string) (string, error) {
	game, err := games.Find(strings.ToLower(strings.Join(args, " ")))
	if err != nil {
		return "", faultf("unsupported game; list_games lists them")
	}
	return "", g.newGame(game)
}

// turn checks that a colour is to move. A pass that the other program left out, because it is the only move, is played.
// The colour after a swap in Hex tells how the swap is meant.
func (g *gtp) turn(colour string) error {
	p, err := g.ReadColour(colour)
	switch {
	case err != nil:
		return fault{err}
	case g.state.Done() || g.state.Player() == p:
		return nil
	case len(g.plies) == 2 && g.plies[1].action == g.swap():
		g.Convention = g.Exchanged()
		return nil
	}
	legal := g.state.Legal(nil)
	if len(legal) > 1 || g.Game.ActionNames[legal[0]] != "pass" {
		return faultf("illegal move: it is %s's turn", g.Colours[g.state.Player()])
	}
	g.play(legal[0], true)
	return nil
}

// swap returns the swap of Hex, noMove in other games.
func (g *gtp) swap() env.Action {
	if a, ok := g.actions["swap"]; ok {
		return a
	}
	return noMove
}

func (g *gtp) playMove(_ context.Context, args []string) (string, error) {
	if len(args) < 2 {
		return "", syntax("play COLOUR MOVE")
	}
	move := strings.Join(args[1:], " ")
	if p, err := g.ReadColour(args[0]); err == nil && p == env.Second && len(g.plies) == 0 && g.swap() != noMove {
		// HexGui plays a position after a swap so. It is reached by black's mirrored move and a swap.
		a, err := g.Exchanged().Read(g.state, move)
		if err != nil {
			return "", faultf("illegal move: %w", err)
		}
		g.play(a, true)
		g.play(g.swap(), false)
		return "", nil
	}
	pass, before := strings.EqualFold(move, "pass"), len(g.plies)
	err := g.turn(args[0])
	switch {
	case err != nil:
		return "", err
	case strings.EqualFold(move, "resign"):
		return "", nil
	case g.state.Done() && pass:
		g.plies = append(g.plies, ply{action: noMove})
		return "", nil
	case g.state.Done():
		return "", faultf("illegal move: the game is over")
	}
	a, err := g.Read(g.state, move)
	if err != nil {
		if len(g.plies) > before { // turn has passed
			g.undo()
		}
		return "", faultf("illegal move: %w", err)
	}
	g.play(a, false)
	return "", nil
}

// genmove plays a move of the player's choice.
func (g *gtp) genmove(ctx context.Context, args []string) (string, error) {
	start := time.Now()
	reply, a, err := g.generate(ctx, args)
	switch {
	case err != nil || reply == "resign":
	case a == noMove:
		g.plies = append(g.plies, ply{action: noMove})
	default:
		g.clocks[g.state.Player()].spend(time.Since(start))
		g.play(a, false)
	}
	return reply, err
}

// regGenmove chooses a move but does not play it.
func (g *gtp) regGenmove(ctx context.Context, args []string) (string, error) {
	reply, _, err := g.generate(ctx, args)
	return reply, err
}

// generate chooses a move for a colour. It is noMove, a pass or resignation, after the end of the game.
func (g *gtp) generate(ctx context.Context, args []string) (reply string, a env.Action, err error) {
	if len(args) != 1 {
		return "", noMove, syntax("genmove COLOUR")
	}
	err = g.turn(args[0])
	switch {
	case err != nil:
		return "", noMove, err
	case g.state.Done() && g.resigns:
		return "resign", noMove, nil
	case g.state.Done():
		return "pass", noMove, nil
	}
	start, limit := time.Now(), g.clocks[g.state.Player()].limit(agent.MovesLeft(g.Game, len(g.plies)))
	lost, err := g.lost(ctx, limit)
	if lost || err != nil {
		return "resign", noMove, err
	}
	if limit > 0 {
		limit = max(limit-time.Since(start), limit/4)
	}
	a, err = g.choose(ctx, limit)
	if err != nil {
		return "", noMove, err
	}
	return g.Write(a), a, nil
}

// lost reports whether the player to move resigns. The analysis takes at most half of the limit; without a result
// nobody resigns.
func (g *gtp) lost(ctx context.Context, limit time.Duration) (bool, error) {
	if g.Resign <= 0 {
		return false, nil
	}
	inner, cancel := context.WithTimeout(ctx, cmp.Or(limit/2, math.MaxInt64))
	defer cancel()
	g.player.Advisor.Reset(0)
	a, err := g.player.Advisor.Analyze(inner, g.state, 0)
	if err != nil {
		return false, ctx.Err()
	}
	return a.Value != nil && winrate(*a.Value) < g.Resign, nil
}

func (g *gtp) undoMove(context.Context, []string) (string, error) {
	if !g.undo() {
		return "", faultf("cannot undo: this is the start of the game")
	}
	return "", nil
}

// numbers parses arguments as numbers of at least 0.
func numbers(args []string) (list []float64, ok bool) {
	for _, arg := range args {
		x, err := strconv.ParseFloat(arg, 64)
		if err != nil || !(x >= 0 && x <= 1e9) {
			return nil, false
		}
		list = append(list, x)
	}
	return list, true
}

func seconds(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }

// timeSettings sets the time of both players: main time, overtime period in seconds, and the period's moves. A period
// without moves means no limit.
func (g *gtp) timeSettings(_ context.Context, args []string) (string, error) {
	x, ok := numbers(args)
	if !ok || len(x) != 3 {
		return "", syntax("time_settings 300 0 0: main time and overtime in seconds, and moves of an overtime period")
	}
	g.settings = clock{main: seconds(x[0]), period: seconds(x[1]), moves: int(x[2]), limited: x[2] > 0 || x[1] == 0}
	g.clocks = [2]clock{g.settings, g.settings}
	return "", nil
}

// timeLeft sets the time of a player: seconds, and the moves of the overtime period in which it is; 0 in main time.
func (g *gtp) timeLeft(_ context.Context, args []string) (string, error) {
	x, ok := numbers(args[min(1, len(args)):])
	if !ok || len(x) != 2 {
		return "", syntax("time_left b 120 0")
	}
	p, err := g.ReadColour(args[0])
	if err != nil {
		return "", fault{err}
	}
	g.clocks[p] = clock{limited: true, main: seconds(x[0])}
	if x[1] > 0 {
		g.clocks[p] = clock{limited: true, period: seconds(x[0]), moves: int(x[1])}
	}
	return "", nil
}

func (g *gtp) finalScore(context.Context, []string) (string, error) {
	if !g.state.Done() {
		return "", faultf("cannot score: the game is not over; %s is to move", g.Colours[g.state.Player()])
	}
	return g.score(g.state), nil
}

// loadSGF plays the first game of a file up to before a move, counted from 1: "loadsgf FILE 12"; without a number, all
// of it. The board and the game become the file's.
func (g *gtp) loadSGF(_ context.Context, args []string) (string, error) {
	path, most := strings.Join(args, " "), math.MaxInt
	if last := len(args) - 1; last > 0 {
		n, err := strconv.Atoi(args[last])
		switch {
		case err == nil && n < 1:
			return "", faultf("the move number must be at least 1, not %d", n)
		case err == nil:
			path, most = strings.Join(args[:last], " "), n-1
		}
	}
	if path == "" {
		return "", syntax("loadsgf FILE, or loadsgf FILE 12 for the position before move 12")
	}
	file, err := openRegular(path)
	if err != nil {
		return "", faultf("cannot load file: %w", err)
	}
	defer file.Close()
	record, err := gamefile.First(g.Game, file, path, gamefile.SGF)
	if err != nil { // perhaps of another board or game
		file.Seek(0, io.SeekStart) // cannot fail: it is a regular file
		other, otherErr := gamefile.First(nil, file, path, gamefile.SGF)
		if otherErr != nil {
			return "", faultf("cannot load file: %w", err)
		}
		record = other
	}
	err = g.newGame(record.Game)
	if err != nil {
		return "", err
	}
	actions := record.Actions()
	for _, a := range actions[:min(most, len(actions))] {
		g.play(a, false)
	}
	return "", nil
}

// openRegular opens a regular file for reading; a pipe would block.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// printSGF answers with the game in SGF.
func (g *gtp) printSGF(_ context.Context, args []string) (string, error) {
	if len(args) > 0 {
		return "", faultf("printsgf takes no file: its response is the game")
	}
	var moves []env.Action
	for _, p := range g.plies {
		if p.action != noMove {
			moves = append(moves, p.action)
		}
	}
	text, err := gamefile.Text(gamefile.New(g.Game, moves), gamefile.SGF)
	return strings.TrimSpace(text), err
}

// gogui returns a command by which GoGui asks for the rules of a game. It can show games that put pieces on the cells
// of a square board whose columns have Go's letters; HexGui shows Hex.
func gogui(text func(g *gtp) string) gtpCommand {
	return func(g *gtp, _ context.Context, _ []string) (string, error) {
		size, placing := g.Game.Tensor, 0
		for _, cells := range g.Game.Drawing.ActionCells {
			if cells.From != env.NoCell {
				placing += size.Cells()
			} else if cells.To != env.NoCell {
				placing++
			}
		}
		if g.Game.Drawing.Hexagons || size.W != size.H || placing > size.Cells() || size.W > 8 && len(g.columns) <= 8 {
			return "", faultf("GoGui cannot show %s", g.Game.Name)
		}
		return text(g), nil
	}
}

func (g *gtp) goguiBoard() string {
	rows := g.lines(g.state)
	slices.Reverse(rows)
	return strings.Join(rows, "\n")
}

// goguiMoves lists the legal moves that GoGui can play: cells and passes, none when the game is over.
func (g *gtp) goguiMoves() string {
	var moves []string
	for _, a := range g.state.Legal(nil) {
		if name := g.Write(a); g.Game.Drawing.ActionCells[a].To != env.NoCell || name == "pass" {
			moves = append(moves, name)
		}
	}
	return strings.Join(moves, " ")
}
