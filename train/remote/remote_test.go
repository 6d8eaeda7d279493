package remote

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/env"
	"ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

func newGame() *env.Game { return games.Must("quad(size=4,quads=4,whites=1)") }

// smallWeights returns those of a small untrained network.
func smallWeights(game *env.Game) *infer.Weights {
	return infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 4, Blocks: 1}, rand.New(rand.NewPCG(1, 1)))
}

// tiny is a run that takes seconds.
func tiny(t testing.TB, dir string, generations int) train.Options {
	return train.Options{
		Dir: dir, Game: newGame(), Generations: generations, Threads: 1,
		Settings: map[string]float64{"parallel_games": 12, "plies_per_generation": 12, "simulations": 6, "channels": 4, "blocks": 1,
			"batch_size": 16, "replay_window": 100, "validation_share": 0.2, "solver_nodes": 300, "rating_share": 0},
	}
}

// startServer starts a server on a free port of this machine, until the test ends.
func startServer(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := StartServer("127.0.0.1:0", dir, false, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// startHub connects a run with s, until the test ends. It does not close s.
func startHub(t testing.TB, s *Server, run string) *Hub {
	t.Helper()
	h, err := NewHub(t.Context(), s, run, func(text string) { t.Log("learner:", text) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.disconnect)
	return h
}

// connectAsWorker returns a worker's plain connection to s, until the test ends.
func connectAsWorker(t testing.TB, s *Server) *nats.Conn {
	t.Helper()
	conn, err := connectTo(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

// connectTo connects to the server of a URL.
func connectTo(ctx context.Context, text string) (*nats.Conn, error) {
	u, err := parseURL(text)
	if err != nil {
		return nil, err
	}
	return connect(ctx, u)
}

// hub returns a function that connects a run with s.
func hub(t testing.TB, s *Server) func(context.Context, string) (train.Workers, error) {
	return func(ctx context.Context, id string) (train.Workers, error) {
		return NewHub(ctx, s, id, func(text string) { t.Log("learner:", text) })
	}
}

// startWorker plays until stop is called.
func startWorker(t testing.TB, url, name string) (stop func()) {
	t.Helper()
	w, err := NewWorker(t.Context(), WorkerOptions{URL: url, Name: name, Notify: func(text string) { t.Log(name+":", text) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() {
		if err := selfplay.Play(ctx, w, 1, func(selfplay.Played) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("worker %s: %v", name, err)
		}
	})
	return func() {
		cancel()
		joined.Wait()
		w.Close()
	}
}

// TestTrain: a run that only learns gets all its games from two workers, which take its networks.
func TestTrain(t *testing.T) {
	t.Parallel()
	testTrain(t, tiny(t, filepath.Join(t.TempDir(), "run"), 6), []int{0})
}

// TestTrainSizes is TestTrain for a run of two sizes. It ends when games of both have arrived, however many of the
// first size the workers had sent before.
func TestTrainSizes(t *testing.T) {
	t.Parallel()
	o := tiny(t, filepath.Join(t.TempDir(), "run"), 100)
	o.Settings["simulations"] = 100 // the learner is faster than the workers
	o.Game = games.Must("quad(size=5,quads=4,whites=1)")
	sizes, err := rundir.SizesOf(4, 5)
	if err != nil {
		t.Fatal(err)
	}
	o.Settings["sizes"] = float64(sizes)
	testTrain(t, o, []int{4, 5})
}

// testTrain trains with two workers until games on boards of all the sides have arrived; 0 stands for a run of one
// size.
func testTrain(t *testing.T, o train.Options, sides []int) {
	server := startServer(t, o.Dir)
	o.Workers, o.LearnOnly = hub(t, server), true
	for _, name := range []string{"a", "b"} {
		defer startWorker(t, server.URL(), name)()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	arrived, planned := map[int]bool{}, map[int]bool{}
	o.Observe = func(e train.Event) {
		if e.Metrics == nil {
			return
		}
		m := e.Metrics
		if m.ReceivedGames != m.Games || m.Games == 0 {
			t.Errorf("generation %d: %d games, %d of workers", m.Generation, m.Games, m.ReceivedGames)
		}
		planned[m.Size] = true
		records, _, err := record.Read(o.Game, o.Dir, m.Generation)
		if err != nil {
			t.Error(err)
		}
		for _, r := range records {
			arrived[r.Game.Tensor.W] = true
		}
		if len(sides) > 1 && len(arrived) == len(sides) {
			cancel()
		}
	}
	if _, err := train.Train(ctx, o); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(arrived) != len(sides) || !slices.Equal(slices.Sorted(maps.Keys(planned)), sides) {
		t.Errorf("games of the sides %v arrived, generations have %v; want %v", arrived, planned, sides)
	}
}

// TestSend: a worker sends full messages without pauses, and numbers its games in each run from 0.
func TestSend(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	game := newGame()
	weights := smallWeights(game)
	w, err := NewWorker(t.Context(), WorkerOptions{URL: server.URL(), Name: "a\x1b[2J", Notify: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for run, least := range map[string]int{"first": 20_000, "second": 50} {
		h := startHub(t, server, run)
		c, err := selfPlayGames(t, game, weights, 50)
		if err != nil {
			t.Fatal(err)
		}
		for c.games.Games() < least {
			c.games.Append(c.games)
		}
		c.games.Run, c.network.Run = run, run
		if err := h.PublishNetwork(t.Context(), c.network); err != nil {
			t.Fatal(err)
		}
		// Until the worker has the network, it throws the games away whenever it sees that the run before is finished.
		if err := w.await(t.Context(), func() bool { return w.newest != nil && w.newest.Run == run }); err != nil {
			t.Fatal(err)
		}
		want := c.games.Games()
		start := time.Now()
		if err := w.PublishGames(t.Context(), c.games); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		elapsed, messages, id := time.Since(start), 0, ""
		for got := 0; got < want; messages++ {
			d, err := h.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			b, err := record.ReadMessage([]*env.Game{game}, run, d.Data)
			if err != nil {
				t.Fatal(err)
			}
			if d.Sender != "a--2J" || b.First != got || messages > 0 && b.Process != id {
				t.Errorf("%d games of %s in %s, process %s, start at %d, want %d", b.Games(), d.Sender, run, b.Process, b.First, got)
			}
			got, id = got+b.Games(), b.Process
			d.Acknowledge()
		}
		if pauses := time.Duration(messages-1) * sendInterval; messages < least/5000 || messages > 1 && elapsed > pauses {
			t.Errorf("%d messages took %v", messages, elapsed)
		}
		if err := h.Finish(t.Context()); err != nil {
			t.Error(err)
		}
		h.disconnect()
	}
}

// TestFinish: no network follows the message that the run is finished, and no games are stored after it.
func TestFinish(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	game := newGame()
	n := &selfplay.Assignment{Run: "run", Game: game, Settings: rundir.DefaultSettings(game), Simulations: 4,
		Weights: infer.NewWeights(game, infer.Config{Game: game.Name, Channels: 64, Blocks: 4}, rand.New(rand.NewPCG(1, 1)))}
	for range 5 {
		h := startHub(t, server, "run")
		for range 2 {
			if err := h.PublishNetwork(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Millisecond)
		}
		if err := h.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
		newest, err := findNewest(t.Context(), h.conn)
		if err != nil || !strings.Contains(newest.Metadata[invitationKey], "finished") {
			t.Errorf("the newest network is %+v, error %v", newest, err)
		}
		if _, err := h.js.Publish(t.Context(), gamesOf("run", "a"), []byte("late")); err == nil {
			t.Error("a game that comes after the end is stored")
		}
		h.disconnect()
	}
}
