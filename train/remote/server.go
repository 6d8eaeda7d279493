package remote

import (
	"crypto/rand"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// Server is a NATS server in the process of its run.
type Server struct {
	nats     *server.Server
	gate     *gate
	host     string
	dir      string    // of the NATS server's files
	password string    // password of the learner's connections
	identity *identity // nil: no credentials for workers, no encryption
	broken   failure
	watcher  *nats.Conn // connection for the gate's waits
	joined   sync.WaitGroup
}

const (
	learnerUser  = "learner"
	workerUser   = "worker"
	startTimeout = 10 * time.Second
)

// Limits on what the server keeps for workers, so that a flood does not fill the memory. The [gate] limits its queues of
// answers.
const (
	maxConnections   = 1024
	pingInterval     = 20 * time.Second // a client that leaves two pings unanswered is disconnected
	maxPending       = 4 << 20          // a client with more unread bytes is disconnected
	maxUnstored      = 1000             // number of messages that wait to be stored in a stream
	maxUnstoredBytes = 8 << 20          // total bytes of these messages
)

// StartServer starts a NATS server for a run. It listens on an address of this machine such as "127.0.0.1:4222" and keeps
// everything on disk in the run directory, synced before it is acknowledged.
//
// On loopback addresses everybody may work for the run. On others, connections are encrypted and workers need a token;
// certificate and token are created once and kept in the run directory. With insecure, neither is used.
//
// notify receives the server's errors, such as a full disk. It is called concurrently.
func StartServer(listen, runDir string, insecure bool, notify func(string)) (*Server, error) {
	s := &Server{password: rand.Text()}
	listener, host, err := listenOn(listen)
	if err != nil {
		return nil, err
	}
	s.host = host
	s.gate = &gate{listener: listener, open: map[net.Conn]bool{}}
	if err := s.start(runDir, insecure || isLoopback(host), notify); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// start starts the NATS server, which listens on no port, and then the gate, through which workers reach it. If open,
// workers need no credentials, and connections are not encrypted.
func (s *Server) start(runDir string, open bool, notify func(string)) error {
	s.dir = filepath.Join(runDir, rundir.ServerDir)
	err := checkpoints.MkdirAll(s.dir)
	if err == nil {
		err = os.Chmod(s.dir, 0o700) // the directory holds secrets
	}
	if err != nil {
		return err
	}
	options := &server.Options{
		ServerName: "ludus", DontListen: true, NoSigs: true, NoLog: true,
		PingInterval: pingInterval, MaxPending: maxPending, StreamMaxBufferedMsgs: maxUnstored, StreamMaxBufferedSize: maxUnstoredBytes,
		JetStream: true, StoreDir: s.dir, SyncAlways: true, DisableJetStreamBanner: true,
	}
	token := ""
	if open {
		options.NoAuthUser = workerUser
	} else {
		if s.identity, err = loadIdentity(s.dir); err != nil {
			return err
		}
		token = s.identity.token
		s.gate.tls = &tls.Config{Certificates: []tls.Certificate{s.identity.certificate}, MinVersion: tls.VersionTLS13}
		options.TLSConfig, options.TLSTimeout = s.gate.tls, startTimeout.Seconds() // tells clients to expect encryption, which the gate provides
	}
	if err := options.ProcessConfigString(accounts(s.password, token)); err != nil {
		return err
	}
	if s.nats, err = server.NewServer(options); err != nil {
		return err
	}
	s.nats.SetLogger(&logger{notes{notify: notify}, s.dir, &s.broken}, false, false)
	s.nats.Start() // returns when the server has started
	if !s.nats.ReadyForConnections(startTimeout) {
		return fmt.Errorf("the NATS server did not start within %v", startTimeout)
	}
	if s.watcher, err = s.connect(nats.MaxReconnects(-1)); err != nil {
		return err
	}
	s.gate.connect = s.nats.InProcessConn
	s.gate.settle = func(most time.Duration) { waitForStreams(s.watcher, most) }
	s.joined.Go(s.gate.accept)
	return nil
}

// KeepsGames reports whether the server's files in a run directory may hold games. Those of a finished run hold none.
func KeepsGames(runDir string) bool {
	streams, _ := fs.Glob(os.DirFS(runDir), path.Join(rundir.ServerDir, "jetstream", "*", "streams", gamesStream)) // cannot fail: the pattern is valid
	return len(streams) > 0
}

// failure is the first disk error of the server. After it the server stores nothing until it is started again.
type failure struct {
	mu   sync.Mutex
	err  error
	then func() // called once there is an error, if it is set; it must not block
}

// set stores an error, unless there is one.
func (f *failure) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		if f.then != nil {
			f.then()
		}
	}
}

