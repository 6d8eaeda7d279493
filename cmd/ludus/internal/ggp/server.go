package ggp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"ludus/env/gdl/kif"
)

// Options configure a server.
type Options struct {
	Address string        // HOST:PORT to listen on; port 0 picks a free one, an empty host listens on all addresses
	Runs    []string      // runs, checkpoints or weights files of games of rule sheets, best first
	Margin  time.Duration // answers come so long before the end of a clock
	Log     io.Writer     // receives a line for each event
}

// Server is a player that a match server can reach. It plays one match at a time.
type Server struct {
	listener net.Listener
	margin   time.Duration
	log      *log.Logger
	trained  map[string]*trained // by the text of the canonical form

	minLearning time.Duration // see the constant; tests lower it

	ctx       context.Context // of Serve
	running   sync.WaitGroup  // requests and goroutines of matches; see enter
	preparing chan struct{}   // holds an element while a match is prepared
	reading   chan struct{}   // holds an element while a message is parsed

	mu    sync.Mutex
	match *match // nil if none is played
	ended bool   // no request is answered any more
}

// Limits of what clients can make the server do.
const (
	maxMessage   = kif.MaxBytes
	readTime     = 30 * time.Second
	silence      = 10 * time.Minute // beyond the clocks: a match without messages for so long makes way for the next
	stoppingTime = time.Second      // for STOP
)

// ErrAddress is wrapped by errors about the address to listen on.
var ErrAddress = errors.New("bad address")

// Listen loads the runs and opens the address; call Serve next. Errors wrap [ErrAddress] or [ErrRun] if these are bad.
func Listen(ctx context.Context, o Options) (*Server, error) {
	if _, _, err := net.SplitHostPort(o.Address); err != nil {
		return nil, fmt.Errorf("%w %q: an address is HOST:PORT, such as 127.0.0.1:9147", ErrAddress, o.Address)
	}
	s := &Server{
		minLearning: minLearning, margin: o.Margin, log: log.New(o.Log, "", log.LstdFlags), trained: map[string]*trained{},
		preparing: make(chan struct{}, 1), reading: make(chan struct{}, 1),
	}
	for _, path := range o.Runs {
		t, err := loadTrained(ctx, path)
		if err != nil {
			return nil, err
		}
		if twin := s.trained[t.form.Text]; twin != nil {
			s.logf("%s is not used: %s plays the same game", path, twin.name)
			continue
		}
		s.trained[t.form.Text] = t
		s.logf("%s plays %s", path, t.factory.Game.Name)
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, err
	}
	s.listener = listener
	return s, nil
}

// logf writes a line to the log.
func (s *Server) logf(format string, args ...any) { s.log.Print(plain(fmt.Sprintf(format, args...))) }

// plain returns a text that may come from a client without control characters, and cuts it.
func plain(text string) string {
	const most = 500
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, text)
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Serve answers messages until ctx ends. It returns ctx's error, or the listener's if that fails.
func (s *Server) Serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	s.ctx = serving
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: readTime, ReadTimeout: readTime, IdleTimeout: readTime,
		ErrorLog: s.log, DisableGeneralOptionsHandler: true,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	var err error
	select {
	case err = <-ended:
		server.Close()
	case <-ctx.Done():
		server.Close()
		<-ended
		err = ctx.Err()
	}
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	stop()
	s.running.Wait()
	return err
}

// enter reports whether a request may be answered. If so, Serve waits until it calls running.Done.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.running.Add(1)
	}
	return !s.ended
}

// ServeHTTP answers a message, which is the body of a POST request, or the path of a GET request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer s.running.Done()
	received := time.Now()
	h := w.Header()
	h.Set("Content-Type", "text/acl")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "POST, GET, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type")
	h.Set("Access-Control-Max-Age", "86400")
	var text string
	var err error
	switch r.Method {
	case http.MethodOptions:
		return
	case http.MethodPost:
		var body []byte
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
		text = string(body)
	case http.MethodGet:
		text, err = url.QueryUnescape(strings.TrimPrefix(r.RequestURI, "/"))
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := ""
	if err == nil {
		answer, err = s.reply(text, received)
	}
	if err != nil {
		s.logf("message of %s refused: %v", r.RemoteAddr, err)
		w.WriteHeader(http.StatusBadRequest)
		answer = plain(err.Error())
	}
	fmt.Fprint(w, answer)
}

// reply answers a message.
func (s *Server) reply(text string, received time.Time) (string, error) {
	m, err := s.read(text)
	if err != nil {
		return "", err
	}
	return s.handle(m, received)
}

// read parses a message: one at a time, which bounds the memory.
func (s *Server) read(text string) (*message, error) {
	s.reading <- struct{}{}
	defer func() { <-s.reading }()
	return parse(text)
}

// handle answers a message that has been parsed.
func (s *Server) handle(m *message, received time.Time) (string, error) {
	switch m.kind {
	case "info":
		return fmt.Sprintf("((name ludus) (status %s))", s.status(received)), nil
	case "preview":
		if s.status(received) == busy {
			return busy, nil
		}
		return "ready", nil
	case "start":
		return s.start(m, received)
	}
	s.mu.Lock()
	played := s.match
	if played == nil || played.id != m.match {
		s.mu.Unlock()
		s.logf("match %.60s: %s, but it is not played", m.match, strings.ToUpper(m.kind))
		return busy, nil
	}
	played.last = received
	if m.kind != "play" {
		s.match = nil
	}
	s.mu.Unlock()
	switch m.kind {
	case "abort":
		played.logf("aborted")
		played.cancel()
		return "aborted", nil
	case "stop":
		_, err := played.ask(m.moves, received, received.Add(stoppingTime))
		played.cancel()
		return "done", err
	}
	deadline, latest := s.within(received, played.playClock)
	return played.ask(m.moves, deadline, latest)
}

// busy is the answer of a player that plays another match.
const busy = "busy"

// status returns busy, or available.
func (s *Server) status(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.match == nil || s.match.silent(now) {
		return "available"
	}
	return busy
}

// silent reports whether the match's server has sent nothing for so long that it must be gone. The server must be locked.
func (m *match) silent(now time.Time) bool {
	return now.Sub(m.last) >= silence+m.startClock+m.playClock
}

// within returns until when to search for an answer, and when to answer in any case. A clock that is not longer than the
// margin is used to its half.
func (s *Server) within(received time.Time, clock time.Duration) (deadline, latest time.Time) {
	margin := s.margin
	if margin >= clock {
		margin = clock / 2
	}
	return received.Add(clock - margin), received.Add(clock - margin/2)
}

// start answers a START message: when the match is prepared, or when its clock ends.
func (s *Server) start(m *message, received time.Time) (string, error) {
	s.mu.Lock()
	if old := s.match; old != nil {
		if !old.silent(received) {
			s.mu.Unlock()
			s.logf("match %.60s refused: %.60s is being played", m.match, old.id)
			return busy, nil
		}
		old.logf("ended: the server sends nothing any more")
		old.cancel()
		s.match = nil
	}
	started, err := s.newMatch(m, received)
	if err != nil {
		s.mu.Unlock()
		return "", err
	}
	s.match = started
	s.mu.Unlock()
	started.logf("%s of %v, clocks %v and %v", started.role, started.roles, started.startClock, started.playClock)
	timer := time.NewTimer(time.Until(started.ready))
	defer timer.Stop()
	select {
	case <-started.prepared:
	case <-timer.C:
		started.logf("not prepared when the start clock ends")
	case <-started.ctx.Done():
	}
	return "ready", nil
}
