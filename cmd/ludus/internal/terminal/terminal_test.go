package terminal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ludus/cmd/ludus/internal/analysis"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
)

// session plays a game by the given lines, some of which may be rejected, and returns the output.
func session(t testing.TB, name, text string, person env.Player, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	s := start(t, name, text, person, &out)
	if err := s.Play(context.Background(), io.NopCloser(strings.NewReader(strings.Join(lines, "\n")))); err != nil && !errors.Is(err, analysis.ErrRejected) {
		t.Fatal(err)
	}
	return out.String()
}

func start(t testing.TB, name, text string, person env.Player, out io.Writer) *Session {
	t.Helper()
	return New(configure(t, name, text, person), out)
}

// configure seats an agent opposite a person.
func configure(t testing.TB, name, text string, person env.Player) Config {
	t.Helper()
	rules := games.Must(name)
	config := Config{Game: rules, Seed: 1}
	config.Seats[person.Opponent()] = seat(t, rules, text)
	return config
}

func seat(t testing.TB, rules *env.Game, text string) Seat {
	t.Helper()
	spec, err := agent.ParseFactory(rules, text, rundir.LoadWeights)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := spec.New(1)
	if err != nil {
		t.Fatal(err)
	}
	advisor, err := spec.New(1)
	if err != nil {
		t.Fatal(err)
	}
	return Seat{Name: text, Agent: agent, Advisor: advisor, AdvisorName: text}
}

func contains(t *testing.T, out string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		i := strings.Index(out, want)
		if i < 0 {
			t.Fatalf("%q is missing, or comes too early, in\n%s", want, out)
		}
		out = out[i+len(want):]
	}
}

// Only sure results are 0 and 100 %.
func TestPercent(t *testing.T) {
	for value, want := range map[float64][2]string{
		0: {"50 %", "50.0 %"}, -0.004: {"50 %", "49.8 %"}, 0.9: {"95 %", "95.0 %"}, -1: {"0 %", "0.0 %"}, -0.9999: {"1 %", "0.1 %"}, 0.9999: {"99 %", "99.9 %"}, 1: {"100 %", "100.0 %"},
	} {
		if got := [2]string{percent(value, 0), percent(value, 1)}; got != want {
			t.Errorf("%v is written %q, want %q", value, got, want)
		}
	}
}

func TestSession(t *testing.T) {
	out := session(t, "quad-5x5", "mcts:50", env.First, "help", "", "HINT", "?", "moves", "c3", "r3 c3", "nonsense", "#99", "udno", "undo 2", "Undo", "undo", "quit now", "never read")
	contains(t, out, "quad-5x5: you are x, mcts:50 is o.\nWith best play x wins; type switch to take the harder side.\nType a move such as b1, or hint, undo, ? (analysis by mcts:50), help.\n",
		"a   b   c", "Type a move: b1 or (mark r1 c2).", "mcts:50 would play", "expected score: x ",
		"mcts:50 would play", "after 50 simulations", "expected score: x ", "visits  score of x  prior", "  chosen\n", "and 15 more; \"? all\" lists them",
		"#1 b1, #2 c1", "#21 d5", "x plays c3", "o plays ", "c3 is not legal: x is on c3; moves look like ",
		`"nonsense" is not a move of this game`, "there are moves #1 to #19", "did you mean undo?\n", "undo has no number", "taken back: 2 moves", "There is nothing to take back.\n")
	if strings.Contains(out, "never read") || strings.Contains(out, "ended") || strings.Contains(out, "> ") || strings.Contains(out, "\x1b") {
		t.Errorf("the game goes on after quit, or has prompts or colours in a pipe:\n%s", out)
	}
}

