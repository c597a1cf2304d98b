package release

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The programs that were built here come from a mirror as they would from the projects, with
// their connections cut once, and then run.
func TestFetchRealPrograms(t *testing.T) {
	t.Parallel()
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		t.Skip("KUBEBUILDER_ASSETS names no programs")
	}
	m := newMirror(t)
	var cuts sync.Map
	m.instead = func(w http.ResponseWriter, r *http.Request, content []byte) {
		if _, before := cuts.LoadOrStore(r.URL.Path, true); !before {
			cut(w, r, content, len(content)/2)
		}
		serve(w, r, content)
	}
	table := ""
	for _, name := range []string{"kube-apiserver", "kubectl", "etcd"} {
		program, err := os.ReadFile(filepath.Join(assets, name))
		if err != nil {
			t.Fatal(err)
		}
		address, member := "dl.k8s.io/"+name, ""
		if name == "etcd" {
			address, member = "github.com/etcd.tar.gz", "etcd-v1/etcd"
			program = archive(t, map[string][]byte{member: program})
		}
		m.files[address] = program
		table += fmt.Sprintf("%s v1 amd64 %d %s %s %s\n", name, len(program)>>20+1, sha(program), address, member)
	}
	f := newFixture(t, m.URL, table)
	if err := f.fetch(t, Program{"kube-apiserver", "v1"}, Program{"kubectl", "v1"}, Program{"etcd", "v1"}); err != nil {
		t.Fatal(err)
	}
	for name, flag := range map[string]string{"kube-apiserver": "--version", "kubectl": "help", "etcd": "--version"} {
		output, err := exec.CommandContext(t.Context(), filepath.Join(f.dir, name), flag).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, output)
		}
	}
	if got := m.requests(); len(got) != 6 || strings.Join(got, "") == "" {
		t.Errorf("asked for %q, want each file in two parts", got)
	}
}
