package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/lines"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the transcripts in testdata")

// config returns the configuration of an agent without a network.
func config(spec string) Config {
	return Config{Version: "1.0", Seed: 1, Load: func(game *env.Game) (p Player, err error) {
		factory, err := agent.ParseFactory(game, spec, nil)
		if err != nil {
			return p, err
		}
		p.Advisor, err = factory.New(1)
		if err == nil {
			p.Agent, err = factory.New(1)
		}
		return p, err
	}}
}

// protocols are the protocols' functions, with games that they can play.
var protocols = map[string]struct {
	serve func(context.Context, Config, *env.Game, io.ReadCloser, io.Writer) error
	game  string
}{"gtp": {GTP, "othello"}, "gomocup": {Gomocup, "gomoku"}, "nboard": {NBoard, "othello"}}

// answer returns what a protocol writes to lines that are all read at once.
func answer(t testing.TB, protocol, name, spec, text string) string {
	t.Helper()
	var out bytes.Buffer
	err := protocols[protocol].serve(context.Background(), config(spec), games.Must(name), io.NopCloser(strings.NewReader(text)), &out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// startOfGGF is Othello's starting position in GGF.
const startOfGGF = "8 ---------------------------O*------*O--------------------------- *"

// gtpAnswers returns the responses of a GTP session, without the empty lines after them.
func gtpAnswers(t testing.TB, name, spec string, commands ...string) []string {
	t.Helper()
	out := answer(t, "gtp", name, spec, strings.Join(commands, "\n")+"\n")
	return strings.Split(strings.TrimSuffix(out, "\n\n"), "\n\n")
}

// TestTranscripts compares sessions with those in testdata. Lines that begin with > are commands, the others replies.
func TestTranscripts(t *testing.T) {
	for _, name := range []string{"gtp-othello", "gtp-hex", "gtp-gomoku", "gtp-breakthrough", "gomocup", "nboard"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", name+".txt")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := transcript(t, name, string(text))
			if *rewrite {
				err = os.WriteFile(path, []byte(got), 0o666)
				if err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the session of %s is now (-rewrite accepts it):\n%s", path, got)
			}
		})
	}
}

// transcript runs the commands of a transcript, one by one, and returns the new transcript. Its first line says which
// game and agent play.
func transcript(t *testing.T, name, text string) string {
	t.Helper()
	head, rest, _ := strings.Cut(text, "\n")
	var gameName, spec string
	if _, err := fmt.Sscanf(head, "# %s %s", &gameName, &spec); err != nil {
		t.Fatalf("first line %q: %v", head, err)
	}
	c := config(spec)
	var s *session
	var handle func(context.Context, string) error
	switch {
	case strings.HasPrefix(name, "gtp"):
		g := &gtp{session: session{Config: c, protocol: ProtocolGTP}}
		s, handle = &g.session, g.line
	case name == "gomocup":
		g := &gomocup{session: session{Config: c, protocol: ProtocolGomocup}}
		s, handle = &g.session, g.line
	default:
		n := &nboard{session{Config: c, protocol: ProtocolNBoard}}
		s, handle = &n.session, n.line
	}
	if err := s.open(games.Must(gameName)); err != nil {
		t.Fatal(err)
	}
	if name == "gomocup" {
		s.state = nil
	}
	var out bytes.Buffer
	s.connect(io.NopCloser(strings.NewReader("")), &out)
	defer s.in.Close()
	s.end() // one analysis for each command
	commands := regexp.MustCompile(`(?m)^> ?(.*)$`).FindAllStringSubmatch(rest, -1)
	fmt.Fprintln(&out, head)
	for len(commands) > 0 {
		line := commands[0][1]
		fmt.Fprintln(&out, strings.TrimSpace("> "+line))
		commands = commands[1:]
		for i := 0; line == "BOARD" && (i == 0 || commands[0][1] != "DONE"); i++ {
			if i > 0 {
				commands = commands[1:]
			}
			fmt.Fprintln(&out, "> "+commands[0][1])
			s.pending = append(s.pending, []byte(commands[0][1]))
		}
		if line == "BOARD" {
			commands = commands[1:]
		}
		if err := handle(context.Background(), line); err != nil && !errors.Is(err, errQuit) {
			t.Fatal(err)
		}
		if err := s.flush(); err != nil {
			t.Fatal(err)
		}
	}
	return regexp.MustCompile(`(?m)(//|nodestats \d+ )\d+\.\d\d$`).ReplaceAllString(out.String(), "${1}0.00") // seconds
}

