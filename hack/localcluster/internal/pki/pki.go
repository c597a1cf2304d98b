// Package pki makes the certificates and keys of a cluster.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/storagebench/storagebench/hack/localcluster/internal/state"
)

const (
	validity = 365 * 24 * time.Hour
	// renewBefore is how long a certificate must still be valid to be kept. A
	// cluster is not expected to run that long without `up` in between.
	renewBefore = 30 * 24 * time.Hour
	// skew lets a certificate be valid for clients whose clock is behind.
	skew = time.Hour
)

// Request describes one certificate.
type Request struct {
	// Name of the files: NAME.crt and NAME.key.
	Name         string
	CommonName   string
	Organization []string
	// IPs and DNSNames make it a server certificate; without them it is a client's.
	IPs      []net.IP
	DNSNames []string
}

func (r Request) isServer() bool { return len(r.IPs)+len(r.DNSNames) > 0 }

// Authority signs certificates into a directory.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Open loads the authority of a directory, or creates one. A certificate made by
// an earlier authority is replaced when it is next asked for.
func Open(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	if pair, err := tls.LoadX509KeyPair(a.files("ca")); err == nil && fresh(pair.Leaf) {
		key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
		if !ok {
			return nil, fmt.Errorf("%s: the authority's key is not an ECDSA key", dir)
		}
		a.cert, a.key = pair.Leaf, key
		return a, nil
	}
	return a, a.create()
}

func (a *Authority) create() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: "storagebench-local"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign | x509.KeyUsageDigitalSignature,
	}
	a.cert, a.key = template, key
	a.cert, err = a.sign("ca", template, key)
	return err
}

func (a *Authority) files(name string) (cert, key string) {
	return filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
}

// Certificate returns the files of a certificate, made anew unless the ones there
// still serve.
func (a *Authority) Certificate(r Request) (certFile, keyFile string, err error) {
	certFile, keyFile = a.files(r.Name)
	if pair, err := tls.LoadX509KeyPair(certFile, keyFile); err == nil && a.serves(pair.Leaf, r) {
		return certFile, keyFile, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: r.CommonName, Organization: r.Organization},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		IPAddresses: r.IPs,
		DNSNames:    r.DNSNames,
	}
	if r.isServer() {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	_, err = a.sign(r.Name, template, key)
	return certFile, keyFile, err
}

// serves says whether an existing certificate is what the request would make.
func (a *Authority) serves(cert *x509.Certificate, r Request) bool {
	if !fresh(cert) || cert.CheckSignatureFrom(a.cert) != nil || cert.Subject.CommonName != r.CommonName {
		return false
	}
	for _, ip := range r.IPs {
		if cert.VerifyHostname(ip.String()) != nil {
			return false
		}
	}
	for _, name := range r.DNSNames {
		if cert.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

func fresh(cert *x509.Certificate) bool {
	return cert != nil && time.Until(cert.NotAfter) > renewBefore
}

func (a *Authority) sign(name string, template *x509.Certificate, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-skew)
	template.NotAfter = time.Now().Add(validity)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("certificate %s: %w", name, err)
	}
	certFile, keyFile := a.files(name)
	if err := errors.Join(writeKey(keyFile, key), writePEM(certFile, "CERTIFICATE", der, 0o644)); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// SigningKey returns the files of a key pair that signs service account tokens.
func (a *Authority) SigningKey(name string) (public, private string, err error) {
	public, private = filepath.Join(a.dir, name+".pub"), filepath.Join(a.dir, name+".key")
	if exists(public) && exists(private) {
		return public, private, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return "", "", err
	}
	return public, private, errors.Join(writeKey(private, key), writePEM(public, "PUBLIC KEY", der, 0o644))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "EC PRIVATE KEY", der, 0o600)
}

func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	return state.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
}
