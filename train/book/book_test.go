package book

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ludus/checkpoints"
	"ludus/env"
	"ludus/env/games"
	"ludus/env/solver"
	"ludus/train/agent"
	"ludus/train/agent/agenttest"
)

// options are those of a book of up to a number of positions in a new file.
func options(t *testing.T, f *agent.Factory, positions int) Options {
	return Options{Agent: f, Plies: 9, Positions: positions, Seed: 1, Threads: 2, File: filepath.Join(t.TempDir(), "a.book")}
}

// made makes a book and returns it with the bytes of its file.
func made(t *testing.T, o Options) (*Book, []byte) {
	t.Helper()
	b, err := Make(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(o.File)
	if err != nil {
		t.Fatal(err)
	}
	return b, data
}

// A book of every position of Tic-tac-toe, here extended from one of three plies, knows the exact value of each. There
// are 627 unfinished positions up to symmetry, of which 1 + 3 + 12 + 38 have at most three moves.
func TestWholeGame(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:40"), 1000)
	o.Plies = 3
	if b, _ := made(t, o); b.Positions() != 54 {
		t.Errorf("%d positions", b.Positions())
	}
	o.Plies = 9
	made(t, o)
	b, err := Read(o.File)
	if err != nil || b.Positions() != 627 {
		t.Fatalf("%v positions, %v", b, err)
	}
	s, rng := solver.New(b.Game, 1<<20), rand.New(rand.NewPCG(1, 2))
	for range 300 {
		for state := b.Game.NewState(); !state.Done(); state.Apply(state.RandomAction(rng.Uint64())) {
			class, _ := s.Solve(state, solver.Limits{})
			want, a := b.Game.UtilityFor(state.Player(), class), b.Analysis(state)
			if a == nil || *a.Value != want || !a.Proven || len(a.Moves) != len(state.Legal(nil)) || a.Player != state.Player() {
				t.Fatalf("%v: %+v, want %v", state, a, want)
			}
			for _, m := range a.Moves {
				after := b.Game.After(state, m.Action)
				class := after.Outcome()
				if !after.Done() {
					class, _ = s.Solve(after, solver.Limits{})
				}
				if got := b.Game.UtilityFor(state.Player(), class); m.Value == nil || *m.Value != got {
					t.Fatalf("%v: move %v is worth %v, want %v", state, m.Action, m.Value, got)
				}
			}
			if *a.Moves[0].Value != want {
				t.Fatalf("the best move is worth %v of %v", *a.Moves[0].Value, want)
			}
		}
	}
}

// Values are backed up between estimates, also where a player moves twice.
func TestBack(t *testing.T) {
	b := newBook(agenttest.Factory(t, "tic-tac-toe", "random").Game, Origin{})
	leaf := func(player env.Player, value float64, exact bool) *Node {
		return &Node{Value: value, Exact: exact, player: player, search: &search{value: value, proven: exact}}
	}
	n := &Node{player: env.First, search: &search{value: 0.2}, Moves: []Move{
		{Next: leaf(env.Second, -0.1, false), estimate: 0.2}, {Next: &Node{}, estimate: 0.9}, {Next: &Node{}, estimate: 0.1},
	}}
	check := func(value float64, exact bool, best int) {
		t.Helper()
		b.back(n)
		if n.Value != value || n.Exact != exact || n.best != best {
			t.Errorf("value %v, exact %v, best %d; want %v, %v, %d", n.Value, n.Exact, n.best, value, exact, best)
		}
	}
	check(0.2, false, 0) // an estimate of a move is at most that of the position, and not the best known move
	n.Moves[1].Next = leaf(env.First, 0.7, false)
	check(0.7, false, 1)
	n.Moves[2].Next = leaf(env.Second, -1, true)
	check(1, true, 2)
	n.Moves[2].Next = leaf(env.Second, 1, true)
	n.Moves[1].Next, n.Moves[0].Next = n.Moves[2].Next, leaf(env.Second, 0, true)
	check(0, false, 0)
	n.all = true
	check(0, true, 0)
	n.search = &search{value: -1, proven: true}
	check(-1, true, 0)
}

// A move's position is reached by its mover in proportion to what the move loses, and by the opponent in one of two
// cases if it is the best and otherwise by the roots of the priors.
func TestSpread(t *testing.T) {
	best, other := &Node{}, &Node{reach: [2]float64{0.25, 0.25}}
	n := &Node{player: env.Second, reach: [2]float64{0.5, 1}, Moves: []Move{
		{Next: best, Value: 0.1, Prior: 0.64}, {Next: other, Value: 0.1 - lossScale, Prior: 0.16}, {Value: -1, Exact: true, Known: true, Prior: 0.04},
	}}
	n.spread()
	for i, want := range []float64{0.5 * (0.5 + 0.5*4/7), 1, 0.25 + 0.5*0.5*2/7, 0.25 + alternative/math.E} {
		if got := []*Node{best, other}[i/2].reach[i%2]; math.Abs(got-want) > 1e-9 {
			t.Errorf("reach %d is %v, want %v", i, got, want)
		}
	}
}

// The file depends neither on threads nor on interruptions, and a book that is extended is that of a longer search.
func TestSameBytes(t *testing.T) {
	for _, spec := range []string{"net:1,sims=20", "net:1,sims=20,solve=500", "mcts:30"} {
		f := agenttest.Factory(t, "breakthrough(columns=4,rows=5)", spec)
		o := options(t, f, 60)
		b, want := made(t, o)
		if b.Positions() != 60 || !bytes.HasPrefix(want, []byte(`{"book":1,"game":"breakthrough(columns=4,rows=5`)) {
			t.Errorf("%s: %d positions, %s", spec, b.Positions(), want[:80])
		}
		for n := b.Start(); n != nil && n.search != nil; n = n.Moves[n.best].Next {
			if state, err := env.Replay(b.Game, n.Line); err != nil || b.Find(state) != n {
				t.Errorf("%s: %v is not found, %v", spec, n.Line, err)
			}
		}
		for cut := 1; cut < len(want); cut += len(want)/4 - 1 {
			again := options(t, f, 60)
			again.Threads = 1 + cut%4
			searched := 0
			again.Progress = func(int) { searched++ }
			if cut > 1 {
				if err := os.WriteFile(again.File, want[:cut], 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, got := made(t, again)
			if left := 60 - max(0, bytes.Count(want[:cut], []byte{'\n'})-1); !bytes.Equal(got, want) || searched != left {
				t.Errorf("%s, cut after %d bytes: %d searches, want %d; equal: %v", spec, cut, searched, left, bytes.Equal(got, want))
			}
		}
		short := options(t, f, 30)
		made(t, short)
		short.Positions = 60
		if _, got := made(t, short); !bytes.Equal(got, want) {
			t.Errorf("%s: an extended book differs", spec)
		}
	}
}

// A file may have the line to an image of a position that a new book would have; its moves are those after its line.
func TestImage(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:30"), 4)
	o.Plies = 1
	_, text := made(t, o)
	opposite := map[string]string{"a1": "c3", "c3": "a1", "a3": "c1", "c1": "a3"}
	corner := regexp.MustCompile(`\{"line":\["([ac][13])"\].*`)
	name := string(corner.FindSubmatch(text)[1])
	line := fmt.Sprintf(`{"line":[%q],"value":0,"moves":[{"move":%q,"value":0,"visits":1}]}`, opposite[name], name)
	if err := os.WriteFile(o.File, corner.ReplaceAll(text, []byte(line)), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Positions, o.Plies = 10, 2
	made(t, o)
	if b, err := Read(o.File); err != nil || b.Positions() != 10 {
		t.Errorf("%+v, %v", b, err)
	}
}

// A stopped Make keeps the finished searches, and such a file is a smaller book.
func TestStop(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:30"), 100)
	ctx, stop := context.WithCancel(t.Context())
	o.Progress = func(searched int) {
		if searched == 20 {
			stop()
		}
	}
	if _, err := Make(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(o.File)
	if lines := bytes.Count(data, []byte{'\n'}); lines < 21 || lines > 23 {
		t.Errorf("%d lines", lines)
	}
	if b, err := Read(o.File); err != nil || b.Positions() != bytes.Count(data, []byte{'\n'})-1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// A book keeps the numbers of games that it was made with, also while it is extended, and those after moves from its
// last positions; the searches do not depend on them.
func TestGames(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:30"), 5)
	_, plain := made(t, o)
	play := func(texts ...string) iter.Seq2[[]env.Action, error] {
		return func(yield func([]env.Action, error) bool) {
			for _, text := range texts {
				_, moves, err := env.ReplayText(o.Agent.Game, strings.Fields(text))
				if !yield(moves, err) {
					return
				}
			}
		}
	}
	o.Games = play("a1 b2", "c3 b2 a1", "b1", "b2")
	made(t, o)
	o.Games = play("b2 a1", "b2 c1", "b2 a2 c3")
	ctx, stop := context.WithCancel(t.Context())
	o.Positions, o.Progress = 30, func(int) { stop() }
	if _, err := Make(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	check := func(b *Book) {
		t.Helper()
		state := b.Game.NewState()
		for _, want := range []int{3, 2} { // b2, then a corner
			moves := b.Moves(state)
			i := slices.IndexFunc(moves, func(m Move) bool { return m.Games == want })
			if b.Games != 3 || i < 0 {
				t.Fatalf("%d games; no move has %d: %+v", b.Games, want, moves)
			}
			state.Apply(moves[i].Action)
		}
	}
	stopped, err := Read(o.File)
	if err != nil {
		t.Fatal(err)
	}
	check(stopped)
	made(t, o)
	b, err := Read(o.File)
	if err != nil {
		t.Fatal(err)
	}
	check(b)
	short := o
	short.Plies, short.File = 1, filepath.Join(t.TempDir(), "c.book")
	b, _ = made(t, short)
	check(b)
	o.Games = play("b2 d9")
	if _, err := Make(t.Context(), o); err == nil {
		t.Error("a wrong game is counted")
	}
	o.Games, o.Positions, o.Progress, o.File = nil, 5, nil, filepath.Join(t.TempDir(), "b.book")
	if _, data := made(t, o); !bytes.Equal(data, plain) {
		t.Errorf("without games there is\n%s, want\n%s", data, plain)
	}
}

// A file that is no intact book is refused with the reason.
func TestDamage(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:30"), 20)
	_, good := made(t, o)
	text := string(good)
	for name, c := range map[string]struct {
		text, want string
		is         error
	}{
		"version":      {strings.Replace(text, `"book":1`, `"book":2`, 1), "version 2", checkpoints.ErrVersion},
		"empty":        {"", "does not begin with", ErrBook},
		"suite":        {`{"game":"tic-tac-toe","moves":[]}` + "\n", "does not begin with", ErrBook},
		"text":         {"hello\n", "does not begin with", ErrBook},
		"half a line":  {text[:20], "does not begin with", ErrBook},
		"game":         {strings.Replace(text, "tic-tac-toe", "tic-tac-tow", 1), "no such game", ErrBook},
		"illegal":      {strings.Replace(text, `"line":["`, `"line":["b2","b2","`, 1), "line 3: ", ErrBook},
		"value":        {strings.Replace(text, `"value":`, `"value":7`, 1), "line 2: ", ErrBook},
		"no value":     {strings.Replace(text, `"value":`, `"worth":`, 1), "line 2: ", ErrBook},
		"games":        {strings.Replace(text, `"move":`, `"games":1,"move":`, 1), "line 2: ", ErrBook},
		"move":         {strings.Replace(text, `{"move":"`, `{"move":"z`, 1), "line 2: ", ErrBook},
		"no positions": {strings.SplitAfter(text, "\n")[0], "no positions", ErrBook},
		"twice":        {text + strings.SplitAfter(text, "\n")[7], "line 22: bad book: an earlier line has", ErrBook},
		"missing":      {strings.Replace(text, strings.SplitAfter(text, "\n")[2], "", 1), "no earlier line leads", ErrBook},
		"appended":     {text + "{}\n", "line 22: ", ErrBook},
	} {
		path := filepath.Join(t.TempDir(), "bad.book")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
	other := games.Must("hex-5x5")
	if _, err := ReadFor(other, o.File); !errors.Is(err, ErrBook) || !strings.Contains(err.Error(), "it is one of tic-tac-toe") {
		t.Error(err)
	}
	sheet := *o.Agent.Game
	sheet.Sheet = "another"
	if _, err := ReadFor(&sheet, o.File); !errors.Is(err, ErrBook) {
		t.Error(err)
	}
}

// A book of gomoku, as gomoku-9x9 was called, goes on.
func TestFormerName(t *testing.T) {
	o := options(t, agenttest.Factory(t, "gomoku-9x9", "mcts:2"), 2)
	_, text := made(t, o)
	if err := os.WriteFile(o.File, bytes.Replace(text, []byte("gomoku-9x9"), []byte("gomoku"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	o.Positions = 3
	if b, _ := made(t, o); b.Positions() != 3 {
		t.Errorf("%d positions", b.Positions())
	}
}

// Make refuses what it cannot do before it searches, and does not touch other files.
func TestRefused(t *testing.T) {
	o := options(t, agenttest.Factory(t, "tic-tac-toe", "mcts:30"), 20)
	_, good := made(t, o)
	for spec, want := range map[string]error{
		"mcts:31": ErrOther, "random": ErrOther, "net:1,time=1s": ErrAgent, "net:1,book=x": ErrAgent, "net:1": ErrOther,
	} {
		bad := o
		bad.Agent = agenttest.Factory(t, "tic-tac-toe", spec)
		if _, err := Make(t.Context(), bad); !errors.Is(err, want) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	fewer := o
	fewer.Positions = 19
	if _, err := Make(t.Context(), fewer); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "20 positions already") {
		t.Error(err)
	}
	if now, _ := os.ReadFile(o.File); !bytes.Equal(now, good) {
		t.Error("the file has changed")
	}
	blind := options(t, agenttest.Factory(t, "tic-tac-toe", "greedy"), 5)
	if _, err := Make(t.Context(), blind); !errors.Is(err, ErrAgent) {
		t.Error(err)
	}
	if _, err := os.Stat(blind.File); err == nil {
		t.Error("there is a file without a search")
	}
}