// Every cell and word of every game with a convention is written as the protocol wants it, and read back.
func TestConventions(t *testing.T) {
	type letters = string
	for _, test := range []struct {
		protocol Protocol
		game     string
		columns  letters // of a cell's name; "": x,y from 0
		words    map[string]string
	}{
		{ProtocolGTP, "othello", "ABCDEFGH", map[string]string{"pass": "pass"}},
		{ProtocolGTP, "othello-6x6", "ABCDEF", map[string]string{"pass": "pass"}},
		{ProtocolGTP, "hex", "abcdefghijk", map[string]string{"swap": "swap-pieces"}},
		{ProtocolGTP, "hex-5x5", "abcde", map[string]string{"swap": "swap-pieces"}},
		{ProtocolGTP, "hex(size=9,swap=0)", "abcdefghi", nil},
		{ProtocolGTP, "gomoku-9x9", "ABCDEFGHJ", nil},
		{ProtocolGTP, "gomoku-19x19", "ABCDEFGHJKLMNOPQRST", nil},
		{ProtocolGTP, "othello(size=12)", "ABCDEFGHJKLM", map[string]string{"pass": "pass"}},
		{ProtocolGTP, "connect-four", "ABCDEFG", nil},
		{ProtocolGTP, "tic-tac-toe", "ABC", nil},
		{ProtocolGomocup, "gomoku", "", nil},
		{ProtocolGomocup, "line-up(width=11,height=7,line=5,gravity=0)", "", nil},
		{ProtocolNBoard, "othello", "ABCDEFGH", map[string]string{"pass": "PA"}},
	} {
		g := games.Must(test.game)
		c := NewConvention(test.protocol, g)
		for a, name := range g.ActionNames {
			if name == "" {
				continue
			}
			want := test.words[name]
			if cell := int(g.Drawing.ActionCells[a].To); cell >= 0 {
				x, y := cell%g.Tensor.W, cell/g.Tensor.W
				want = fmt.Sprintf("%d,%d", x, y)
				if test.columns != "" {
					want = fmt.Sprintf("%c%d", test.columns[x], y+1)
				}
			}
			written := c.Write(env.Action(a))
			if read, ok := c.actions[strings.ToLower(written)]; written != want || !ok || read != env.Action(a) {
				t.Errorf("%s, %s: %s is %q, want %q; read as %d, want %d", test.protocol, test.game, name, written, want, read, a)
			}
		}
	}
	for _, d := range differences {
		for _, f := range games.Families() {
			if f.Name == d.family {
				g := games.Must(f.Defaults())
				if d.columns != "" && len(d.columns) < g.Tensor.W {
					t.Errorf("%s, %s: %d letters for %d columns", d.protocol, d.family, len(d.columns), g.Tensor.W)
				}
			}
		}
	}
}

