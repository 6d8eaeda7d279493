package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"ludus/cmd/ludus/internal/board"
	"ludus/cmd/ludus/internal/watch"
	"ludus/env"
)

// Options are what a server is started with.
type Options struct {
	Address string    // HOST:PORT to listen on; port 0 is any free one, and no host is all of the machine's
	Runs    string    // folder of runs, as it was given; it may be missing
	Token   string    // asked of every request; "" is none on loopback, and elsewhere a random one
	Threads int       // searches at once, at least 1
	Log     io.Writer // gets what goes wrong inside, a line each
}

// Server is a server that listens. Its runs are read while it serves, and never changed.
type Server struct {
	listener net.Listener
	host     string // that was chosen; "" is every address of the machine
	token    string // "" is none
	runs     string // folder, as it was given
	log      *log.Logger
	limits   limits
	mux      *http.ServeMux
	games    *gallery
	searches *queue
	agents   *lender
	streams  chan struct{} // one for each that is open
	watcher  *watch.Watcher
	reads    chan struct{} // one for each file of games that is being read
}

// limits bound what a server does for others.
type limits struct {
	read    time.Duration // of a request
	write   time.Duration // of a reply, or of one event of a stream
	idle    time.Duration // of a connection between requests
	search  time.Duration // of one search
	wait    time.Duration // in line for one
	beat    time.Duration // between signs of life of a stream
	waiting int           // searches in line
	streams int
	clients int // connections
	games   int // different ones that are asked for
}

var defaultLimits = limits{
	read: 10 * time.Second, write: 10 * time.Second, idle: time.Minute,
	search: 30 * time.Second, wait: 20 * time.Second, beat: 15 * time.Second,
	waiting: 128, streams: 64, clients: 512, games: 256,
}

// maxBody is the most that a request may have, in bytes: the longest game's moves take a few thousand.
const maxBody = 64 << 10

// maxHeader bounds a request's headers, in bytes.
const maxHeader = 16 << 10

var goodToken = regexp.MustCompile(`^[A-Za-z0-9_-]{8,128}$`)

// ErrOptions is wrapped by errors about Options.
var ErrOptions = errors.New("cannot serve")

// Listen opens the address. Close or Serve has to follow. Options that make no sense are an error that wraps [ErrOptions].
func Listen(o Options) (*Server, error) { return listen(o, defaultLimits) }

func listen(o Options, l limits) (*Server, error) {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w on %q: an address is HOST:PORT, such as 127.0.0.1:5838", ErrOptions, o.Address)
	}
	if o.Token != "" && !goodToken.MatchString(o.Token) {
		return nil, fmt.Errorf("%w with this token: it takes 8 to 128 letters, digits, - and _", ErrOptions)
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		reason := err
		if fault := new(net.OpError); errors.As(err, &fault) {
			reason = fault.Err
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("cannot serve on %s: %w; does another ludus serve there? --addr %s takes any port that is free",
				o.Address, reason, net.JoinHostPort(host, "0"))
		}
		return nil, fmt.Errorf("cannot serve on %s: %w", o.Address, reason)
	}
	s := &Server{
		listener: &bounded{listener, make(chan struct{}, l.clients)},
		host:     host, token: o.Token, runs: o.Runs, limits: l,
		log:      log.New(cmp.Or[io.Writer](o.Log, io.Discard), "", 0),
		mux:      http.NewServeMux(),
		games:    newGallery(l.games),
		searches: newQueue(o.Threads, l.waiting, l.wait),
		streams:  make(chan struct{}, l.streams),
		watcher:  watch.New(o.Runs),
		reads:    make(chan struct{}, reads),
	}
	s.agents = newLender(s, o.Threads)
	ip := listener.Addr().(*net.TCPAddr).IP
	if ip.IsUnspecified() {
		s.host = ""
	}
	if s.token == "" && !ip.IsLoopback() {
		s.token = rand.Text()
	}
	s.pageRoutes()
	s.boardRoutes()
	s.runRoutes()
	return s, nil
}

// Close ends listening without having served.
func (s *Server) Close() error { return s.listener.Close() }

// Local says that only this machine can reach the server.
func (s *Server) Local() bool { return s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() }

// URL is the address to open in a browser, with the token.
func (s *Server) URL() string {
	address := s.listener.Addr().(*net.TCPAddr)
	host := cmp.Or(s.host, reachable())
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(host, fmt.Sprint(address.Port)), Path: "/"}
	if s.token != "" {
		u.RawQuery = url.Values{"token": {s.token}}.Encode()
	}
	return u.String()
}

// reachable is an address under which other machines may find this one.
func reachable() string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "localhost"
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return "localhost"
}

// Serve answers requests until ctx ends; searches and streams end with it. The error is ctx's, or the listener's where that
// fails.
func (s *Server) Serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watcher.Run(serving) })
	defer watching.Wait()
	defer stop()
	l := &s.limits
	server := &http.Server{
		Handler:           s.guarded(http.HandlerFunc(s.route)),
		ReadHeaderTimeout: l.read,
		ReadTimeout:       l.read,
		WriteTimeout:      l.read + l.wait + l.search + l.write,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          s.log,
		BaseContext:       func(net.Listener) context.Context { return serving },

		DisableGeneralOptionsHandler: true, // it would answer past the guard
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	<-ended
	return ctx.Err()
}

// route answers a request that the guard let through. What no pattern takes is refused as everything else is.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if path.Clean(r.URL.Path) != r.URL.Path { // which the mux would answer by a redirect
		s.fail(w, r, nothingAt(r.URL.Path))
		return
	}
	handler, pattern := s.mux.Handler(r)
	if pattern != "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	probe := probe{header: http.Header{}}
	handler.ServeHTTP(&probe, r)
	if probe.status == http.StatusMethodNotAllowed {
		allowed := strings.Join(probe.header["Allow"], ", ")
		w.Header().Set("Allow", allowed)
		s.fail(w, r, refused(probe.status, "%s is not allowed at %s; allowed: %s", r.Method, r.URL.Path, allowed))
		return
	}
	s.fail(w, r, nothingAt(r.URL.Path))
}

// nothingAt refuses a path, and says which question may have been meant.
func nothingAt(path string) error {
	op := strings.TrimPrefix(path, "/api/")
	if near := env.Nearest(op, board.Operations()); near != "" {
		return refused(http.StatusNotFound, "there is nothing at %s; did you mean /api/%s?", path, near)
	}
	return refused(http.StatusNotFound, "there is nothing at %s", path)
}

// probe takes the answer of a handler that is only asked for its status.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header                { return p.header }
func (p *probe) WriteHeader(status int)             { p.status = status }
func (p *probe) Write(data []byte) (n int, _ error) { return len(data), nil }
