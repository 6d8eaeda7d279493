package remote

import (
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// pipeListener accepts the connections that dial makes.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error {
	close(l.closed)
	return nil
}

func (l pipeListener) Addr() net.Addr { return nil }

func (l pipeListener) dial() net.Conn {
	client, conn := net.Pipe()
	l.conns <- conn
	return client
}

// TestSilentReaders: clients that stay connected and read nothing do not keep workers out.
func TestSilentReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := pipeListener{make(chan net.Conn), make(chan struct{})}
		var joined sync.WaitGroup
		g := &gate{listener: l, open: map[net.Conn]bool{}, settle: func(time.Duration) {}, connect: func() (net.Conn, error) {
			conn, server := net.Pipe()
			joined.Go(func() { // greets the client and closes the connection, as a server that is not answered
				_, _ = io.WriteString(server, "INFO\r\n")
				_ = server.Close()
			})
			return conn, nil
		}}
		joined.Go(g.accept)
		defer joined.Wait()
		defer g.close()
		for range maxConnections {
			l.dial() // and never reads or closes
		}
		synctest.Wait()
		if _, err := l.dial().Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("one client more than the gate takes: error %v", err)
		}
		time.Sleep(writeTime)
		synctest.Wait()
		if greeting, err := io.ReadAll(l.dial()); err != nil || string(greeting) != "INFO\r\n" {
			t.Errorf("a worker that comes later reads %q, error %v", greeting, err)
		}
	})
}

// TestTurns: after some data a connection forwards nothing while the server has answers in its queue.
func TestTurns(t *testing.T) {
	l := pipeListener{make(chan net.Conn), make(chan struct{})}
	settled, received := make(chan bool), make(chan string)
	var joined sync.WaitGroup
	g := &gate{listener: l, open: map[net.Conn]bool{}, settle: func(time.Duration) { <-settled }, connect: func() (net.Conn, error) {
		conn, server := net.Pipe()
		joined.Go(func() {
			text, _ := io.ReadAll(server)
			received <- string(text)
		})
		return conn, nil
	}}
	joined.Go(g.accept)
	defer joined.Wait()
	defer g.close()
	client := l.dial()
	text := strings.Repeat("PING\r\n", 1+settleBytes/6)
	joined.Go(func() {
		_, _ = io.WriteString(client, text)
		_ = client.Close()
	})
	select {
	case <-received:
		t.Error("the server received everything, and the gate did not wait for it")
	case <-time.After(20 * time.Millisecond):
	}
	close(settled)
	if got := <-received; got != text {
		t.Errorf("the server received %d bytes, want %d", len(got), len(text))
	}
}

// TestWaitForStreams: it waits for the answers of both streams, or for the given time.
func TestWaitForStreams(t *testing.T) {
	s, err := server.NewServer(&server.Options{DontListen: true, NoSigs: true}) // no JetStream: the test answers
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.Shutdown()
	conn, err := nats.Connect("", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var silent atomic.Value // the stream that does not answer
	silent.Store(networksStream)
	if _, err := conn.Subscribe("$JS.API.DIRECT.GET.*", func(m *nats.Msg) {
		if !strings.HasSuffix(m.Subject, silent.Load().(string)) {
			_ = m.Respond(nil)
		}
	}); err != nil {
		t.Fatal(err)
	}
	const most = 50 * time.Millisecond
	start := time.Now()
	waitForStreams(conn, most)
	if took := time.Since(start); took < most {
		t.Errorf("without an answer it waits %v", took)
	}
	silent.Store("none")
	start = time.Now()
	waitForStreams(conn, time.Minute)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("with both answers it waits %v", took)
	}
}