// Every cell of every family is written with the names of a program, and read back, before and after a swap of colours.
func TestNames(t *testing.T) {
	const all, skipping = "abcdefghijklmnopqrstuvwxyz", "abcdefghjklmnopqrstuvwxyz"
	for _, test := range []struct {
		game, columns string // letters of the protocol
		fromTop       bool
	}{
		{"othello", all, true}, {"othello-6x6", all, true}, {"hex", all, true}, {"hex-5x5", all, true}, {"gomoku-9x9", skipping, false},
		{"line-up(width=11,height=7,line=5,gravity=0)", skipping, false}, {"connect-four", skipping, false}, {"tic-tac-toe", skipping, false},
	} {
		for _, n := range []Names{
			{}, {Columns: "all"}, {Columns: "go"}, {Rows: "top"}, {Rows: "bottom"}, {Columns: "go", Rows: "top"}, {Columns: "all", Rows: "bottom"},
			{Pass: "PA"}, {Colours: [2]string{"x", "o"}, Columns: "go", Pass: "@@"},
		} {
			c, err := NewConvention(ProtocolGTP, games.Must(test.game)).With(n)
			if err != nil {
				t.Fatal(err)
			}
			conventions := []*Convention{c}
			if c.Game.Family == "hex" {
				conventions = append(conventions, c.Exchanged())
			}
			for i, c := range conventions {
				if want := [2]string{"x", "o"}; n.Colours == want && c.Colours[i] != "x" {
					t.Errorf("%s, %+v: colours %v", test.game, n, c.Colours)
				}
				for a, name := range c.Game.ActionNames {
					if name == "" {
						continue
					}
					cell := int(c.Game.Drawing.ActionCells[a].To)
					want := map[string]string{"pass": cmp.Or(n.Pass, "pass"), "swap": "swap-pieces"}[name]
					if cell >= 0 {
						row, column := cell/c.Game.Tensor.W, cell%c.Game.Tensor.W
						if i == 1 {
							row, column = column, row
						}
						if n.Rows != "" && (n.Rows == "top") != test.fromTop {
							row = c.Game.Tensor.H - 1 - row
						}
						letters := map[string]string{"": test.columns, "all": all, "go": skipping}[n.Columns]
						want = fmt.Sprintf("%c%d", letters[column], row+1)
					}
					written := c.Write(env.Action(a))
					if read, ok := c.actions[strings.ToLower(written)]; !strings.EqualFold(written, want) || !ok || read != env.Action(a) {
						t.Errorf("%s, %+v: %s is %q, want %q; read as %d, want %d", test.game, n, name, written, want, read, a)
					}
				}
			}
		}
	}
	if _, err := NewConvention(ProtocolGTP, games.Must("quad-5x5")).With(Names{Columns: "go"}); err == nil {
		t.Error("quad-5x5 takes other columns")
	}
}

// In every game, whatever its convention, a written legal move is read as itself.
func TestWrittenMovesAreRead(t *testing.T) {
	names := append(games.Names(), "hex(size=9,swap=0)", "quad(size=11)", "line-up(width=11,height=11,line=5,gravity=0)")
	for _, name := range names {
		g := games.Must(name)
		c := NewConvention(ProtocolGTP, g)
		state := g.NewState()
		for i := 0; !state.Done(); i++ {
			legal := state.Legal(nil)
			for _, a := range legal {
				if read, err := c.Read(state, c.Write(a)); err != nil || read != a {
					t.Fatalf("%s: %s is read as %d, %v; want %d", name, c.Write(a), read, err, a)
				}
			}
			state.Apply(legal[(i*7919+3)%len(legal)])
		}
	}
}

// Moves in a game of Othello that other programs have played: their replies prove the orientation of the board.
func TestOthelloStart(t *testing.T) {
	c := NewConvention(ProtocolGTP, games.Must("othello"))
	state := c.Game.NewState()
	var moves []string
	for _, a := range state.Legal(nil) {
		moves = append(moves, c.Write(a))
	}
	if got := strings.Join(moves, " "); got != "D3 C4 F5 E6" {
		t.Errorf("black's first moves are %s", got)
	}
}

func TestPlayersColours(t *testing.T) {
	for name, want := range map[string][2]string{
		"othello": {"black", "white"}, "hex": {"black", "white"}, "gomoku": {"black", "white"}, "breakthrough-6x6": {"white", "black"},
	} {
		if got := NewConvention(ProtocolGTP, games.Must(name)).Colours; got != want {
			t.Errorf("%s: colours %v, want %v", name, got, want)
		}
	}
	c := NewConvention(ProtocolGTP, games.Must("hex"))
	for text, want := range map[string]env.Player{"b": 0, "B": 0, "Black": 0, "red": 0, "w": 1, "blue": 1} {
		if p, err := c.ReadColour(text); err != nil || p != want {
			t.Errorf("%s is %v, %v", text, p, err)
		}
	}
	if _, err := c.ReadColour("green"); err == nil || !strings.Contains(err.Error(), "write b (red) or w (blue)") {
		t.Errorf("green: %v", err)
	}
}

