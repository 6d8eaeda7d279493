package remote

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"ludus/env"
	"ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

func newGame(t testing.TB) *env.Game {
	t.Helper()
	game, err := games.New("quad(size=4,quads=4,whites=1)")
	if err != nil {
		t.Fatal(err)
	}
	return game
}

// tiny is a run that takes seconds.
func tiny(t testing.TB, dir string, generations int) train.Options {
	return train.Options{
		Dir: dir, Game: newGame(t), Generations: generations, Threads: 1,
		Settings: map[string]float64{"parallel_games": 12, "plies_per_generation": 12, "simulations": 6, "channels": 4, "blocks": 1,
			"batch_size": 16, "replay_window": 100, "validation_share": 0.2, "solver_nodes": 300, "rating_share": 0},
	}
}

// startServer returns a server on a free port of this machine.
func startServer(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := StartServer("127.0.0.1:0", dir, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// hub returns a function that connects a run with s.
func hub(t testing.TB, s *Server) func(context.Context) (train.Workers, error) {
	return func(ctx context.Context) (train.Workers, error) {
		return NewHub(ctx, HubOptions{Server: s, Notify: func(text string) { t.Log("learner:", text) }})
	}
}

// startWorker plays until stop is called.
func startWorker(t testing.TB, url, name string) (stop func()) {
	t.Helper()
	w, err := NewWorker(WorkerOptions{Access: Access{URL: url}, Name: name, Notify: func(text string) { t.Log(name+":", text) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() {
		if err := train.Play(ctx, w, 1, func(train.Played) {}); !errors.Is(err, context.Canceled) {
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
	dir := filepath.Join(t.TempDir(), "run")
	server := startServer(t, dir)
	o := tiny(t, dir, 6)
	o.Workers, o.LearnOnly = hub(t, server), true
	for _, name := range []string{"a", "b"} {
		defer startWorker(t, server.URL(), name)()
	}
	start := time.Now()
	summary, err := train.Train(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(start), summary.Games, summary.Positions, summary.Steps)
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metrics {
		if m.ReceivedGames != m.Games || m.Games == 0 {
			t.Errorf("generation %d: %d games, %d of workers", m.Generation, m.Games, m.ReceivedGames)
		}
	}
}