// TestMovesLikeCommands plays moves that have the names of commands, and moves of signs alone. A slash marks a command.
func TestMovesLikeCommands(t *testing.T) {
	path := filepath.Join(t.TempDir(), "words.kif")
	text := `(role x) (role o) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
		(mover 1 x) (mover 2 o) (mover 3 x) (mover 4 o) (other x o) (other o x)
		(<= (legal ?p ?m) (true (step ?n)) (mover ?n ?p) (word ?m) (not (true (said ?m))))
		(<= (legal ?p noop) (true (step ?n)) (mover ?n ?q) (other ?p ?q))
		(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
		(<= (next (said ?m)) (does ?p ?m) (word ?m)) (<= (next (said ?m)) (true (said ?m)))
		(<= terminal (true (step 5))) (<= (goal x 100) (true (said undo))) (<= (goal x 0) (not (true (said undo))))
		(<= (goal o 0) (true (said undo))) (<= (goal o 100) (not (true (said undo))))
		(word undo) (word quit) (word q) (word help) (word new) (word +) (word →) (word да) (word #1)`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out := session(t, path, "random", env.First, "UNDO", "/undo", "→", "/undo", "#1", "/undo", "да", "/undo", "+", "/undo", "quit", "/help", "/quit", "never")
	contains(t, out, "x plays undo", "taken back: 2", "x plays →", "taken back: 2", "x plays #1", "taken back", "x plays да", "x plays +", "x plays quit", "write /undo for the command")
	if strings.Contains(out, "never") {
		t.Errorf("/quit does not end the game:\n%s", out)
	}
}

// "? all" lists every move.
func TestAllMoves(t *testing.T) {
	out := session(t, "quad-5x5", "mcts:50", env.First, "? all", "quit")
	_, table, _ := strings.Cut(out, "visits  score of x  prior\n")
	if n := strings.Count(table, "\n  "); n != 20 || strings.Contains(out, "more;") {
		t.Errorf("the table has %d more lines than its first:\n%s", n, table)
	}
}

// At a keyboard there are prompts, and the end of a game is not the end: it can be taken back, and another one begun.
func TestKeyboard(t *testing.T) {
	config := configure(t, "quad(size=4,quads=1,whites=0)", "greedy", env.First)
	config.Keyboard = true
	var out bytes.Buffer
	lines := strings.NewReader("b2\nc3\n?\nmoves\nundo\nboard\nb3\nnew\nswitch\nswitch\nquit\n")
	if err := New(config, &out).Play(context.Background(), io.NopCloser(lines)); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "x> x plays b2", "o plays", "A draw: x 50, o 50.\nreview, new, switch, undo or quit> The game is over",
		"> The game is over.", "> The game is over; there are no moves.", "taken back: 2 moves", "x to move", "x> ", "x plays b3", "A draw", "quit> ", "you are x", "x> ",
		"you are o", "x plays", "o> ", "you are x", "o plays", "A draw", "quit> ")
}

// Before a game people read who wins with best play, and how to change sides; after it a review names the moves that
// gave value away, with exact values where the solver knows them.
func TestReview(t *testing.T) {
	config := configure(t, "tic-tac-toe", "solver:100000", env.First)
	config.Keyboard = true
	var out bytes.Buffer
	lines := strings.NewReader("b2\nreview\nswitch\nreview\nquit\n")
	if err := New(config, &out).Play(context.Background(), io.NopCloser(lines)); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "you are x", "With best play it is a draw.\nType", "Expected score of x at the start and after each move", "50 % |###\n", "No move was a mistake")
	contains(t, session(t, "quad-5x5", "greedy", env.Second, "quit"), "you are o", "With best play x wins; type switch to play x.\n")
	contains(t, session(t, "tic-tac-toe", "solver:100000", env.First, "a1", "review", "quit"), "No move was a mistake")

	s := start(t, "tic-tac-toe", "solver:100000", env.First, &out)
	for _, move := range []string{"b2", "b1"} {
		a, err := s.Game.ParseAction(move)
		if err != nil {
			t.Fatal(err)
		}
		s.apply(a, 0)
	}
	out.Reset()
	if err := errors.Join(s.review(context.Background()), s.flush()); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "o lost the game with move 2, b1: from there x wins with best play, proven.", "o (solver:100000)",
		"100 % |  #\n 75 % |\n 50 % |##\n 25 % |\n  0 % |\n         X\n  move   2\n",
		"move 2, o: b1 gives away 50 % (50 % to 0 %, proven), a blunder\n  better: ", ", which leads to a draw if both play perfectly; then ", "  after b1: ")
}