// A swap in Hex exchanges column and row of black's piece if black moves next. If white does, the players have
// exchanged their colours instead. HexGui 0.10 sets up the position after the swap.
func TestHexSwap(t *testing.T) {
	for _, test := range []struct{ commands, board string }{
		{"play b b1|play w swap-pieces|play b c4", ` a b c d e| 1 . . . . .|  2 O . . . .|   3 . . . . .|    4 . . X . .|     5 . . . . .|white to move`},
		{"play w a2|play b c4", ` a b c d e| 1 . . . . .|  2 O . . . .|   3 . . . . .|    4 . . X . .|     5 . . . . .|white to move`},
		{"play b b1|play w swap|play w c4", ` a b c d e| 1 . X . . .|  2 . . . . .|   3 . . . . .|    4 . . O . .|     5 . . . . .|black to move`},
		{"play b b1|play w swap-pieces|play w c4|play b a1|undo|undo|play w c4", ` a b c d e| 1 . X . . .|  2 . . . . .|   3 . . . . .|    4 . . O . .|     5 . . . . .|black to move`},
		{"play b b1|play w swap-pieces|play w c4|undo|play b c4", ` a b c d e| 1 . . . . .|  2 O . . . .|   3 . . . . .|    4 . . X . .|     5 . . . . .|white to move`},
		{"play b b1|play w swap-pieces|play w c4|undo|undo|play w a5", ` a b c d e| 1 . X . . .|  2 . . . . .|   3 . . . . .|    4 . . . . .|     5 O . . . .|black to move`},
		{"play w a2|undo|play b a2", ` a b c d e| 1 . . . . .|  2 X . . . .|   3 . . . . .|    4 . . . . .|     5 . . . . .|white to move`},
	} {
		answers := gtpAnswers(t, "hex-5x5", "random", strings.Split(test.commands+"|showboard", "|")...)
		for _, answer := range answers {
			if answer[0] != '=' {
				t.Errorf("%s: %s", test.commands, answer)
			}
		}
		if got := strings.ReplaceAll(answers[len(answers)-1], "\n", "|"); got != "=|  "+test.board {
			t.Errorf("%s:\n%s, want\n%s", test.commands, got, test.board)
		}
	}
	// red connects the rows; after the exchange it is white, which connects the columns
	answers := gtpAnswers(t, "hex(size=2,swap=1)", "random", "play b a1", "play w swap", "play w a2", "play b b1", "play w b2", "final_score")
	if last := answers[len(answers)-1]; last != "= W+" {
		t.Errorf("answers %q", answers)
	}
}

func TestBoardsizeStaysInTheFamily(t *testing.T) {
	for _, test := range []struct{ game, args, want string }{
		{"hex", "7", "hex-7x7"}, {"hex", "11 11", "hex"}, {"hex(size=5,swap=0)", "6", "hex(size=6,swap=0)"},
		{"gomoku", "10", "line-up(width=10,height=10,line=5,gravity=0)"}, {"gomoku", "9 7", "line-up(width=9,height=7,line=5,gravity=0)"},
		{"othello", "6", "othello-6x6"}, {"breakthrough-6x6", "5 7", "breakthrough(columns=5,rows=7,captures=true)"},
	} {
		g := &gtp{session: session{Config: config("random"), protocol: ProtocolGTP}}
		if err := g.open(games.Must(test.game)); err != nil {
			t.Fatal(err)
		}
		if _, err := g.boardsize(context.Background(), strings.Fields(test.args)); err != nil || g.Game != games.Must(test.want) {
			t.Errorf("%s, boardsize %s: %s, %v; want %s", test.game, test.args, g.Game.Name, err, test.want)
		}
	}
	for name, want := range map[string]string{
		"hex 20": "it takes 2..19", "hex 7 6": "squares", "othello 9": "size=9 is not allowed", "gomoku 4": "takes 3..4", "hex x": "write boardsize 7",
	} {
		name, args, _ := strings.Cut(name, " ")
		answers := gtpAnswers(t, name, "random", "boardsize "+args, "showboard")
		if answers[0][0] != '?' || !strings.Contains(answers[0], want) || answers[1][0] != '=' {
			t.Errorf("%s, boardsize %s: %v; want %q", name, args, answers, want)
		}
	}
}

