package remote

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/checkpoints"
	envgames "ludus/env/games"
	"ludus/train"
	"ludus/train/rundir"
)

// TestHostileWorker: somebody with credentials floods a run with everything that is not a valid new game. The run trains
// on as before; only counters change.
func TestHostileWorker(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	server := startServer(t, dir)
	defer startWorker(t, server.URL(), "honest")()
	conn, err := nats.Connect(server.URL(), nats.CustomInboxPrefix(workerInbox))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	games, err := selfPlayGames(t, newGame(t), smallWeights(newGame(t)), 20)
	if err != nil {
		t.Fatal(err)
	}
	other, err := envgames.New("tic-tac-toe")
	if err != nil {
		t.Fatal(err)
	}
	otherGames, err := selfPlayGames(t, other, smallWeights(other), 20)
	if err != nil {
		t.Fatal(err)
	}
	messages := hostileMessages(rand.New(rand.NewPCG(1, 1)))
	messages = append(messages, games.games.Marshal()) // of the run "run"
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	o := tiny(t, dir, 50_000)
	o.Workers, o.LearnOnly = hub(t, server), true
	var hostile, repeater, honest rundir.WorkerStatus
	o.Observe = func(e train.Event) {
		if e.Metrics == nil {
			return
		}
		if e.Metrics.Generation == 1 {
			config, err := rundir.ReadConfig(dir)
			if err != nil {
				t.Error(err)
				return
			}
			games.games.Run, otherGames.games.Run = config.ID, config.ID
			messages = append(messages, otherGames.games.Marshal())
		}
		if e.Metrics.Generation <= 6 {
			for _, data := range messages { // without waiting for acknowledgements: a flood
				if err := conn.Publish(gamesSubject+"hostile", data); err != nil {
					t.Error(err)
				}
			}
			if err := conn.Publish(gamesSubject+"repeater", games.games.Marshal()); err != nil {
				t.Error(err)
			}
		}
		if s, err := Status(Access{URL: server.URL()}); err == nil {
			for _, w := range s.Workers {
				switch w.Name {
				case "hostile":
					hostile = w
				case "repeater":
					repeater = w
				case "honest":
					honest = w
				}
			}
		}
		if e.Metrics.Generation > 6 && hostile.Rejected >= 6*len(messages)-1 && repeater.Duplicates > 0 {
			cancel()
		}
	}
	if _, err := train.Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+100<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
	if hostile.Games > 0 || hostile.Rejected == 0 {
		t.Errorf("hostile messages: %+v", hostile)
	}
	if n := games.games.Games(); repeater.Games != n || repeater.Duplicates%n != 0 || repeater.Rejected > 0 {
		t.Errorf("%d games again and again: %+v", n, repeater)
	}
	if honest.Rejected > 0 || honest.Games == 0 {
		t.Errorf("an honest worker: %+v", honest)
	}
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		t.Error(err)
	}
	for g := range len(metrics) {
		if _, err := train.ReadGames(newGame(t), dir, 1+g); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// hostileMessages returns messages that must not change a run. Package train's TestReadBatchRejects has more.
func hostileMessages(rng *rand.Rand) [][]byte {
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	messages := [][]byte{
		nil, {0}, noise, checkpoints.Seal("ludus-batch", 1, make([]byte, 20<<20)), checkpoints.Seal("ludus-batch", 1, noise),
		checkpoints.Seal("ludus-games", 2, noise), checkpoints.Seal("ludus-batch", 99, nil),
	}
	for range 300 {
		messages = append(messages, noise[:rng.IntN(2000)])
	}
	return messages
}