// Before a game people read how strong the agent is, in the words of the page.
func TestStrength(t *testing.T) {
	config := configure(t, "tic-tac-toe", "greedy", env.First)
	config.Seats[1].Strength = "casual (26 % blunders)"
	var out bytes.Buffer
	if err := New(config, &out).Play(context.Background(), io.NopCloser(strings.NewReader("quit"))); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "Its strength: casual (26 % blunders). Blunders are moves that give value away, in solved positions.\n")
}

// Through a pipe commands are read on after the game, up to the end of the input.
func TestReviewThroughPipe(t *testing.T) {
	const game = "quad(size=4,quads=1,whites=0)" // ends after two moves
	out := session(t, game, "solver:1000", env.First, "b2", "review", "undo", "b3")
	contains(t, out, "A draw", "Expected score of x at the start", "taken back", "x plays b3", "A draw")
	if strings.Contains(out, "input ended") {
		t.Errorf("the game is over, but the session says:\n%s", out)
	}
	// A script with more moves than the game ends with the game.
	out = session(t, game, "solver:1000", env.First, "b2", "c3", "undo")
	contains(t, out, "A draw")
	if strings.Contains(out, "taken back") {
		t.Errorf("the session goes on after a move that is too much:\n%s", out)
	}
}

// In games with falling pieces a single letter is a column, not a command.
func TestColumns(t *testing.T) {
	contains(t, session(t, "connect-four", "greedy", env.First, "b", "f", "help", "quit"), "red plays b1", "red plays f1", "Commands:")
}

// Where the players sit opposite each other, the second player's side is below. Values stay those of the first player.
func TestSecondSide(t *testing.T) {
	const rows, last = "breakthrough(columns=2,rows=4,captures=true)", "quit"
	contains(t, session(t, rows, "solver:1000", env.Second, "hint", "?", "switch", last),
		"1  ", "4  B   B", "   b   a", // turned
		"expected score: white 0 %, proven", "expected score: white 0 %, proven", "score of white", "  0.0 %",
		"you are white", "black plays", "4  ", "1  W", "   a   b")
}

// Changing sides in the middle lets the agent play the person's side on, and taking back follows the side.
func TestSwitch(t *testing.T) {
	out := session(t, "breakthrough-6x6", "greedy", env.First, "b2 c3", "switch", "undo", "switch", "new", "quit")
	contains(t, out, "you are white", "white plays b2-c3", "black plays", "you are black, greedy is white", "white plays", "black to move",
		"taken back: 2 moves", "black to move", "you are white", "black plays", "white to move", "you are white", "white to move; pieces white 12, black 12")
}

// Two agents need no input, and the first one moves first.
func TestWatching(t *testing.T) {
	config := configure(t, "golden-rectangle", "greedy", env.Second)
	config.Seats[1] = seat(t, config.Game, "mcts:20")
	config.ShowAnalysis, config.Delay = true, time.Microsecond
	var out bytes.Buffer
	if err := New(config, &out).Play(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "golden-rectangle: greedy is red, mcts:20 is yellow.\n", "red to move", "greedy would play ", "red plays ",
		"yellow to move", "mcts:20 would play", "after 20 simulations", "visits  score of red", "yellow plays", "over: ", " wins: red ")
}

// The last moves are all that one player made in a row.
func TestLast(t *testing.T) {
	s := start(t, "quad-5x5", "random", env.First, io.Discard)
	if got := s.lastMoves(); len(got) > 0 {
		t.Errorf("at the start, %v", got)
	}
	s.moves = []env.Action{10, 11, 12, 13}
	for movers, want := range map[[4]env.Player][]env.Action{
		{0, 1, 0, 1}: {13}, {0, 0, 1, 1}: {12, 13}, {1, 0, 0, 0}: {11, 12, 13}, {0, 0, 0, 0}: {10, 11, 12, 13},
	} {
		s.movers = movers[:]
		if got := s.lastMoves(); !slices.Equal(got, want) {
			t.Errorf("moved by %v: %v, want %v", movers, got, want)
		}
	}
}

// An analysis does not affect the agent's moves.
func TestAnalysisChangesNothing(t *testing.T) {
	plays := func(lines ...string) (plays []string) {
		for line := range strings.Lines(session(t, "quad-7x7", "mcts:30", env.First, lines...)) {
			if strings.Contains(line, " plays ") {
				plays = append(plays, line)
			}
		}
		return plays
	}
	if a, b := plays("c3", "#4", "#9"), plays("?", "c3", "hint", "?", "#4", "#9", "?"); len(a) < 6 || !slices.Equal(a, b) {
		t.Errorf("%q without, %q with analysis", a, b)
	}
}

