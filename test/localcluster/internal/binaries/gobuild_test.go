package binaries

import (
	"context"
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

// fakeGo puts a program called go first on PATH.
func fakeGo(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// The last lines say why a build failed. All lines are read: go would wait for ever to write one that nobody reads.
func TestABuildThatFailsSaysTheLastOfIt(t *testing.T) {
	_, build := module(t)
	fakeGo(t, `{ echo first; head -c 1048576 /dev/zero | tr '\0' x; seq 100; echo "undefined: y"; } >&2; exit 1`)
	build.add(filepath.Join(t.TempDir(), "one"), "./one", "")
	err := build.run(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "go build ./one: exit status 1\n82\n") || !strings.HasSuffix(err.Error(), "\n100\nundefined: y") {
		t.Errorf("got %v", err)
	}
}

// Go has gigabytes in the directory for temporary files, which it removes when it is interrupted, and not when it is killed.
func TestABuildThatIsInterruptedLeavesNothing(t *testing.T) {
	_, build := module(t)
	work := filepath.Join(t.TempDir(), "work")
	t.Setenv("WORK", work)
	fakeGo(t, `trap 'rm "$WORK"; exit 1' INT; touch "$WORK"; while :; do sleep 0.01; done`)
	target := filepath.Join(t.TempDir(), "one")
	build.add(target, "./one", "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for _, err := os.Stat(work); err != nil && ctx.Err() == nil; _, err = os.Stat(work) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if err := build.run(ctx); err == nil {
		t.Error("it went on")
	}
	for _, left := range []string{work, target} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left", left)
		}
	}
}

// What users set for their own modules is not for these.
func TestABuildHeedsNoSettingsForOtherModules(t *testing.T) {
	dir, build := module(t)
	build.workspace = filepath.Join(dir, "programs.work")
	if err := os.WriteFile(build.workspace, []byte("go 1.26.0\n\nuse .\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-mod=mod -modfile=/nowhere/go.mod")
	t.Setenv("GOOS", "plan9")
	t.Setenv("GOARCH", "386")
	target := filepath.Join(dir, "out", "one")
	build.add(target, "./one", "-X main.version=1")
	if err := build.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), target).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "1" {
		t.Errorf("it says %q, %v", out, err)
	}
}

// Git refuses a checkout of another user, and so would go build.
func TestABuildDoesNotAskGit(t *testing.T) {
	dir, build := module(t)
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOFLAGS", "-buildvcs=auto")
	build.add(filepath.Join(dir, "out", "one"), "./one", "")
	if err := build.run(t.Context()); err != nil {
		t.Error(err)
	}
}
