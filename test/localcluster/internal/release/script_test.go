package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// releases makes a mirror of releases with all that hack/releases.sh asks for.
func releases(t *testing.T) *mirror {
	t.Helper()
	m := newMirror(t)
	sums := ""
	for i, arch := range []string{"amd64", "arm64"} {
		for j, program := range []string{"kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet"} {
			file := "dl.k8s.io/release/v1.2.3/bin/linux/" + arch + "/" + program
			m.files[file] = content(uint64(10*i+j), 1<<20+i)
			m.files[file+".sha256"] = []byte(strings.TrimPrefix(sha(m.files[file]), "sha256:"))
		}
		name := "etcd-v4.5.6-linux-" + arch
		tarball := archive(t, map[string][]byte{name + "/etcd": content(uint64(20+i), 1000)})
		m.files["github.com/etcd-io/etcd/releases/download/v4.5.6/"+name+".tar.gz"] = tarball
		sums += strings.TrimPrefix(sha(tarball), "sha256:") + "  " + name + ".tar.gz\n"
	}
	m.files["github.com/etcd-io/etcd/releases/download/v4.5.6/SHA256SUMS"] = []byte(sums)
	return m
}

func refresh(t *testing.T, m *mirror) (table, output string, err error) {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("maintainers who refresh the table need curl")
	}
	out := filepath.Join(t.TempDir(), "table")
	cmd := exec.CommandContext(t.Context(), filepath.Join("..", "..", "..", "..", "hack", "releases.sh"), "-o", out, "v1.2.3", "v4.5.6")
	cmd.Env = append(os.Environ(), MirrorVariable+"="+m.URL, "no_proxy=127.0.0.1", "NO_PROXY=127.0.0.1")
	said, err := cmd.CombinedOutput()
	written, _ := os.ReadFile(out)
	return string(written), string(said), err
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	m := releases(t)
	table, output, err := refresh(t, m)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if comment, _, _ := strings.Cut(published, "\nkube-apiserver "); !strings.HasPrefix(table, comment) {
		t.Errorf("the comments are gone:\n%s", table)
	}
	for _, program := range []Program{{"kubelet", "v1.2.3"}, {"kube-apiserver", "v1.2.3"}, {"etcd", "v4.5.6"}} {
		f := newFixture(t, m.URL, table)
		f.arch = "arm64"
		if err := f.fetch(t, program); err != nil {
			t.Error(err)
		}
		if names := list(t, f.dir); len(names) != 1 || names[0] != program.Name {
			t.Errorf("there is %v, want %s", names, program.Name)
		}
	}
	a, _ := find(table, Program{"kubelet", "v1.2.3"}, "arm64")
	if a.mib != 2 {
		t.Errorf("one byte more than a MiB is called %d MiB", a.mib)
	}
}

func TestRefreshRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file    string
		content []byte
		want    string
	}{
		"another file":       {"dl.k8s.io/release/v1.2.3/bin/linux/arm64/kubelet", []byte("other"), "its checksum is"},
		"another archive":    {"github.com/etcd-io/etcd/releases/download/v4.5.6/etcd-v4.5.6-linux-arm64.tar.gz", []byte("other"), "its checksum is"},
		"no checksum":        {"dl.k8s.io/release/v1.2.3/bin/linux/arm64/kubelet.sha256", []byte("<html>"), "is none: <html>"},
		"no checksum for it": {"github.com/etcd-io/etcd/releases/download/v4.5.6/SHA256SUMS", []byte("x  y\n"), "is none:"},
		"missing":            {"dl.k8s.io/release/v1.2.3/bin/linux/arm64/kubelet", nil, "cannot download"},
	} {
		t.Run(name, func(t *testing.T) {
			m := releases(t)
			if test.content == nil {
				delete(m.files, test.file)
			} else {
				m.files[test.file] = test.content
			}
			table, output, err := refresh(t, m)
			if err == nil || !strings.Contains(output, test.want) {
				t.Errorf("want a failure with %q, got %v:\n%s", test.want, err, output)
			}
			if table != "" {
				t.Errorf("a table was written:\n%s", table)
			}
		})
	}
}