// A line without end is wrong input like any other, whatever it begins with.
func TestLongLine(t *testing.T) {
	contains(t, session(t, "quad-5x5", "greedy", env.First, "c3"+strings.Repeat(" ", 1<<17)+"x", "board", "c3", "quit"),
		"That line is too long", "x to move", "o plays ")
}

// Before the person's turn the example moves are theirs, one per verb.
func TestSamples(t *testing.T) {
	contains(t, session(t, "quad-7x7", "greedy", env.Second, "help"),
		"Type a move such as c1 or block c1, or hint",
		"Type a move: b1 or (mark r1 c2); block b1 or (block r1 c2).\nA cell is a column letter and a row number; ", "[ ] is the last move; + marks")
	contains(t, session(t, "golden-rectangle", "greedy", env.First, "help"), "Type a move such as a1, or just the column's letter, or hint")
	contains(t, session(t, "breakthrough-6x6", "greedy", env.First, "b2"), `"b2" is ambiguous: b2-a3, b2-b3 or b2-c3.`)
}

// The list of moves breaks between moves where a line is full.
func TestListWraps(t *testing.T) {
	config := configure(t, "golden-rectangle", "greedy", env.First)
	config.Style.Width = func() int { return 20 }
	var out bytes.Buffer
	if err := New(config, &out).Play(context.Background(), io.NopCloser(strings.NewReader("moves"))); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "#1 a1, #2 b1, #3 c1,\n#4 d1, #5 e1, #6 f1,\n#7 g1\n")
}

// On a terminal of 80 columns no text of a large board is wider.
func TestFitsTerminal(t *testing.T) {
	for _, name := range []string{"gomoku-19x19", "hex-19x19", "quad(size=13)"} {
		config := configure(t, name, "mcts:10", env.First)
		config.Style.Width = func() int { return 80 }
		var out bytes.Buffer
		lines := io.NopCloser(strings.NewReader("help\nrules\n#9\n?\nhint\nmoves\nreview\nquit\n"))
		if err := New(config, &out).Play(context.Background(), lines); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: a line of %d columns: %q", name, n, line)
			}
		}
	}
}

func TestAgentMovesFirst(t *testing.T) {
	contains(t, session(t, "breakthrough-6x6", "greedy", env.Second, "undo", "board"),
		"you are black", "such as b5-a4, or", "white plays ", "black to move", "There is nothing to take back.", "black to move", "The input ended before the game.")
}

// A whole game by numbers of the list: it ends with both goals, and with whose win it is.
func TestWholeGame(t *testing.T) {
	for _, name := range games.Names() {
		lines := slices.Repeat([]string{"#1"}, 200)
		for _, person := range []env.Player{env.First, env.Second} {
			out := session(t, name, "greedy", person, lines...)
			last := out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]
			result, goals, _ := strings.Cut(strings.TrimSuffix(last, ".\n"), ": ")
			var players [2]string
			var g [2]int
			if _, err := fmt.Sscanf(strings.ReplaceAll(goals, ",", ""), "%s %d %s %d", &players[0], &g[0], &players[1], &g[1]); err != nil {
				t.Fatalf("%s: the last line is %q", name, last)
			}
			want := map[int]string{1: "You win", 0: "A draw", -1: "You lose"}[cmp.Compare(g[person], g[person.Opponent()])]
			if result != want {
				t.Errorf("%s: %q of the goals %s for player %d", name, result, goals, person)
			}
		}
	}
}

// After undo the position is that before the person's last move, also where the agent or the person moved twice.
func TestUndo(t *testing.T) {
	for seed := range 5 {
		s := start(t, "quad-7x7", "random", env.First, io.Discard)
		s.Seats[1].Agent.Reset(uint64(seed))
		var before []env.Key
		for ply := 0; !s.state.Done() && ply < 25; ply++ {
			if s.state.Player() != env.First {
				if err := s.agentMove(context.Background(), true); err != nil {
					t.Fatal(err)
				}
				continue
			}
			before = append(before, s.state.Key())
			legal := s.state.Legal(nil)
			s.apply(legal[(7*ply+seed)%len(legal)], 0)
		}
		for i := len(before) - 1; i >= 0; i-- {
			s.undo()
			if s.state.Key() != before[i] || s.state.Player() != env.First {
				t.Fatalf("undo leads to another position:\n%s", s.Game.Board(s.state))
			}
		}
		if len(s.moves) != 0 || len(s.movers) != 0 {
			t.Errorf("%d moves are left", len(s.moves))
		}
	}
}

