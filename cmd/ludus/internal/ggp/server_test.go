package ggp

import (
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ludus/env/gdl/interpreter"
	"ludus/env/gdl/sheets"
)

// TestCase: answers have the case of the sheet, and messages may have any unless case counts. It counts if two names
// differ in case only.
func TestCase(t *testing.T) {
	address, log := serve(t, testMargin, weights(t, "tic-tac-toe"))
	three := sheet(t, "three")
	answers(t, address, "(start m RED ("+three+") 20 5)", "ready")
	if got := send(t, address, "(play M nil)"); !strings.HasPrefix(got, "(Mark ") {
		t.Errorf("the move is %s", got)
	}
	answers(t, address, "(PLAY m ((MARK 1 1) NOOP Noop))", "noop")
	if got := send(t, address, "(play m (noop (Mark 1 2) noop))"); got != "noop" {
		t.Errorf("the move of red, whose turn it is not, is %s", got)
	}
	answers(t, address, "(stop m (noop noop (mark 2 1)))", "done")

	// The sheet of a trained network with names in other case.
	shouted := strings.NewReplacer("(mark", "(Mark", "control", "Control").Replace(sheets.Text("tic-tac-toe"))
	answers(t, address, "(START m2 x ("+shouted+") 20 5)", "ready")
	if got := send(t, address, "(PLAY m2 NIL)"); !strings.HasPrefix(got, "(Mark r") || !strings.Contains(log.String(), "tic-tac-toe.safetensors plays x") {
		t.Errorf("the move is %s", got)
	}
	answers(t, address, "(ABORT m2)", "aborted")

	// Roles in the log.
	answers(t, address, "(START m4 Alice ((role Alice) (role Bob) (role Eve) (legal Alice go) (legal Bob go) (legal Eve go) (init new) (<= terminal (not (true new))) (goal Alice 70) (goal Bob 20) (goal Eve 10)) 20 5)", "ready")
	answers(t, address, "(STOP m4 (go go go))", "done")

	// Moves that are spelled like keywords.
	answers(t, address, "(START m5 me ((role me) (Legal me (setFlag True)) (init (Goal on)) (<= (next (done Init)) (does me (setFlag True))) (<= Terminal (true (done Init))) (<= (goal me 100) (true (done Init)))) 20 5)", "ready")
	answers(t, address, "(PLAY m5 NIL)", "(setFlag True)")
	answers(t, address, "(STOP m5 ((SETFLAG TRUE)))", "done")

	twins := "(role a) (legal a go) (legal a Go) (<= (next moved) (does a ?m)) (<= (next won) (does a Go)) (<= terminal (true moved)) (<= (goal a 100) (true won)) (<= (goal a 0) (not (true won)))"
	answers(t, address, "(START m3 a ("+twins+") 20 5)", "ready")
	answers(t, address, "(PLAY m3 NIL)", "Go")
	answers(t, address, "(STOP m3 (Go))", "done")
	for _, want := range []string{"case counts: go and Go are two words", "over; a 100", "m4: Alice of Alice Bob Eve,", "any number of roles plays Alice, because the number of roles is 3\n", "over; Alice 70, Bob 20, Eve 10", "over; me 100"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

// TestLargeSheets plays a sheet that is too large to ground: its moves are legal.
func TestLargeSheets(t *testing.T) {
	address, log := serve(t, testMargin)
	pairs := sheet(t, "pairs")
	game, err := interpreter.New(t.Context(), pairs, interpreter.MaxTerms)
	if err != nil {
		t.Fatal(err)
	}
	p, err := game.Start()
	if err != nil {
		t.Fatal(err)
	}
	answers(t, address, "(START m black ("+pairs+") 2 5)", "ready")
	rng, last := rand.New(rand.NewPCG(1, 1)), "NIL"
	for range 6 {
		answer := send(t, address, "(PLAY m "+last+")")
		if legal := p.Legal("black"); !slices.Contains(legal, strings.ToLower(answer)) || len(legal) > 1 && !strings.HasPrefix(answer, "(Put ") {
			t.Fatalf("the answer %s is not one of %v", answer, legal)
		}
		moves := p.Random(rng)
		moves[1] = strings.ToLower(answer)
		if p, err = p.Next(moves); err != nil {
			t.Fatal(err)
		}
		last = "(" + strings.Join(moves, " ") + ")"
	}
	answers(t, address, "(ABORT m)", "aborted")
	if strings.Contains(log.String(), "from now on") {
		t.Error("the player lost the position")
	}
}

// TestAbort: when a match ends, so does its preparation, training included, within 100 ms if the machine is idle. The
// test allows 1 s for a busy machine and the race detector.
func TestAbort(t *testing.T) {
	l := &logged{}
	s := &Server{margin: time.Second, minLearning: time.Second, memory: 2 << 30, most: 1, log: log.New(l, "", 0)}
	largeHex := strings.NewReplacer("(row r5)", "(row r5) (row r6) (row r7)", "(column c5)", "(column c5) (column c6) (column c7)",
		"(below r4 r5)", "(below r4 r5) (below r5 r6) (below r6 r7)", "(left c4 c5)", "(left c4 c5) (left c5 c6) (left c6 c7)",
		"red r5", "red r7", "?r c5", "?r c7").Replace(sheets.Text("hex"))
	moments := []time.Duration{0, 50, 1500} // in milliseconds
	for name, text := range map[string]string{
		"pairs": sheet(t, "pairs"), "tic-tac-toe": sheets.Text("tic-tac-toe"), "queens": queens(9), "hex": largeHex, "numbers": numbers,
	} {
		role := strings.Fields(strings.SplitN(text, "(role ", 2)[1])[0]
		start, err := parse("(START m " + strings.TrimSuffix(role, ")") + " (" + text + ") 60 5)")
		if err != nil {
			t.Fatal(err)
		}
		slowest := time.Duration(0)
		for _, after := range moments {
			m, err := s.newMatch(start, 0, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			select {
			case <-m.prepared:
				t.Fatalf("%s is prepared after %v ms: %s", name, int(after), l)
			case <-time.After(after * time.Millisecond):
			}
			begin := time.Now()
			m.cancel()
			<-m.prepared
			slowest = max(slowest, time.Since(begin))
		}
		t.Logf("%s: %v", name, slowest)
		if slowest > time.Second {
			t.Errorf("%s: preparation ends after %v", name, slowest)
		}
	}
	s.running.Wait()
}

// numbers is a sheet with infinitely many first positions.
const numbers = `(role me) (nat z) (<= (nat (suc ?x)) (nat ?x)) (<= (init (c ?x)) (nat ?x)) (legal me go) (next (c z))
	(<= terminal (true (c q))) (goal me 100)`

// TestTermsLimit: the interpreter's memory depends on that of a match.
func TestTermsLimit(t *testing.T) {
	at, l := serveMatches(t, 2, func(s *Server) { s.memory = MinMemory })
	answers(t, at[0], "(START m me ("+numbers+") 20 5)", "ready")
	if want := fmt.Sprintf("the rules cannot be interpreted: more than %d terms", MinMemory/2/treeShare/interpreter.BytesPerTerm); !strings.Contains(l.String(), want) {
		t.Errorf("the log is %s, want %s", l, want)
	}
}

// queens returns the sheet of a game whose gates take long to compile: players move queens on a board, and shoot at a
// cell.
func queens(size int) string {
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, "(index %d) ", i+1)
		if i > 0 {
			fmt.Fprintf(&b, "(succ %d %d) ", i, i+1)
		}
	}
	return b.String() + `(role white) (role black) (init (control white)) (other white black) (other black white)
		(init (at 1 1 white)) (<= (init (at ?n ?n black)) (index ?n) (not (below ?n))) (<= (below ?n) (succ ?n ?m))
		(<= (near ?x ?y) (succ ?x ?y)) (<= (near ?x ?y) (succ ?y ?x)) (<= (near ?x ?x) (index ?x))
		(<= (step ?a ?b ?c ?d) (near ?a ?c) (near ?b ?d) (or (distinct ?a ?c) (distinct ?b ?d)))
		(<= (open ?x ?y) (index ?x) (index ?y) (not (taken ?x ?y)))
		(<= (taken ?x ?y) (true (at ?x ?y ?v)))
		(<= (reach ?a ?b ?c ?d) (step ?a ?b ?c ?d) (open ?c ?d))
		(<= (reach ?a ?b ?e ?f) (reach ?a ?b ?c ?d) (step ?c ?d ?e ?f) (open ?e ?f))
		(<= (legal ?p (go ?a ?b ?c ?d ?e ?f)) (true (control ?p)) (true (at ?a ?b ?p)) (reach ?a ?b ?c ?d) (step ?c ?d ?e ?f) (open ?e ?f))
		(<= (legal ?p noop) (role ?p) (not (true (control ?p))))
		(<= (next (at ?c ?d ?p)) (does ?p (go ?a ?b ?c ?d ?e ?f)))
		(<= (next (at ?e ?f shot)) (does ?p (go ?a ?b ?c ?d ?e ?f)))
		(<= (next (at ?x ?y ?v)) (true (at ?x ?y ?v)) (not (left ?x ?y)))
		(<= (left ?a ?b) (does ?p (go ?a ?b ?c ?d ?e ?f)))
		(<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
		(<= able (legal ?p (go ?a ?b ?c ?d ?e ?f))) (<= terminal (not able))
		(<= (goal ?p 0) (true (control ?p))) (<= (goal ?p 100) (role ?p) (not (true (control ?p))))`
}

// serveMatches starts a player of several matches at a time, which does not train, and returns its addresses and its
// log.
func serveMatches(t *testing.T, matches int, tune func(*Server)) ([]string, *logged) {
	t.Helper()
	return serveWith(t, Options{Matches: matches, Margin: testMargin}, func(s *Server) {
		s.minLearning = time.Hour
		tune(s)
	})
}

// TestTwoMatches plays both seats of a match, each on its port, and then two matches of two servers on one port.
func TestTwoMatches(t *testing.T) {
	at, _ := serveMatches(t, 2, func(*Server) {})
	text := sheets.Text("tic-tac-toe")
	answers(t, at[0], "(START m x ("+text+") 20 5)", "ready")
	answers(t, at[0], "(START m o ("+text+") 20 5)", busy) // PLAY could not tell the seats
	answers(t, at[0], "(INFO)", "((name ludus) (status available))")
	answers(t, at[1], "(START m o ("+text+") 20 5)", "ready")
	answers(t, at[1], "(INFO)", "((name ludus) (status busy))")
	last := "NIL"
	for i := range 4 {
		first := make(chan string)
		go func() { first <- send(t, at[0], "(PLAY m "+last+")") }()
		o := send(t, at[1], "(PLAY m "+last+")")
		x := <-first
		if i%2 == 0 != strings.HasPrefix(x, "(mark") || i%2 == 1 != strings.HasPrefix(o, "(mark") {
			t.Fatalf("in ply %d x plays %s, o %s", i, x, o)
		}
		last = "(" + x + " " + o + ")"
	}
	answers(t, at[0], "(ABORT m)", "aborted")
	answers(t, at[0], "(START other x ("+text+") 20 5)", "ready")
	answers(t, at[0], "(START third x ("+text+") 20 5)", busy)
	answers(t, at[1], "(ABORT m)", "aborted")
	answers(t, at[0], "(START third x ("+text+") 20 5)", "ready")
	for _, id := range []string{"other", "third"} {
		if got := send(t, at[0], "(PLAY "+id+" NIL)"); !strings.HasPrefix(got, "(mark") {
			t.Errorf("the move in match %s is %s", id, got)
		}
	}
}

// TestRestart: after a restart, the messages of a match are answered with busy, and the log says so once. Messages
// after the end of a match are no news.
func TestRestart(t *testing.T) {
	at, log := serveMatches(t, 1, func(*Server) {})
	for range 3 {
		answers(t, at[0], "(PLAY old (noop noop))", busy)
	}
	answers(t, at[0], "(STOP old NIL)", busy)
	if n := strings.Count(log.String(), "match old:"); n != 1 || !strings.Contains(log.String(), "ludus does not play it") {
		t.Errorf("%d lines in the log: %s", n, log)
	}
	answers(t, at[0], "(START m x ("+sheets.Text("tic-tac-toe")+") 20 5)", "ready")
	answers(t, at[0], "(STOP m NIL)", "done")
	before := log.String()
	for _, message := range []string{"(ABORT m)", "(STOP m NIL)", "(PLAY m NIL)"} {
		answers(t, at[0], message, busy)
	}
	if log.String() != before {
		t.Errorf("new in the log: %s", strings.TrimPrefix(log.String(), before))
	}
}

// TestBare: a POST request needs no Content-Length, in HTTP 1.0 and 1.1, and PLAY may write () for NIL.
func TestBare(t *testing.T) {
	at, _ := serveMatches(t, 1, func(s *Server) { s.readTime = 500 * time.Millisecond })
	host := strings.Trim(strings.TrimPrefix(at[0], "http://"), "/")
	bare := func(version, body string) string {
		t.Helper()
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST / HTTP/%s\r\nHost: ludus\r\n\r\n%s", version, body)
		answer, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(answer), "\r\n\r\n")
		return text
	}
	for _, version := range []string{"1.0", "1.1"} {
		if got := bare(version, "( INFO ) ; )"); got != "((name ludus) (status available))" {
			t.Errorf("INFO by HTTP %s is answered %q", version, got)
		}
		if got := bare(version, "(START m x (; a bracket ) in a comment\n"+sheets.Text("tic-tac-toe")+") 20 5)"); got != "ready" {
			t.Errorf("START is answered %q", got)
		}
		if got := bare(version, "(PLAY m ())"); !strings.HasPrefix(got, "(mark ") {
			t.Errorf("PLAY is answered %q", got)
		}
		if got := bare(version, "(ABORT m)"); got != "aborted" {
			t.Errorf("ABORT is answered %q", got)
		}
	}
	if got := bare("1.0", "(INFO"); !strings.Contains(got, "timeout") {
		t.Errorf("half a message is answered %q", got)
	}
}

