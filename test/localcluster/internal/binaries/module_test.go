package binaries

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeModule(t *testing.T, sums string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mod := "module x\n\ngo 1.26.0\n\ntool (\n\tgo.etcd.io/etcd/server/v3\n\tk8s.io/kubernetes/cmd/kubelet\n\texample.com/tool/v2\n)\n\nrequire k8s.io/kubernetes v1.37.1\n"
	for name, content := range map[string]string{"go.mod": mod, "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, sums string) *toolModule {
	t.Helper()
	module, err := readModule(writeModule(t, sums), "/cache")
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestReadModule(t *testing.T) {
	module := read(t, "")
	for name, pkg := range map[string]string{
		"etcd": "go.etcd.io/etcd/server/v3", "kubelet": "k8s.io/kubernetes/cmd/kubelet", "tool": "example.com/tool/v2",
	} {
		if module.packages[name] != pkg {
			t.Errorf("%s is %q, want %q", name, module.packages[name], pkg)
		}
	}
	for _, flag := range []string{"version.gitVersion=v1.37.1 ", "version.gitMajor=1 ", "version.gitMinor=37 "} {
		if !strings.Contains(module.ldflags, flag) {
			t.Errorf("%q is not in %q", flag, module.ldflags)
		}
	}
}

func TestCacheIsKeyedByTheModule(t *testing.T) {
	here, there, changed := read(t, "a"), read(t, "a"), read(t, "b")
	if here.out != there.out {
		t.Error("the same module in another checkout is built again")
	}
	if here.out == changed.out {
		t.Error("other dependencies are not built")
	}
}
