// Package binaries builds the cluster's programs from pinned Go modules, once for
// each version, into the user's cache.
package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// A toolModule is a Go module whose tools are programs of the cluster.
type toolModule struct {
	// out is the directory in the cache that its programs are built into.
	out string
	// packages by program name.
	packages map[string]string
	ldflags  string
	require  []*modfile.Require
}

// moduleDirs are the tool modules, below hack/.
var moduleDirs = []string{"kubernetes", "tools/helm"}

// programNames of the packages that are not called like their program.
var programNames = map[string]string{"go.etcd.io/etcd/server/v3": "etcd"}

func readModule(dir, cache string) (*toolModule, error) {
	content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		return nil, err
	}
	module := &toolModule{packages: map[string]string{}, ldflags: ldflags(file), require: file.Require}
	for _, tool := range file.Tool {
		module.packages[programName(tool.Path)] = tool.Path
	}
	module.out = filepath.Join(cache, filepath.Base(dir)+"-"+module.key(content, sums))
	return module, nil
}

// key stands for everything that decides what is built, but for the Go release: a
// new one is no reason to wait minutes for the same cluster.
func (m *toolModule) key(mod, sums []byte) string {
	digest := sha256.New()
	for _, part := range []string{string(mod), string(sums), m.ldflags, runtime.GOARCH} {
		fmt.Fprintf(digest, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(digest.Sum(nil)[:8])
}

var majorSuffix = regexp.MustCompile(`/v[0-9]+$`)

func programName(pkg string) string {
	if name, ok := programNames[pkg]; ok {
		return name
	}
	return executable(pkg)
}

// ldflags gives Kubernetes programs their version, which they do not know when
// they are built as a dependency, and which the kubelet reports to the API.
func ldflags(file *modfile.File) string {
	flags := []string{stripped}
	for _, require := range file.Require {
		if require.Mod.Path != "k8s.io/kubernetes" {
			continue
		}
		version := require.Mod.Version
		major, minor, _ := strings.Cut(strings.TrimPrefix(semver.MajorMinor(version), "v"), ".")
		for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
			flags = append(flags,
				"-X", pkg+".gitVersion="+version,
				"-X", pkg+".gitMajor="+major,
				"-X", pkg+".gitMinor="+minor,
				"-X", pkg+".gitTreeState=clean")
		}
	}
	return strings.Join(flags, " ")
}
