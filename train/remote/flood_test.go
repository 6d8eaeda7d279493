package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ludus/train"
	"ludus/train/record"
	"ludus/train/rundir"
)

// TestFlood: workers that send requests as fast as they can, with and without listening to the answers, neither stop the
// training, nor fill the learner's memory, nor end its connection.
func TestFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("short mode")
	}
	const (
		duration = time.Second // of each flood
		flooders = 4
		most     = 250 // MB by which the memory may grow; without the gate, but with all limits of the server, it grows by more
	)
	dir := filepath.Join(t.TempDir(), "run")
	server := startServer(t, dir)
	defer startWorker(t, server.URL(), "honest")()
	var disconnected, generations atomic.Int64
	o := tiny(t, dir, 90_000)
	o.LearnOnly = true
	o.Workers = func(ctx context.Context, id string) (train.Workers, error) {
		return NewHub(ctx, server, id, func(text string) {
			t.Log("learner:", text)
			if strings.Contains(text, "connect") {
				disconnected.Add(1)
			}
		})
	}
	o.Observe = func(e train.Event) {
		if e.Metrics != nil {
			generations.Add(1)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() {
		if _, err := train.Train(ctx, o); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	defer joined.Wait()
	defer cancel()
	for end := time.Now().Add(time.Minute); generations.Load() < 3; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the training does not start")
		}
	}
	config, err := rundir.ReadConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	games := gamesOf(config.ID, "flood")
	for _, f := range []struct {
		name, subject, body string
		listens, reads      bool
	}{
		{"small games", games, "noise", true, true},
		{"small games without listening", games, "noise", false, true},
		{"large games", games, strings.Repeat("x", record.MaxMessage), true, true},
		{"networks", getNetworks, `{"next_by_subj":">"}`, true, true},
		{"networks without listening", getNetworks, `{"next_by_subj":">"}`, false, true},
		{"networks without reading", getNetworks, `{"next_by_subj":">"}`, true, false},
		{"all chunks", getNetworks, `{"seq":1,"batch":1000}`, true, true},
		{"status", statusSubject, "", true, true},
	} {
		debug.FreeOSMemory() // of the flood before
		before, peak, start := resident(), 0, generations.Load()
		var flood sync.WaitGroup
		for range flooders {
			flood.Go(func() {
				for end := time.Now().Add(duration); time.Now().Before(end); { // the server closes connections that do not read
					floodUntil(t, end, server, f.subject, f.body, f.listens, f.reads)
				}
			})
		}
		end := time.Now().Add(2 * duration) // afterwards, too: the server may still be answering
		for goal := start + 1; time.Now().Before(end) || generations.Load() < goal; time.Sleep(10 * time.Millisecond) {
			if peak = max(peak, resident()); time.Since(end) > time.Minute {
				t.Fatalf("%s: the training does not go on", f.name)
			}
		}
		flood.Wait()
		t.Logf("%s: memory %d MB, at most %d MB; %d generations", f.name, before, peak, generations.Load()-start)
		if peak > before+most {
			t.Errorf("%s: the memory grows from %d MB to %d MB", f.name, before, peak)
		}
	}
	if n := disconnected.Load(); n > 0 {
		t.Errorf("the learner's connection was lost %d times", n)
	}
}

// floodUntil sends the same request through one connection until it is closed or the time is over.
func floodUntil(t *testing.T, end time.Time, s *Server, subject, body string, listens, reads bool) {
	conn, err := net.Dial("tcp", s.gate.listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(end)
	text := "CONNECT {\"verbose\":false}\r\n"
	if listens {
		text += "SUB " + workerReplies + ".x 1\r\n"
	}
	if reads {
		go io.Copy(io.Discard, conn)
	}
	request := fmt.Sprintf("PUB %s %s.x %d\r\n%s\r\n", subject, workerReplies, len(body), body)
	many := []byte(strings.Repeat(request, max(1, 60_000/len(request))))
	for _, err = io.WriteString(conn, text); err == nil; {
		_, err = conn.Write(many)
	}
}

// resident returns the memory of this process in MB; 0 if it is not known.
func resident() int {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil || runtime.GOOS != "linux" {
		return 0
	}
	var size, pages int
	_, _ = fmt.Sscan(string(data), &size, &pages)
	return pages * os.Getpagesize() >> 20
}