// slowly is the body of a message that arrives in parts with pauses.
type slowly struct {
	parts []string
	pause time.Duration
}

func (s *slowly) Read(p []byte) (int, error) {
	if len(s.parts) == 0 {
		return 0, io.EOF
	}
	time.Sleep(s.pause)
	n := copy(p, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; s.parts[0] == "" {
		s.parts = s.parts[1:]
	}
	return n, nil
}

// TestSlowStart: a START message may take longer to arrive than any pause in it.
func TestSlowStart(t *testing.T) {
	at, _ := serveMatches(t, 1, func(s *Server) { s.readTime = 600 * time.Millisecond })
	var parts []string
	for _, line := range strings.SplitAfter("(START m x ("+sheets.Text("tic-tac-toe")+") 20 5)", "\n") {
		if len(parts) < 8 {
			parts = append(parts, line)
		} else {
			parts[7] += line
		}
	}
	post := func(pause time.Duration) (string, error) {
		r, err := http.Post(at[0], "text/acl", &slowly{slices.Clone(parts), pause})
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		return string(text), err
	}
	if got, err := post(200 * time.Millisecond); got != "ready" { // 1.6 s
		t.Errorf("a slow START is answered %q (%v)", got, err)
	}
	answers(t, at[0], "(ABORT m)", "aborted")
	if got, _ := post(1500 * time.Millisecond); got == "ready" {
		t.Errorf("a START that pauses is answered %q", got)
	}
}

// TestMemory: preparation stops at the limit of the memory, the interpreter goes on, and the memory is given back.
func TestMemory(t *testing.T) {
	runtime.GC() // what earlier tests left
	before := live()
	at, l := serveMatches(t, 1, func(s *Server) { s.memory = (before + 20<<20) / 2 * 3 })
	answers(t, at[0], "(START m white ("+queens(9)+") 30 5)", "ready")
	if !strings.Contains(l.String(), "of --memory") {
		t.Errorf("the log is %s", l)
	}
	if got := send(t, at[0], "(PLAY m NIL)"); !strings.HasPrefix(got, "(go 1 1 ") {
		t.Errorf("the move is %s", got)
	}
	answers(t, at[0], "(ABORT m)", "aborted")
	for begin := time.Now(); live() > before+10<<20 && time.Since(begin) < 5*time.Second; {
		time.Sleep(20 * time.Millisecond)
	}
	if after := live(); after > before+10<<20 {
		t.Errorf("%d MB before the match, %d afterwards", before>>20, after>>20)
	}
}

// TestSameMoves plays plies with the same moves on a sheet that is too large to ground and whose legal moves take the
// interpreter thousands of steps: every message counts.
func TestSameMoves(t *testing.T) {
	var text strings.Builder
	text.WriteString("(role me) (role you) (init (count 0)) (init (at 0 0 0 0 0 0 0))")
	for digit := range 10 {
		fmt.Fprintf(&text, "(digit %d) (after %d %d)", digit, digit, (digit+1)%10)
	}
	text.WriteString(`(<= (next (at ?n ?a ?b ?c ?d ?e ?f)) (true (at ?a ?b ?c ?d ?e ?f ?g)) (true (count ?n)))
		(<= (next (count ?n)) (true (count ?m)) (after ?m ?n)) (<= terminal (true (count 9)))
		(<= (seen ?x ?y ?z) (true (count ?n)) (digit ?x) (digit ?y) (digit ?z)) (<= bad (digit ?x) (digit ?y) (digit ?z) (not (seen ?x ?y ?z)))
		(<= (legal you wait) (not bad)) (<= early (true (count ?n)) (after ?n ?m) (after ?m ?k) (or (after ?k 3) (after ?k 4) (after ?k 5)))
		(<= (legal me noop) early) (<= (legal me left) (not early)) (<= (legal me right) (not early)) (goal me 100) (goal you 0)`)
	address, log := serve(t, testMargin)
	answers(t, address, "(START m me ("+text.String()+") 2 5)", "ready")
	answers(t, address, "(PLAY m NIL)", "noop")
	for range 2 {
		answers(t, address, "(PLAY m (noop wait))", "noop")
	}
	if got := send(t, address, "(PLAY m (noop wait))"); got != "left" && got != "right" {
		t.Errorf("the fourth move is %s", got)
	}
	answers(t, address, "(ABORT m)", "aborted")
	if strings.Contains(log.String(), "sent twice") || strings.Contains(log.String(), "random playouts") {
		t.Errorf("the log is %s", log)
	}
}
