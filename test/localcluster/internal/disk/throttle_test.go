package disk

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// fakeContainer makes what the kernel makes with a container's cgroup.
func fakeContainer(t *testing.T, kubepods, qos, pod, name string) string {
	t.Helper()
	// Complete before it appears, like a real one.
	part := filepath.Join(t.TempDir(), "cgroup")
	if err := os.Mkdir(part, 0o755); err != nil {
		t.Fatal(err)
	}
	for file := range blkioLimits("7:0", Limits{IOPS: 1, ThroughputMiB: 1}) {
		if err := os.WriteFile(filepath.Join(part, file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	parent := filepath.Join(kubepods, qos, "pod"+pod)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, name)
	if err := os.Rename(part, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

func awaitContent(t *testing.T, file, want string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if content, err := os.ReadFile(file); err == nil && string(content) == want {
			return
		}
	}
	content, err := os.ReadFile(file)
	t.Fatalf("waited for %q in %s, it has %q, %v", want, file, content, err)
}

func (t *throttler) polling() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stopPoll != nil
}

func TestThrottlerLimitsContainersAsTheyAppear(t *testing.T) {
	kubepods := t.TempDir()
	throttle := newThrottler(slog.New(slog.DiscardHandler))
	if throttle.polling() {
		t.Error("polls with nothing to do")
	}
	throttle.add(publication{TargetPath: "/t", Kubepods: kubepods, PodUID: "uid", Device: "7:1", Limits: Limits{IOPS: 3000}})
	for _, qos := range qosDirs {
		dir := fakeContainer(t, kubepods, qos, "uid", "container")
		awaitContent(t, filepath.Join(dir, "blkio.throttle.write_iops_device"), "7:1 3000")
		// A pod has one class only; the next is a restarted container.
		if err := os.RemoveAll(filepath.Dir(dir)); err != nil {
			t.Fatal(err)
		}
		throttle.add(publication{TargetPath: "/t", Kubepods: kubepods, PodUID: "uid", Device: "7:1", Limits: Limits{IOPS: 3000}})
	}
	other := fakeContainer(t, kubepods, "", "another", "container")
	throttle.remove("/t")
	if throttle.polling() {
		t.Error("still polls after the last volume is gone")
	}
	if content, err := os.ReadFile(filepath.Join(other, "blkio.throttle.write_iops_device")); err != nil || len(content) > 0 {
		t.Errorf("another pod was limited: %q, %v", content, err)
	}
}
