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
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"ludus/env/gdl/kif"
)

// Options configure a Server.
type Options struct {
	Address string        // HOST:PORT to listen on; port 0 picks a free one, an empty host listens on all addresses
	Matches int           // most matches at a time, and number of ports from Address's on; at least 1
	Memory  int           // bytes that the process may use; at least MinMemory
	Runs    []string      // paths of runs, checkpoints or weights files for games of rule sheets, best first
	Margin  time.Duration // time to leave between an answer and the end of its clock
	Log     io.Writer     // receives a line for each event
}

// MinMemory is the least memory of a server, in bytes.
const MinMemory = 64 << 20

// Server is a player that match servers can reach over HTTP.
type Server struct {
	listeners []net.Listener
	margin    time.Duration
	memory    int
	log       *log.Logger
	trained   map[string]*trained // networks by the text of their sheet's canonical form

	minLearning time.Duration // minLearning, shorter in tests
	readTime    time.Duration // readTime, shorter in tests

	running sync.WaitGroup // requests, and goroutines of matches; see enter
	reading sync.Mutex     // held while a message is parsed, which limits the memory

	mu      sync.Mutex
	matches []*match        // being played
	most    int             // matches at a time
	known   []string        // ids of the last matches that ended, or whose messages were refused
	closing <-chan struct{} // closed at shutdown
	ended   bool            // set at shutdown: no request is answered any more
}

// Limits on what clients can make the server do.
const (
	readTime     = 30 * time.Second // longest pause while a message arrives
	messageTime  = 10 * time.Minute // time limit for a message to arrive
	stoppingTime = time.Second      // time limit for the answer to STOP
	maxKnown     = 32
)

// A match gives way to the next if no message comes for patience times the clock of a move, or minPatience if that is
// longer; the start clock counts, too, before the first move.
const (
	patience    = 3
	minPatience = 10 * time.Second
)

// ErrAddress is wrapped by errors about the address to listen on.
var ErrAddress = errors.New("bad address")

// Listen loads the networks of the runs and opens the address; call Serve next. Errors wrap [ErrAddress] or [ErrRun].
func Listen(ctx context.Context, o Options) (*Server, error) {
	s := &Server{
		minLearning: minLearning, readTime: readTime, margin: o.Margin, memory: max(o.Memory, MinMemory), most: max(o.Matches, 1),
		log: log.New(o.Log, "", log.LstdFlags), trained: map[string]*trained{}, closing: ctx.Done(),
	}
	for _, path := range o.Runs {
		t, err := loadTrained(ctx, path, s.simulations())
		if err != nil {
			return nil, fmt.Errorf("%w %s: %w", ErrRun, path, err)
		}
		if twin := s.trained[t.form.Text]; twin != nil {
			s.logf("%s is not used: %s plays the same game", path, twin.name)
			continue
		}
		s.trained[t.form.Text] = t
		s.logf("%s plays %s", path, t.factory.Game.Name)
	}
	if err := s.listen(o.Address); err != nil {
		return nil, err
	}
	return s, nil
}

// listen opens a port for each match, the given one and those that follow; port 0 stands for any free ones.
func (s *Server) listen(address string) error {
	host, first, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%w %q: an address is HOST:PORT, such as 127.0.0.1:9147", ErrAddress, address)
	}
	for i := range s.most {
		port := first
		if n, err := strconv.Atoi(first); err == nil && n > 0 {
			port = strconv.Itoa(n + i)
		}
		listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil {
			for _, l := range s.listeners {
				l.Close()
			}
			return err
		}
		s.listeners = append(s.listeners, listener)
	}
	return nil
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

// Addresses returns the addresses that the server listens on.
func (s *Server) Addresses() []string {
	var list []string
	for _, l := range s.listeners {
		list = append(list, l.Addr().String())
	}
	return list
}

