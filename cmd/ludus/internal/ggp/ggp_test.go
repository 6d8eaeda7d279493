package ggp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ludus/env/gdl"
	"ludus/env/gdl/interpreter"
	"ludus/env/gdl/kif"
	"ludus/env/gdl/sheets"
	"ludus/model/infer/infertest"
)

// Clocks of tests, in seconds: searches take 100 ms, and a busy machine may take longer.
const (
	testStart  = 20
	testPlay   = 5
	testMargin = testPlay*time.Second - 100*time.Millisecond
)

// logged collects log lines.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve starts a player that does not train and returns its address and its log.
func serve(t *testing.T, margin time.Duration, runs ...string) (string, *logged) {
	t.Helper()
	return serveTuned(t, margin, func(s *Server) { s.minLearning = time.Hour }, runs...)
}

// serveTuned is serve for a player that tune changes.
func serveTuned(t *testing.T, margin time.Duration, tune func(*Server), runs ...string) (string, *logged) {
	t.Helper()
	at, l := serveWith(t, Options{Margin: margin, Runs: runs}, tune)
	return at[0], l
}

// serveWith starts a player with options, which tune changes, and returns its addresses and its log.
func serveWith(t *testing.T, o Options, tune func(*Server)) (at []string, l *logged) {
	t.Helper()
	l = &logged{}
	o.Address, o.Log = "127.0.0.1:0", l
	s, err := Listen(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	tune(s)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		if t.Failed() {
			t.Log(l)
		}
		if strings.Contains(l.String(), "internal error") {
			t.Errorf("the log has an internal error: %s", l)
		}
	})
	for _, a := range s.Addresses() {
		at = append(at, "http://"+a+"/")
	}
	return at, l
}

// send sends a message and returns the answer.
func send(t *testing.T, address, message string) string {
	t.Helper()
	r, err := http.Post(address, "text/acl", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer)
}

// answers sends a message and compares the answer.
func answers(t *testing.T, address, message, want string) {
	t.Helper()
	if got := send(t, address, message); got != want {
		t.Fatalf("the answer to %.80q is %.80q, want %q", message, got, want)
	}
}

