package remote

import (
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"ludus/checkpoints"
	"ludus/train/rundir"
)

// Server is a NATS server in this process.
type Server struct {
	nats     *server.Server
	host     string
	password string    // of the learner's connections
	identity *identity // nil: workers need no credentials, and nothing is encrypted
}

const (
	learnerUser      = "learner"
	workerUser       = "worker"
	startTimeout     = 10 * time.Second
	maxConnections   = 4096
	maxSubscriptions = 64       // of a connection
	maxPending       = 16 << 20 // bytes that wait for a connection, before the server closes it
)

// StartServer starts a NATS server for a run. It listens on an address of this machine such as "127.0.0.1:4222" and keeps
// everything on disk in the run directory, synced before it is acknowledged.
//
// On loopback addresses everybody may work for the run. On others, connections are encrypted and workers need a token;
// certificate and token are made once and kept in the run directory. If insecure they are not used.
//
// notify gets the server's errors, such as those of a full disk. It is called concurrently.
func StartServer(listen, runDir string, insecure bool, notify func(string)) (*Server, error) {
	host, port, err := splitAddress(listen)
	if err != nil {
		return nil, err
	}
	if err := tryListening(host, port); err != nil { // the server would only say that it does not start
		return nil, err
	}
	dir := filepath.Join(runDir, rundir.ServerDir)
	if err := checkpoints.MkdirAll(dir); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it holds secrets
		return nil, err
	}
	s := &Server{host: host, password: secret()}
	options := &server.Options{
		ServerName: "ludus", Host: host, Port: port, NoSigs: true, NoLog: true,
		MaxConn: maxConnections, MaxSubs: maxSubscriptions, MaxPending: maxPending,
		JetStream: true, StoreDir: dir, SyncAlways: true, DisableJetStreamBanner: true,
	}
	token := ""
	if insecure || isLoopback(host) {
		options.NoAuthUser = workerUser
	} else {
		if s.identity, err = loadIdentity(dir); err != nil {
			return nil, err
		}
		token, options.TLSConfig, options.TLSTimeout = s.identity.token, s.identity.serverConfig(), startTimeout.Seconds()
	}
	if err := options.ProcessConfigString(accounts(s.password, token)); err != nil {
		return nil, err
	}
	if s.nats, err = server.NewServer(options); err != nil {
		return nil, err
	}
	s.nats.SetLogger(&logger{notes{notify: notify}}, false, false)
	go s.nats.Start()
	if !s.nats.ReadyForConnections(startTimeout) {
		s.Close()
		return nil, fmt.Errorf("the NATS server on %s did not start within %v", listen, startTimeout)
	}
	return s, nil
}

// logger passes the server's errors to people, but those of single connections: these are up to whoever connects.
type logger struct{ notes notes }

func (l *logger) Errorf(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !strings.Contains(text, " - cid:") {
		l.notes.say("NATS server: " + text)
	}
}

func (l *logger) Fatalf(format string, args ...any) { l.Errorf(format, args...) }
func (l *logger) Warnf(string, ...any)              {}
func (l *logger) Noticef(string, ...any)            {}
func (l *logger) Debugf(string, ...any)             {}
func (l *logger) Tracef(string, ...any)             {}

//go:embed accounts.conf
var accountsConfig string

// accounts returns the accounts of the server's configuration, with these secrets.
func accounts(password, token string) string {
	return strings.NewReplacer("LEARNER_PASSWORD", password, "WORKER_TOKEN", token).Replace(accountsConfig)
}

// tryListening returns an error if a server cannot listen on the address.
func tryListening(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(max(port, 0))))
	if err != nil {
		return fmt.Errorf("the address must be one of this machine with a free port: %w", err)
	}
	return l.Close()
}

// splitAddress parses HOST:PORT.
func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || port < 0 || port > 65535 || host == "" {
		return "", 0, fmt.Errorf("address %q: write it as HOST:PORT, such as 127.0.0.1:4222", address)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// isLoopback reports whether only this machine can reach the host.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// secret returns a random password.
func secret() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// URL returns the address for workers, with everything that they need to connect.
func (s *Server) URL() string {
	host := s.host
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		if name, err := os.Hostname(); err == nil {
			host = name
		}
	}
	port := s.nats.Addr().(*net.TCPAddr).Port
	u := url.URL{Scheme: "nats", Host: net.JoinHostPort(host, strconv.Itoa(port))}
	if s.identity != nil {
		u.Scheme, u.User, u.Fragment = "tls", url.UserPassword(workerUser, s.identity.token), s.identity.fingerprint()
	}
	return u.String()
}

// connect returns a connection of the learner, which needs no network.
func (s *Server) connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append(options, nats.InProcessServer(s.nats), nats.UserInfo(learnerUser, s.password))...)
}

// Close stops the server and waits until its files are closed.
func (s *Server) Close() {
	s.nats.Shutdown()
	s.nats.WaitForShutdown()
}