// A pass that the other program leaves out, as it is the only move, is played, and undo takes it back with the move
// after it.
func TestImpliedPass(t *testing.T) {
	g := &gtp{session: session{Config: config("greedy"), protocol: ProtocolGTP}}
	if err := g.open(games.Must("othello-6x6")); err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n++ { // games with other seeds, until one has a pass
		for !g.state.Done() {
			legal := g.state.Legal(nil)
			if g.Write(legal[0]) == "pass" {
				break
			}
			g.play(legal[(n*7+len(g.plies)*5)%len(legal)], false)
		}
		if !g.state.Done() {
			break
		}
		if err := g.open(g.Game); err != nil {
			t.Fatal(err)
		}
	}
	before, key := len(g.plies), g.state.Key()
	next := g.Colours[g.state.Player().Opponent()]
	if _, err := g.playMove(context.Background(), []string{next, "z9"}); err == nil || g.state.Key() != key {
		t.Errorf("an illegal move after an implied pass: %v, or it changes the position", err)
	}
	if _, err := g.genmove(context.Background(), []string{next}); err != nil || len(g.plies) != before+2 {
		t.Fatalf("%d plies after %d and an implied pass, %v", len(g.plies), before, err)
	}
	if _, err := g.undoMove(context.Background(), nil); err != nil || len(g.plies) != before || g.state.Key() != key {
		t.Errorf("%d plies after undo, want %d; %v", len(g.plies), before, err)
	}
}

// Two sessions play games against each other, as match runners let them: passes and the end are agreed upon.
func TestWholeGames(t *testing.T) {
	for name, ends := range map[string]string{"othello-6x6": "pass", "hex-5x5": "resign", "tic-tac-toe": "pass", "breakthrough-6x6": "pass"} {
		var sides [2]*gtp
		for i := range sides {
			c := config("mcts:20")
			c.Seed = uint64(i)
			sides[i] = &gtp{session: session{Config: c, protocol: ProtocolGTP}}
			if err := sides[i].open(games.Must(name)); err != nil {
				t.Fatal(err)
			}
		}
		colours, ended := sides[0].Colours, 0
		for i := 0; ended < 2; i++ {
			move, err := sides[i%2].genmove(context.Background(), []string{colours[i%2]})
			if err != nil {
				t.Fatalf("%s, ply %d: %v", name, i, err)
			}
			if sides[i%2].state.Done() && move == ends {
				ended++
			}
			if _, err = sides[1-i%2].playMove(context.Background(), []string{colours[i%2], move}); err != nil {
				t.Fatalf("%s, ply %d: %s: %v", name, i, move, err)
			}
		}
		a, errA := sides[0].finalScore(context.Background(), nil)
		b, errB := sides[1].finalScore(context.Background(), nil)
		if a != b || errA != nil || errB != nil || !regexp.MustCompile(`^([BW]\+\d*|0)$`).MatchString(a) {
			t.Errorf("%s: scores %q, %q, %v, %v", name, a, b, errA, errB)
		}
		for sides[0].undo() {
		}
		if sides[0].state.Key() != sides[0].Game.NewState().Key() {
			t.Errorf("%s: undo does not lead to the start", name)
		}
	}
}

// pipes starts a session whose input stays open. It returns a function that writes a line, one that reads the next
// line, and the session's result.
func pipes(t *testing.T, ctx context.Context, protocol, spec string) (write func(string), read func() string, done chan error) {
	t.Helper()
	in, toSession := io.Pipe()
	fromSession, out := io.Pipe()
	done = make(chan error, 1)
	p := protocols[protocol]
	go func() {
		err := p.serve(ctx, config(spec), games.Must(p.game), in, out)
		out.Close()
		done <- err
	}()
	t.Cleanup(func() { toSession.Close(); io.Copy(io.Discard, fromSession) })
	reader := lines.NewReader(fromSession, 1<<20, 1000)
	return func(line string) {
			if _, err := io.WriteString(toSession, line+"\n"); err != nil {
				t.Error(err)
			}
		}, func() string {
			select {
			case line := <-reader.C:
				return string(line)
			case <-time.After(30 * time.Second):
				t.Fatal("no line within 30 s")
				return ""
			}
		}, done
}

