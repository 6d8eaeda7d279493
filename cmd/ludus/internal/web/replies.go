package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"ludus/cmd/ludus/internal/board"
)

// refusal is an error that is an answer: a status, and what was wrong and would be right.
type refusal struct {
	status int
	text   string
	retry  time.Duration // after which to ask again; 0 is nothing to say
}

func (r *refusal) Error() string { return r.text }

// refused makes a refusal.
func refused(status int, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

// busy makes a refusal of what may be asked again in a moment.
func busy(format string, args ...any) error {
	return &refusal{status: http.StatusServiceUnavailable, text: fmt.Sprintf(format, args...), retry: 2 * time.Second}
}

// fail answers with an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	refusal := s.refusalOf(r, err)
	if refusal.retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(refusal.retry.Seconds())))
	}
	s.write(w, refusal.status, map[string]string{"error": refusal.text})
}

// refusalOf finds the answer that an error is.
func (s *Server) refusalOf(r *http.Request, err error) *refusal {
	var known *refusal
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, new(*board.RequestError)):
		return &refusal{status: http.StatusBadRequest, text: err.Error()}
	case errors.As(err, &tooLarge):
		return &refusal{status: http.StatusRequestEntityTooLarge, text: fmt.Sprintf("the request is larger than %d bytes", tooLarge.Limit)}
	case r.Context().Err() != nil: // the client has gone, or the server ends
		return &refusal{status: http.StatusServiceUnavailable, text: "the server ends"}
	}
	s.log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
	return &refusal{status: http.StatusInternalServerError, text: err.Error()}
}

// write answers with JSON.
func (s *Server) write(w http.ResponseWriter, status int, reply any) {
	data, err := json.Marshal(reply)
	if err != nil {
		s.log.Printf("a reply that JSON cannot hold: %v", err)
		status, data = http.StatusInternalServerError, []byte(`{"error":"this reply cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // who has gone hears nothing
}

// get answers GET requests for a path, a pattern of http.ServeMux, with what answer returns, as JSON. Its errors are
// refusals, or the server's own faults.
func (s *Server) get(path string, answer func(r *http.Request) (any, error)) {
	s.mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		s.reply(w, r, func() (any, error) { return answer(r) })
	})
}

// reply answers with what answer returns, as JSON. A panic in there is this answer's own: others are served on.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, answer func() (any, error)) {
	reply, err := s.survive(answer)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.write(w, http.StatusOK, reply)
}

// survive turns a panic into an error. Agents that may have been in its middle are lent no more.
func (s *Server) survive(answer func() (any, error)) (reply any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.Printf("panic: %v\n%s", fault, debug.Stack())
			s.agents.clear()
			reply, err = nil, refused(http.StatusInternalServerError,
				"ludus has a fault here, which its terminal tells more of; please report it")
		}
	}()
	return answer()
}
