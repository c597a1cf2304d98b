package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

var serverRequest = Request{
	Name:       "server",
	CommonName: "some-server",
	IPs:        []net.IP{net.ParseIP("10.0.0.1")},
	DNSNames:   []string{"server.local"},
}

func open(t *testing.T, dir string) *Authority {
	t.Helper()
	authority, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func leaf(t *testing.T, a *Authority, r Request) *x509.Certificate {
	t.Helper()
	certFile, keyFile, err := a.Certificate(r)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func TestServerCertificateVerifies(t *testing.T) {
	authority := open(t, t.TempDir())
	roots := x509.NewCertPool()
	roots.AddCert(authority.cert)
	cert := leaf(t, authority, serverRequest)
	for _, host := range []string{"10.0.0.1", "server.local"} {
		if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", host, err)
		}
	}
	usage := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := cert.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: usage}); err == nil {
		t.Error("a server certificate serves as a client's")
	}
}

func TestCertificatesAreKeptWhileTheyServe(t *testing.T) {
	dir := t.TempDir()
	first := leaf(t, open(t, dir), serverRequest)
	if again := leaf(t, open(t, dir), serverRequest); !again.Equal(first) {
		t.Error("made anew without a reason")
	}
	more := serverRequest
	more.IPs = append([]net.IP{net.ParseIP("10.0.0.2")}, more.IPs...)
	if grown := leaf(t, open(t, dir), more); grown.Equal(first) {
		t.Error("kept without the new address")
	}
}

func TestCertificatesOfAnEarlierAuthorityAreReplaced(t *testing.T) {
	dir := t.TempDir()
	first := leaf(t, open(t, dir), serverRequest)
	if err := os.Remove(filepath.Join(dir, "ca.key")); err != nil {
		t.Fatal(err)
	}
	authority := open(t, dir)
	second := leaf(t, authority, serverRequest)
	if second.Equal(first) || second.CheckSignatureFrom(authority.cert) != nil {
		t.Error("the certificate is still the earlier authority's")
	}
}

func TestKubeconfigIsPrivateAndWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	request := Request{Name: "admin", CommonName: "me", Organization: []string{"system:masters"}}
	if err := open(t, t.TempDir()).Kubeconfig(path, "https://10.0.0.1:6443", request); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.X509KeyPair(config.CertData, config.KeyData); err != nil || len(config.CAData) == 0 {
		t.Errorf("credentials: %v", err)
	}
}

func TestSigningKeyIsKept(t *testing.T) {
	authority := open(t, t.TempDir())
	if err := authority.SigningKey("sa"); err != nil {
		t.Fatal(err)
	}
	_, file := authority.files("sa")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := authority.SigningKey("sa"); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("key of %s changed: %v", file, err)
	}
}
