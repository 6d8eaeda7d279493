package remote

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/checkpoints"
	envgames "ludus/env/games"
	"ludus/model/infer"
	"ludus/train"
	"ludus/train/record"
	"ludus/train/rundir"
)

// TestHostileWorker: somebody with credentials floods a run with everything that is not a valid new game. The run
// trains on as before; only counters change.
func TestHostileWorker(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	server := startServer(t, dir)
	defer startWorker(t, server.URL(), "honest")()
	conn := connectAsWorker(t, server)
	games, err := selfPlayGames(t, newGame(), smallWeights(newGame()), 20)
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
	flood := hostileMessages(rand.New(rand.NewPCG(1, 1)))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	o := tiny(t, dir, 50_000)
	o.Workers, o.LearnOnly = hub(t, server), true
	workers := map[string]rundir.WorkerStatus{}
	var joined sync.WaitGroup
	run := "" // its id
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
			otherRun := games.games.Marshal()
			run = config.ID
			games.games.Run, otherGames.games.Run = run, run
			valid, otherGame := games.games.Marshal(), otherGames.games.Marshal()
			joined.Go(func() {
				send(ctx, conn, run, "other-run", otherRun)
				send(ctx, conn, run, "other-game", otherGame)
				for ctx.Err() == nil {
					send(ctx, conn, run, "repeater", valid)
					send(ctx, conn, run, "copier", valid)
					time.Sleep(100 * time.Millisecond)
				}
			})
		}
		if e.Metrics.Generation <= 6 {
			for _, data := range flood { // without waiting for answers
				if err := conn.Publish(gamesOf(run, "flood"), data); err != nil {
					t.Error(err)
				}
			}
		}
		if s, err := rundir.ReadWorkers(dir); err == nil {
			for _, w := range s.Workers {
				workers[w.Name] = w
			}
		}
		if e.Metrics.Generation > 6 && workers["flood"].Rejected > 0 && workers["repeater"].Duplicates > 0 && workers["copier"].Duplicates > 0 && workers["honest"].Games > 0 {
			cancel()
		}
	}
	if _, err := train.Train(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	joined.Wait()
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+100<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
	for _, name := range []string{"flood", "other-run", "other-game"} {
		if w := workers[name]; w.Games > 0 || w.Rejected == 0 {
			t.Errorf("%s: %+v", name, w)
		}
	}
	if n, w := games.games.Games(), workers["repeater"]; w.Games != n || w.Duplicates < n || w.Rejected > 0 {
		t.Errorf("%d games again and again: %+v", n, w)
	}
	if w := workers["copier"]; w.Games > 0 || w.Duplicates == 0 {
		t.Errorf("the same games under another name: %+v", w)
	}
	if w := workers["honest"]; w.Games == 0 || w.Rejected > 0 {
		t.Errorf("an honest worker: %+v", w)
	}
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil {
		t.Error(err)
	}
	unstarted(t)
	for g := range len(metrics) {
		if _, _, err := record.Read(newGame(), dir, 1+g); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}

// evilSpec is an agent that would leave the file marker in the working folder.
const evilSpec = `gtp:"touch marker"`

// unstarted fails if evilSpec was started.
func unstarted(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("marker"); err == nil {
		t.Error("a program was started")
		os.Remove("marker")
	}
}

// TestHostileLearner: a worker starts no program that a learner names as its game, its run or a setting.
func TestHostileLearner(t *testing.T) {
	server := startServer(t, t.TempDir())
	w := newWorker(t, server)
	h := startHub(t, server, "run")
	weights := smallWeights(newGame())
	named := smallWeights(newGame())
	named.Config.Game, named.Config.Sheet = evilSpec, evilSpec
	good := invitation{Play: record.PlayVersion, Run: "run", Game: weights.Config.Game, Settings: rundir.DefaultSettings(newGame()), Generation: 1, Simulations: 2}
	for _, c := range []struct {
		change  func(*invitation)
		weights *infer.Weights
	}{
		{func(i *invitation) { i.Game = evilSpec }, weights}, {func(i *invitation) { i.Run = evilSpec }, weights},
		{func(i *invitation) {}, named}, {func(i *invitation) { i.Game = evilSpec }, named},
	} {
		i := good
		c.change(&i)
		if err := h.put(t.Context(), i, c.weights.Marshal()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		n, err := w.Newest(ctx)
		cancel()
		if n != nil && n.Game.Name != weights.Config.Game {
			t.Errorf("a worker plays %s: %v", n.Game.Name, err)
		}
		unstarted(t)
	}
}

// send publishes a message for a run under a name until the server has acknowledged it or ctx ends: the stream may be
// full.
func send(ctx context.Context, conn *nats.Conn, run, name string, data []byte) {
	for ctx.Err() == nil {
		answer, err := conn.RequestWithContext(ctx, gamesOf(run, name), data)
		if err == nil && !strings.Contains(string(answer.Data), "error") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// hostileMessages returns messages that must not change a run. Package record's TestReadMessageRejects has more.
func hostileMessages(rng *rand.Rand) [][]byte {
	noise := make([]byte, 100_000)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	program := []byte(evilSpec)
	messages := [][]byte{
		program, checkpoints.Seal("ludus-batch", record.PlayVersion, program),
		nil, {0}, noise, checkpoints.Seal("ludus-batch", record.PlayVersion, make([]byte, 20<<20)), checkpoints.Seal("ludus-batch", record.PlayVersion, noise),
		checkpoints.Seal("ludus-games", 2, noise), checkpoints.Seal("ludus-batch", 99, nil),
	}
	for range 300 {
		messages = append(messages, noise[:rng.IntN(2000)])
	}
	return messages
}
