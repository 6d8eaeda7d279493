package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/watch"
)

// httpError is an error with the HTTP status to reply with.
type httpError struct {
	status     int
	text       string
	retryAfter time.Duration // for the header Retry-After; 0: no header
}

func (e *httpError) Error() string { return e.text }

func httpErrorf(status int, format string, args ...any) *httpError {
	return &httpError{status: status, text: fmt.Sprintf(format, args...)}
}

// busyf returns an error that asks the client to repeat the request in a moment.
func busyf(format string, args ...any) *httpError {
	return &httpError{status: http.StatusServiceUnavailable, text: fmt.Sprintf(format, args...), retryAfter: 2 * time.Second}
}

// fail replies with an error: as a page if a browser asked for one, otherwise as JSON.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	e := s.asHTTPError(r, err)
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.retryAfter.Seconds())))
	}
	if wantsPage(r) {
		s.writeErrorPage(w, e)
		return
	}
	s.writeJSON(w, r, e.status, map[string]string{"error": e.text})
}

// asHTTPError chooses the HTTP status of an error. Unknown errors get status 500 and are logged.
func (s *Server) asHTTPError(r *http.Request, err error) *httpError {
	var known *httpError
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, new(*board.RequestError)):
		return httpErrorf(http.StatusBadRequest, "%v", err)
	case errors.Is(err, watch.ErrUnknown):
		return httpErrorf(http.StatusNotFound, "%v", err)
	case errors.As(err, &tooLarge):
		return httpErrorf(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", tooLarge.Limit)
	case r.Context().Err() != nil: // the client has disconnected, or the server is stopping
		return httpErrorf(http.StatusServiceUnavailable, "the server is stopping")
	}
	s.log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
	return httpErrorf(http.StatusInternalServerError, "%v", err)
}

var etagSeed = maphash.MakeSeed()

// writeJSON sends a reply with an ETag. A client that has this very reply already, as If-None-Match says, gets status 304
// without a body: pages request what may change several times a second.
func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, status int, reply any) {
	data, err := json.Marshal(reply)
	if err != nil {
		s.log.Printf("cannot encode a reply as JSON: %v", err)
		status, data = http.StatusInternalServerError, []byte(`{"error":"the reply cannot be encoded"}`)
	}
	etag := fmt.Sprintf(`"%x"`, maphash.Bytes(etagSeed, data))
	w.Header().Set("ETag", etag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // fails if the client has disconnected
}

// get registers a handler for GET requests of a path, which sends the result of answer as JSON.
func (s *Server) get(path string, answer func(r *http.Request) (any, error)) {
	s.handle("GET", path, func(w http.ResponseWriter, r *http.Request) {
		s.reply(w, r, func() (any, error) { return answer(r) })
	})
}

// reply sends the result of answer as JSON. If answer panics, reply sends an error and drops all pooled agents, since one
// of them may be in an invalid state; the server keeps running.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, answer func() (any, error)) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Printf("panic: %v\n%s", fault, debug.Stack())
			s.agents.clear()
			s.fail(w, r, httpErrorf(http.StatusInternalServerError,
				"internal error: a bug in ludus; its terminal shows details; please report them"))
		}
	}()
	reply, err := answer()
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.writeJSON(w, r, http.StatusOK, reply)
}
