package remote

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/train/record"
	"ludus/train/rundir"
)

// TestPermissions: a worker can publish games, but it cannot read those of others, publish networks, answer for the
// learner or change a stream.
func TestPermissions(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	conn := connectAsWorker(t, server)
	denied := make(chan error, 100)
	conn.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err })
	for _, subject := range []string{
		networkSubject, statusSubject, gamesSubject + "x", "$JS.API.STREAM.INFO." + networksStream, "$O." + networksBucket + ".M.x", "$O." + networksBucket + ".C.x", learnerReplies + ".x", workerReplies + ".x",
		"$JS.API.STREAM.CREATE.x", "$JS.API.STREAM.DELETE." + gamesStream, "$JS.API.STREAM.PURGE." + gamesStream,
		"$JS.API.STREAM.UPDATE." + gamesStream, "$JS.API.STREAM.MSG.DELETE." + gamesStream, "$JS.API.STREAM.MSG.GET." + gamesStream,
		"$JS.API.DIRECT.GET." + gamesStream, "$JS.API.CONSUMER.CREATE." + gamesStream, "$JS.API.CONSUMER.CREATE." + networksStream,
		"$JS.API.CONSUMER.MSG.NEXT." + gamesStream + "." + gamesConsumer, "$JS.ACK." + gamesStream + "." + gamesConsumer + ".1.1.1.1.1",
		"$JS.API.STREAM.DELETE." + networksStream, "$JS.API.INFO", "$SYS.REQ.SERVER.PING", "anything",
	} {
		if err := conn.Publish(subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
		expectDenied(t, denied, "publishing to "+subject)
	}
	for _, subject := range []string{">", gamesSubject + ">", learnerReplies + ".>", "_INBOX.>", "$JS.>", "$O.>"} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		expectDenied(t, denied, "listening to "+subject)
	}
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), gamesOf("run", "a"), []byte("noise")); err != nil {
		t.Errorf("a worker cannot publish games: %v", err)
	}
	if _, err := js.Publish(t.Context(), gamesOf("run", "a"), make([]byte, record.MaxMessage+1)); err == nil {
		t.Error("a message was too long and was accepted")
	}
	for range 100 {
		if _, err := conn.SubscribeSync(networkSubject); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case err := <-denied:
		if !errors.Is(err, nats.ErrMaxSubscriptionsExceeded) {
			t.Errorf("100 subscriptions: %v", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("100 subscriptions are allowed")
	}
	for range 100 { // the learner needs many for a moment
		if _, err := h.conn.SubscribeSync(networkSubject); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.conn.Flush(); err != nil || h.conn.LastError() != nil {
		t.Errorf("the learner's connection: %v, %v", err, h.conn.LastError())
	}
}

// TestReplies: a worker cannot make the server or the learner send an answer to a subject that it may not publish to.
func TestReplies(t *testing.T) {
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	h.Report(t.Context(), &rundir.WorkersStatus{})
	if err := h.put(t.Context(), invitation{Play: record.PlayVersion}, []byte(`{"seq":1000}`)); err != nil {
		t.Fatal(err)
	}
	conn := connectAsWorker(t, server)
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	state := func(stream string) jetstream.StreamState {
		s, err := h.js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State
	}
	networks, games := state(networksStream).LastSeq, uint64(0)
	for _, reply := range []string{
		"$JS.API.STREAM.PURGE." + gamesStream, "$JS.API.STREAM.DELETE." + networksStream, "$JS.API.STREAM.PURGE." + networksStream,
		"$O." + networksBucket + ".M." + base64.URLEncoding.EncodeToString([]byte(networkNames[0])), networkSubject,
	} {
		if _, err := js.Publish(t.Context(), gamesOf("run", "a"), []byte("noise")); err != nil {
			t.Fatal(err)
		}
		for subject, data := range map[string]string{
			gamesOf("run", "b"): "noise", getNetworks: `{"seq":1}`,
		} {
			if err := conn.PublishRequest(subject, reply, []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		games += 2
	}
	// The server answers requests of a connection in turn; the last one shows that it has answered the others.
	if _, err := js.Publish(t.Context(), gamesOf("run", "a"), []byte("noise")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if n := state(gamesStream).Msgs; n != games+1 {
		t.Errorf("%d messages in the stream of games, want %d", n, games+1)
	}
	if s := state(networksStream); s.LastSeq != networks || s.Msgs != 2 {
		t.Errorf("the stream of networks has %d messages, the last is %d, want 2 and %d", s.Msgs, s.LastSeq, networks)
	}
}

// TestListen: an address that a server cannot listen on is an error at once.
func TestListen(t *testing.T) {
	server := startServer(t, t.TempDir())
	for _, address := range []string{server.gate.listener.Addr().String(), "192.0.2.1:0", "4222", ":4222", "127.0.0.1:70000"} {
		start := time.Now()
		if _, err := StartServer(address, t.TempDir(), true, func(string) {}); err == nil || !strings.Contains(err.Error(), "address") {
			t.Errorf("%s: %v", address, err)
		}
		if time.Since(start) > startTimeout/2 {
			t.Errorf("%s: the error came after %v", address, time.Since(start))
		}
	}
}

// expectDenied waits for the server's error about what the test just did.
func expectDenied(t *testing.T, denied <-chan error, what string) {
	t.Helper()
	select {
	case err := <-denied:
		if !strings.Contains(err.Error(), "ermissions") {
			t.Errorf("%s: %v", what, err)
		}
	case <-time.After(5 * time.Second):
		t.Errorf("%s is allowed", what)
	}
}

// TestCredentials: other machines need the token, and see by the fingerprint that the server is the learner's.
func TestCredentials(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	server, err := StartServer("0.0.0.0:0", dir, false, func(text string) { t.Log(text) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { server.Close() }()
	_, rest, ok := strings.Cut(server.URL(), "@")
	colon, hash := strings.LastIndexByte(rest, ':'), strings.IndexByte(rest, '#')
	if !ok || hash < colon {
		t.Fatalf("URL %s", server.URL())
	}
	user := strings.TrimSuffix(server.URL(), rest)
	address, fingerprint := "127.0.0.1"+rest[colon:hash], rest[hash:]
	connect := func(url string) error {
		conn, err := connectTo(t.Context(), url)
		if err == nil {
			conn.Close()
		}
		return err
	}
	for _, url := range []string{user + address + fingerprint, user + address + strings.ToUpper(fingerprint)} {
		if err := connect(url); err != nil {
			t.Errorf("the printed URL does not work: %v", err)
		}
	}
	other := "#" + strings.Repeat("ab", 32)
	for what, url := range map[string]string{
		"no such port":        "tls://127.0.0.1:99999" + fingerprint,
		"no token":            "tls://" + address + fingerprint,
		"a wrong token":       "tls://worker:" + rand.Text() + "@" + address + fingerprint,
		"the learner's name":  "tls://learner:" + rand.Text() + "@" + address + fingerprint,
		"another fingerprint": user + address + other,
		"no fingerprint":      user + address,
		"no encryption":       strings.Replace(user, "tls:", "nats:", 1) + address,
		"half a fingerprint":  user + address + fingerprint[:10],
		"no URL":              "localhost:4222",
	} {
		err := connect(url)
		if err == nil {
			t.Errorf("%s: connected", what)
			continue
		}
		hints := map[string]string{"a wrong token": "copy the command", "no fingerprint": "#FINGERPRINT", "no such port": "HOST:PORT"}
		if hint := hints[what]; !strings.Contains(err.Error(), hint) {
			t.Errorf("%s: %v, without %s", what, err, hint)
		}
	}
	if w, err := NewWorker(t.Context(), WorkerOptions{URL: "tls://worker:" + rand.Text() + "@" + address + fingerprint, Notify: func(string) {}}); err == nil {
		if _, err := w.Newest(t.Context()); err == nil || !strings.Contains(err.Error(), "uthorization") {
			t.Errorf("a worker with a wrong token: %v", err)
		}
		w.Close()
	}
	if info, err := os.Stat(filepath.Join(dir, rundir.ServerDir)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v of the server's files, error %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, rundir.ServerDir, identityFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v of %s, error %v", info.Mode(), identityFile, err)
	}
	if err := connect("nats://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("nobody listens: %v", err)
	}
	before := server.identity.token
	server.Close()
	if server, err = StartServer("0.0.0.0:0", dir, false, func(text string) { t.Log(text) }); err != nil || server.identity.token != before {
		t.Errorf("the token changed with a new start, or %v", err)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	if _, err := Status(t.Context(), server.URL()); err == nil || !strings.Contains(err.Error(), "no learner") {
		t.Errorf("without a learner: %v", err)
	}
	h := startHub(t, server, "run")
	ctx, cancel := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() {
		for ctx.Err() == nil {
			h.Report(ctx, &rundir.WorkersStatus{Game: "quad-5x5", Workers: []rundir.WorkerStatus{{Name: "a"}}})
			time.Sleep(20 * time.Millisecond)
		}
	})
	defer joined.Wait()
	defer cancel()
	s, err := Status(t.Context(), server.URL())
	if err != nil || s.Game != "quad-5x5" || len(s.Workers) != 1 {
		t.Errorf("status %+v, error %v", s, err)
	}
}