// Serve answers messages until ctx ends. It returns ctx's error, or a listener's if that fails. Meanwhile the limit of
// the Go runtime's memory is the server's.
func (s *Server) Serve(ctx context.Context) error {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(s.memory)))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.closing = ctx.Done()
	var servers sync.WaitGroup
	for door, listener := range s.listeners {
		server := &http.Server{
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, door) }), ReadHeaderTimeout: s.readTime,
			IdleTimeout: s.readTime, ErrorLog: s.log, DisableGeneralOptionsHandler: true,
		}
		servers.Go(func() { cancel(server.Serve(listener)) })
		defer context.AfterFunc(ctx, func() { server.Close() })()
	}
	servers.Wait()
	s.mu.Lock()
	s.ended = true
	for _, m := range s.matches {
		m.cancel()
	}
	s.mu.Unlock()
	s.running.Wait()
	return context.Cause(ctx)
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

// serve answers a message that came to an address: the body of a POST request or the path of a GET request.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, door int) {
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
	switch {
	case r.Method == http.MethodOptions:
		return
	case r.Method == http.MethodPost && r.Header.Get("Content-Length") == "" && len(r.TransferEncoding) == 0:
		s.serveBare(w, r, door, received)
		return
	case r.Method == http.MethodPost:
		control := http.NewResponseController(w)
		text, err = s.read(http.MaxBytesReader(w, r.Body, kif.MaxBytes), received, control.SetReadDeadline, nil)
	case r.Method == http.MethodGet:
		text, err = url.QueryUnescape(strings.TrimPrefix(r.RequestURI, "/"))
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	status, answer := s.reply(text, err, r.RemoteAddr, door, received)
	w.WriteHeader(status)
	fmt.Fprint(w, answer)
}

// serveBare answers a POST request without the length of its body, which ends with the bracket that closes the message.
func (s *Server) serveBare(w http.ResponseWriter, r *http.Request, door int, received time.Time) {
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		w.WriteHeader(http.StatusLengthRequired)
		return
	}
	defer conn.Close()
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-s.closing:
			conn.Close()
		case <-answered:
		}
	}()
	end := &ending{}
	text, err := s.read(io.LimitReader(buffered, kif.MaxBytes), received, conn.SetReadDeadline, end.reached)
	status, answer := s.reply(text, err, r.RemoteAddr, door, received)
	response := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: w.Header(), Body: io.NopCloser(strings.NewReader(answer)),
		ContentLength: int64(len(answer)), Close: true,
	}
	_ = response.Write(conn) // the client may be gone
}

// read reads a message to its end, or until ended reports that a part was the last. A message may take long to arrive,
// but not pause.
func (s *Server) read(from io.Reader, received time.Time, setDeadline func(time.Time) error, ended func([]byte) bool) (string, error) {
	var text []byte
	buffer := make([]byte, 32<<10)
	for {
		pause, latest := time.Now().Add(s.readTime), received.Add(messageTime)
		if latest.Before(pause) {
			pause = latest
		}
		if err := setDeadline(pause); err != nil {
			return "", err
		}
		n, err := from.Read(buffer)
		text = append(text, buffer[:n]...)
		switch {
		case ended != nil && ended(buffer[:n]), errors.Is(err, io.EOF):
			return string(text), nil
		case err != nil:
			return "", err
		}
	}
}

// ending finds the end of a message.
type ending struct {
	depth   int
	comment bool
}

// reached reads a part of the message, and reports whether the bracket that closes it is there.
func (e *ending) reached(part []byte) bool {
	for _, c := range part {
		switch {
		case e.comment:
			e.comment = c != '\n'
		case c == ';':
			e.comment = true
		case c == '(':
			e.depth++
		case c == ')':
			e.depth--
			if e.depth <= 0 {
				return true
			}
		}
	}
	return false
}

// reply parses and answers a message, which came with the given error. It returns the HTTP status and the text.
func (s *Server) reply(text string, err error, remote string, door int, received time.Time) (int, string) {
	answer := ""
	if err == nil {
		answer, err = s.message(text, door, received)
	}
	if err != nil {
		s.logf("message of %s refused: %v", remote, err)
		return http.StatusBadRequest, plain(err.Error())
	}
	return http.StatusOK, answer
}

// message parses and answers a message.
func (s *Server) message(text string, door int, received time.Time) (string, error) {
	s.reading.Lock()
	m, err := parse(text)
	s.reading.Unlock()
	if err != nil {
		return "", err
	}
	return s.handle(m, door, received)
}

