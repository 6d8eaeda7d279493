package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// follow registers handlers for a value that changes. GET path replies with the current version. GET path/events replies
// with server-sent events: the current version and then every newer one. latest returns the current version or, if seen is
// not nil, waits for a version that differs from it. An error before the first event is sent as the reply; a later one ends
// the stream.
func follow[T any](s *Server, path, event string, latest func(r *http.Request, seen *T) (*T, error)) {
	s.get(path, func(r *http.Request) (any, error) { return latest(r, nil) })
	s.handle("GET", path+"/events", func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.streams <- struct{}{}:
			defer func() { <-s.streams }()
		default:
			s.fail(w, r, busyf("%d live pages are open, the most that this server allows; close one", cap(s.streams)))
			return
		}
		control := http.NewResponseController(w)
		if err := control.SetReadDeadline(time.Time{}); err != nil { // otherwise the server's read timeout would end the stream
			s.fail(w, r, err)
			return
		}
		var seen *T
		for begun := false; ; begun = true {
			ctx, cancel := context.WithTimeout(r.Context(), s.limits.keepAlive)
			value, err := latest(r.WithContext(ctx), seen)
			cancel()
			data := []byte(":\n\n") // a comment, which clients ignore: proxies close silent connections
			if err == nil {
				seen = value
				data, err = json.Marshal(value)
				data = fmt.Appendf(nil, "event: %s\ndata: %s\n\n", event, data)
			} else if r.Context().Err() == nil && errors.Is(err, context.DeadlineExceeded) {
				err = nil
			}
			if err != nil {
				if !begun {
					s.fail(w, r, err)
				}
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			if err := control.SetWriteDeadline(time.Now().Add(s.limits.write)); err != nil {
				return
			}
			if _, err := w.Write(data); err != nil {
				return
			}
			if err := control.Flush(); err != nil {
				return
			}
		}
	})
}
