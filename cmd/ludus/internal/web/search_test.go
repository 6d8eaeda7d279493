package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/env/games"
	"ludus/train/agent"
	"ludus/train/book"
)

// long is a request that takes seconds.
const long = `{"game":"quad-7x7","agent":"alphabeta:8"}`

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// background starts a request; the returned function disconnects its client.
func background(c *client, body string) (leave func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		response, err := c.http.Do(c.request("POST", "/api/choose", body).WithContext(ctx))
		if err == nil {
			response.Body.Close()
		}
	})
	return func() { cancel(); wait.Wait() }
}

// Searches beyond the limit wait, and requests beyond the queue are told to retry. A client that disconnects makes
// room.
func TestBusy(t *testing.T) {
	c := start(t, Options{Threads: 1}, func(l *limits) { l.waiting, l.searchWait = 1, 100*time.Millisecond })
	leave := background(c, long)
	eventually(t, "the first search runs", func() bool { return len(c.searches.running) == 1 })
	quick := `{"game":"quad-5x5","agent":"random"}`
	response := c.refuses(c.request("POST", "/api/choose", quick), http.StatusServiceUnavailable, "took more than 100ms")
	if response.Header.Get("Retry-After") != "2" {
		t.Errorf("come again after %q", response.Header.Get("Retry-After"))
	}
	c.searches.waiting.Store(1)
	c.refuses(c.request("POST", "/api/choose", quick), http.StatusServiceUnavailable, "1 requests are already waiting")
	c.searches.waiting.Store(0)
	post[struct{ Game string }](c, "describe", `{"game":"quad-5x5"}`) // takes no search
	leave()
	eventually(t, "the search ends with its client", func() bool { return len(c.searches.running) == 0 })
	post[chosen](c, "choose", quick)
	if n := c.searches.waiting.Load(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

// A search ends with an error at its own time limit, not at that for reading a request.
func TestLongSearch(t *testing.T) {
	c := start(t, Options{Threads: 1}, func(l *limits) { l.search, l.read = 600*time.Millisecond, 50*time.Millisecond })
	begun := time.Now()
	c.refuses(c.request("POST", "/api/choose", long), http.StatusUnprocessableEntity, "took longer than 600ms; use fewer simulations")
	if spent := time.Since(begun); spent < 600*time.Millisecond {
		t.Errorf("the search ended after %v", spent)
	}
}

// Stopping the server ends its searches.
func TestEnd(t *testing.T) {
	s, err := listen(Options{Address: "127.0.0.1:0", Threads: 1}, defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	c := &client{Server: s, t: t, base: s.base(), http: &http.Client{}}
	leave := background(c, long)
	defer leave()
	eventually(t, "the search runs", func() bool { return len(s.searches.running) == 1 })
	begun := time.Now()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(begun) > 5*time.Second {
		t.Errorf("ended with %v after %v", err, time.Since(begun))
	}
	eventually(t, "the search has ended", func() bool { return len(s.searches.running) == 0 })
}

// A client that does not read its reply is disconnected.
func TestStalledReader(t *testing.T) {
	l := defaultLimits
	l.read, l.searchWait, l.search, l.write = 100*time.Millisecond, 0, 0, 100*time.Millisecond
	s, err := listen(Options{Address: "127.0.0.1:0", Threads: 1}, l)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	s.mux.HandleFunc("/api/test", func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<20))
		}
		ended <- err
	})
	c := serve(t, s)
	response, err := c.http.Do(c.request("GET", "/api/test", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server still waits for its reader")
	}
}

