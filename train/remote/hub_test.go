package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"ludus/train/record"
	"ludus/train/rundir"
	"ludus/train/selfplay"
)

// TestReconnect: after the connection was lost, messages arrive as before.
func TestReconnect(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	for _, game := range []string{"a game", "another"} {
		if _, err := h.js.Publish(t.Context(), gamesOf("run", "a"), []byte(game)); err != nil {
			t.Fatal(err)
		}
		if d, err := h.Receive(t.Context()); err != nil || string(d.Data) != game {
			t.Fatalf("received %+v, error %v", d, err)
		}
		if err := h.conn.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPutAgain: a network that could not be stored reaches workers once it can, also if the next one was skipped.
func TestPutAgain(t *testing.T) {
	server := startServer(t, t.TempDir())
	failed := make(chan struct{}, 100)
	h, err := NewHub(t.Context(), server, "run", func(string) { failed <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.disconnect)
	if err := h.js.DeleteStream(t.Context(), networksStream); err != nil {
		t.Fatal(err)
	}
	game := newGame()
	n := &selfplay.Assignment{
		Run: "run", Game: game, Settings: rundir.DefaultSettings(game), Simulations: 4, Weights: smallWeights(game),
	}
	for range 2 {
		if err := h.PublishNetwork(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	<-failed
	if _, err := h.js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: networksBucket}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := newWorker(t, server).Newest(ctx); err != nil {
		t.Error(err)
	}
}

// TestConsumerGone: a hub whose consumer is deleted gets no games any more, and Receive says so, also when it is called
// again.
func TestConsumerGone(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // enough to request games
	defer cancel()
	if _, err := h.Receive(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := h.js.DeleteConsumer(t.Context(), gamesStream, gamesConsumer); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := receiveError(t, h); !strings.Contains(err.Error(), "receiving games") {
			t.Error(err)
		}
	}
}

// newWorker connects a worker to the server until the test ends.
func newWorker(t *testing.T, server *Server) *Worker {
	t.Helper()
	w, err := NewWorker(t.Context(), WorkerOptions{URL: server.URL(), Name: "a", Notify: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// TestForeignGames: a message that a worker could not send to its run is dropped once another run uses the address, and
// never reaches that run.
func TestForeignGames(t *testing.T) {
	server := startServer(t, t.TempDir())
	w := newWorker(t, server)
	game := newGame()
	c, err := selfPlayGames(t, game, smallWeights(game), 5)
	if err != nil {
		t.Fatal(err)
	}
	c.games.Run = "first"
	if err := w.PublishGames(t.Context(), c.games); err != nil {
		t.Fatal(err)
	}
	h := startHub(t, server, "second")
	n := c.network
	n.Run = "second"
	if err := h.PublishNetwork(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	stream, err := h.js.Stream(t.Context(), gamesStream)
	if err != nil {
		t.Fatal(err)
	}
	if n := stream.CachedInfo().State.LastSeq; n > 0 {
		t.Errorf("the other run got %d messages", n)
	}
}

// TestVersions: a worker says that a learner is of another version, and why.
func TestVersions(t *testing.T) {
	for text, want := range map[string]string{
		`{"play":1,"run":"a"}`:                         "of another version than the learner",
		`{"protocol":1}`:                               "of another version than the learner",
		`{"play":2,"settings":{"unknown_setting":1}}`:  "unknown_setting",
		`{"play":2,"run":"a","another":true}`:          "another",
		`noise`:                                        "cannot be read",
		`{"play":2,"run":"a","settings":{"blocks":3}}`: "",
	} {
		i, err := readInvitation(strings.Replace(text, `"play":2`, fmt.Sprint(`"play":`, record.PlayVersion), 1))
		if want == "" && (err != nil || i.Settings.Blocks != 3) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
