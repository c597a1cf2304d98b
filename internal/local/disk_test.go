package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func quantity(text string) *resource.Quantity {
	q := resource.MustParse(text)
	return &q
}

// mountSmall mounts a file system in memory on a directory until the end of the test. Without root, the test is skipped.
func mountSmall(t *testing.T, directory, size string, flags uintptr) {
	t.Helper()
	if err := unix.Mount("tmpfs", directory, "tmpfs", flags, "size="+size); err != nil {
		t.Skipf("this test mounts a small file system, which needs root: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(directory, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

// A run that would leave less free than the reserve is not started, and one that fills the disk fails in fio's words. The
// other target is measured all the same.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for reserve, want := range map[string]string{"6Mi": "fio was not started", "0": "No space left on device"} {
		b := newBench(t)
		mountSmall(t, b.Directories["a"], "8m", 0)
		b.Benchmark.Spec.Targets[0].FreeSpaceReserve = quantity(reserve)
		b.Benchmark.Spec.Workloads = b.Benchmark.Spec.Workloads[:1]
		b.Benchmark.Spec.Workloads[0].Fio.Size = new("10M")
		b.Benchmark.Spec.Workloads[0].Fio.Direct = new(false)
		sb := b.run(t.Context(), t)
		ends(t, sb, v1alpha1.ReasonRunFailed, "1 of 2 runs failed", want)
		if run := &sb.Status.Runs[1]; run.Result == nil {
			t.Errorf("target b has no result: %s", run.Message)
		}
	}
}

// Directories are checked before anything is measured.
func TestDirectories(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*testing.T, *bench)
		want   string
	}{
		"missing": {func(_ *testing.T, b *bench) { b.Directories["a"] += "/none" }, "no such file or directory"},
		"a file": {func(t *testing.T, b *bench) {
			b.Directories["a"] += "/file"
			if err := os.WriteFile(b.Directories["a"], nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is no directory"},
		"the same twice": {func(t *testing.T, b *bench) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(b.Directories["b"], link); err != nil {
				t.Fatal(err)
			}
			b.Directories["a"] = link
		}, "targets a and b are both in "},
		"not writable": {func(t *testing.T, b *bench) {
			if os.Getuid() != 0 {
				if err := os.Chmod(b.Directories["a"], 0o555); err != nil {
					t.Fatal(err)
				}
				return
			}
			mountSmall(t, b.Directories["a"], "1m", unix.MS_RDONLY) // root may write to all others
		}, "cannot make files in it"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			test.change(t, b)
			_, err := New(b.Config)
			if err == nil || !strings.Contains(err.Error(), "target") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

// A file that is there is not overwritten, and one that cannot be made is known before anything is measured.
func TestCreateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "out.yaml")
	if _, err := CreateFile(path); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		path: "is there already",
		filepath.Join(t.TempDir(), "none", "out.yaml"): "cannot be written",
	} {
		if _, err := CreateFile(path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--output-file") {
			t.Errorf("error %v, want %q and the remedy", err, want)
		}
	}
}
