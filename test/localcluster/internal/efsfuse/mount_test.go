package efsfuse

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/moby/sys/mountinfo"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/storagebench/storagebench/test/localcluster/internal/host"
)

// A mount in use is detached after a while. Its last user can go on, and then its directory is closed.
func TestMountInUseEndsWithItsLastUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounts need root")
	}
	dir, target := t.TempDir(), t.TempDir()
	if err := NewServer(Limits{}).Connect().Mount(target, View{Name: "fs", Dir: dir}); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(target, "file"))
	if err == nil {
		err = host.Unmount(t.Context(), target, 50*time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	if mounted, err := mountinfo.Mounted(target); mounted || err != nil {
		t.Errorf("it is mounted: %t, %v", mounted, err)
	}
	if _, err := file.WriteString("written"); err != nil || !isOpen(t, dir) {
		t.Errorf("its user cannot go on: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	closed := func(context.Context) (bool, error) { return !isOpen(t, dir), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, 10*time.Second, true, closed); err != nil {
		t.Errorf("its directory stays open: %v", err)
	}
	if content, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(content) != "written" {
		t.Errorf("it holds %q, %v", content, err)
	}
}

// isOpen says whether this process has a directory open.
func isOpen(t *testing.T, dir string) bool {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == dir {
			return true
		}
	}
	return false
}
