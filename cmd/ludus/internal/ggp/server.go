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

// Options configure a Server.
type Options struct {
	Address string        // HOST:PORT to listen on; port 0 picks a free one, an empty host listens on all addresses
	Runs    []string      // paths of runs, checkpoints or weights files for games of rule sheets, best first
	Margin  time.Duration // time to leave between an answer and the end of its clock
	Log     io.Writer     // receives a line for each event
}

// Server is a player that match servers can reach over HTTP. It plays one match at a time.
type Server struct {
	listener net.Listener
	margin   time.Duration
	log      *log.Logger
	trained  map[string]*trained // networks by the text of their sheet's canonical form

	minLearning time.Duration // minLearning, shorter in tests

	running   sync.WaitGroup // requests, and goroutines of matches; see enter
	preparing chan struct{}  // holds one element while a match prepares
	reading   sync.Mutex     // held while a message is parsed, which limits the memory

	mu    sync.Mutex
	match *match // match being played; nil: none
	ended bool   // set at shutdown: no request is answered any more
}

// Limits on what clients can make the server do.
const (
	readTime     = 30 * time.Second // time limit for a message to arrive
	silence      = 10 * time.Minute // a match that is silent for this time, plus its clocks, gives way to the next
	stoppingTime = time.Second      // time limit for the answer to STOP
)

// ErrAddress is wrapped by errors about the address to listen on.
var ErrAddress = errors.New("bad address")

// Listen loads the networks of the runs and opens the address; call Serve next. Errors wrap [ErrAddress] or [ErrRun].
func Listen(ctx context.Context, o Options) (*Server, error) {
	if _, _, err := net.SplitHostPort(o.Address); err != nil {
		return nil, fmt.Errorf("%w %q: an address is HOST:PORT, such as 127.0.0.1:9147", ErrAddress, o.Address)
	}
	s := &Server{
		minLearning: minLearning, margin: o.Margin, log: log.New(o.Log, "", log.LstdFlags), trained: map[string]*trained{},
		preparing: make(chan struct{}, 1),
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

// plain shortens a text that may come from a client, and replaces its control characters, for logs and replies.
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
	if s.match != nil {
		s.match.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
	return err
}

// enter reports whether the server still answers requests. If so, it registers the request: Serve then waits until the
// caller calls running.Done.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.running.Add(1)
	}
	return !s.ended
}

// ServeHTTP answers a message, which is the body of a POST request or the path of a GET request.
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
		body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, kif.MaxBytes))
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

// reply parses and answers a message.
func (s *Server) reply(text string, received time.Time) (string, error) {
	s.reading.Lock()
	m, err := parse(text)
	s.reading.Unlock()
	if err != nil {
		return "", err
	}
	return s.handle(m, received)
}

// handle answers a parsed message.
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
		// No time to search: the match only logs the last position's goals.
		_, err := played.ask(m.moves, received, received.Add(stoppingTime))
		played.cancel()
		return "done", err
	}
	deadline, latest := s.within(received, played.playClock)
	return played.ask(m.moves, deadline, latest)
}

// busy is the answer of a server that is playing another match.
const busy = "busy"

// status returns "busy" or "available".
func (s *Server) status(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.match == nil || s.match.silent(now) {
		return "available"
	}
	return busy
}

// silent reports whether a match has had no message for so long that its match server must be gone. The caller holds the
// server's lock.
func (m *match) silent(now time.Time) bool {
	return now.Sub(m.last) >= silence+m.startClock+m.playClock
}

// within returns the time when a search must end, and the time when an answer must be sent. On a clock shorter than the
// margin, half of the clock serves as the margin.
func (s *Server) within(received time.Time, clock time.Duration) (deadline, latest time.Time) {
	margin := s.margin
	if margin >= clock {
		margin = clock / 2
	}
	return received.Add(clock - margin), received.Add(clock - margin/2)
}

// start answers a START message once the match is prepared or its clock ends.
func (s *Server) start(message *message, received time.Time) (string, error) {
	m, err := s.begin(message, received)
	if err != nil {
		return "", err
	}
	if m == nil {
		return busy, nil
	}
	m.logf("%s of %v, clocks %v and %v", m.role, m.roles, m.startClock, m.playClock)
	timer := time.NewTimer(time.Until(m.ready))
	defer timer.Stop()
	select {
	case <-m.prepared:
	case <-timer.C:
		m.logf("not prepared when the start clock ends")
	case <-m.ended:
	}
	return "ready", nil
}

// begin starts the match of a START message. It returns nil if the server is playing another one.
func (s *Server) begin(message *message, received time.Time) (*match, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, nil
	}
	if old := s.match; old != nil {
		if !old.silent(received) {
			s.logf("match %.60s refused: %.60s is being played", message.match, old.id)
			return nil, nil
		}
		old.logf("ended: its server sends nothing any more")
		old.cancel()
		s.match = nil
	}
	m, err := s.newMatch(message, received)
	s.match = m
	return m, err
}
