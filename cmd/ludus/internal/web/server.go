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
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"ludus/cmd/ludus/internal/sheet"
	"ludus/cmd/ludus/internal/watch"
)

// Options configure a Server.
type Options struct {
	Address string         // HOST:PORT to listen on; port 0 picks a free one, an empty host listens on all addresses
	Runs    string         // folder of runs; it may be missing
	Token   string         // token that every request must have; "": no token on loopback, otherwise a random one
	Threads int            // number of searches at once, at least 1
	Log     io.Writer      // receives internal errors, one per line; nil discards them
	Sheet   *sheet.Watcher // watched sheet, shown at /sheet; may be nil
}

// Server is a listening server. It reads runs and never changes them.
type Server struct {
	listener  net.Listener
	host      string // host of Options.Address; "" stands for every address of the machine
	token     string // "": no token is required
	runs      string // folder of runs, as in Options
	log       *log.Logger
	limits    limits
	mux       *http.ServeMux
	games     *gameCache
	searches  *queue
	agents    *agentPool
	watcher   *watch.Watcher
	sheet     *sheet.Watcher // nil: no sheet is watched
	fileReads *queue         // for requests that read files of runs
}

// limits bound the time, memory and connections that clients can use.
type limits struct {
	read       time.Duration // time limit for reading a request
	write      time.Duration // time limit for writing a reply
	idle       time.Duration // time limit for an idle connection between requests
	search     time.Duration // time limit for a search
	searchWait time.Duration // time limit for a request to wait in a queue
	waiting    int           // number of requests that may wait in a queue
	clients    int           // number of connections
	games      int           // number of different games kept
}

var defaultLimits = limits{
	read: 10 * time.Second, write: 10 * time.Second, idle: time.Minute,
	search: 30 * time.Second, searchWait: 20 * time.Second,
	waiting: 128, clients: 512, games: 256,
}

// maxBody is the largest request body in bytes; the moves of the longest game take a few thousand.
const maxBody = 64 << 10

// maxHeader is the largest size of a request's headers in bytes.
const maxHeader = 16 << 10

var validToken = regexp.MustCompile(`^[A-Za-z0-9_-]{8,128}$`)

// ErrOptions is wrapped by errors about Options.
var ErrOptions = errors.New("cannot serve")

// Listen opens the address; call Serve or Close next. Errors about invalid options wrap [ErrOptions].
func Listen(o Options) (*Server, error) { return listen(o, defaultLimits) }

// listen is Listen with limits. On an address that others can reach, it makes a token if none is given.
func listen(o Options, l limits) (*Server, error) {
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("%w on %q: an address is HOST:PORT, such as 127.0.0.1:5838", ErrOptions, o.Address)
	}
	if o.Token != "" && !validToken.MatchString(o.Token) {
		return nil, fmt.Errorf("%w with this token: a token consists of 8 to 128 letters, digits, - and _", ErrOptions)
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		reason := err
		if fault := new(net.OpError); errors.As(err, &fault) {
			reason = fault.Err
		}
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("cannot serve on %s: %w; is another ludus running there? --addr %s uses any free port",
				o.Address, reason, net.JoinHostPort(host, "0"))
		}
		return nil, fmt.Errorf("cannot serve on %s: %w", o.Address, reason)
	}
	s := &Server{
		listener: netutil.LimitListener(listener, l.clients),
		host:     host, token: o.Token, runs: o.Runs, limits: l,
		log:       log.New(cmp.Or[io.Writer](o.Log, io.Discard), "", 0),
		mux:       http.NewServeMux(),
		games:     newGameCache(l.games),
		searches:  newQueue(o.Threads, l.waiting, l.searchWait),
		watcher:   watch.New(o.Runs),
		sheet:     o.Sheet,
		fileReads: newQueue(maxFileReads, l.waiting, l.searchWait),
	}
	s.agents = newAgentPool(s, o.Threads)
	ip := listener.Addr().(*net.TCPAddr).IP
	if ip.IsUnspecified() {
		s.host = ""
	}
	if s.token == "" && !ip.IsLoopback() {
		s.token = rand.Text()
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, unknownPath(r.URL.Path)) })
	s.pageRoutes()
	s.boardRoutes()
	s.runRoutes()
	if s.sheet != nil {
		s.sheetRoutes()
	}
	return s, nil
}

// Close closes the listener of a server whose Serve is not called.
func (s *Server) Close() error { return s.listener.Close() }

// Local reports whether only this machine can reach the server.
func (s *Server) Local() bool { return s.listener.Addr().(*net.TCPAddr).IP.IsLoopback() }

// base returns the server's address without the token.
func (s *Server) base() string {
	port := s.listener.Addr().(*net.TCPAddr).Port
	u := url.URL{Scheme: "http", Host: net.JoinHostPort(cmp.Or(s.host, machineAddress()), fmt.Sprint(port)), Path: "/"}
	return u.String()
}

// URL returns the address to open in a browser, with the token.
func (s *Server) URL() string {
	if s.token == "" {
		return s.base()
	}
	return s.base() + "?token=" + url.QueryEscape(s.token)
}

// machineAddress returns an IPv4 address by which other machines can probably reach this one.
func machineAddress() string {
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

// Serve answers requests until ctx ends, which also ends searches. It returns ctx's error, or the
// listener's if that fails.
func (s *Server) Serve(ctx context.Context) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	l := &s.limits
	server := &http.Server{
		Handler:           s.guard(http.HandlerFunc(s.route)),
		ReadHeaderTimeout: l.read,
		ReadTimeout:       l.read,
		WriteTimeout:      l.read + l.searchWait + l.search + l.write,
		IdleTimeout:       l.idle,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          s.log,
		BaseContext:       func(net.Listener) context.Context { return serving },

		DisableGeneralOptionsHandler: true, // the default handler would bypass the guard
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
	if err := server.Shutdown(grace); err != nil { // some requests did not end in time
		server.Close()
	}
	<-ended
	return ctx.Err()
}

// route answers a request that has passed the guard.
func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if p := r.URL.Path; p == "*" || path.Clean(p) != p { // the mux would reject or redirect it
		s.fail(w, r, unknownPath(r.URL.Path))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// handle registers the handler of a path for one method. Other methods get an error as JSON.
func (s *Server) handle(method, path string, handler http.HandlerFunc) {
	s.mux.HandleFunc(method+" "+path, handler)
	allowed := method
	if method == http.MethodGet {
		allowed = "GET, HEAD"
	}
	s.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allowed)
		s.fail(w, r, httpErrorf(http.StatusMethodNotAllowed, "%s is not allowed at %s; allowed: %s",
			r.Method, r.URL.Path, allowed))
	})
}

// unknownPath returns the error for a path that does not exist.
func unknownPath(path string) error {
	return httpErrorf(http.StatusNotFound, "there is nothing at %s", path)
}
