package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// connectTime is how long a server may take to answer a new connection.
const connectTime = 5 * time.Second

// parseURL parses the URL of a learner's server, nats://HOST:PORT or tls://worker:TOKEN@HOST:PORT#FINGERPRINT.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err == nil && u.Port() != "" {
		_, err = strconv.ParseUint(u.Port(), 10, 16)
	}
	if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
		return nil, errors.New("URL of a learner: write it as nats://HOST:PORT or tls://worker:TOKEN@HOST:PORT#FINGERPRINT, as the learner prints it")
	}
	return u, nil
}

// connect connects to the server of the learner at u. If u has a fingerprint, the server must have that certificate. If
// ctx ends first, connect returns its error; afterwards ctx does not matter.
func connect(ctx context.Context, u *url.URL, options ...nats.Option) (*nats.Conn, error) {
	if u.Fragment != "" {
		want, err := hex.DecodeString(u.Fragment)
		if err != nil || len(want) != sha256.Size {
			return nil, errors.New("URL of a learner: after # it needs the whole fingerprint, 64 digits")
		}
		options = append(options, nats.TLSHandshakeFirst(), nats.Secure(pinned(want)))
	}
	address := *u
	address.Fragment = ""
	// nats.Connect takes no context. Until it returns, the end of ctx ends dialling and closes what was dialled.
	var connected atomic.Bool
	dial := func(network, address string) (net.Conn, error) {
		plain := net.Dialer{Timeout: connectTime}
		if connected.Load() {
			return plain.Dial(network, address)
		}
		conn, err := plain.DialContext(ctx, network, address)
		if err == nil {
			context.AfterFunc(ctx, func() {
				if !connected.Load() {
					_ = conn.Close()
				}
			})
		}
		return conn, err
	}
	conn, err := nats.Connect(address.String(), append(options, nats.CustomInboxPrefix(workerReplies),
		nats.Timeout(connectTime), nats.SetCustomDialer(dialer(dial)), nats.SkipHostLookup())...)
	connected.Store(true)
	if ctx.Err() != nil {
		if err == nil {
			conn.Close()
		}
		return nil, ctx.Err()
	}
	return conn, explain(u, err)
}

// dialer is a [nats.CustomDialer].
type dialer func(network, address string) (net.Conn, error)

func (d dialer) Dial(network, address string) (net.Conn, error) { return d(network, address) }

// explain adds the likely reason to an error of a connection to u.
func explain(u *url.URL, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%w: the token is missing or wrong, or the learner has a new one; copy the command that the learner prints again", err)
	case errors.Is(err, nats.ErrNoServers):
		return fmt.Errorf("nobody answers at %s: is the learner running there? (%w)", u.Host, err)
	case u.Scheme == "nats" && isTimeout(err):
		return fmt.Errorf("the server %s does not answer: if it expects encryption, the URL begins with tls://; copy the whole one that the learner prints (%w)",
			u.Host, err)
	case u.Scheme == "tls" && u.Fragment == "":
		return fmt.Errorf("%w; the URL that a learner prints ends with #FINGERPRINT: copy all of it, in quotes", err)
	}
	return fmt.Errorf("the server %s: %w", u.Host, err)
}

// isTimeout reports whether an error means that the server did not answer in time.
func isTimeout(err error) bool {
	var timeout net.Error
	return errors.Is(err, nats.ErrTimeout) || errors.As(err, &timeout) && timeout.Timeout()
}
