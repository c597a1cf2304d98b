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

// module writes a Go module of two programs, of which the second is called otherwise than its package.
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
	var said []string
	m := newMeter(100, func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) })
	now := m.started
	for range 40 {
		now = now.Add(time.Second)
		m.compiled(now)
	}
	want := []string{"  compiled 20 of 100 packages, about 1m20s left", "  compiled 40 of 100 packages, about 1m0s left"}
	if strings.Join(said, "\n") != strings.Join(want, "\n") {
		t.Errorf("said %q, want %q", said, want)
	}
}

// With nothing known of how much there is, or more than was known, nothing is said of what is left.
func TestMeterWithoutATotal(t *testing.T) {
	for _, total := range []int{0, 1} {
		m := newMeter(total, func(format string, _ ...any) { t.Errorf("of %d: said %q", total, format) })
		for i := range 3 {
			m.compiled(m.started.Add(time.Duration(i+1) * time.Second))
		}
		m.compiled(m.started.Add(time.Hour))
	}
}