// A spec without a generation uses a new checkpoint as soon as it exists; one with a generation keeps its checkpoint.
func TestNewCheckpoint(t *testing.T) {
	dir := runsFolder(t)
	c := start(t, Options{Runs: dir, Threads: 1})
	value := func(agent string) float64 {
		return post[evaluated](c, "analyze", `{"game":"quad-5x5","agent":"`+agent+`"}`).Value
	}
	first := value("policy:quad")
	for range 3 {
		if value("policy:quad") != first || value("policy:quad@1") != first {
			t.Error("the same network gives another value")
		}
	}
	saveGeneration(t, games.Must("quad-5x5"), dir, "quad", 2)
	second := value("policy:quad")
	if second == first || value("policy:quad@2") != second || value("policy:quad@1") != first {
		t.Errorf("values %v and then %v", first, second)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	c.refuses(c.request("POST", "/api/choose", `{"game":"quad-5x5","agent":"net:quad"}`), http.StatusBadRequest, "there is no folder of runs")
}

// An agent reads its book below the folder of runs, anew when it has changed.
func TestBook(t *testing.T) {
	dir := runsFolder(t)
	c := start(t, Options{Runs: dir, Threads: 1})
	game := games.Must("quad-5x5")
	made := func(spec, name string) float64 {
		f, err := agent.ParseFactory(game, spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		os.Remove(path)
		b, err := book.Make(t.Context(), book.Options{Agent: f, Plies: 3, Positions: 5, Threads: 1, File: path})
		if err != nil {
			t.Fatal(err)
		}
		return b.Start().Value
	}
	for _, spec := range []string{"mcts:50", "mcts:70"} {
		want := made(spec, "a.book")
		const request = `{"game":"quad-5x5","agent":"policy:quad,solve=0,book=a.book"}`
		if got := post[evaluated](c, "analyze", request); got.Value != want {
			t.Errorf("%s: value %v, the book's is %v", spec, got.Value, want)
		}
		type moves struct{ Moves []board.BookMove }
		if got := post[moves](c, "book", request); got.Moves[0].Value != want {
			t.Errorf("%s: the first move of the book is %+v, want value %v", spec, got.Moves[0], want)
		}
	}
	first, err := c.agents.readBook(game, "a.book")
	if again, _ := c.agents.readBook(game, "a.book"); err != nil || again != first {
		t.Errorf("a book is read twice; error %v", err)
	}
	if _, err := c.agents.readBook(games.Must("hex-5x5"), "a.book"); err == nil {
		t.Error("a book of another game is read")
	}
	for name, want := range map[string]string{
		"../a.book": "is not a path within the folder of runs", "none.book": `no book: there is no \"none.book\" in`, "quad": `no book: \"quad\" is not a book`,
		"notes.txt": "no book: notes.txt: bad book",
	} {
		response, body := c.do(c.request("POST", "/api/choose", `{"game":"quad-5x5","agent":"policy:quad,book=`+name+`"}`))
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s; want %s", name, response.StatusCode, body, want)
		}
	}
}

// lines collects the lines of a server's log.
type lines chan string

func (l lines) Write(p []byte) (int, error) { l <- string(p); return len(p), nil }

// A panic fails one request only: it is logged, its place in the queue becomes free, and the agent pool is emptied.
func TestFault(t *testing.T) {
	said := make(lines, 10)
	s, err := listen(Options{Address: "127.0.0.1:0", Threads: 1, Log: said}, defaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	_, back, err := s.agents.get(games.Must("quad-5x5"), "random")
	if err != nil {
		t.Fatal(err)
	}
	back()
	s.agents.inside = func(string) (string, error) { panic("no inside") }
	s.get("/api/test", func(*http.Request) (any, error) { panic("no answer") })
	c := serve(t, s)
	for _, r := range []*http.Request{
		c.request("GET", "/api/test", ""),
		c.request("POST", "/api/choose", `{"game":"quad-5x5","agent":"net:quad"}`),
	} {
		c.refuses(r, http.StatusInternalServerError, "a bug in ludus")
		if log := <-said; !strings.HasPrefix(log, "panic: no ") || !strings.Contains(log, "search_test.go") {
			t.Errorf("logged: %s", log)
		}
	}
	if len(s.agents.idle) != 0 {
		t.Errorf("%d idle agents are kept", len(s.agents.idle))
	}
	post[chosen](c, "choose", `{"game":"quad-5x5","agent":"random"}`)
}

// The pool keeps few idle agents, and an agent serves one request at a time.
func TestLender(t *testing.T) {
	s := &Server{runs: t.TempDir()}
	l := newAgentPool(s, 2)
	game := games.Must("quad-5x5")
	lent := map[agent.Agent]bool{}
	var backs []func()
	for i := range 50 {
		player, back, err := l.get(game, fmt.Sprintf("mcts:%d", 1+i%25))
		if err != nil || lent[player] {
			t.Fatalf("lent twice: %v, error %v", lent[player], err)
		}
		lent[player] = true
		backs = append(backs, back)
	}
	for _, back := range backs {
		back()
		if len(l.idle) > l.maxIdle {
			t.Fatalf("%d idle agents", len(l.idle))
		}
	}
	player, back, err := l.get(game, "mcts:25")
	if err != nil || !lent[player] {
		t.Errorf("an idle agent is not used again, error %v", err)
	}
	back()
	if _, _, err := l.get(game, "net:nowhere"); !errors.Is(err, agent.ErrWeights) || len(l.idle) > l.maxIdle {
		t.Errorf("error %v", err)
	}
}

// The pool drops the least recently used agent first.
func TestLenderForgets(t *testing.T) {
	l := newAgentPool(&Server{runs: t.TempDir()}, 1)
	game := games.Must("quad-5x5")
	for i := range l.maxIdle + 2 {
		n := i + 1
		if i == l.maxIdle {
			n = 1 // again
		}
		_, back, err := l.get(game, fmt.Sprintf("mcts:%d", n))
		if err != nil {
			t.Fatal(err)
		}
		back()
	}
	kept := func(text string) bool {
		return slices.ContainsFunc(l.idle, func(a pooledAgent) bool { return a.text == text })
	}
	if !kept("mcts:1") || kept("mcts:2") || !kept("mcts:3") {
		t.Errorf("kept are mcts:1 %v, mcts:2 %v, mcts:3 %v; want mcts:2 forgotten alone", kept("mcts:1"), kept("mcts:2"), kept("mcts:3"))
	}
}

// Games with short names are always found; the number of others is limited.
func TestGameCache(t *testing.T) {
	g := newGameCache(3)
	for quads := range 3 {
		if _, err := g.find(fmt.Sprintf("quad(size=4,quads=%d,whites=0)", 1+quads)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := g.find("quad(size=4,quads=4,whites=0)"); err == nil || !strings.Contains(err.Error(), "3 different games") {
		t.Errorf("error %v", err)
	}
	for _, name := range append(games.Names(), "quad(size=4,quads=2,whites=0,corners=cut)") {
		if _, err := g.find(name); err != nil {
			t.Error(err)
		}
	}
}