// An analysis goes on until the next line, which is answered.
func TestAnalysisIsInterrupted(t *testing.T) {
	for _, next := range []string{"", "name"} {
		write, read, _ := pipes(t, context.Background(), "gtp", "mcts:100")
		write("7 lz-analyze b 1")
		if line := read(); line != "=7" {
			t.Fatalf("first line %q", line)
		}
		for range 2 {
			if line := read(); !regexp.MustCompile(`^info move [A-H][1-8] visits \d+ winrate \d+ prior 0 order 0 pv [A-H][1-8]( \S+)* info move `).MatchString(line) {
				t.Fatalf("line %q", line)
			}
		}
		write(next)
		for line := "info"; line != ""; line = read() {
			if !strings.HasPrefix(line, "info") {
				t.Fatalf("line %q", line)
			}
		}
		write("version")
		if line := read(); next == "name" && line != "= ludus" || next == "" && line != "= 1.0" {
			t.Errorf("after the analysis: %q", line)
		}
	}
}

// A ping stops NBoard's engine: it does not answer go any more.
func TestPingInterrupts(t *testing.T) {
	write, read, _ := pipes(t, context.Background(), "nboard", "mcts:1000000")
	write("set game (;GM[Othello]BO[" + startOfGGF + "];)")
	write("go")
	for _, want := range []string{"status ludus is thinking", "status", "pong 5"} {
		if line := read(); line != want {
			t.Fatalf("line %q, want %q", line, want)
		}
		if want == "status ludus is thinking" {
			write("ping 5")
		}
	}
}

// The end of the context, as after SIGTERM, ends thinking and waiting sessions.
func TestSessionsEnd(t *testing.T) {
	for protocol, commands := range map[string][]string{
		"gtp":     {"genmove b", "kata-analyze", "name"},
		"gomocup": {"START 9\nBEGIN", "ABOUT"},
		"nboard":  {"set game (;BO[" + startOfGGF + "];)\ngo", "ping 1"},
	} {
		for _, command := range commands {
			ctx, cancel := context.WithCancel(context.Background())
			write, _, done := pipes(t, ctx, protocol, "mcts:1000000")
			write(command)
			time.Sleep(20 * time.Millisecond)
			cancel()
			select {
			case err := <-done:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("%s, %s: %v", protocol, command, err)
				}
			case <-time.After(20 * time.Second):
				t.Fatalf("%s, %s: the session goes on", protocol, command)
			}
		}
	}
	for protocol, text := range map[string]string{"gtp": "name\nquit\nname\n", "gomocup": "ABOUT\nEND\nABOUT\n", "nboard": "ping 1\nquit\nping 1\n"} {
		if out := answer(t, protocol, protocols[protocol].game, "random", text); strings.Count(out, "ludus")+strings.Count(out, "pong") != 1 {
			t.Errorf("%s answers after its end: %q", protocol, out)
		}
	}
}

// The end of the input is awaited only until the answers are written.
func TestAnalysisAtTheEndOfInput(t *testing.T) {
	out := answer(t, "gtp", "othello", "mcts:100", "kata-analyze b interval 10 maxmoves 2")
	if !regexp.MustCompile(`^=\ninfo move \S+ visits \d+ winrate 0\.\d{6} prior 0\.0+ order 0 pv \S+ \S+[^\n]* info move [^\n]* order 1 pv \S+[^\n]*\n\n$`).MatchString(out) {
		t.Errorf("answer %q", out)
	}
	for spec, want := range map[string]string{"random": "? the agent cannot tell", "mcts:100 avoid": "? avoid is not supported"} {
		spec, args, _ := strings.Cut(spec, " ")
		if out := answer(t, "gtp", "othello", spec, "kata-analyze "+strings.Repeat(args+" d3", min(1, len(args)))); !strings.HasPrefix(out, want) {
			t.Errorf("%s: %q", spec, out)
		}
	}
}

