package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// TestExternalServer: learner and worker meet on a server of somebody else, who gives them keys instead of passwords and
// whose certificate is signed by an authority that the system does not know.
func TestExternalServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	authority, certificate := signedCertificate(t)
	ca := filepath.Join(dir, "ca.pem")
	write := func(path string, data []byte) string {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}))
	newKey := func(name string) (file, public string) {
		t.Helper()
		key, err := nkeys.CreateUser()
		if err != nil {
			t.Fatal(err)
		}
		seed, err := key.Seed()
		if err != nil {
			t.Fatal(err)
		}
		if public, err = key.PublicKey(); err != nil {
			t.Fatal(err)
		}
		return write(filepath.Join(dir, name), seed), public
	}
	learner, learnerKey := newKey("learner.nk")
	worker, workerKey := newKey("worker.nk")
	stranger, _ := newKey("stranger.nk")
	accounts := strings.NewReplacer(
		`user: learner, password: "LEARNER_PASSWORD"`, "nkey: "+learnerKey, `user: worker, password: "WORKER_TOKEN"`, "nkey: "+workerKey,
	).Replace(accountsConfig)
	o := &server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: filepath.Join(dir, "store"), NoSigs: true, NoLog: true, TLSTimeout: 5,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	}
	if err := o.ProcessConfigString(accounts); err != nil {
		t.Fatal(err)
	}
	external, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	external.Start()
	defer external.Shutdown()
	if !external.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	url := "tls://" + external.Addr().String()

	h, err := NewHub(t.Context(), HubOptions{Access: Access{URL: url, NKey: learner, CA: ca}, Run: "run", Notify: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	w, err := NewWorker(t.Context(), WorkerOptions{Access: Access{URL: url, NKey: worker, CA: ca}, Name: "a", Notify: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.js.Publish(t.Context(), gamesOf("run", "a"), []byte("a game")); err != nil {
		t.Fatal(err)
	}
	if d, err := h.Receive(t.Context()); err != nil || d.Sender != "a" || string(d.Data) != "a game" {
		t.Errorf("received %+v, error %v", d, err)
	}

	for _, c := range []struct {
		access Access
		hint   string
	}{
		{Access{URL: url, NKey: worker}, "--ca"},
		{Access{URL: url, NKey: stranger, CA: ca}, "does not know the key"},
		{Access{URL: url, CA: ca}, "wrong or missing"},
		{Access{URL: url, NKey: worker, CA: ca}, "use the learner's"},
		{Access{URL: startPlain(t)}, "no JetStream"},
		{Access{URL: "nats://127.0.0.1:1"}, "nobody answers"},
		{Access{URL: url, NKey: filepath.Join(dir, "none"), CA: ca}, "none"},
		{Access{URL: url, NKey: ca, CA: ca}, "ca.pem"},
		{Access{URL: url, NKey: worker, CA: filepath.Join(dir, "none")}, "none"},
		{Access{URL: url, NKey: worker, CA: worker}, "worker.nk"},
	} {
		if err := c.access.Check(t.Context()); err == nil || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("key %s, certificate %s: %v, without %s", filepath.Base(c.access.NKey), filepath.Base(c.access.CA), err, c.hint)
		} else {
			t.Log(err)
		}
	}
}

// startPlain starts a server without JetStream and returns its URL.
func startPlain(t *testing.T) string {
	t.Helper()
	plain, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	plain.Start()
	t.Cleanup(plain.Shutdown)
	if !plain.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	return plain.ClientURL()
}

// TestReplicas: a single server cannot keep copies.
func TestReplicas(t *testing.T) {
	_, err := NewHub(t.Context(), HubOptions{Server: startServer(t, t.TempDir()), Run: "run", Replicas: 3, Notify: func(text string) { t.Log(text) }})
	if err == nil || !strings.Contains(err.Error(), "--replicas needs a cluster") {
		t.Errorf("error %v", err)
	}
}

func TestWithoutSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"nats://learner:secret@a:1, tls://learner:sec@ret@b:2": "nats://USER:PASSWORD@a:1,tls://USER:PASSWORD@b:2",
		"nats://token@a:1": "nats://USER:PASSWORD@a:1",
		"nats://a:1":       "nats://a:1",
	} {
		if got := (Access{URL: url}).WithoutSecrets(); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

// signedCertificate returns the certificate of a new authority, and one for 127.0.0.1 that it has signed.
func signedCertificate(t *testing.T) (authority []byte, _ tls.Certificate) {
	t.Helper()
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	root := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: root.NotBefore, NotAfter: root.NotAfter, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	rootKey, leafKey := newKey(), newKey()
	authority, err := x509.CreateCertificate(rand.Reader, root, root, &rootKey.PublicKey, rootKey)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.CreateCertificate(rand.Reader, leaf, root, &leafKey.PublicKey, rootKey)
	if err != nil {
		t.Fatal(err)
	}
	return authority, tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: leafKey}
}
