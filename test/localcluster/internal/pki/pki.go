// Package pki makes the certificates and keys of a cluster.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
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

// Authority signs certificates into a directory.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  crypto.PrivateKey
}

// Open loads the authority of a directory, or creates one. A certificate made by
// an earlier authority is replaced when it is next asked for.
func Open(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	if pair, err := tls.LoadX509KeyPair(a.files("ca")); err == nil && fresh(pair.Leaf) {
		a.cert, a.key = pair.Leaf, pair.PrivateKey
		return a, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a.key = key
	if a.cert, err = certutil.NewSelfSignedCACert(certutil.Config{CommonName: "storagebench-local", NotBefore: time.Now().Add(-skew)}, key); err != nil {
		return nil, err
	}
	return a, a.write("ca", a.cert, key)
}

func (a *Authority) files(name string) (cert, key string) {
	return filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
}

func (a *Authority) write(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) error {
	certFile, keyFile := a.files(name)
	certPEM, certErr := certutil.EncodeCertificates(cert)
	keyPEM, keyErr := keyutil.MarshalPrivateKeyToPEM(key)
	if err := errors.Join(certErr, keyErr); err != nil {
		return err
	}
	return errors.Join(state.WriteFile(keyFile, keyPEM, 0o600), state.WriteFile(certFile, certPEM, 0o644))
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
		NotBefore:   time.Now().Add(-skew),
		NotAfter:    time.Now().Add(validity),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		IPAddresses: r.IPs,
		DNSNames:    r.DNSNames,
	}
	if len(r.IPs)+len(r.DNSNames) > 0 {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return "", "", fmt.Errorf("certificate %s: %w", r.Name, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return "", "", err
	}
	return certFile, keyFile, a.write(r.Name, cert, key)
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

// SigningKey makes sure of a key that signs service account tokens. Who verifies them takes its public part.
func (a *Authority) SigningKey(name string) error {
	_, file := a.files(name)
	_, _, err := keyutil.LoadOrGenerateKeyFile(file)
	return err
}