// Rule 1 of Gomocup lets six in a row win no more, and rule 0 lets them win again, whether it comes before or after
// START.
func TestGomocupRule(t *testing.T) {
	const six = "BOARD\n0,0,2\n1,0,2\n2,0,2\n3,0,2\n5,0,2\n4,0,2\n0,9,1\n2,9,1\n4,9,1\n6,9,1\n8,9,1\nDONE\n"
	for commands, over := range map[string]bool{
		"START 10\n" + six:                              true,
		"INFO rule 1\nSTART 10\n" + six:                 false,
		"START 10\nINFO rule 1\n" + six:                 false,
		"START 10\nINFO rule 1\nRESTART\n" + six:        false,
		"INFO rule 1\nSTART 9\nRECTSTART 10,10\n" + six: false,
		"INFO rule 1\nSTART 10\nINFO rule 0\n" + six:    true,
	} {
		out := answer(t, "gomocup", "gomoku", "random", commands)
		if strings.HasSuffix(out, "ERROR the game is over\n") != over || strings.Count(out, "ERROR") > 1 || !over && strings.Contains(out, "ERROR") {
			t.Errorf("%q: %q; want the game over: %v", commands, out, over)
		}
	}
	if out := answer(t, "gomocup", "gomoku", "random", "INFO rule 1\nBEGIN\n"); !strings.HasPrefix(out, "ERROR there is no board") {
		t.Errorf("a rule without a board: %q", out)
	}
}

// An agent that would think for minutes answers within the time of the protocol.
func TestTimeLimits(t *testing.T) {
	for _, test := range []struct {
		protocol, commands string
		most               time.Duration
	}{
		{"gtp", "time_settings 9 0 0\ngenmove b", 2 * time.Second},
		{"gtp", "time_settings 0 1 1\ngenmove b\ngenmove w", 4 * time.Second},
		{"gtp", "time_left b 4 0\ngenmove b", 2 * time.Second},
		{"gomocup", "INFO timeout_turn 500\nSTART 9\nBEGIN", 2 * time.Second},
		{"gomocup", "START 9\nINFO timeout_turn 0\nBEGIN", time.Second},
		{"gomocup", "START 9\nINFO timeout_turn 60000\nINFO time_left 4000\nBEGIN", 2 * time.Second},
	} {
		start := time.Now()
		out := answer(t, test.protocol, protocols[test.protocol].game, "mcts:1000000", test.commands)
		if took := time.Since(start); took > test.most || strings.ContainsAny(out, "?E") && test.protocol != "gtp" {
			t.Errorf("%s: %v for %q", test.commands, took, out)
		}
	}
}

func TestClocks(t *testing.T) {
	c := clock{main: 10 * time.Second, period: 6 * time.Second, moves: 2, limited: true}
	if got := c.limit(10); got != 4*time.Second-margin { // one of main time, three of overtime
		t.Errorf("%v for a move", got)
	}
	c.spend(11 * time.Second)
	if got := c.limit(10); got != 3*time.Second-margin {
		t.Errorf("%v for a move in overtime", got)
	}
	if (&clock{}).limit(5) != 0 || (&clock{limited: true}).limit(5) <= 0 {
		t.Error("no limit is 0, and no time is not")
	}
}

// An agent resigns a lost game, and only if it is asked to.
func TestResignation(t *testing.T) {
	commands := "play x a1\nplay o b1\nplay x b2\nplay o c1\nplay x c3\n" // x has won
	lost := "play x a1\nplay o b1\nplay x b2\ngenmove o"                  // after c3, a3 makes two threats
	for _, test := range []struct {
		resign   float64
		commands string
		want     string
	}{{0.3, lost, "= resign"}, {0, lost, "= "}, {0.3, commands + "genmove o", "= pass"}} {
		c := config("solver:100000")
		c.Resign = test.resign
		var out bytes.Buffer
		if err := GTP(context.Background(), c, games.Must("tic-tac-toe"), io.NopCloser(strings.NewReader(test.commands)), &out); err != nil {
			t.Fatal(err)
		}
		answers := strings.Split(strings.TrimSpace(out.String()), "\n\n")
		if last := answers[len(answers)-1]; !strings.HasPrefix(last, test.want) || test.resign == 0 && last == "= resign" {
			t.Errorf("resign %v: %q", test.resign, answers)
		}
	}
}

