package remote

import (
	"bytes"
	"crypto/rand"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"ludus/train/record"
)

// slowLink forwards connections to an address. Every byte arrives after a delay; it does not limit how many are on their way.
func slowLink(t *testing.T, to string, delay time.Duration) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	forward := func(to io.WriteCloser, from io.Reader) {
		type piece struct {
			data []byte
			at   time.Time
		}
		pieces := make(chan piece, 1000)
		go func() {
			defer to.Close()
			for p := range pieces {
				time.Sleep(time.Until(p.at))
				if _, err := to.Write(p.data); err != nil {
					return
				}
			}
		}()
		defer close(pieces)
		for {
			data := make([]byte, 32<<10)
			n, err := from.Read(data)
			if err != nil {
				return
			}
			pieces <- piece{data[:n], time.Now().Add(delay)}
		}
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				return
			}
			go forward(server, client)
			go forward(client, server)
		}
	}()
	return l.Addr().String()
}

// TestSlowLink: a network of many chunks arrives over a link with long delays, also if it is replaced meanwhile; if it is
// replaced twice, the worker must read a newer one.
func TestSlowLink(t *testing.T) {
	t.Parallel()
	server := startServer(t, t.TempDir())
	h := startHub(t, server, "run")
	put := func(size int) []byte {
		data := make([]byte, size)
		_, _ = rand.Read(data)
		if err := h.put(t.Context(), invitation{Play: record.PlayVersion}, data); err != nil {
			t.Fatal(err)
		}
		return data
	}
	const delay = 200 * time.Millisecond // each way
	conn, err := nats.Connect("nats://"+slowLink(t, server.gate.listener.Addr().String(), delay), nats.CustomInboxPrefix(workerReplies))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, size := range []int{0, 1, chunkSize, chunkSize + 1, 80*chunkSize - 7} {
		want := put(size)
		d, err := findNewest(t.Context(), conn)
		if err != nil {
			t.Fatal(err)
		}
		replaced := make(chan bool)
		go func() {
			defer close(replaced)
			time.Sleep(delay)
			put(10)
		}()
		start := time.Now()
		got, err := d.read(t.Context(), conn)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes are read as %d; error %v", size, len(got), err)
		}
		if elapsed := time.Since(start); elapsed > 80*delay { // one chunk after the other would take 160 delays
			t.Errorf("%d bytes take %v", size, elapsed)
		}
		<-replaced
	}
	d, err := findNewest(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	put(20)
	put(30)
	if _, err := d.read(t.Context(), conn); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("a network that is gone: %v", err)
	}
}
