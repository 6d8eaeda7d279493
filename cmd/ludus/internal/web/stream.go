package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// stream answers GET requests for a path with a stream of events (text/event-stream). tell sends them, each with a name and
// data that become JSON, and returns once ctx, which is the client's, has ended or sending fails. An error of tell before the
// first event is the answer.
func (s *Server) stream(path string, tell func(ctx context.Context, r *http.Request, send func(event string, data any) error) error) {
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.streams <- struct{}{}:
			defer func() { <-s.streams }()
		default:
			s.fail(w, r, busy("%d pages are kept up to date, and no more can be; close one", cap(s.streams)))
			return
		}
		e := &events{w: w, control: http.NewResponseController(w), patience: s.limits.write}
		if err := e.control.SetReadDeadline(time.Time{}); err != nil { // or the client would count as gone by then
			s.fail(w, r, err)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		var wait sync.WaitGroup
		wait.Go(func() {
			defer cancel()
			e.live(ctx, s.limits.beat)
		})
		err := tell(ctx, r, e.send)
		cancel()
		wait.Wait()
		if err != nil && !e.begun {
			s.fail(w, r, err)
		}
	})
}

// events writes a stream. It is safe for concurrent use.
type events struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration // for a write
	mu       sync.Mutex
	begun    bool
}

// send writes an event.
func (e *events) send(name string, data any) error {
	encoded, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return e.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, encoded))
}

// live writes a comment now and then, so that nobody on the way takes the connection for dead, until ctx ends or nobody is
// there.
func (e *events) live(ctx context.Context, beat time.Duration) {
	ticker := time.NewTicker(beat)
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

func (e *events) write(data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.begun {
		e.begun = true
		e.w.Header().Set("Content-Type", "text/event-stream")
	}
	if err := e.control.SetWriteDeadline(time.Now().Add(e.patience)); err != nil {
		return err
	}
	if _, err := e.w.Write(data); err != nil {
		return err
	}
	return e.control.Flush()
}
