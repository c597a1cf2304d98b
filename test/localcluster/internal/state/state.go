// Package state knows where a cluster keeps its files.
package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocketPath is the longest path that sockaddr_un can carry.
const maxSocketPath = 107

// longestSocket is the longest socket path that a component makes below the
// state directory: the kubelet's.
const longestSocket = "node-1/kubelet/device-plugins/kubelet.sock"

// Dir is a cluster's state directory, `.cluster` in a checkout.
type Dir string

// In returns the state directory of the checkout at root.
func In(root string) Dir { return Dir(filepath.Join(root, ".cluster")) }

// Path joins path elements to the state directory.
func (d Dir) Path(elem ...string) string {
	return filepath.Join(append([]string{string(d)}, elem...)...)
}

// Kubeconfig is the file for the cluster's administrator.
func (d Dir) Kubeconfig() string { return d.Path("kubeconfig") }

// PKI is a file among the certificates and keys.
func (d Dir) PKI(name string) string { return d.Path("pki", name) }

// Log is what a component prints.
func (d Dir) Log(component string) string { return d.Path("log", component+".log") }

// Record tells which process a component is.
func (d Dir) Record(component string) string { return d.Path("run", component+".json") }

// ID is a short name for this cluster that differs between checkouts. What the
// cluster makes outside its directory carries it: cgroups, links, networks.
func (d Dir) ID() string {
	sum := sha256.Sum256([]byte(d))
	return hex.EncodeToString(sum[:4])
}

// Prepare creates the directory. It ignores itself in git, so that it does not
// depend on what the checkout ignores.
func (d Dir) Prepare() error {
	if n := len(d.Path(longestSocket)) - maxSocketPath; n > 0 {
		return fmt.Errorf("the path %s is %d characters too long for the sockets below it: move the checkout", d, n)
	}
	for _, dir := range []string{"", "run", "log", "pki"} {
		if err := os.MkdirAll(d.Path(dir), 0o755); err != nil {
			return err
		}
	}
	return os.WriteFile(d.Path(".gitignore"), []byte("*\n"), 0o644)
}

// kept says what survives Remove: the program itself, which Make put there, and
// the logs, which tell why a cluster was taken down.
var kept = map[string]bool{"bin": true, "log": true, ".gitignore": true, "lock": true}

// Remove deletes what a cluster left in the directory.
func (d Dir) Remove() error {
	entries, err := os.ReadDir(string(d))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if kept[entry.Name()] {
			continue
		}
		if err := os.RemoveAll(d.Path(entry.Name())); err != nil {
			return err
		}
	}
	return nil
}
