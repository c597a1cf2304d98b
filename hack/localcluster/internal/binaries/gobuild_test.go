package binaries

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module writes a Go module of two programs. The second is not called like its package.
func module(t *testing.T) (dir string, build *goBuild) {
	t.Helper()
	dir = t.TempDir()
	for file, content := range map[string]string{
		"go.mod":            "module example.com/m\n\ngo 1.26.0\n",
		"one/main.go":       "package main\n\nvar version = \"none\"\n\nfunc main() { println(version) }\n",
		"server/v3/main.go": "package main\n\nvar version = \"none\"\n\nfunc main() { println(version) }\n",
	} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, &goBuild{dir: dir, ldflags: []string{stripped}}
}

func TestSeveralProgramsOfOneBuild(t *testing.T) {
	dir, build := module(t)
	targets := []string{filepath.Join(dir, "out", "one"), filepath.Join(dir, "elsewhere", "etcd")}
	build.add(targets[0], "example.com/m/one", "-X main.version=1")
	build.add(targets[1], "example.com/m/server/v3", "")
	if err := build.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1", "none"} {
		out, err := exec.CommandContext(t.Context(), targets[i]).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s says %q, %v; want %q", targets[i], out, err, want)
		}
		if left, err := filepath.Glob(filepath.Join(filepath.Dir(targets[i]), ".building-*")); err != nil || len(left) > 0 {
			t.Errorf("%v is left, %v", left, err)
		}
	}
}

func TestABuildThatFailsSaysWhy(t *testing.T) {
	dir, build := module(t)
	if err := os.WriteFile(filepath.Join(dir, "one", "main.go"), []byte("package main\n\nfunc main() { missing() }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "one.program")
	build.add(target, "./one", "")
	if err := build.run(t.Context()); err == nil || !strings.Contains(err.Error(), "undefined: missing") {
		t.Errorf("got %v, want what the compiler says", err)
	}
	if built(target) {
		t.Error("there is a program all the same")
	}
}

func TestABuildEndsWithItsContext(t *testing.T) {
	_, build := module(t)
	build.add(filepath.Join(t.TempDir(), "one"), "./one", "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := build.run(ctx); err == nil {
		t.Error("it went on")
	}
}

func TestMeter(t *testing.T) {
	for _, test := range []struct {
		done, total int
		want        string
	}{
		{0, 100, "  downloading modules"},
		{25, 100, "  compiled 25 of 100 packages, about 1m30s left"},
		{100, 100, "  compiled 100 packages, linking"},
		{101, 100, "  compiled 101 packages, linking"},
		{7, 0, "  compiled 7 packages, linking"}, // nothing is known of how much there is
	} {
		var said string
		m := newMeter(test.total, func(format string, args ...any) { said = fmt.Sprintf(format, args...) })
		for range test.done {
			m.compiled()
		}
		if m.tell(m.started.Add(30 * time.Second)); said != test.want {
			t.Errorf("after %d of %d: %q, want %q", test.done, test.total, said, test.want)
		}
	}
}

// What go says of downloads is no package.
func TestFollow(t *testing.T) {
	m := newMeter(2, nil)
	last := follow(strings.NewReader("go: downloading example.com/m v1.0.0\nexample.com/m/a\nexample.com/m/b\n# example.com/m\nundefined: x\n"), m)
	if m.done.Load() != 4 || len(last) != 5 || last[4] != "undefined: x" {
		t.Errorf("counted %d, last %q", m.done.Load(), last)
	}
}
