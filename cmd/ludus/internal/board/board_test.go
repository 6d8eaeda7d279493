package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ludus/cmd/internal/diagrams"
	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/model/infer/infertest"
	"ludus/train/agent"
	"ludus/train/rundir"
)

var errBusy = errors.New("busy")

// host plays with baselines; inUse counts the agents in use.
func host(inUse *int) *Host {
	return &Host{
		Game: games.New,
		Agent: func(_ context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
			if text == "busy" {
				return nil, nil, errBusy
			}
			spec, err := agent.ParseFactory(game, text, rundir.LoadWeights)
			if err != nil {
				return nil, nil, err
			}
			agent, err := spec.New(99)
			if err != nil {
				return nil, nil, err
			}
			*inUse++
			return agent, func() { *inUse-- }, nil
		},
		Book:           func(*env.Game, string) (agent.Book, error) { return nil, errors.New("books cannot be read here") },
		MaxSimulations: 5000,
	}
}

// answer answers a request and decodes the JSON of the reply into out.
func answer(t *testing.T, op string, in map[string]any, out any) {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	inUse := 0
	reply, err := host(&inUse).Answer(t.Context(), op, body)
	if err != nil || inUse != 0 {
		t.Fatalf("%s %s: %d agents in use, error %v", op, body, inUse, err)
	}
	data, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(out); err != nil {
		t.Fatalf("%s %s: reply %s: %v", op, body, data, err)
	}
}

type description struct {
	Game, Rules   string
	Strategy      string
	Players       [2]string
	Rows, Columns []string
	Hexagons      bool
	OpenLine      bool
	Opposite      bool
	Cells         []bool
	Pieces        []struct {
		Name string
		Side int
	}
	Actions map[string]struct {
		From, To int
		Kind     string
	}
	Drops     bool
	MaxPlies  int
	BestPlay  string
	GoalHead  bool
	Utilities [2]float64
	Diagrams  []diagrams.Diagram
}

type position struct {
	Moves          []string
	Player         int
	Pieces, Status string
	Done           bool
	Goals          [2]int
	WonBy          []int
	Legal          []string
}

// Only agents with a network that has a strength dial have levels.
// TestLabels labels the kinds of pieces that would look alike: several of one player, and those of nobody.
func TestLabels(t *testing.T) {
	for names, want := range map[string]string{
		"white,black,wall": ",,wal", "white king,white man,black,走走走走": "K,M,,走走走", "white,white king,wall 1,wall 2": "W,K,wal,L", "x,o": "x,o",
	} {
		game := &env.Game{Players: [2]string{"white", "black"}, Tensor: env.Shape{H: 1, W: 1}, Drawing: env.Drawing{Inferred: true}}
		for _, name := range strings.Split(names, ",") {
			kind := env.Piece{Name: name, Neutral: !strings.Contains(name, "white") && !strings.Contains(name, "black")}
			if strings.Contains(name, "black") {
				kind.Player = env.Second
			}
			game.Drawing.Pieces = append(game.Drawing.Pieces, kind)
		}
		var labels []string
		for _, p := range DescribeBoard(game).Pieces[:len(game.Drawing.Pieces)] {
			labels = append(labels, p.Label)
		}
		if got := strings.Join(labels, ","); got != want {
			t.Errorf("%s: labels %s, want %s", names, got, want)
		}
	}
}

