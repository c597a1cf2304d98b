package binaries

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/localcluster/internal/release"
)

func TestVersion(t *testing.T) {
	module := read(t, "")
	for pkg, want := range map[string]string{
		"k8s.io/kubernetes/cmd/kubelet": "v1.37.1", "k8s.io/kubernetes": "v1.37.1", "k8s.io/kubernetesish/cmd": "", "example.com/tool/v2": "",
	} {
		if got := module.version(pkg); got != want {
			t.Errorf("%s is %q, want %q", pkg, got, want)
		}
	}
}

// A new version of Kubernetes is built by everybody, for minutes, until its checksums are here.
func TestPinnedVersionsHaveChecksums(t *testing.T) {
	module, err := readModule(filepath.Join("..", "..", "..", "..", "hack", "kubernetes"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile(filepath.Join("..", "release", "releases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for name, pkg := range module.packages {
		for _, arch := range []string{"amd64", "arm64"} {
			if program := name + " " + module.version(pkg) + " " + arch; !strings.Contains(string(table), "\n"+program+" ") {
				t.Errorf("%s has no checksum: run hack/releases.sh", program)
			}
		}
	}
}

// offline makes a set of one module that nothing can be built from.
func offline(t *testing.T, mirror http.Handler) (*Set, *toolModule, *strings.Builder) {
	t.Helper()
	server := httptest.NewServer(mirror)
	t.Cleanup(server.Close)
	t.Setenv(release.MirrorVariable, server.URL)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOPROXY", "off")
	module := read(t, "")
	module.out = filepath.Join(t.TempDir(), "out")
	var said strings.Builder
	workspace := filepath.Join(t.TempDir(), "empty.work")
	if err := os.WriteFile(workspace, []byte("go 1.26.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &Set{modules: []*toolModule{module}, workspace: workspace, cache: t.TempDir(), progress: func(format string, _ ...any) { said.WriteString(format + "\n") }}, module, &said
}

func TestBuildWhatCannotBeDownloaded(t *testing.T) {
	wrong := []byte("#!/bin/sh\n")
	set, module, said := offline(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(wrong) }))
	err := set.Build(t.Context(), "kubelet")
	if err == nil || !strings.Contains(err.Error(), "go build k8s.io/kubernetes/cmd/kubelet") {
		t.Errorf("want an error of the build, got %v", err)
	}
	if !strings.Contains(said.String(), "Not downloaded, and so built here") {
		t.Errorf("the reason why it is built is not printed:\n%s", said)
	}
	sum := sha256.Sum256(wrong)
	for _, dir := range []string{module.out, os.Getenv("XDG_CACHE_HOME")} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
			if content, err := os.ReadFile(path); err == nil && sha256.Sum256(content) == sum {
				t.Errorf("%s was kept, with the wrong checksum %s", path, hex.EncodeToString(sum[:]))
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// What a build that was killed has left is removed by the next, and a file that is no program is made anew.
func TestWhatABrokenBuildLeft(t *testing.T) {
	set, module, _ := offline(t, http.NotFoundHandler())
	left := filepath.Join(module.out, unfinished+"1")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{filepath.Join(left, "kubelet"): 0o700, filepath.Join(module.out, "kubelet"): 0o700} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := set.Build(t.Context(), "kubelet"); err == nil || !strings.Contains(err.Error(), "go build") {
		t.Errorf("want that an empty program is built anew, which fails here, got %v", err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is left", left)
	}
}

func TestNothingIsBuiltWhereNothingCanBeKept(t *testing.T) {
	set, module, said := offline(t, http.NotFoundHandler())
	if err := os.WriteFile(module.out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := set.Build(t.Context(), "kubelet")
	if !errors.Is(err, release.ErrHere) || strings.Contains(said.String(), "Building") {
		t.Errorf("got %v\n%s", err, said)
	}
}

func TestNothingIsDownloadedThatIsThere(t *testing.T) {
	set, module, _ := offline(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) }))
	if err := os.MkdirAll(module.out, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module.out, "kubelet"), []byte("built"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := set.Build(t.Context(), "kubelet"); err != nil {
		t.Fatal(err)
	}
}