// A player that cannot be loaded leaves the game as it is.
func TestLoadingFails(t *testing.T) {
	c := config("random")
	load := c.Load
	c.Load = func(g *env.Game) (Player, error) {
		if g.Name != "hex-5x5" {
			return Player{}, errors.New("no network for this size")
		}
		return load(g)
	}
	var out bytes.Buffer
	if err := GTP(context.Background(), c, games.Must("hex-5x5"), io.NopCloser(strings.NewReader("play b a1\nboardsize 7\nset_game othello\ngenmove w\n")), &out); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(out.String(), "\n\n")
	if !strings.HasPrefix(answers[1], "? hex-7x7: no network") || !strings.HasPrefix(answers[2], "? othello: no network") || answers[3][0] != '=' {
		t.Errorf("answers %q", answers)
	}
	if err := GTP(context.Background(), c, games.Must("othello"), io.NopCloser(strings.NewReader("")), &out); err == nil {
		t.Error("no error at the start")
	}
}

// loadsgf plays a file's game, all of it or up to a move, and changes the board; printsgf gives it back.
func TestSGF(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "a game.sgf")
		err := os.WriteFile(path, []byte(text), 0o666)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	hex := file("(;GM[11]SZ[5];B[b1];W[swap-pieces];B[e2];W[c3])")
	for _, c := range []struct {
		game     string
		commands []string
		want     string // the last response
	}{
		{"hex-5x5", []string{"loadsgf " + hex, "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]GM[11]SZ[5]LUDUS[hex-5x5]\n;B[b1];W[swap-pieces];B[e2];W[c3])"},
		{"hex-5x5", []string{"loadsgf " + hex + " 3", "play b e2", "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]GM[11]SZ[5]LUDUS[hex-5x5]\n;B[b1];W[swap-pieces];B[e2])"},
		{"hex(size=5,swap=0)", []string{"loadsgf " + file("(;GM[11]SZ[5];B[b1];W[e2])"), "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]GM[11]SZ[5]LUDUS[hex(size=5,swap=0)]\n;B[b1];W[e2])"},
		{"tic-tac-toe", []string{"loadsgf " + hex, "undo", "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]GM[11]SZ[5]LUDUS[hex-5x5]\n;B[b1];W[swap-pieces];B[e2])"},
		{"quad-7x7", []string{"play b block a4", "play b c3", "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]SZ[7]LUDUS[quad-7x7]\n;B[block a4];B[c3])"},
		{"breakthrough-6x6", []string{"play w a2-a3", "printsgf"}, "= (;FF[4]CA[UTF-8]AP[ludus:0]SZ[6]LUDUS[breakthrough-6x6]\n;W[a2-a3])"},
		{"othello", []string{"loadsgf " + file("(;GM[2];B[f5];W[a1])")}, "cannot load file: line 1, column 15: game 1, move 2: a1 is not legal now"},
		{"othello", []string{"loadsgf " + t.TempDir()}, "is not a regular file"},
		{"othello", []string{"loadsgf x.sgf 0"}, "the move number must be at least 1"},
		{"othello", []string{"loadsgf"}, "? syntax error; write loadsgf FILE"},
		{"othello", []string{"loadsgf nowhere"}, "nowhere: no such file"},
		{"othello", []string{"printsgf x.sgf"}, "? printsgf takes no file"},
	} {
		answers := gtpAnswers(t, c.game, "random", c.commands...)
		if last := answers[len(answers)-1]; !strings.Contains(last, c.want) {
			t.Errorf("%s: %q: %q, not %q", c.game, c.commands, last, c.want)
		}
	}
}
