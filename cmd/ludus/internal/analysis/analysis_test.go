package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/notation"
	"ludus/env"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/rundir"
	"ludus/train/shipped"
)

func setup(t testing.TB, name, text string, threads int) (*env.Game, []agent.Agent) {
	t.Helper()
	game := games.Must(name)
	spec, err := agent.ParseFactory(game, text, shipped.Loader(game, rundir.LoadWeights))
	if err != nil {
		t.Fatal(err)
	}
	agents := make([]agent.Agent, threads)
	for i := range agents {
		if agents[i], err = spec.New(1); err != nil {
			t.Fatal(err)
		}
	}
	return game, agents
}

// serve returns the replies to lines.
func serve(t testing.TB, name, text string, threads int, lines string) []map[string]any {
	t.Helper()
	game, agents := setup(t, name, text, threads)
	var out bytes.Buffer
	if err := Serve(context.Background(), game, agents, io.NopCloser(strings.NewReader(lines)), &out); err != nil && !errors.Is(err, ErrRejected) {
		t.Fatal(err)
	}
	return decode(t, out.Bytes())
}

func decode(t testing.TB, data []byte) (replies []map[string]any) {
	t.Helper()
	for line := range bytes.Lines(data) {
		var reply map[string]any
		if err := json.Unmarshal(line, &reply); err != nil || !bytes.HasSuffix(line, []byte("\n")) {
			t.Fatalf("reply %q: %v", line, err)
		}
		replies = append(replies, reply)
	}
	return replies
}

func TestReply(t *testing.T) {
	game, agents := setup(t, "quad-5x5", "mcts:40", 1)
	var out bytes.Buffer
	in := `{"id":"a1","moves":["(mark r3 c3)","mark r2 c2"],"simulations":1e2}`
	if err := Serve(context.Background(), game, agents, io.NopCloser(strings.NewReader(in)), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), `{"id":"a1","player":"x","value":`) || strings.Contains(out.String(), "proven") {
		t.Errorf("reply %s", out.String())
	}
	reply := decode(t, out.Bytes())[0]
	moves := reply["moves"].([]any)
	if len(moves) != 19 || reply["simulations"] != 100.0 || reply["best"] != moves[0].(map[string]any)["move"] {
		t.Errorf("reply %v", reply)
	}
	if goals, ok := reply["goals"]; !ok || goals != nil {
		t.Errorf("goals %v, %v; want null", goals, ok)
	}
	visits, last := 0.0, math.Inf(1)
	for _, m := range moves {
		m := m.(map[string]any)
		n := m["visits"].(float64)
		if prior, ok := m["prior"]; !ok || prior != nil || n > last {
			t.Errorf("move %v after one of %v visits", m, last)
		}
		visits += n
		last = n
		line := m["line"].([]any)
		played := []string{"mark r3 c3", "mark r2 c2"}
		for _, name := range line {
			played = append(played, name.(string))
		}
		if _, _, err := notation.Replay(game, played); err != nil || line[0] != m["move"] || len(line) > 12 {
			t.Errorf("line %v of %v: %v", line, m["move"], err)
		}
	}
	if visits != 100 {
		t.Errorf("%v visits; want 100", visits)
	}
}

// Moves may be written as in play.
func TestTypedMoves(t *testing.T) {
	replies := serve(t, "breakthrough-6x6", "greedy", 1, `{"id":1,"moves":["b2-b3","2 5 2 4"]}
{"id":2,"moves":["(move 2 2 2 3)","(move 2 5 2 4)"]}`)
	if a, b := fmt.Sprint(replies[0]["moves"]), fmt.Sprint(replies[1]["moves"]); a != b || replies[0]["player"] != "white" {
		t.Errorf("%v and %v", replies[0], replies[1])
	}
}

func TestUnknownIsNull(t *testing.T) {
	for _, text := range []string{"random", "greedy"} {
		reply := serve(t, "golden-rectangle", text, 1, `{"id":7,"moves":[]}`)[0]
		if reply["id"] != 7.0 || reply["value"] != nil || reply["goals"] != nil || reply["best"] == "" || reply["simulations"] != 0.0 {
			t.Errorf("%s: %v", text, reply)
		}
		for _, m := range reply["moves"].([]any) {
			m := m.(map[string]any)
			if m["visits"] != nil || m["value"] != nil || m["prior"] != nil || m["line"] != nil {
				t.Errorf("%s: %v", text, m)
			}
		}
	}
}

