package remote

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Access holds the address and the credentials for a NATS server.
type Access struct {
	URL  string // of one server, or several separated by commas; a fragment is the fingerprint of a learner's certificate
	NKey string // file with an nkey's seed; "": no nkey
	CA   string // file with the CA certificate of the server; "": the system's certificates
}

// options returns the URL without its fragment, and the connection options.
func (a Access) options() (string, []nats.Option, error) {
	address, fingerprint, hasFingerprint := strings.Cut(a.URL, "#")
	for server := range strings.SplitSeq(address, ",") {
		u, err := url.Parse(strings.TrimSpace(server))
		if err == nil && u.Port() != "" {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return "", nil, errors.New("URL of a NATS server: write it as nats://HOST:PORT or tls://USER:PASSWORD@HOST:PORT")
		}
	}
	var options []nats.Option
	if hasFingerprint {
		want, err := hex.DecodeString(fingerprint)
		if err != nil || len(want) != sha256.Size {
			return "", nil, errors.New("URL of a NATS server: after # it needs the whole fingerprint, 64 digits")
		}
		options = append(options, nats.TLSHandshakeFirst(), nats.Secure(pinned(want)))
	}
	if a.CA != "" {
		data, err := os.ReadFile(a.CA)
		if err == nil && !x509.NewCertPool().AppendCertsFromPEM(data) {
			err = errors.New("it has no certificate in PEM format")
		}
		if err != nil {
			return "", nil, fmt.Errorf("certificate %s: %w", a.CA, err)
		}
		options = append(options, nats.RootCAs(a.CA))
	}
	if a.NKey != "" {
		nkey, err := nats.NkeyOptionFromSeed(a.NKey)
		if err != nil {
			return "", nil, fmt.Errorf("nkey %s: %w", a.NKey, err)
		}
		options = append(options, nkey)
	}
	return address, options, nil
}

// connect connects to the server. If ctx ends first, it returns ctx's error.
func (a Access) connect(ctx context.Context, options ...nats.Option) (*nats.Conn, error) {
	address, own, err := a.options()
	if err != nil {
		return nil, err
	}
	// nats.Connect takes no context. If ctx ends during the call, the pending connection is closed.
	aborted, abort := context.WithCancel(context.WithoutCancel(ctx))
	var connected atomic.Bool
	dial := dialer(func(network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{Timeout: connectTime}).DialContext(aborted, network, address)
		if err == nil && !connected.Load() {
			context.AfterFunc(aborted, func() { _ = conn.Close() })
		}
		return conn, err
	})
	stop := context.AfterFunc(ctx, abort)
	conn, err := nats.Connect(address, slices.Concat(options, own, []nats.Option{nats.SetCustomDialer(dial)})...)
	connected.Store(true)
	if stop() {
		return conn, a.explain(err)
	}
	if err == nil {
		conn.Close()
	}
	return nil, ctx.Err()
}

// dialer is a [nats.CustomDialer].
type dialer func(network, address string) (net.Conn, error)

func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// explain adds the likely reason to a connection error.
func (a Access) explain(err error) error {
	address, _, pinned := strings.Cut(a.URL, "#")
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrAuthorization) && a.NKey != "":
		return fmt.Errorf("%w: the server does not know the key in %s; its configuration names the public key", err, a.NKey)
	case errors.Is(err, nats.ErrAuthorization) && pinned:
		return fmt.Errorf("%w: the token is missing or wrong, or the learner has a new one; copy the command that the learner prints again", err)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%w: user and password are wrong or missing: write nats://USER:PASSWORD@HOST:PORT or tls://…, or use --nkey", err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("nobody answers at %s: is the learner, or the NATS server, running there? (%w)", redacted(address), err)
	case errors.As(err, new(*net.DNSError)):
		return fmt.Errorf("NATS server: %w", err)
	case strings.HasPrefix(address, "nats:") && isTimeout(err):
		return fmt.Errorf("NATS server %s does not answer: if it expects encryption, the URL begins with tls://; copy the whole one that the learner prints (%w)",
			redacted(address), err)
	case strings.HasPrefix(address, "tls:") && !pinned && a.CA == "":
		return fmt.Errorf("%w; the URL that a learner prints ends with #FINGERPRINT: copy all of it, in quotes; for a server of your own, --ca names the certificate that signed the server's", err)
	}
	return fmt.Errorf("NATS server %s: %w", redacted(address), err)
}

// WithoutSecrets returns the URL with the words USER:PASSWORD in place of names and passwords.
func (a Access) WithoutSecrets() string {
	var list []string
	for _, one := range strings.Split(a.URL, ",") {
		if at := strings.LastIndexByte(one, '@'); at >= 0 {
			scheme, _, _ := strings.Cut(one, "://")
			one = scheme + "://USER:PASSWORD" + one[at:]
		}
		list = append(list, strings.TrimSpace(one))
	}
	return strings.Join(list, ",")
}

// isTimeout reports whether an error means that the server did not answer in time.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, nats.ErrTimeout) || errors.As(err, &timeout) && timeout.Timeout()
}

// redacted returns the hosts and ports of the addresses, without credentials.
func redacted(addresses string) string {
	var hosts []string
	for _, one := range strings.Split(addresses, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil {
			hosts = append(hosts, u.Host)
		}
	}
	return strings.Join(hosts, ", ")
}

// Check returns an error if a learner cannot use the server.
func (a Access) Check(ctx context.Context) error {
	conn, err := a.connect(ctx, nats.Timeout(connectTime), nats.CustomInboxPrefix(learnerReplies))
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	_, err = js.AccountInfo(ctx)
	return a.refusal(conn, err)
}

// refusal explains why a server can never serve a learner. It returns nil if it may do so later, such as a cluster that is
// starting.
func (a Access) refusal(conn *nats.Conn, err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(conn.LastError(), nats.ErrPermissionViolation):
		return fmt.Errorf("%w: this user may not do what a learner does: use the learner's name and password, or its nkey", conn.LastError())
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("the NATS server %s has no JetStream, which stores the games: start it with -js, or enable jetstream in its configuration", conn.ConnectedAddr())
	case errors.As(err, &api) && api.ErrorCode == noCluster:
		return errors.New("--replicas needs a cluster: this server has no others to copy to")
	case errors.As(err, &api) && api.Code < 500, errors.Is(err, errOtherRun):
		return err
	}
	return nil
}

const (
	connectTime = 5 * time.Second
	noCluster   = 10074 // error code of the server
)
