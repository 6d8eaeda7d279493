package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// gate accepts the connections of workers and forwards them to the server, inside the process. It limits the memory that
// workers can make the server use: the server queues its answers without limit, and a request of 60 bytes may ask for a
// chunk of a network. So connections forward data in turns, and every few turns the gate waits until the queue is empty. A
// client that does not read its answers is disconnected.
type gate struct {
	listener net.Listener
	tls      *tls.Config              // nil: no encryption
	connect  func() (net.Conn, error) // connects to the server
	settle   func(most time.Duration) // waits until the server has sent the answers in its queue, at most for the given time
	joined   sync.WaitGroup           // one for each connection

	turn      sync.Mutex    // held by the connection that forwards data
	forwarded int           // bytes forwarded since settle returned
	spent     time.Duration // duration of the turns since settle returned, a measure of the server's work

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
}

const (
	handshakeTime = 10 * time.Second
	acceptPause   = 100 * time.Millisecond // pause after a failed accept, such as too many open files
	writeTime     = 10 * time.Second       // time limit for a client to read up to copiedAtOnce bytes
	copiedAtOnce  = 32 << 10
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
			_ = conn.Close() // the connection is refused
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
		_ = conn.Close()
		g.mu.Lock()
		delete(g.open, conn)
		g.mu.Unlock()
	})
	return true
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

// forward forwards a connection until either side closes it, or the client stops reading.
func (g *gate) forward(conn net.Conn) {
	client := conn
	if g.tls != nil {
		secure := tls.Server(conn, g.tls)
		ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
		err := secure.HandshakeContext(ctx)
		cancel()
		if err != nil {
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
		copyAnswers(client, server)
		_ = conn.Close() // ends the loop below
	})
	buffer := make([]byte, forwardedAtOnce)
	for err == nil {
		var n int
		n, err = client.Read(buffer)
		if n > 0 {
			err = errors.Join(err, g.takeTurn(server, buffer[:n]))
		}
	}
	_ = server.Close() // ends copyAnswers while it reads; writeTime ends it while it writes
	joined.Wait()
}

// copyAnswers copies the server's answers to a client until either side closes its connection, or a write takes longer than
// writeTime.
func copyAnswers(client, server net.Conn) {
	buffer := make([]byte, copiedAtOnce)
	for {
		n, err := server.Read(buffer)
		if n > 0 {
			_ = client.SetWriteDeadline(time.Now().Add(writeTime)) // an error shows up in Write
			_, failed := client.Write(buffer[:n])
			err = errors.Join(err, failed)
		}
		if err != nil {
			return
		}
	}
}

const (
	forwardedAtOnce = 2 << 10 // bytes per turn
	longestTurn     = 20 * time.Millisecond
	longestWait     = time.Second // longest wait for the server's queue, so a new connection waits at most 5 s for its first answer

	// After this many bytes, or this much time of the server's work, the gate waits until the server's queue is empty.
	settleBytes = 64 << 10
	settleTime  = 5 * time.Millisecond
)

// takeTurn writes data to the server while other connections wait. A write to the in-process connection returns when the
// server reads, and the server reads after it has handled the data before. So writing the last byte separately waits until
// the rest is handled. The turn has a time limit, because the server waits for clients that read slowly.
func (g *gate) takeTurn(server net.Conn, data []byte) error {
	written := 0
	write := func(part []byte) error {
		n, err := server.Write(part)
		written += n
		return err
	}
	g.turn.Lock()
	if g.forwarded >= settleBytes || g.spent >= settleTime {
		g.settle(longestWait)
		g.forwarded, g.spent = 0, 0
	}
	started := time.Now()
	_ = server.SetWriteDeadline(time.Now().Add(longestTurn)) // an error shows up in Write
	err := write(data[:len(data)-1])
	if err == nil {
		err = write(data[len(data)-1:])
	}
	g.forwarded += len(data)
	g.spent += time.Since(started)
	g.turn.Unlock()
	if errors.Is(err, os.ErrDeadlineExceeded) {
		_ = server.SetWriteDeadline(time.Time{})
		err = write(data[written:])
	}
	return err
}

// waitForStreams waits until the server has sent the answers that its streams have queued, at most for the given time. It
// asks each stream for a message that does not exist; this answer comes after all others.
func waitForStreams(conn *nats.Conn, most time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	for _, stream := range []string{gamesStream, networksStream} {
		// Errors do not matter: a timeout ends the wait, and without the stream the request fails at once.
		_, _ = conn.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+stream, []byte(`{"last_by_subj":"none"}`))
	}
}
