package state

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRemoveKeepsTheProgramAndTheLogs(t *testing.T) {
	dir := In(t.TempDir())
	if err := dir.Prepare(); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"bin/localcluster", "log/etcd.log", "etcd/data", "kubeconfig"} {
		if err := WriteFile(dir.Path(file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Remove(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(dir.Path("*"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{dir.Path(".gitignore"), dir.Path("bin"), dir.Path("log")}, left); diff != "" {
		t.Error(diff)
	}
}

func TestPrepareRefusesAPathTooLongForSockets(t *testing.T) {
	dir := In(filepath.Join(t.TempDir(), strings.Repeat("x", 100)))
	if err := dir.Prepare(); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(t.Context(), path, func() { t.Error("waited for a free lock") })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := Lock(ctx, path, func() { waited++ }); !errors.Is(err, context.DeadlineExceeded) || waited != 1 {
		t.Errorf("got %v, waited %d times", err, waited)
	}
	unlock()
	again, err := Lock(t.Context(), path, func() {})
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestWriteFileSetsTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, mode := range []os.FileMode{0o644, 0o600} {
		if err := WriteFile(path, []byte("x"), mode); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%v, %v, want %v", info.Mode(), err, mode)
		}
	}
}
