package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// gate accepts the connections of workers and passes what they send on to the server, inside the process. While the server
// is behind it passes nothing on. The server itself would queue any number of answers, so a flood of requests would fill
// the memory.
type gate struct {
	listener net.Listener
	tls      *tls.Config // nil: no encryption
	connect  func() (net.Conn, error)
	turn     sync.Mutex  // of the connection that passes something on; the server has it while it is behind
	passed   atomic.Bool // something since the last look at the server
	joined   sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

const (
	handshakeTime = 10 * time.Second
	acceptPause   = 100 * time.Millisecond // after an error, such as too many open files
)

// accept serves connections until the gate is closed.
func (g *gate) accept() {
	for {
		conn, err := g.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			time.Sleep(acceptPause)
		case !g.serve(conn):
			_ = conn.Close() // nothing was said
		}
	}
}

// serve starts to forward a connection. It returns false if there are too many already, or the gate is closed.
func (g *gate) serve(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || len(g.open) >= maxConnections {
		return false
	}
	g.open[conn] = true
	g.joined.Go(func() {
		g.forward(conn)
		g.remove(conn)
	})
	return true
}

func (g *gate) remove(conn net.Conn) {
	_ = conn.Close() // it has ended
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, conn)
}

// close ends all connections and waits until nobody uses them.
func (g *gate) close() {
	_ = g.listener.Close()
	g.mu.Lock()
	g.closed = true
	for conn := range g.open {
		_ = conn.Close()
	}
	g.mu.Unlock()
	g.joined.Wait()
}

// forward forwards one connection until either side closes it.
func (g *gate) forward(conn net.Conn) {
	client := conn
	if g.tls != nil {
		secure := tls.Server(conn, g.tls)
		ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
		err := secure.HandshakeContext(ctx)
		if cancel(); err != nil {
			return
		}
		client = secure
	}
	server, err := g.connect()
	if err != nil {
		return
	}
	var joined sync.WaitGroup
	joined.Go(func() {
		_, _ = io.Copy(client, server)
		_ = conn.Close()
	})
	g.pass(server, client)
	_ = server.Close()
	joined.Wait()
}

const (
	// passedAtOnce is how many bytes of a connection pass in one turn. A request of 60 bytes may have an answer of chunkSize.
	passedAtOnce = 2 << 10
	longestTurn  = 20 * time.Millisecond
)

// pass passes on what a worker sends.
func (g *gate) pass(server net.Conn, client io.Reader) {
	buffer := make([]byte, passedAtOnce)
	for {
		n, err := client.Read(buffer)
		if n > 0 && g.takeTurn(server, buffer[:n]) != nil || err != nil {
			return
		}
	}
}

// takeTurn passes data on while no other connection does. The server takes the last byte when it has handled the others,
// and only that ends the turn; but not every connection waits for one whose answers nobody reads.
func (g *gate) takeTurn(server net.Conn, data []byte) error {
	written := 0
	write := func(part []byte) error {
		n, err := server.Write(part)
		written += n
		return err
	}
	g.turn.Lock()
	g.passed.Store(true)
	_ = server.SetWriteDeadline(time.Now().Add(longestTurn)) // a pipe has deadlines
	err := write(data[:len(data)-1])
	if err == nil {
		err = write(data[len(data)-1:])
	}
	g.turn.Unlock()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = server.SetWriteDeadline(time.Time{})
		err = write(data[written:])
	}
	return err
}

const (
	lookAtServer = 5 * time.Millisecond  // between two looks
	answerTime   = 10 * time.Millisecond // the server is behind if an answer takes longer
	longestWait  = time.Second           // for an answer: it may be lost, and connecting takes 5 s at most
)

// watch closes the gate whenever the server is behind, until ctx ends: it asks each stream for a message that does not exist.
// The answer comes after everything that the stream has queued. The gate stays closed for longest at most.
func (g *gate) watch(ctx context.Context, conn *nats.Conn, longest time.Duration) {
	inbox := conn.NewInbox()
	answers, err := conn.SubscribeSync(inbox + ".*")
	if err != nil {
		return // the connection is closed
	}
	// await waits until n answers have come to a subject, and returns how many are missing after a time.
	await := func(subject string, n int, most time.Duration) int {
		for end := time.Now().Add(most); n > 0; {
			m, err := answers.NextMsg(time.Until(end))
			if err != nil && !errors.Is(err, nats.ErrNoResponders) {
				break
			}
			if m == nil || m.Subject == subject { // others are late
				n--
			}
		}
		return n
	}
	tick := time.NewTicker(lookAtServer)
	defer tick.Stop()
	for look := 0; ; look++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !g.passed.Swap(false) {
			continue
		}
		subject := fmt.Sprintf("%s.%d", inbox, look)
		for _, stream := range []string{gamesStream, networksStream} {
			_ = conn.PublishRequest("$JS.API.DIRECT.GET."+stream, subject, []byte(`{"last_by_subj":"none"}`))
		}
		if missing := await(subject, 2, answerTime); missing > 0 {
			g.turn.Lock()
			await(subject, missing, longest)
			g.turn.Unlock()
		}
	}
}
