package remote

import (
	"bytes"
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
	"os"
	"path/filepath"
	"time"

	"ludus/checkpoints"
)

// identity is the TLS certificate of a learner's server, and the token that workers log in with.
type identity struct {
	certificate tls.Certificate
	token       string
}

// identityFile holds the key, the certificate and the token. Only its owner may read it.
const identityFile = "identity.pem"

// loadIdentity reads the identity in dir, or creates it.
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

// tokenBlock is the type of the PEM block that holds the token.
const tokenBlock = "LUDUS TOKEN"

// newIdentity creates an identity and returns it as PEM.
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
		NotBefore: time.Now().Add(-24 * time.Hour), NotAfter: time.Now().AddDate(20, 0, 0), // workers check only the fingerprint
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, block := range []*pem.Block{
		{Type: "PRIVATE KEY", Bytes: private}, {Type: "CERTIFICATE", Bytes: certificate}, {Type: tokenBlock, Bytes: []byte(rand.Text())},
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

// fingerprint is the SHA-256 of the certificate in hexadecimal.
func (i *identity) fingerprint() string {
	return hex.EncodeToString(fingerprintOf(i.certificate.Certificate[0]))
}

func fingerprintOf(certificate []byte) []byte {
	sum := sha256.Sum256(certificate)
	return sum[:]
}

// errFingerprint means that the server's certificate is not the expected one: it is another server, or the learner has a
// new certificate.
var errFingerprint = errors.New("the server's certificate has another fingerprint than the URL: copy the command that the learner prints again")

// pinned returns a client's TLS configuration that accepts only the certificate with the given fingerprint.
func pinned(fingerprint []byte) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, // VerifyConnection checks the certificate instead
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 || !bytes.Equal(fingerprintOf(state.PeerCertificates[0].Raw), fingerprint) {
				return errFingerprint
			}
			return nil
		},
	}
}
