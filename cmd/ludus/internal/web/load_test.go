package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"ludus/env/games"
	"ludus/model/infer"
)

// loadTime is the duration of the load test: LUDUS_TEST_LOAD, by default short.
func loadTime(t *testing.T) time.Duration {
	text := os.Getenv("LUDUS_TEST_LOAD")
	if text == "" {
		return time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("LUDUS_TEST_LOAD: %v", err)
	}
	return d
}

const loadClients = 50

// tally counts the outcomes of clients' requests.
type tally struct {
	answered, refused, left int
	latencies               []time.Duration // of the answered
	faults                  []string
}

func (a *tally) add(b *tally) {
	a.answered += b.answered
	a.refused += b.refused
	a.left += b.left
	a.latencies = append(a.latencies, b.latencies...)
	a.faults = append(a.faults, b.faults...)
}

// player is a client that plays both sides of its own games and requests every move.
type player struct {
	c     *client
	rng   *rand.Rand
	tally tally
	game  string
	moves []string
}

// loadAgents are the agents of the clients' requests.
func loadAgents(game string) []string {
	return []string{"greedy", "mcts:200", "mcts:2000", "alphabeta:2", "net:" + game + ",sims=32", "policy:" + game}
}

// requestMove requests a move; it sometimes disconnects before the reply.
func (p *player) requestMove() {
	if p.game == "" {
		p.game = games.Names()[p.rng.IntN(len(games.Names()))]
		p.moves = []string{}
	}
	agents := loadAgents(p.game)
	body, err := json.Marshal(map[string]any{
		"game": p.game, "moves": p.moves, "agent": agents[p.rng.IntN(len(agents))], "seed": p.rng.Uint32(),
	})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	leaves := p.rng.IntN(20) == 0
	if leaves {
		time.AfterFunc(time.Duration(p.rng.IntN(5_000_000)), cancel)
	}
	begun := time.Now()
	status, data, retry, err := p.post(ctx, body)
	switch {
	case ctx.Err() != nil:
		p.tally.left++
	case err != nil:
		p.tally.faults = append(p.tally.faults, err.Error())
	case status == http.StatusServiceUnavailable && retry != "" && bytes.Contains(data, []byte(`{"error":"`)):
		p.tally.refused++
		time.Sleep(50 * time.Millisecond)
	case status == http.StatusOK:
		p.tally.answered++
		p.tally.latencies = append(p.tally.latencies, time.Since(begun))
		p.play(data)
	default:
		p.tally.faults = append(p.tally.faults, fmt.Sprintf("%s: %d %s", body, status, data))
	}
}

func (p *player) post(ctx context.Context, body []byte) (status int, data []byte, retry string, err error) {
	r, err := http.NewRequestWithContext(ctx, "POST", p.c.base+"api/choose", bytes.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := p.c.http.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	data, err = io.ReadAll(response.Body)
	return response.StatusCode, data, response.Header.Get("Retry-After"), err
}

// play plays the received move, which must be legal.
func (p *player) play(data []byte) {
	var reply chosen
	if err := json.Unmarshal(data, &reply); err != nil {
		p.tally.faults = append(p.tally.faults, err.Error())
		return
	}
	p.moves = append(p.moves, reply.Move)
	game, err := games.New(p.game)
	if err != nil {
		panic(err)
	}
	state := game.NewState()
	for _, text := range p.moves {
		a, err := game.ParseAction(text)
		if err != nil || !slices.Contains(state.Legal(nil), a) {
			p.tally.faults = append(p.tally.faults, fmt.Sprintf("%s: %q is not legal", p.game, text))
			return
		}
		state.Apply(a)
	}
	if state.Done() {
		p.game = ""
	}
}

// load lets all clients make requests for a time.
func load(c *client, d time.Duration) tally {
	var all tally
	var mu sync.Mutex
	var wait sync.WaitGroup
	defer spectate(c)()
	end := time.Now().Add(d)
	for i := range loadClients {
		wait.Go(func() {
			p := player{c: c, rng: rand.New(rand.NewPCG(1, uint64(i)))}
			for time.Now().Before(end) {
				p.requestMove()
			}
			mu.Lock()
			defer mu.Unlock()
			all.add(&p.tally)
		})
	}
	wait.Wait()
	return all
}

// spectate keeps some live pages open until stop.
func spectate(c *client) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(func() {
			response, err := c.http.Do(c.request("GET", "/api/runs/events", "").WithContext(ctx))
			if err != nil {
				return
			}
			defer response.Body.Close()
			_, _ = io.Copy(io.Discard, response.Body)
		})
	}
	return func() { cancel(); wait.Wait() }
}

// rest returns the live heap in bytes and the number of goroutines, after all connections are closed. It empties the
// agent pool, whose content is random.
func rest(t *testing.T, c *client) (heap uint64, goroutines int) {
	c.http.CloseIdleConnections()
	eventually(t, "the searches end", func() bool { return len(c.searches.running) == 0 && c.searches.waiting.Load() == 0 })
	goroutines = runtime.NumGoroutine()
	eventually(t, "the connections end", func() bool {
		before := goroutines
		time.Sleep(100 * time.Millisecond)
		goroutines = runtime.NumGoroutine()
		return goroutines == before
	})
	c.agents.clear()
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, goroutines
}

// Fifty clients request moves at once while others watch runs. Each gets a move or is told to retry, and afterwards the
// server uses no more memory than before.
func TestLoad(t *testing.T) {
	spent := loadTime(t)
	dir := t.TempDir()
	for _, name := range games.Names() {
		game := gameOf(t, name)
		network := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
		if err := os.WriteFile(filepath.Join(dir, name), network.Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: runtime.GOMAXPROCS(0)}, func(l *limits) { l.waiting = loadClients - 5 })
	first := load(c, spent/4)
	heap, goroutines := rest(t, c)
	all := load(c, spent)
	heapAfter, goroutinesAfter := rest(t, c)
	for _, fault := range slices.Concat(first.faults, all.faults)[:min(5, len(first.faults)+len(all.faults))] {
		t.Error(fault)
	}
	if all.answered == 0 {
		t.Fatal("no request got a move")
	}
	slices.Sort(all.latencies)
	at := func(share float64) time.Duration {
		return all.latencies[int(share*float64(len(all.latencies)-1))].Round(100 * time.Microsecond)
	}
	t.Logf("%v: %.0f/s answered, %.0f/s refused, %d left; latency 50 %% %v, 90 %% %v, 99 %% %v, most %v; heap %.1f to %.1f MB, goroutines %d to %d",
		spent, float64(all.answered)/spent.Seconds(), float64(all.refused)/spent.Seconds(), all.left,
		at(0.5), at(0.9), at(0.99), at(1), float64(heap)/1e6, float64(heapAfter)/1e6, goroutines, goroutinesAfter)
	if most := heap + 2<<20; heapAfter > most || goroutinesAfter > goroutines+4 {
		t.Errorf("heap grew from %d to %d bytes, goroutines from %d to %d", heap, heapAfter, goroutines, goroutinesAfter)
	}
}