func (f *failure) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// onError makes f call then once there is an error.
func (f *failure) onError(then func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.then = then
	if f.err != nil {
		then()
	}
}

// logger passes the server's errors to people. It leaves out errors of single connections, which any client can cause.
type logger struct {
	notes  notes
	dir    string // of the server's files
	broken *failure
}

// storageErrors are parts of log lines by which the server says that it cannot write and stores nothing from then on.
var storageErrors = []string{"write error", "failed to store a msg", "will be DISABLED", "disabling JetStream"}

// freeSpace says what to do about a full disk.
const freeSpace = "free some space on its disk"

// storageExceeded is the code of the server's error that a stream may not grow as much as it could be: its disk is
// nearly full.
const storageExceeded = 10047

// explain makes the server's error about a nearly full disk one that says where and what to do. It keeps other errors.
func (s *Server) explain(err error) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == storageExceeded {
		return fmt.Errorf("there is too little space for games of workers in %s; %s and run the same command", s.dir, freeSpace)
	}
	return err
}

// Errorf passes an error on, unless it is about a single connection (cid). It records a disk error.
func (l *logger) Errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if strings.Contains(text, " - cid:") {
		return
	}
	if slices.ContainsFunc(storageErrors, func(part string) bool { return strings.Contains(text, part) }) {
		what := "mend that"
		if strings.Contains(text, "no space left") {
			what = freeSpace
		}
		l.broken.set(fmt.Errorf("games of workers cannot be stored in %s: %s; %s and run the same command", l.dir, text, what))
	}
	l.notes.say("NATS server: " + text)
}

func (l *logger) Fatalf(format string, args ...any) { l.Errorf(format, args...) }

// Warnf passes on one kind of warning: that the server stores nothing any more.
func (l *logger) Warnf(format string, args ...any) {
	if strings.Contains(format, "disabling JetStream") {
		l.Errorf(format, args...)
	}
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}

//go:embed accounts.conf
var accountsConfig string

// accounts returns the server's configuration accounts.conf with the learner's password and the workers' token filled in.
func accounts(password, token string) string {
	return strings.NewReplacer("LEARNER_PASSWORD", password, "WORKER_TOKEN", token).Replace(accountsConfig)
}

// listenOn listens on an address HOST:PORT of this machine.
func listenOn(address string) (l net.Listener, host string, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(text, 10, 16)
	}
	if err != nil || host == "" {
		return nil, "", fmt.Errorf("address %q: write it as HOST:PORT, such as 127.0.0.1:4222 for this machine alone, or 0.0.0.0:4222 for others, too", address)
	}
	if l, err = net.Listen("tcp", address); err != nil {
		return nil, "", fmt.Errorf("the address must be one of this machine with a free port: %w", err)
	}
	return l, host, nil
}

// CheckAddress returns an error if StartServer could not listen on the address.
func CheckAddress(address string) error {
	l, _, err := listenOn(address)
	if err == nil {
		err = l.Close()
	}
	return err
}

// isLoopback reports whether only this machine can reach the host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// URL returns the address for workers, with token and fingerprint if they need them.
func (s *Server) URL() string {
	host := s.host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() { // 0.0.0.0 or ::, no address to connect to
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	u := url.URL{Scheme: "nats", Host: net.JoinHostPort(host, strconv.Itoa(s.port()))}
	if s.identity != nil {
		u.Scheme, u.User, u.Fragment = "tls", url.UserPassword(workerUser, s.identity.token), s.identity.fingerprint()
	}
	return u.String()
}

// port returns the port that the server listens on.
func (s *Server) port() int { return s.gate.listener.Addr().(*net.TCPAddr).Port }

// connect returns a connection for the learner, inside the process.
func (s *Server) connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(s.nats), nats.UserInfo(learnerUser, s.password),
		nats.CustomInboxPrefix(learnerReplies), nats.Timeout(connectTime))...)
}

// Close stops the server and waits until its files are closed.
func (s *Server) Close() {
	s.gate.close()
	s.joined.Wait()
	if s.watcher != nil {
		s.watcher.Close()
	}
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
}
