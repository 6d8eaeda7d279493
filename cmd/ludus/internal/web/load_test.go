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

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
)

const (
	loadClients = 50
	loadTime    = time.Second
)

// player is a client that plays both sides of its own games and requests every move.
type player struct {
	c        *client
	rng      *rand.Rand
	answered int
	faults   []string
	game     string
	moves    []string
}

// requestMove requests a move; it sometimes disconnects before the reply.
func (p *player) requestMove() {
	if p.game == "" {
		p.game, p.moves = games.Names()[p.rng.IntN(len(games.Names()))], []string{}
	}
	agents := []string{"greedy", "mcts:200", "mcts:2000", "alphabeta:2", "net:" + p.game + ",sims=32", "policy:" + p.game}
	body, err := json.Marshal(map[string]any{
		"game": p.game, "moves": p.moves, "agent": agents[p.rng.IntN(len(agents))], "seed": p.rng.Uint32(),
	})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if p.rng.IntN(20) == 0 {
		time.AfterFunc(time.Duration(p.rng.IntN(5_000_000)), cancel)
	}
	status, data, retry, err := p.post(ctx, body)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.faults = append(p.faults, err.Error())
	case status == http.StatusServiceUnavailable && retry != "" && bytes.Contains(data, []byte(`{"error":"`)):
		time.Sleep(50 * time.Millisecond)
	case status == http.StatusOK:
		p.answered++
		p.play(data)
	default:
		p.faults = append(p.faults, fmt.Sprintf("%s: %d %s", body, status, data))
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
		p.faults = append(p.faults, err.Error())
		return
	}
	p.moves = append(p.moves, reply.Move)
	game, err := games.New(p.game)
	if err != nil {
		panic(err)
	}
	state, _, err := env.ReplayText(game, p.moves)
	if err != nil {
		p.faults = append(p.faults, fmt.Sprintf("%s: %v", p.game, err))
	}
	if err != nil || state.Done() {
		p.game = ""
	}
}

// load lets all clients make requests for a time, while others watch runs. It returns the number of moves and the faults.
func load(c *client, d time.Duration) (answered int, faults []string) {
	var mu sync.Mutex
	var clients, watchers sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	for range 5 {
		watchers.Go(func() {
			for ctx.Err() == nil {
				response, err := c.http.Do(c.request("GET", "/api/runs", ""))
				if err == nil {
					_, err = io.Copy(io.Discard, response.Body)
					response.Body.Close()
				}
				if err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	end := time.Now().Add(d)
	for i := range loadClients {
		clients.Go(func() {
			p := player{c: c, rng: rand.New(rand.NewPCG(1, uint64(i)))}
			for time.Now().Before(end) {
				p.requestMove()
			}
			mu.Lock()
			defer mu.Unlock()
			answered, faults = answered+p.answered, append(faults, p.faults...)
		})
	}
	clients.Wait()
	stop()
	watchers.Wait()
	return answered, faults
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
	dir := t.TempDir()
	for _, name := range games.Names() {
		game := games.Must(name)
		network := infer.NewWeights(game, infer.DefaultConfig(game), rand.New(rand.NewPCG(1, 1)))
		if err := os.WriteFile(filepath.Join(dir, name), network.Marshal(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c := start(t, Options{Runs: dir, Threads: runtime.GOMAXPROCS(0)}, func(l *limits) { l.waiting, l.search = loadClients-5, 5*time.Minute })
	_, first := load(c, loadTime/4)
	heap, goroutines := rest(t, c)
	answered, faults := load(c, loadTime)
	heapAfter, goroutinesAfter := rest(t, c)
	faults = slices.Concat(first, faults)
	if len(faults) > 0 || answered == 0 {
		t.Errorf("%d moves, %d faults such as %v", answered, len(faults), faults[:min(5, len(faults))])
	}
	if heapAfter > heap+2<<20 || goroutinesAfter > goroutines+4 {
		t.Errorf("heap grew from %d to %d bytes, goroutines from %d to %d", heap, heapAfter, goroutines, goroutinesAfter)
	}
}
