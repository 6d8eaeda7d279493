package remote

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ludus/train/record"
)

// receiveSoon receives a message that must come well before the server would repeat it; see ackWait.
func receiveSoon(t *testing.T, h *Hub, want string) *record.Delivery {
	t.Helper()
	start := time.Now()
	d, err := h.Receive(t.Context())
	if err != nil || string(d.Data) != want {
		t.Fatalf("received %+v, error %v", d, err)
	}
	if elapsed := time.Since(start); elapsed > ackWait/2 {
		t.Errorf("%s came after %v", want, elapsed)
	}
	return d
}

// TestReconnect: after the connection was lost, messages that may have been on their way come again at once.
func TestReconnect(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	if _, err := h.js.Publish(t.Context(), gamesOf("run", "a"), []byte("a game")); err != nil {
		t.Fatal(err)
	}
	first := receiveSoon(t, h, "a game")
	if err := h.conn.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	second := receiveSoon(t, h, "a game")
	first.Acknowledge()
	second.Acknowledge()
}

// TestDeletedStream: if somebody deletes the stream of an external server, the run creates it again.
func TestDeletedStream(t *testing.T) {
	t.Parallel()
	said := make(chan string, 100)
	h, err := NewHub(t.Context(), HubOptions{
		Server: startServer(t, t.TempDir()), Run: "run", Notify: func(text string) { said <- text },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	go func() {
		time.Sleep(100 * time.Millisecond) // most likely Receive waits
		if err := h.js.DeleteStream(t.Context(), gamesStream); err != nil {
			t.Error(err)
		}
		for t.Context().Err() == nil {
			if _, err := h.js.Publish(t.Context(), gamesOf("run", "a"), []byte("a game")); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	}()
	receiveSoon(t, h, "a game").Acknowledge()
	for {
		select {
		case text := <-said:
			if strings.Contains(text, "deleted the stream") {
				return
			}
		default:
			t.Fatal("it says nothing of the lost games")
		}
	}
}

// newWorker connects a worker to the server until the test ends.
func newWorker(t *testing.T, server *Server) *Worker {
	t.Helper()
	w, err := NewWorker(t.Context(), WorkerOptions{Access: Access{URL: server.URL()}, Name: "a", Notify: func(text string) { t.Log(text) }})
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
	game := newGame(t)
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

// TestExtendedRun: if a finished run goes on, games that a worker plays then have another process's numbers, so that those
// deleted at the end do not seem to be missing.
func TestExtendedRun(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	w := newWorker(t, server)
	game := newGame(t)
	var processes []string
	for i := range 2 {
		h := startHub(t, server, "run")
		c, err := selfPlayGames(t, game, smallWeights(game), 5)
		if err != nil {
			t.Fatal(err)
		}
		c.games.Run, c.network.Run = "run", "run"
		if err := h.PublishNetwork(t.Context(), c.network); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Newest(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.PublishGames(t.Context(), c.games); err != nil {
			t.Fatal(err)
		}
		d, err := h.Receive(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		b, err := record.ReadMessage(game, "run", d.Data)
		if err != nil || b.First != 0 {
			t.Fatalf("run %d: first game %d, error %v", i, b.First, err)
		}
		d.Acknowledge()
		processes = append(processes, b.Process)
		if err := h.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.await(t.Context(), func() bool { return w.newest == nil }); err != nil {
			t.Fatal(err)
		}
		h.Close()
	}
	if processes[0] == processes[1] {
		t.Error("the numbers go on")
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
