package remote

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/checkpoints"
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
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	o := tiny(t, dir, 6)
	o.Workers, o.LearnOnly = hub(t, server), true
	sent, last := 0, &rundir.WorkersStatus{}
	messages := hostileMessages(rand.New(rand.NewPCG(1, 1)))
	o.Observe = func(e train.Event) {
		if e.Metrics == nil {
			return
		}
		if s, err := Status(Access{URL: server.URL()}); err == nil {
			last = s
		}
		for _, data := range messages {
			if err := conn.Publish(gamesSubject+"hostile", data); err != nil { // no acknowledgement: a flood
				t.Error(err)
			}
			sent++
		}
		if _, err := js.Publish(t.Context(), gamesSubject+"hostile", nil, jetstream.WithMsgID("empty")); err != nil && !strings.Contains(err.Error(), "exceeded") {
			t.Error(err)
		}
	}
	if _, err := train.Train(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if runtime.ReadMemStats(&after); after.HeapAlloc > before.HeapAlloc+100<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.HeapAlloc, after.HeapAlloc)
	}
	text, err := rundir.ReadWorkers(dir)
	if err == nil {
		last = text
	}
	for _, w := range last.Workers {
		t.Logf("%+v", w)
		if bad := w.Rejected > 0; bad != (w.Name == "hostile") {
			t.Errorf("%s: %d messages rejected", w.Name, w.Rejected)
		}
		if w.Name == "hostile" && w.Games > 0 {
			t.Errorf("%d hostile games were accepted", w.Games)
		}
	}
	t.Logf("%d hostile messages", sent)
	metrics, _, err := rundir.MetricsFile.Read(dir)
	if err != nil || len(metrics) != 6 {
		t.Errorf("%d generations, error %v", len(metrics), err)
	}
	game := newGame(t)
	for g := 1; g <= 6; g++ {
		if _, err := train.ReadGames(game, dir, g); err != nil && !errors.Is(err, fs.ErrNotExist) {
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