// After a block the same player is to move.
func TestBlockKeepsThePlayer(t *testing.T) {
	for _, reply := range serve(t, "quad-7x7", "mcts:50", 2, `{"id":"1","moves":["(block r3 c3)"]}
{"id":"2","moves":["(block r3 c3)","(mark r3 c4)","(block r1 c2)"]}`) {
		if want := map[string]string{"1": "x", "2": "o"}[reply["id"].(string)]; reply["player"] != want {
			t.Errorf("request %v: player %v; want %s", reply["id"], reply["player"], want)
		}
	}
}

// won is a game of quad-5x5 that x has won.
const won = `"mark r2 c2","mark r4 c3","mark r2 c3","mark r4 c4","mark r3 c2","mark r5 c3","mark r3 c3"`

func TestTerminal(t *testing.T) {
	game, agents := setup(t, "quad-5x5", "random", 1)
	var out bytes.Buffer
	if err := Serve(context.Background(), game, agents, io.NopCloser(strings.NewReader(`{"id":"end","moves":[`+won+`]}`)), &out); err != nil {
		t.Fatal(err)
	}
	if want := `{"id":"end","terminal":true,"value":1,"goals":{"o":0,"x":100}}` + "\n"; out.String() != want {
		t.Errorf("reply %s want %s", out.String(), want)
	}
}

var bad = map[string]string{ // line to a part of its error
	`what`:                                "a request is a JSON object",
	`[]`:                                  "a request is a JSON object",
	`null`:                                "a request is a JSON object",
	`"a"`:                                 "a request is a JSON object",
	`{"id":"a"`:                           "unexpected end",
	`{"id":"a"} {"id":"b"}`:               "after top-level value",
	"\x00\xff\xfe":                        "a request is a JSON object",
	`{}`:                                  "id is missing",
	`{"id":null}`:                         "id must be a string or a number",
	`{"id":["a"]}`:                        "id must be a string or a number",
	`{"id":{}}`:                           "id must be a string or a number",
	`{"id":"a","move":[]}`:                `did you mean "moves"?`,
	`{"id":"a","zzzzzzzzzzzz":1}`:         "unknown field",
	`{"id":"a","moves":null}`:             "moves must be a list",
	`{"id":"a","moves":"mark"}`:           "moves must be a list",
	`{"id":"a","moves":[1]}`:              "moves must be a list",
	`{"id":"a","moves":[null]}`:           `move 1: "" is not a move of this game`,
	`{"id":"a","moves":["(mark r9 c9)"]}`: "move 1: \"(mark r9 c9)\" is not a move of this game; moves look like ",
	`{"id":"a","moves":["(mark r1 c1)"]}`: "move 1",
	`{"id":"a","moves":["(mark r3 c3)","(mark r3 c3)"]}`: "move 2: c3 is not legal: x is on c3",
	`{"id":"a","moves":[` + won + `,"mark r1 c2"]}`:      `move 8: illegal move b1 (mark r1 c2): the game is over`,
	`{"id":"a","simulations":0}`:                         "from 1 to 1000000",
	`{"id":"a","simulations":-1}`:                        "from 1 to 1000000",
	`{"id":"a","simulations":1.5}`:                       "from 1 to 1000000",
	`{"id":"a","simulations":1e300}`:                     "from 1 to 1000000",
	`{"id":"a","simulations":1e999}`:                     "from 1 to 1000000",
	`{"id":"a","simulations":1000001}`:                   "from 1 to 1000000",
	`{"id":"a","simulations":"64"}`:                      "from 1 to 1000000",
	`{"id":"a","simulations":null}`:                      "from 1 to 1000000",
	`{"id":"a","simulations":[3]}`:                       "from 1 to 1000000",
	`{"id":"` + strings.Repeat("a", 2*maxLine) + `"}`:    "longer than 65536 bytes",
	strings.Repeat("[", maxLine-1):                       "a request is a JSON object",
	strings.Repeat("x", 3<<20):                           "longer than 65536 bytes",
}

