package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStartedProcessInheritsNoDescriptors(t *testing.T) {
	dir := t.TempDir()
	// As the flock command does, and Go never would: open for all children.
	lock, err := unix.Open(filepath.Join(dir, "lock"), unix.O_CREAT|unix.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(lock) }()
	record, _, err := Start(Spec{
		Argv:   []string{"sleep", "60"},
		Log:    filepath.Join(dir, "log"),
		Record: filepath.Join(dir, "record.json"),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = Kill(t.Context(), record.Identity) }()
	if target, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", record.PID, lock)); err == nil {
		t.Errorf("the process has %s open", target)
	}
}