// recorder is an agent that records its calls and plays at random.
type recorder struct {
	agent.Agent
	seeds    []uint64
	observed []env.Action // since the last of them
}

func (r *recorder) Reset(seed uint64) {
	r.Agent.Reset(seed)
	r.seeds, r.observed = append(r.seeds, seed), nil
}

func (r *recorder) Observe(a env.Action) {
	r.Agent.Observe(a)
	r.observed = append(r.observed, a)
}

// An agent is reset with a new seed whenever the game does not continue, and has observed all its moves from the start.
func TestAgentsObserve(t *testing.T) {
	config := configure(t, "quad-5x5", "random", env.First)
	r := &recorder{Agent: config.Seats[1].Agent}
	config.Seats[1].Agent = r
	s := New(config, io.Discard)
	for _, line := range []string{"#1", "#3", "#5", "undo", "#2", "#2", "switch", "#1", "new", "#4", "switch", "#2", "undo", "#7"} {
		resets := len(r.seeds)
		if _, err := s.execute(context.Background(), line); err != nil {
			t.Fatal(err)
		}
		if forgets := !strings.HasPrefix(line, "#"); forgets != (len(r.seeds) > resets) {
			t.Errorf("%s: %d resets", line, len(r.seeds)-resets)
		}
		if s.Seats[s.state.Player()].Agent != nil {
			if err := s.agentMove(context.Background(), true); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(r.observed, s.moves) {
			t.Fatalf("%s: observed %v of the moves %v", line, r.observed, s.moves)
		}
	}
	slices.Sort(r.seeds)
	if len(slices.Compact(slices.Clone(r.seeds))) != len(r.seeds) {
		t.Errorf("a seed comes twice: %v", r.seeds)
	}
}

func TestInterruptedAndBroken(t *testing.T) {
	in, keyboard := io.Pipe()
	defer keyboard.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := start(t, "quad-5x5", "random", env.First, io.Discard).Play(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	fault := errors.New("no such thing")
	in.CloseWithError(fault)
	keyboard.CloseWithError(fault)
	if err := start(t, "quad-5x5", "random", env.First, io.Discard).Play(context.Background(), in); err == nil {
		t.Error("no error from a broken input")
	}
	if err := start(t, "quad-5x5", "random", env.First, brokenWriter{}).Play(context.Background(), io.NopCloser(strings.NewReader("c3\n"))); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v from a broken output", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// The end of a game says why: Quad's by three corners with the cells, and by whites.
func TestEndsOfQuad(t *testing.T) {
	for _, c := range []struct {
		game, moves string
		want        []string
	}{
		{"quad(size=4,quads=3,whites=1,corners=full)", "a1;block c1;d4;b1;d3;a2;c4", []string{"2 *x* *.*", "over: x 95, o 5",
			"x has three corners of a square, and the fourth, b2, is empty; * * marks the winning cells"}},
		{"quad(size=4,quads=2,whites=2,corners=full)", "a1;block c1;b1;d4;c3", []string{"over: x 90, o 10; all quads are used up; x has more whites left, 2 against 1\n"}},
		{"quad(size=4,quads=1,whites=1,corners=full)", "a1;b1", []string{"over: x 50, o 50; all quads are used up; both have 1 white left\n"}},
	} {
		game := games.Must(c.game)
		s := New(Config{Game: game, Seats: [2]Seat{{Name: "a"}, {Name: "b"}}}, io.Discard)
		var err error
		if s.state, s.moves, err = env.ReplayText(game, strings.Split(c.moves, ";")); err != nil {
			t.Fatal(err)
		}
		s.movers = make([]env.Player, len(s.moves))
		s.showPosition()
		contains(t, s.output.String(), c.want...)
	}
}