// handle answers a parsed message.
func (s *Server) handle(m *message, door int, received time.Time) (string, error) {
	switch m.kind {
	case "info":
		return fmt.Sprintf("((name ludus) (status %s))", s.status(received)), nil
	case "preview":
		if s.status(received) == busy {
			return busy, nil
		}
		return "ready", nil
	case "start":
		return s.start(m, door, received)
	}
	s.mu.Lock()
	played := s.find(door, m.match)
	if played == nil {
		if !slices.ContainsFunc(s.known, func(id string) bool { return strings.EqualFold(id, m.match) }) {
			s.logf("match %.60s: %s refused, and more will be: ludus does not play it; was it started before ludus was?", m.match, strings.ToUpper(m.kind))
			s.know(m.match)
		}
		s.mu.Unlock()
		return busy, nil
	}
	played.last = received
	played.played = true
	if m.kind != "play" {
		s.end(played)
	}
	s.mu.Unlock()
	switch m.kind {
	case "abort":
		played.logf("aborted")
		played.cancel()
		return "aborted", nil
	case "stop":
		_, err := played.ask(m.moves, received.Add(stoppingTime/2), received.Add(stoppingTime), true)
		played.cancel()
		return "done", err
	}
	deadline, latest := s.within(received, played.playClock)
	return played.ask(m.moves, deadline, latest, false)
}

// find returns the match of an id that came to an address; nil if it is not played. The caller holds the lock.
func (s *Server) find(door int, id string) *match {
	for _, m := range s.matches {
		if m.door == door && strings.EqualFold(m.id, id) {
			return m
		}
	}
	return nil
}

// end removes a match. The caller holds the lock.
func (s *Server) end(m *match) {
	s.matches = slices.DeleteFunc(s.matches, func(other *match) bool { return other == m })
	s.know(m.id)
}

// know notes that messages of a match that is not played are no news. The caller holds the lock.
func (s *Server) know(id string) {
	s.known = append(s.known, id)
	if len(s.known) > maxKnown {
		s.known = slices.Delete(s.known, 0, 1)
	}
}

// busy is the answer of a server that is playing another match.
const busy = "busy"

// status returns "busy" or "available".
func (s *Server) status(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.matches) < s.most || s.silent(now) != nil {
		return "available"
	}
	return busy
}

// silent returns a match whose server sends nothing any more; nil if there is none. The caller holds the lock.
func (s *Server) silent(now time.Time) *match {
	i := slices.IndexFunc(s.matches, func(m *match) bool { return m.isSilent(now) })
	if i < 0 {
		return nil
	}
	return s.matches[i]
}

// isSilent reports whether the match's server sends nothing any more. The caller holds the server's lock.
func (m *match) isSilent(now time.Time) bool {
	wait := max(patience*m.playClock, minPatience)
	if !m.played {
		wait += m.startClock
	}
	return now.Sub(m.last) >= wait
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
func (s *Server) start(message *message, door int, received time.Time) (string, error) {
	m, err := s.begin(message, door, received)
	if err != nil {
		return "", err
	}
	if m == nil {
		return busy, nil
	}
	m.logf("%s of %s, clocks %v and %v", m.written(m.role), m.written(m.roles...), m.startClock, m.playClock)
	timer := time.NewTimer(time.Until(m.ready))
	defer timer.Stop()
	select {
	case <-m.prepared:
	case <-timer.C:
		m.logf("the start clock ends before the preparation, which goes on")
	case <-m.ended:
	}
	return "ready", nil
}

// begin starts the match of a START message. It returns nil if no match may begin.
func (s *Server) begin(message *message, door int, received time.Time) (*match, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, nil
	}
	twin := s.find(door, message.match)
	old := twin
	if twin == nil && len(s.matches) == s.most {
		old = s.silent(received)
	}
	if old != nil && old.isSilent(received) {
		old.logf("ended: no message for %v", received.Sub(old.last).Round(time.Second))
		old.cancel()
		s.end(old)
		twin = nil
	}
	switch {
	case twin != nil:
		twin.logf("a second START refused; for another seat of the match, give its server another port of --matches")
		return nil, nil
	case len(s.matches) == s.most:
		s.logf("match %.60s refused: %.60s is being played", message.match, s.matches[0].id)
		s.know(message.match)
		return nil, nil
	}
	m, err := s.newMatch(message, door, received)
	if err == nil {
		s.matches = append(s.matches, m)
	}
	return m, err
}
