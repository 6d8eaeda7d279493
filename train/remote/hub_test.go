package remote

import (
	"fmt"
	"strings"
	"testing"

	"ludus/train/record"
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
