package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// producer produces the events of a stream until ctx ends, because the client disconnected, or send fails. send writes an
// event with a name and data, which becomes JSON.
type producer func(ctx context.Context, r *http.Request, send func(event string, data any) error) error

// stream registers a handler that answers GET requests of a path with server-sent events. If produce returns an error
// before its first event, the reply is that error.
func (s *Server) stream(path string, produce producer) {
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.streams <- struct{}{}:
			defer func() { <-s.streams }()
		default:
			s.fail(w, r, busyf("%d live pages are open, the most that this server allows; close one", cap(s.streams)))
			return
		}
		e := &eventStream{w: w, control: http.NewResponseController(w), timeout: s.limits.write}
		if err := e.control.SetReadDeadline(time.Time{}); err != nil { // the server's read timeout would end the request
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			defer cancel()
			e.keepAlive(ctx, s.limits.keepAlive)
		})
		err := produce(ctx, r, e.send)
		cancel()
		wait.Wait()
		if err != nil && !e.begun {
			s.fail(w, r, err)
		}
	})
}

// eventStream writes server-sent events. It is safe for concurrent use.
type eventStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration // of a write
	mu      sync.Mutex
	begun   bool
}

func (e *eventStream) send(event string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return e.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", event, encoded))
}

// keepAlive writes comments, which clients ignore, until ctx ends or the client has disconnected. Proxies close silent
// connections.
func (e *eventStream) keepAlive(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if e.write([]byte(":\n\n")) != nil {
				return
			}
		}
	}
}

func (e *eventStream) write(data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
	}
	if err := e.control.SetWriteDeadline(time.Now().Add(e.timeout)); err != nil {
		return err
	}
	if _, err := e.w.Write(data); err != nil {
		return err
	}
	return e.control.Flush()
}
