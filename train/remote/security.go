package remote

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"ludus/checkpoints"
)

// identity is how a learner's server proves who it is, and what workers must know to be let in.
type identity struct {
	certificate tls.Certificate
	token       string
}

// identityFile holds the key, the certificate and the token. Only its owner may read it.
const identityFile = "identity.pem"

// loadIdentity reads the identity in dir, or makes one.
func loadIdentity(dir string) (*identity, error) {
	path := filepath.Join(dir, identityFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if data, err = newIdentity(); err == nil {
			err = checkpoints.WriteFile(path, data)
		}
	}
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		return nil, err
	}
	i, err := parseIdentity(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; delete it to make a new one, with which workers must be started again", path, err)
	}
	return i, nil
}

const tokenBlock = "LUDUS TOKEN"

// newIdentity makes an identity and returns it as PEM.
func newIdentity() ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "ludus"},
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().AddDate(20, 0, 0), // workers check the fingerprint only
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, block := range []*pem.Block{
		{Type: "PRIVATE KEY", Bytes: private}, {Type: "CERTIFICATE", Bytes: certificate}, {Type: tokenBlock, Bytes: []byte(secret())},
	} {
		data = append(data, pem.EncodeToMemory(block)...)
	}
	return data, nil
}

// parseIdentity is the inverse of newIdentity.
func parseIdentity(data []byte) (*identity, error) {
	certificate, err := tls.X509KeyPair(data, data)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == tokenBlock && len(block.Bytes) > 0 {
			return &identity{certificate, string(block.Bytes)}, nil
		}
	}
	return nil, errors.New("it has no token")
}

func (i *identity) serverConfig() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{i.certificate}, MinVersion: tls.VersionTLS13}
}

// fingerprint is the SHA-256 of the certificate in hexadecimal.
func (i *identity) fingerprint() string {
	return hex.EncodeToString(fingerprintOf(i.certificate.Certificate[0]))
}

func fingerprintOf(certificate []byte) []byte {
	sum := sha256.Sum256(certificate)
	return sum[:]
}

// Access says how to reach a NATS server.
type Access struct {
	URL  string // of one server, or of several with commas between; a fragment is the fingerprint of a learner's certificate
	NKey string // file with the seed of an nkey; ""
	CA   string // file with the certificate that signed the server's; "": the system's
}

// errFingerprint means that somebody else answers, or that the learner has a new certificate.
var errFingerprint = errors.New("the server's certificate has another fingerprint than the URL: copy the command that the learner prints again")

// options returns the URL without fragment and the options to connect with.
func (a Access) options() (string, []nats.Option, error) {
	address, fingerprint, pinned := strings.Cut(a.URL, "#")
	for _, one := range strings.Split(address, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err == nil && u.Port() != "" {
			_, err = strconv.ParseUint(u.Port(), 10, 16)
		}
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return "", nil, errors.New("URL of a NATS server: write it as nats://HOST:PORT or tls://USER:PASSWORD@HOST:PORT")
		}
	}
	var options []nats.Option
	if pinned {
		want, err := hex.DecodeString(fingerprint)
		if err != nil || len(want) != sha256.Size {
			return "", nil, errors.New("URL of a NATS server: after # it needs the whole fingerprint, 64 digits")
		}
		options = append(options, nats.TLSHandshakeFirst(), nats.Secure(&tls.Config{
			MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // checked here instead:
			VerifyConnection: func(state tls.ConnectionState) error {
				if len(state.PeerCertificates) == 0 || !bytes.Equal(fingerprintOf(state.PeerCertificates[0].Raw), want) {
					return errFingerprint
				}
				return nil
			},
		}))
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
	// nats.Connect takes no context. If ctx ends while it waits, the connection that it waits for is closed.
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

// explain says in plain words why a connection fails, if that is known.
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

// WithoutSecrets returns the URL with USER:PASSWORD in place of a user and a password.
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

// isTimeout reports whether an error means that the other side was silent.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, nats.ErrTimeout) || errors.As(err, &timeout) && timeout.Timeout()
}

// redacted returns the addresses without names and passwords.
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

// refusal explains why a server never serves a learner; nil if it may do so later, such as a cluster that is starting.
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