func TestDial(t *testing.T) {
	dial := agent.Dial{{Temperature: 8, Rating: 120, Low: 100, High: 140}, {Simulations: 64, Rating: 260, Low: 240, High: 280}}
	game := games.Must("quad-5x5")
	for text, want := range map[string]int{"random": 0, "net:a": 3, "net:b": 0} {
		h := host(new(int))
		h.Agent = func(_ context.Context, game *env.Game, text string) (agent.Agent, func(), error) {
			f, err := agent.ParseFactory(game, text, func(r agent.Reference) (*infer.Weights, agent.Origin, error) {
				origin := agent.Origin{Generation: -1, Digest: r.Path}
				if r.Path == "a" {
					origin.Dial = dial
				}
				return infertest.RandomWeights(game, 4, 1, 1), origin, nil
			})
			if err != nil {
				return nil, nil, err
			}
			player, err := f.New(1)
			return player, func() {}, err
		}
		reply, err := h.Answer(t.Context(), "dial", fmt.Appendf(nil, `{"game":%q,"agent":%q}`, game.Name, text))
		if err != nil {
			t.Fatal(err)
		}
		if levels := reply.(dialLevels).Levels; levels == nil || len(levels) != want || want > 0 && levels[0] != (agent.Level{Elo: 150, Low: 130, High: 170}) {
			t.Errorf("%s has the levels %v; want %d", text, levels, want)
		}
	}
}