func TestBadLines(t *testing.T) {
	for line, want := range bad {
		replies := serve(t, "quad-5x5", "random", 1, line+"\n"+`{"id":"after"}`+"\n")
		if len(replies) != 2 || replies[1]["id"] != "after" || replies[1]["best"] == nil {
			t.Errorf("%.60q: replies %v", line, replies)
			continue
		}
		reason, _ := replies[0]["error"].(string)
		if !strings.Contains(reason, want) || len(replies[0]) != 2 {
			t.Errorf("%.60q: reply %v; want an error that says %q", line, replies[0], want)
		}
		id, ok := replies[0]["id"]
		if wantID := any("a"); !ok || strings.HasPrefix(line, `{"id":"a",`) && id != wantID {
			t.Errorf("%.60q: reply to %v", line, id)
		}
	}
	if replies := serve(t, "quad-5x5", "random", 1, "\n  \r\n\t\n"); len(replies) != 0 {
		t.Errorf("blank lines are answered: %v", replies)
	}
	if replies := serve(t, "quad-5x5", "random", 1, "{\"id\":\"a\"}\r\n{\"id\":\"b\"}"); len(replies) != 2 {
		t.Errorf("other line ends: %v", replies)
	}
}

// A thousand requests are written before the first reply is read. Each gets a reply, and equal requests get equal
// replies.
func TestThousandRequestsAtOnce(t *testing.T) {
	game, agents := setup(t, "quad-5x5", "mcts:20", 4)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), game, agents, in, out)
		out.Close()
	}()
	for i := range 1000 {
		if _, err := fmt.Fprintf(toServer, `{"id":"q%d","moves":["(mark r3 c%d)"]}`+"\n", i, 1+i%5); err != nil {
			t.Fatal(err)
		}
	}
	toServer.Close()
	data, err := io.ReadAll(fromServer)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	answers := map[string]bool{}
	for _, reply := range decode(t, data) {
		seen[reply["id"].(string)] = true
		answers[fmt.Sprint(reply["value"], reply["moves"])] = true
	}
	if len(seen) != 1000 || len(answers) != 5 {
		t.Errorf("%d requests answered with %d answers; want 1000 and 5", len(seen), len(answers))
	}
}

// Replies are written at once, not when the input ends.
func TestRepliesComeAtOnce(t *testing.T) {
	game, agents := setup(t, "quad-5x5", "greedy", 1)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), game, agents, in, out) }()
	replies := bufio.NewReader(fromServer)
	for range 3 {
		if _, err := io.WriteString(toServer, `{"id":"a"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		if line, err := replies.ReadString('\n'); err != nil || !strings.Contains(line, `"id":"a"`) {
			t.Fatalf("reply %q, %v", line, err)
		}
	}
	toServer.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }
func (b broken) Read([]byte) (int, error)  { return 0, b.err }

func TestBrokenStreamsAndCancelling(t *testing.T) {
	game, agents := setup(t, "quad-7x7", "mcts:1000000", 2)
	fault := errors.New("no such thing")
	ctx := context.Background()
	line := `{"id":"a","simulations":1}` + "\n"
	if err := Serve(ctx, game, agents, io.NopCloser(strings.NewReader(line+line+line)), broken{fault}); !errors.Is(err, fault) {
		t.Errorf("writing: error %v", err)
	}
	if err := Serve(ctx, game, agents, io.NopCloser(broken{fault}), io.Discard); !errors.Is(err, fault) {
		t.Errorf("reading: error %v", err)
	}
	in, toServer := io.Pipe()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.WriteString(toServer, `{"id":"a","simulations":1000000}`+"\n")
		cancel()
	}()
	start := time.Now()
	if err := Serve(ctx, game, agents, in, io.Discard); !errors.Is(err, context.Canceled) || time.Since(start) > 3*time.Second {
		t.Errorf("cancelled: error %v after %v", err, time.Since(start))
	}
	if _, err := toServer.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the input is still being read: %v", err)
	}
}

// Every line gets one reply, a line of JSON, and the next request is answered.
func FuzzLine(f *testing.F) {
	for line := range bad {
		f.Add([]byte(line[:min(len(line), 200)]))
	}
	f.Add([]byte(`{"id":"a1","moves":["(mark r3 c3)"],"simulations":3}`))
	game, agents := setup(f, "quad-5x5", "random", 1)
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n") || len(bytes.TrimSpace(line)) == 0 {
			return
		}
		var out bytes.Buffer
		in := io.MultiReader(bytes.NewReader(line), strings.NewReader("\n"+`{"id":"after"}`+"\n"))
		if err := Serve(context.Background(), game, agents, io.NopCloser(in), &out); err != nil && !errors.Is(err, ErrRejected) {
			t.Fatal(err)
		}
		if replies := decode(t, out.Bytes()); len(replies) != 2 || replies[1]["id"] != "after" {
			t.Fatalf("replies %v", replies)
		}
	})
}
