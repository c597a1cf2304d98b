package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// start starts a process, and returns its record.
func start(t *testing.T, dir string, argv ...string) (exited <-chan error, record Record) {
	t.Helper()
	spec := Spec{Argv: argv, Log: filepath.Join(dir, "log"), Record: filepath.Join(dir, "record.json")}
	exited, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := state.ReadJSON(spec.Record, &record); err != nil {
		t.Fatal(err)
	}
	return exited, record
}

func TestStartedProcessInheritsNoDescriptors(t *testing.T) {
	dir := t.TempDir()
	// As the flock command does, and Go never would: open for all children.
	lock, err := unix.Open(filepath.Join(dir, "lock"), unix.O_CREAT|unix.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(lock) }()
	_, record := start(t, dir, "sleep", "60")
	defer func() { _ = Kill(t.Context(), record.Identity) }()
	if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", record.PID, lock)); err == nil {
		t.Errorf("the process has %s open", target)
	}
}