// Description and positions are enough to play every game to its end.
func TestWholeGames(t *testing.T) {
	for _, name := range games.Names() {
		var d description
		answer(t, "describe", map[string]any{"game": name}, &d)
		if d.Game != name || d.Rules == "" || d.Strategy == "" || d.Players[0] == "" || len(d.Cells) != len(d.Rows)*len(d.Columns) || d.MaxPlies < 5 || d.BestPlay != map[string]string{"quad-5x5": "x wins", "connect-four": "red wins", "tic-tac-toe": "it is a draw", "othello": "it is a draw", "othello-6x6": "white wins", "hex": "blue wins", "hex-13x13": "blue wins", "hex-19x19": "blue wins", "hex-5x5": "blue wins", "hex-7x7": "blue wins"}[name] || d.GoalHead != (name == "free-for-all-2p") || d.Rows[2] != "3" || d.Columns[2] != "c" {
			t.Errorf("%s: description %+v", name, d)
		}
		if d.Drops != (strings.HasPrefix(name, "golden-rectangle") || name == "connect-four") {
			t.Errorf("%s: pieces fall in columns: %v", name, d.Drops)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		moves := []string{}
		game := games.Must(name)
		for state := game.NewState(); ; {
			var p position
			answer(t, "position", map[string]any{"game": name, "moves": moves}, &p)
			if !slices.Equal(p.Moves, moves) || len(p.Pieces) != len(d.Cells) || p.Status != game.Status(state) || p.Goals != state.Goals() {
				t.Fatalf("%s: position %+v after %q", name, p, moves)
			}
			for cell, piece := range state.Pieces(nil) {
				if p.Pieces[cell] != '0'+piece {
					t.Errorf("%s: pieces %s after %q, want %d on cell %d", name, p.Pieces, moves, piece, cell)
				}
			}
			if p.Done {
				if p.Player != -1 || len(p.Legal) != 0 || p.Goals[0]+p.Goals[1] == 0 {
					t.Errorf("%s: the end is %+v", name, p)
				}
				break
			}
			for _, text := range p.Legal {
				if touch, ok := d.Actions[text]; !ok || touch.To >= len(d.Cells) {
					t.Errorf("%s: legal move %s is no action, %+v", name, text, touch)
				}
			}
			if len(moves) > d.MaxPlies || p.Player < 0 || len(p.Legal) == 0 {
				t.Fatalf("%s: position %+v", name, p)
			}
			legal := state.Legal(nil)
			which := rng.IntN(len(legal))
			moves = append(moves, p.Legal[which])
			state.Apply(legal[which])
		}
	}
}

// Moves are drawn on the right cells: from a piece of the player to move, or onto an empty cell.
func TestTouches(t *testing.T) {
	for _, name := range games.Names() {
		var d description
		answer(t, "describe", map[string]any{"game": name}, &d)
		state := games.Must(name).NewState()
		pieces := state.Pieces(nil)
		var p position
		answer(t, "position", map[string]any{"game": name}, &p)
		for _, text := range p.Legal {
			touch := d.Actions[text]
			ok := pieces[touch.To] == 0
			if touch.From >= 0 {
				ok = pieces[touch.From] > 0 && d.Pieces[pieces[touch.From]-1].Side == 0
			}
			if !ok {
				t.Errorf("%s: %s is drawn on %+v", name, text, touch)
			}
		}
	}
}

// Moves may be written freely; replies have names.
func TestNames(t *testing.T) {
	var p position
	answer(t, "position", map[string]any{"game": " quad-5x5 ", "moves": []string{" mark  r3 c3", "B2"}}, &p)
	if !slices.Equal(p.Moves, []string{"c3", "b2"}) || p.Player != 0 || strings.Count(p.Pieces, "0") != 23 {
		t.Errorf("position %+v", p)
	}
}

// choose returns the move of the agent with the given seed.
func TestChoose(t *testing.T) {
	for _, name := range games.Names() {
		game := games.Must(name)
		for _, text := range []string{"random", "greedy", "mcts:20", "alphabeta:1", "solver:100"} {
			for seed := range 3 {
				spec, err := agent.ParseFactory(game, text, rundir.LoadWeights)
				if err != nil {
					t.Fatal(err)
				}
				agent, err := spec.New(uint64(seed))
				if err != nil {
					t.Fatal(err)
				}
				want, err := agent.Choose(t.Context(), game.NewState())
				if err != nil {
					t.Fatal(err)
				}
				var got struct{ Move string }
				answer(t, "choose", map[string]any{"game": name, "agent": text, "seed": seed}, &got)
				if got.Move != game.ActionNames[want] {
					t.Errorf("%s, %s, seed %d: %s, want %s", name, text, seed, got.Move, game.ActionNames[want])
				}
			}
		}
	}
}

// won is a game of quad-5x5 that x wins.
var won = []string{"mark r2 c2", "mark r4 c3", "mark r2 c3", "mark r4 c4", "mark r3 c2", "mark r5 c3", "mark r3 c3"}

// Winning cells are given at the end only.
func TestWonBy(t *testing.T) {
	for plies := range len(won) + 1 {
		var p position
		answer(t, "position", map[string]any{"game": "quad-5x5", "moves": won[:plies]}, &p)
		slices.Sort(p.WonBy)
		if want := []int{6, 7, 11, 12}; p.WonBy == nil || slices.Equal(p.WonBy, want) != (plies == len(won)) {
			t.Errorf("after %d moves, won by %v", plies, p.WonBy)
		}
	}
}

func TestAnalyze(t *testing.T) {
	var result struct {
		Player, Best string
		Reason       string
		Value        float64
		Goals        any
		Simulations  int
		Proven       bool
		Moves        []struct {
			Move   string
			Visits int
			Value  *float64
			Prior  *float64
			Line   []string
		}
	}
	for simulations, want := range map[int]int{0: 40, 1000: 1000} {
		answer(t, "analyze", map[string]any{"game": "quad-5x5", "moves": won[:1], "agent": "mcts:40", "simulations": simulations}, &result)
		if result.Player != "o" || result.Simulations != want || len(result.Moves) != 20 || result.Best != result.Moves[0].Move {
			t.Errorf("%d simulations: %+v", simulations, result)
		}
		for _, m := range result.Moves {
			if len(m.Line) == 0 || m.Line[0] != m.Move {
				t.Errorf("%d simulations: the line of %s is %v", simulations, m.Move, m.Line)
			}
		}
		result.Moves = nil
	}
	var finished struct {
		Terminal bool
		Value    float64
		Goals    map[string]int
	}
	answer(t, "analyze", map[string]any{"game": "quad-5x5", "moves": won, "agent": "mcts:40"}, &finished)
	if !finished.Terminal || finished.Value != 1 || finished.Goals["x"] != 100 {
		t.Errorf("finished: %+v", finished)
	}
}

// bad are invalid requests: op, body and a part of the error.
var bad = [][3]string{
	{"", `{}`, "unknown operation \"\"; known: analyze, book, choose"},
	{"analyse", `{}`, "unknown operation \"analyse\"; known: analyze, book"},
	{"describe", ``, "a request is a JSON object"},
	{"describe", `[]`, "a request is a JSON object"},
	{"describe", `null`, "a request is a JSON object"},
	{"describe", `{"game":`, "unexpected end"},
	{"describe", `{"game":"quad-5x5"} x`, "after top-level value"},
	{"describe", `{}`, "game is missing"},
	{"load", `{"game":"hex"}`, "file is missing"},
	{"load", `{"game":"hex","file":""}`, "there is no game"},
	{"load", `{"game":"hex","file":"a1 a1"}`, "line 1, column 4: game 1, move 2: a1 is not legal"},
	{"save", `{"game":"hex","moves":["a1"],"players":5}`, "players must be two names"},
	{"describe", `{"game":null}`, "game must be the game's name"},
	{"describe", `{"game":5}`, "game must be the game's name"},
	{"describe", `{"game":"quadd-5x5"}`, "did you mean"},
	{"describe", `{"game":"quad(size=1000)"}`, "size=1000 is not allowed"},
	{"describe", `{"game":"quad-5x5","moves":[]}`, `unknown field "moves"; known: game`},
	{"position", `{"game":"quad-5x5","move":[]}`, `did you mean "moves"?`},
	{"position", `{"game":"quad-5x5","moves":null}`, "moves must be a list of strings"},
	{"position", `{"game":"quad-5x5","moves":[1]}`, "moves must be a list of strings"},
	{"position", `{"game":"quad-5x5","moves":["(mark r9 c9)"]}`, `move 1: "(mark r9 c9)" is not a move of this game; moves look like `},
	{"position", `{"game":"quad-5x5","moves":["mark r3 c3","mark r3 c3"]}`, "move 2: c3 is not legal: x is on c3"},
	{"choose", `{"game":"quad-5x5"}`, "agent is missing"},
	{"choose", `{"game":"quad-5x5","agent":7}`, "agent must be a text"},
	{"choose", `{"game":"quad-5x5","agent":"mtcs:1"}`, "did you mean mcts:N?"},
	{"choose", `{"game":"quad-5x5","agent":"` + strings.Repeat("m", 1001) + `"}`, "agent is longer than 1000 bytes"},
	{"describe", `{"game":"` + strings.Repeat("q", 1001) + `"}`, "game is longer than 1000 bytes"},
	{"choose", `{"game":"quad-5x5","agent":"net:/nowhere"}`, "no such file"},
	{"choose", `{"game":"quad-5x5","agent":"random","seed":-1}`, "seed must be a whole number"},
	{"choose", `{"game":"quad-5x5","agent":"random","seed":"1"}`, "seed must be a whole number"},
	{"choose", `{"game":"quad-5x5","agent":"random","seed": null }`, "seed must be a whole number"},
	{"choose", `{"game":"quad-5x5","agent":"random","simulations":1}`, "unknown field"},
	{"book", `{"game":"quad-5x5","agent":"mcts:5"}`, "mcts:5 has no book; give it one with book=FILE"},
	{"book", `{"game":"quad-5x5","agent":"mcts:5,book=none.book"}`, "books cannot be read here"},
	{"analyze", `{"game":"quad-5x5","agent":"mcts:5","simulations":-1}`, "from 0 to 5000"},
	{"analyze", `{"game":"quad-5x5","agent":"mcts:5","simulations":5001}`, "from 0 to 5000"},
	{"analyze", `{"game":"quad-5x5","agent":"mcts:5","simulations":null}`, "from 0 to 5000"},
}

func TestRefused(t *testing.T) {
	over, err := json.Marshal(map[string]any{"game": "quad-5x5", "moves": won, "agent": "random"})
	if err != nil {
		t.Fatal(err)
	}
	inUse := 0
	for _, b := range append(bad, [3]string{"choose", string(over), "the game is over"}) {
		_, err := host(&inUse).Answer(t.Context(), b[0], []byte(b[1]))
		if !errors.As(err, new(*RequestError)) || !strings.Contains(err.Error(), b[2]) {
			t.Errorf("%s %s: error %v; want a RequestError that says %q", b[0], b[1], err, b[2])
		}
	}
	if inUse != 0 {
		t.Errorf("%d agents in use", inUse)
	}
}

// A game that is saved can be loaded.
func TestFiles(t *testing.T) {
	var saved savedGame
	answer(t, "save", map[string]any{"game": "quad-7x7", "moves": []string{"block a4", "c3"}, "players": []string{"you", "zoo"}}, &saved)
	if saved.File != "(;FF[4]CA[UTF-8]AP[ludus:0]SZ[7]LUDUS[quad-7x7]PB[you]PW[zoo]\n;B[block a4];B[c3])\n" {
		t.Error(saved.File)
	}
	for file, want := range map[string]loadedGame{
		saved.File:                       {[]string{"block a4", "c3"}, [2]string{"you", "zoo"}},
		"c3, b d4, d5\nc3":               {[]string{"c3", "block d4", "d5"}, [2]string{}},
		`{"game":"quad-7x7","moves":[]}`: {[]string{}, [2]string{}},
	} {
		var loaded loadedGame
		answer(t, "load", map[string]any{"game": "quad-7x7", "file": file}, &loaded)
		if !slices.Equal(loaded.Moves, want.Moves) || loaded.Players != want.Players {
			t.Errorf("%s: %v", file, loaded)
		}
	}
}

// Errors that are not about the request are not RequestErrors.
func TestOtherErrors(t *testing.T) {
	inUse := 0
	_, err := host(&inUse).Answer(t.Context(), "choose", []byte(`{"game":"quad-5x5","agent":"busy"}`))
	if !errors.Is(err, errBusy) || errors.As(err, new(*RequestError)) {
		t.Errorf("busy: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, op := range []string{"choose", "analyze"} {
		_, err = host(&inUse).Answer(ctx, op, []byte(`{"game":"quad-5x5","agent":"mcts:1000"}`))
		if !errors.Is(err, context.Canceled) || errors.As(err, new(*RequestError)) || inUse != 0 {
			t.Errorf("%s cancelled: error %v, %d agents in use", op, err, inUse)
		}
	}
}

// Every request gets a JSON reply or a RequestError, and its agent is released.
func FuzzAnswer(f *testing.F) {
	ops := append(Operations(), "nothing")
	for _, b := range bad {
		f.Add(uint8(max(slices.Index(ops, b[0]), 0)), []byte(b[1]))
	}
	for i, name := range games.Names() {
		f.Add(uint8(i), fmt.Appendf(nil, `{"game":%q,"moves":[],"agent":"mcts:3"}`, name))
	}
	f.Add(uint8(slices.Index(ops, "analyze")), []byte(`{"game":"quad-7x7","moves":["(block r3 c3)"],"agent":"mcts:3","simulations":1e1}`))
	f.Fuzz(func(t *testing.T, op uint8, body []byte) {
		for _, costly := range []string{"alphabeta", "solver", "\\u", "mcts", "net", "policy"} {
			if strings.Contains(string(body), costly) && !strings.Contains(string(body), `"mcts:3"`) {
				t.Skip("slow, or reads files")
			}
		}
		inUse := 0
		h := host(&inUse)
		h.MaxSimulations = 10
		reply, err := h.Answer(t.Context(), ops[int(op)%len(ops)], body)
		if inUse != 0 {
			t.Fatalf("%d agents in use", inUse)
		}
		if err != nil {
			if !errors.As(err, new(*RequestError)) || err.Error() == "" {
				t.Fatalf("error %v", err)
			}
			return
		}
		if data, err := json.Marshal(reply); err != nil || len(data) < 10 {
			t.Fatalf("reply %s, error %v", data, err)
		}
	})
}