// weights writes a network of random weights for one of our sheets and returns its file.
func weights(t *testing.T, sheet string) string {
	t.Helper()
	game, _, err := gdl.New(t.Context(), sheet, sheets.Text(sheet))
	if err != nil {
		t.Fatal(err)
	}
	w := infertest.RandomWeights(game, 8, 1, 1)
	w.Config.Sheet = game.Sheet
	path := filepath.Join(t.TempDir(), sheet+".safetensors")
	if err := os.WriteFile(path, w.Marshal(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// matchServer plays a match against random moves, on the slow interpreter.
type matchServer struct {
	address               string
	text                  string // the sheet
	role                  int    // the player's
	startClock, playClock int
	replace               float64 // share of the player's moves that are replaced by random ones
	rng                   *rand.Rand
}

// outcome is how a match went.
type outcome struct {
	moves   int           // asked for, with a choice
	slowest time.Duration // answer to PLAY
	start   time.Duration // answer to START
	goals   []int
}

// play plays a match on a scrambled sheet. It fails the test if an answer is late or illegal.
func (s matchServer) play(t *testing.T) (o outcome) {
	t.Helper()
	game, err := interpreter.New(t.Context(), s.text, interpreter.MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	scrambled, inward, err := sheets.Scramble(s.text, s.rng)
	if err != nil {
		t.Fatal(err)
	}
	outward := map[string]string{}
	for from, to := range inward {
		outward[to] = from
	}
	id := fmt.Sprint("match", s.rng.Uint64())
	begin := time.Now()
	answers(t, s.address, fmt.Sprintf("(START %s %s (%s) %d %d)", id, inward[game.Roles[s.role]], scrambled, s.startClock, s.playClock), "ready")
	if o.start = time.Since(begin); o.start > time.Duration(s.startClock)*time.Second {
		t.Fatalf("START took %v", o.start)
	}
	p, err := game.Start()
	if err != nil {
		t.Fatal(err)
	}
	last := "NIL"
	for !p.Terminal() {
		begin := time.Now()
		answer := send(t, s.address, fmt.Sprintf("(PLAY %s %s)", id, last))
		took := time.Since(begin)
		if took > time.Duration(s.playClock)*time.Second {
			t.Fatalf("PLAY took %v", took)
		}
		o.slowest = max(o.slowest, took)
		answer = translate(t, answer, outward)
		moves := p.Random(s.rng)
		legal := p.Legal(game.Roles[s.role])
		if !slices.Contains(legal, answer) {
			t.Fatalf("the answer %s is not one of %.200v", answer, legal)
		}
		if len(legal) > 1 {
			o.moves++
		}
		if s.rng.Float64() >= s.replace {
			moves[s.role] = answer
		}
		if p, err = p.Next(moves); err != nil {
			t.Fatal(err)
		}
		last = translate(t, "("+strings.Join(moves, " ")+")", inward)
	}
	answers(t, s.address, fmt.Sprintf("(STOP %s %s)", id, last), "done")
	for _, role := range game.Roles {
		o.goals = append(o.goals, p.Goals(role)...)
	}
	return o
}

// translate replaces the words of a text.
func translate(t *testing.T, text string, names map[string]string) string {
	t.Helper()
	nodes, err := kif.Read(text)
	if err != nil || len(nodes) != 1 {
		t.Fatalf("%q is no term (%v)", text, err)
	}
	var walk func(n kif.Node) kif.Node
	walk = func(n kif.Node) kif.Node {
		if to, ok := names[n.Atom]; ok {
			n.Atom = to
		}
		for i := range n.List {
			n.List[i] = walk(n.List[i])
		}
		return n
	}
	return walk(nodes[0]).String()
}

// TestMatches plays scrambled matches of Connect Four with a network and of tic-tac-toe without. LUDUS_TEST_MATCHES=100
// plays so many, with the clocks of a tournament: 10 and 2 seconds.
func TestMatches(t *testing.T) {
	count, start, play, margin, learning := 2, testStart, testPlay, testMargin, time.Hour
	if n, err := strconv.Atoi(os.Getenv("LUDUS_TEST_MATCHES")); err == nil {
		count, start, play, margin, learning = n, 10, 2, 500*time.Millisecond, minLearning
	}
	address, log := serveTuned(t, margin, func(s *Server) { s.minLearning = learning }, weights(t, "connect-four"))
	rng := rand.New(rand.NewPCG(1, 1))
	var total outcome
	wins := map[string]int{}
	for i := range count {
		name := []string{"tic-tac-toe", "connect-four"}[i%2]
		s := matchServer{address: address, text: sheets.Text(name), role: i / 2 % 2, startClock: start, playClock: play, rng: rng}
		o := s.play(t)
		total.moves += o.moves
		total.slowest, total.start = max(total.slowest, o.slowest), max(total.start, o.start)
		if wins[name] += o.goals[s.role]; t.Failed() {
			return
		}
	}
	t.Logf("%d matches, %d moves, the slowest in %v, the slowest start in %v; points %v", count, total.moves, total.slowest, total.start, wins)
	for _, want := range []string{"connect-four.safetensors plays", "a search with random playouts plays", "over; "} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

// TestReplacedMoves plays matches whose server replaces most moves.
func TestReplacedMoves(t *testing.T) {
	address, log := serve(t, testMargin, weights(t, "tic-tac-toe"))
	for i, name := range []string{"tic-tac-toe", "nim"} {
		matchServer{address: address, text: sheets.Text(name), role: i, startClock: testStart, playClock: testPlay, replace: 0.7, rng: rand.New(rand.NewPCG(2, uint64(i)))}.play(t)
	}
	if strings.Contains(log.String(), "from now on") {
		t.Error("a player lost the position")
	}
}

// Games that ludus cannot train on.
const (
	simultaneous = `(role a) (role b) (role c) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
		(<= (legal ?r (throw ?x)) (role ?r) (hand ?x)) (hand rock) (hand paper) (hand scissors)
		(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (next (threw ?r ?x)) (does ?r (throw ?x)))
		(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 4)))`
	puzzle = `(role robot) (init (at 1)) (succ 1 2) (succ 2 3) (succ 3 4) (<= (legal robot (go ?x)) (succ ?y ?x))
		(<= (legal robot stay) (true (at ?x))) (<= (next (at ?x)) (does robot (go ?x)))
		(<= (next (at ?y)) (does robot stay) (true (at ?x)) (succ ?x ?y)) (<= (goal robot 100) (true (at 4)))
		(<= (goal robot 0) (not (true (at 4)))) (<= terminal (true (at 4)))`
	endless = `(role a) (role b) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (legal a x) (legal b x) (goal a 50) (goal b 50)`
)

// TestOtherGames plays matches of games that ludus cannot train on: all moves are legal.
func TestOtherGames(t *testing.T) {
	address, log := serve(t, testMargin)
	for i, text := range []string{simultaneous, puzzle} {
		for role := range 1 + 2*(1-i) {
			matchServer{address: address, text: text, role: role, startClock: testStart, playClock: testPlay, rng: rand.New(rand.NewPCG(4, uint64(role)))}.play(t)
		}
	}
	if !strings.Contains(log.String(), "a search for any number of roles plays") {
		t.Error("the log does not say what plays")
	}
	answers(t, address, "(START m a ("+endless+") 2 1)", "ready")
	answers(t, address, "(PLAY m NIL)", "x")
	answers(t, address, "(PLAY m (x x))", "x")
	answers(t, address, "(ABORT m)", "aborted")
	if !strings.Contains(log.String(), "a search that interprets the rules plays a, because they are not compiled") {
		t.Error("the log does not say why the rules are interpreted")
	}
}

// TestIdleClients: connections that send nothing do not keep a match server out.
func TestIdleClients(t *testing.T) {
	address, _ := serve(t, testMargin)
	for range 200 {
		conn, err := net.Dial("tcp", strings.Trim(strings.TrimPrefix(address, "http:"), "/"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	start := time.Now()
	answers(t, address, "(INFO)", "((name ludus) (status available))")
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("INFO took %v", took)
	}
}

// TestProtocol checks answers to messages in and out of turn.
func TestProtocol(t *testing.T) {
	address, log := serve(t, testMargin)
	sheet := sheets.Text("tic-tac-toe")
	answers(t, address, "(INFO)", "((name ludus) (status available))")
	answers(t, address, " ( Info ) ", "((name ludus) (status available))")
	answers(t, address, "(PLAY m1 NIL)", "busy")
	answers(t, address, "(PREVIEW ("+sheet+") 5)", "ready")
	answers(t, address, "(START m1 x ("+sheet+") 20 5)", "ready")
	answers(t, address, "(INFO)", "((name ludus) (status busy))")
	answers(t, address, "(START m1 x ("+sheet+") 20 5)", "busy")
	answers(t, address, "(START m2 o ("+sheet+") 20 5)", "busy")
	answers(t, address, "(PREVIEW ("+sheet+") 5)", "busy")
	answers(t, address, "(PLAY m2 NIL)", "busy")
	answers(t, address, "(ABORT m2)", "busy")
	if got := send(t, address, "(PLAY M1 NIL)"); !strings.HasPrefix(got, "(mark ") {
		t.Errorf("the first move is %s", got)
	}
	answers(t, address, "(PLAY m1 ((mark r2 c2) noop))", "noop")
	answers(t, address, "(PLAY m1 ((mark r2 c2) noop))", "noop") // as a client that got no answer
	if got := send(t, address, "(PLAY m1 (noop (mark r1 c1)))"); !strings.HasPrefix(got, "(mark ") || !strings.Contains(log.String(), "sent twice") {
		t.Errorf("after a repeated message the move is %s", got)
	}
	answers(t, address, "(PLAY m1 (noop))", "1 moves; the match has 2 roles")
	answers(t, address, "(ABORT m1)", "aborted")
	answers(t, address, "(ABORT m1)", "busy")
	answers(t, address, "(INFO)", "((name ludus) (status available))")

	// Moves that no position allows: the server must go on by itself.
	answers(t, address, "(START m3 o ("+sheet+") 20 5)", "ready")
	answers(t, address, "(PLAY m3 ((jump 9 9) noop))", "nil")
	answers(t, address, "(PLAY m3 ((mark r1 c1) noop))", "nil")
	answers(t, address, "(STOP m3 (noop noop))", "done")
	if !strings.Contains(log.String(), "(jump 9 9)") {
		t.Error("the log does not name the unknown move")
	}
	// A move that is known but illegal: the player gives up, and what follows is legal by the sheet.
	answers(t, address, "(START m4 o ("+sheet+") 20 5)", "ready")
	if got := send(t, address, "(PLAY m4 ((mark r1 c1) (mark r2 c2)))"); !strings.HasPrefix(got, "(mark ") || got == "(mark r1 c1)" || got == "(mark r2 c2)" {
		t.Errorf("the move after two at once is %s", got)
	}
	answers(t, address, "(STOP m4 NIL)", "done")
	if !strings.Contains(log.String(), "a search for any number of roles plays from now on") {
		t.Error("the log does not say that the player lost the position")
	}

	r, err := http.Get(address + url.QueryEscape("( INFO )"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, _ := io.ReadAll(r.Body); string(text) != "((name ludus) (status available))" || r.Header.Get("Content-Type") != "text/acl" {
		t.Errorf("GET answers %q as %s", text, r.Header.Get("Content-Type"))
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err = http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusOK || r.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("OPTIONS answers %s with %v", r.Status, r.Header)
	}
}

// TestFaults checks that bad messages and bad clients harm nothing.
func TestFaults(t *testing.T) {
	address, log := serve(t, testMargin)
	sheet := sheets.Text("nim")
	big := strings.Repeat("(fact a b c) ", 5<<20/13)
	var manyRoles strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&manyRoles, "(role r%d)", i)
	}
	for _, message := range []string{
		"", "(", ")", "()", "((", "(PLAY", "(())", "(START)", "(START m)", "(START (m) x ((role x)) 1 1)", "(START m x (role x) 1 1)",
		"(START m x ((role x) 1 1)", "(START m z (" + sheet + ") 1 1)", "(START m x ((<= p (not))) 1 1)", "(START m x (" + sheet + ") 1 -1)",
		"(START m x (" + sheet + ") soon 1)", "(JUMP m)", "(PLAY (m) NIL)", "\x00\xff", strings.Repeat("(", 1000),
		"(START m x ((role x) (role y) " + big + ") 10 2)", "(START m x (" + manyRoles.String() + ") 1 1)", "(START m x (" + sheet + " " + strings.Repeat("(", 500),
	} {
		r, err := http.Post(address, "text/acl", strings.NewReader(message))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%.60q: %s", message, r.Status)
		}
	}
	if n := strings.Count(log.String(), "refused"); n != 23 {
		t.Errorf("%d refusals in the log", n)
	}
	// Clients that send half of a message, and then nothing.
	host := strings.Trim(strings.TrimPrefix(address, "http://"), "/")
	for range 8 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprint(c, "POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(INFO")
	}
	// An answer as a match server of ggp-base reads it.
	c, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMESERVER\r\nReceiver: ludus\r\nContent-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )")
	answer, err := io.ReadAll(c)
	if err != nil || !bytes.HasSuffix(answer, []byte("((name ludus) (status available))")) || !bytes.Contains(bytes.ToLower(answer), []byte("content-length: 33")) {
		t.Errorf("the raw answer is %q (%v)", answer, err)
	}
	// A large sheet that is read, and whose match is aborted while it is prepared.
	answers(t, address, "(START m x ((role x) (role y) "+big[:2<<20/13*13]+") 1 1)", "ready")
	answers(t, address, "(ABORT m)", "aborted")
	matchServer{address: address, text: sheet, startClock: testStart, playClock: testPlay, rng: rand.New(rand.NewPCG(3, 3))}.play(t)
}

// TestMessagesStartNoProgram: no part of a message starts a program.
func TestMessagesStartNoProgram(t *testing.T) {
	address, log := serve(t, testMargin)
	sheet := sheets.Text("tic-tac-toe")
	for _, spec := range []string{`gtp:"touch marker"`, `gomocup:"touch marker"`, `nboard:touch marker`} {
		for _, message := range []string{
			spec, "(" + spec + ")", "(INFO " + spec + ")", "(START " + spec + " x (" + sheet + ") 20 5)", "(START m " + spec + " (" + sheet + ") 20 5)",
			"(START m x ((role " + spec + ") (init " + spec + ")) 20 5)", "(START m x (" + spec + ") 20 5)", "(PLAY m " + spec + ")",
			"(PLAY m (" + spec + " noop))", "(STOP m (" + spec + "))", "(ABORT " + spec + ")", "(PREVIEW (" + spec + ") 5)",
		} {
			send(t, address, message)
		}
		send(t, address, "(ABORT m)")
		if _, err := os.Stat("marker"); err == nil {
			t.Errorf("a message with %s started it; %s", spec, log)
			os.Remove("marker")
		}
	}
}

// TestForeignSheets plays the first moves of every sheet in the folder that LUDUS_SHEETS names. Answers are legal, or
// nil if the player is not ready. The slow interpreter would take too long; package network compares with it.
func TestForeignSheets(t *testing.T) {
	sheets.Foreign(t, func(t *testing.T, _, text string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		circuit, err := gdl.Read(ctx, text)
		if err != nil {
			t.Skip(err)
		}
		address, log := serve(t, testMargin)
		p, rng, last := newRules(circuit).start(), rand.New(rand.NewPCG(1, 1)), "NIL"
		answers(t, address, fmt.Sprintf("(START m %s (%s) %d %d)", p.names[0], text, testStart, testPlay), "ready")
		for range 3 {
			if p.over() {
				break
			}
			begin := time.Now()
			answer := send(t, address, "(PLAY m "+last+")")
			if took := time.Since(begin); took > testPlay*time.Second {
				t.Errorf("PLAY took %v", took)
			}
			var moves []int32
			var texts []string
			for role := range p.names {
				legal := p.legal(role)
				if len(legal) == 0 {
					t.Skipf("%s has no legal move", p.names[role])
				}
				moves = append(moves, legal[rng.IntN(len(legal))])
				if role == 0 {
					move, known := p.number(0, strings.ToLower(answer))
					switch {
					case known && slices.Contains(legal, move):
						moves[0] = move
					case answer != unknownMove || !strings.Contains(log.String(), "in time"):
						t.Fatalf("the answer %s is illegal", answer)
					}
				}
				texts = append(texts, p.text(role, moves[role]))
			}
			last = "(" + strings.Join(texts, " ") + ")"
			p.play(moves)
		}
		answers(t, address, "(ABORT m)", "aborted")
		t.Log(log)
	})
}

// TestForeignMatches plays a whole scrambled match of every sheet in the folder that LUDUS_SHEETS names, on the slow
// interpreter and with the clocks of a tournament, if LUDUS_TEST_MATCHES is set.
func TestForeignMatches(t *testing.T) {
	if os.Getenv("LUDUS_TEST_MATCHES") == "" {
		t.Skip("LUDUS_TEST_MATCHES is not set")
	}
	sheets.Foreign(t, func(t *testing.T, _, text string) {
		address, log := serveTuned(t, 500*time.Millisecond, func(*Server) {})
		o := matchServer{address: address, text: text, startClock: 10, playClock: 2, rng: rand.New(rand.NewPCG(1, 1))}.play(t)
		t.Logf("%d moves, the slowest in %v, the start in %v, goals %v; %s", o.moves, o.slowest, o.start, o.goals, log)
	})
}

// FuzzMessages checks that no message brings the player down, or keeps it from answering.
func FuzzMessages(f *testing.F) {
	f.Add("(INFO)")
	f.Add("(START m x ((role x) (role y) (<= terminal (true a))) 10 2)")
	f.Add("(START m x (" + sheets.Text("tic-tac-toe") + ") 10 2)")
	f.Add("(PLAY m (noop (mark 1 1)))")
	f.Fuzz(func(t *testing.T, text string) {
		l := &logged{}
		s := &Server{margin: time.Second, minLearning: time.Hour, memory: MinMemory, most: 1, log: log.New(l, "", 0)}
		m, err := parse(text)
		if err == nil {
			m.startClock, m.playClock = min(m.startClock, time.Millisecond), min(m.playClock, time.Millisecond)
			_, _ = s.handle(m, 0, time.Now())
			if m.kind == "start" {
				_, _ = s.message("(PLAY "+m.match+" NIL)", 0, time.Now())
			}
		}
		for _, m := range s.matches {
			m.cancel()
		}
		s.running.Wait()
		if strings.Contains(l.String(), "internal error") {
			t.Error(l)
		}
		if got, err := s.message("(PREVIEW ((role x)) 1)", 0, time.Now().Add(100*maxClock*time.Second)); got != "ready" || err != nil {
			t.Errorf("PREVIEW is answered %q, error %v", got, err)
		}
	})
}

// TestSilence checks that a match whose server is gone makes way for the next once the clock of a move has passed
// several times over.
func TestSilence(t *testing.T) {
	l := &logged{}
	s, err := Listen(t.Context(), Options{Address: "127.0.0.1:0", Margin: testMargin, Log: l})
	if err != nil {
		t.Fatal(err)
	}
	start := "(START %s a (" + simultaneous + ") 2 5)"
	now := time.Now().Add(-time.Hour) // so that no answer takes long
	for _, m := range []struct {
		message string
		after   time.Duration
		want    string
	}{
		{fmt.Sprintf(start, "one"), 0, "ready"},
		{fmt.Sprintf(start, "two"), 16 * time.Second, busy}, // start clock and three times the clock of a move: 17 s
		{fmt.Sprintf(start, "two"), 18 * time.Second, "ready"},
		{"(PLAY two NIL)", 20 * time.Second, ""},
		{"(PREVIEW () 1)", 34 * time.Second, busy},
		{"(PREVIEW () 1)", 36 * time.Second, "ready"},
		{fmt.Sprintf(start, "three"), 36 * time.Second, "ready"},
		{"(PLAY two NIL)", 37 * time.Second, busy},
		{fmt.Sprintf(start, "three"), 52 * time.Second, busy},
		{fmt.Sprintf(start, "three"), 53 * time.Second, "ready"}, // its server comes back after 17 s
		{"(PLAY three NIL)", 54 * time.Second, ""},
	} {
		if got, err := s.message(m.message, 0, now.Add(m.after)); m.want != "" && got != m.want || err != nil {
			t.Errorf("%.30s after %v: %q (%v), want %q", m.message, m.after, got, err, m.want)
		}
	}
	for _, m := range s.matches {
		m.cancel()
	}
	s.running.Wait()
	s.listeners[0].Close()
	if !strings.Contains(l.String(), "match two: ended: no message for 16s") {
		t.Errorf("the log is %s", l)
	}
}

// TestRuns checks errors about runs.
func TestRuns(t *testing.T) {
	for path, want := range map[string]string{"nowhere": "no such file", filepath.Join("..", "..", "..", "..", "train", "agent", "testdata", "quad-5x5.safetensors"): "not a game of a rule sheet"} {
		_, err := Listen(t.Context(), Options{Address: "127.0.0.1:0", Runs: []string{path}, Log: io.Discard})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", path, err, want)
		}
	}
}
