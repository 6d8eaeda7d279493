package remote

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ludus/env"
	"ludus/train/record"
	"ludus/train/rundir"
)

// TestFullStream: while the stream is full and no learner takes games, a worker waits and says so. Afterwards all its games
// arrive, each once.
func TestFullStream(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	const limit = 32 << 10
	h.Limit(t.Context(), limit)
	game := newGame()
	c, err := selfPlayGames(t, game, smallWeights(game), 50)
	if err != nil {
		t.Fatal(err)
	}
	for c.games.Games() < 10_000 {
		c.games.Append(c.games)
	}
	want := c.games.Games()
	said := make(chan string, 100)
	w, err := NewWorker(t.Context(), WorkerOptions{URL: server.URL(), Name: "a", Notify: func(text string) { said <- text }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.PublishGames(t.Context(), c.games); err != nil {
		t.Fatal(err)
	}
	for text := ""; !strings.Contains(text, "learner has enough games"); {
		text = <-said
	}
	w.mu.Lock()
	if !w.refused {
		t.Error("the worker would play on")
	}
	w.mu.Unlock()
	stream, err := h.js.Stream(t.Context(), gamesStream)
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.Bytes; n > limit || n < limit/2 {
		t.Errorf("%d bytes wait in the stream, at most %d may", n, limit)
	}
	for got := 0; got < want; {
		d, err := h.Receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := record.ReadMessage([]*env.Game{game}, "run", d.Data)
		if err != nil || b.First != got {
			t.Fatalf("game %d comes after %d games; error %v", b.First, got, err)
		}
		got += b.Games()
		d.Acknowledge()
	}
	if err := w.Flush(t.Context()); err != nil || w.refused {
		t.Errorf("the worker still waits; error %v", err)
	}
}

// TestSecretID: what workers hear of each other does not tell the id of a playing process.
func TestSecretID(t *testing.T) {
	server := startServer(t, t.TempDir())
	w := newWorker(t, server)
	if err := w.PublishGames(t.Context(), &record.Message{Run: "run"}); err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	id := w.id
	w.mu.Unlock()
	inbox := strings.TrimPrefix(w.conn.NewInbox(), workerReplies+".")
	if len(id) < 20 || id[:4] == inbox[:4] {
		t.Errorf("the id %s, replies go to %s", id, inbox)
	}
}

// TestMessageIDs: the server soon forgets the ids that messages bring, which may be long.
func TestMessageIDs(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	js := h.js
	for i := range 2 {
		time.Sleep(time.Duration(i) * 5 * minDuplicates)
		ack, err := js.Publish(t.Context(), gamesOf("run", "a"), nil, jetstream.WithMsgID("id"))
		if err != nil || ack.Duplicate {
			t.Errorf("the answer %+v, error %v", ack, err)
		}
	}
}

// TestSilentReader: the server drops a client that asks for much and reads nothing.
func TestSilentReader(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	if err := h.put(t.Context(), invitation{Play: record.PlayVersion}, make([]byte, 100_000)); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", server.gate.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	const request = `{"seq":1}`
	requests := "CONNECT {\"verbose\":false}\r\nSUB " + workerReplies + ".x 1\r\n" +
		strings.Repeat(fmt.Sprintf("PUB $JS.API.DIRECT.GET.%s %s.x %d\r\n%s\r\n", networksStream, workerReplies, len(request), request), 350)
	_, _ = conn.Write([]byte(requests)) // it may be closed before the end
	for start := time.Now(); server.nats.NumSlowConsumers() == 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 5*time.Second {
			t.Fatal("the client is still connected")
		}
	}
}

// TestWrongFingerprint: a worker ends if the server is not the one that its URL names.
func TestWrongFingerprint(t *testing.T) {
	server, err := StartServer("0.0.0.0:0", t.TempDir(), false, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url, _, _ := strings.Cut(server.URL(), "#")
	port := server.port()
	url = fmt.Sprintf("%s@127.0.0.1:%d#%s", url[:strings.IndexByte(url, '@')], port, strings.Repeat("ab", 32))
	w, err := NewWorker(t.Context(), WorkerOptions{URL: url, Name: "a", Notify: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := w.Newest(ctx); err == nil || !strings.Contains(err.Error(), "fingerprint") {
		t.Errorf("error %v", err)
	}
}

// TestSilentServer: connecting ends with its context, although the server says nothing.
func TestSilentServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	url := "nats://" + silent.Addr().String()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := Status(ctx, url); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("status: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	o := WorkerOptions{URL: url, Name: "a", Notify: func(text string) { t.Log(text) }}
	if _, err := NewWorker(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("worker: %v", err)
	}
	if took := time.Since(start); took > connectTime/2 {
		t.Errorf("took %v", took)
	}
}

// TestReportsEnd: questions to a server that is gone end with their context.
func TestReportsEnd(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	server.nats.Shutdown()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	h.Limit(ctx, 64<<20)
	h.Report(ctx, &rundir.WorkersStatus{})
	if took := time.Since(start); took > reportTimeout/2 {
		t.Errorf("took %v", took)
	}
}

// TestServerErrors: people see the server's errors once, but not those that anybody who connects can cause.
func TestServerErrors(t *testing.T) {
	var said []string
	l := &logger{notes: notes{notify: func(text string) { said = append(said, text) }}, broken: new(failure)}
	for range 3 {
		l.Errorf("JetStream failed to store a msg: %v", errors.New("no space left on device"))
		l.Errorf("%s - cid:%d - %s", "192.0.2.1:4000", 7, "authentication error")
	}
	if len(said) != 1 || !strings.Contains(said[0], "failed to store") {
		t.Errorf("said %q", said)
	}
}

// TestNotes: a message that repeats is passed once a minute, also in turn with another.
func TestNotes(t *testing.T) {
	var n notes
	start, count := time.Now(), 0
	for second := range 150 {
		for _, text := range []string{"a", "b"} {
			if n.isNew(text, start.Add(time.Duration(second)*time.Second)) {
				count++
			}
		}
	}
	if count != 6 {
		t.Errorf("%d messages", count)
	}
}
