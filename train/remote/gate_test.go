package remote

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// TestLateAnswers: the gate is closed while an answer of the server is missing, and answers to an earlier look do not open it.
func TestLateAnswers(t *testing.T) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true}) // no JetStream: the test answers
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	connect := func() *nats.Conn {
		conn, err := nats.Connect("", nats.InProcessServer(s))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(conn.Close)
		return conn
	}
	conn := connect()
	requests := make(chan *nats.Msg, 100)
	if _, err := conn.ChanSubscribe("$JS.API.DIRECT.GET.>", requests); err != nil {
		t.Fatal(err)
	}
	if err := conn.Flush(); err != nil {
		t.Fatal(err)
	}
	answer := func(looks ...[]*nats.Msg) {
		for _, m := range slices.Concat(looks...) {
			if err := m.Respond(nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := conn.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	const (
		longest = 3 * time.Second  // longer than this test needs for a step, even on a busy machine
		soon    = 20 * time.Second // likewise, for what does not depend on that
	)
	g, watched := &gate{}, connect()
	ctx, cancel := context.WithCancel(t.Context())
	var joined sync.WaitGroup
	joined.Go(func() { g.watch(ctx, watched, longest) })
	defer joined.Wait()
	defer cancel()
	look := func() []*nats.Msg {
		t.Helper()
		g.passed.Store(true)
		var asked []*nats.Msg
		for len(asked) < 2 {
			select {
			case m := <-requests:
				asked = append(asked, m)
			case <-time.After(10 * time.Second):
				t.Fatal("the gate does not ask the server")
			}
		}
		return asked
	}
	// within waits until the gate is closed or open, and fails after a time.
	within := func(most time.Duration, closed bool) {
		t.Helper()
		for end := time.Now().Add(most); ; time.Sleep(time.Millisecond) {
			free := g.turn.TryLock()
			if free {
				g.turn.Unlock()
			}
			if free != closed {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the gate is %s after %v", map[bool]string{true: "open", false: "closed"}[free], most)
			}
		}
	}

	first := look()
	within(soon, true)
	answer(first)
	within(soon, false)

	late := look() // is not answered in time
	within(soon, true)
	within(longest+soon, false)
	second := look()
	within(soon, true)
	answer(late)
	time.Sleep(longest / 30) // the late answers have come
	within(0, true)
	answer(second)
	within(soon, false)
}
