//go:build e2e

package e2e

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// logger is an application that writes a log to a claim, and ends when the volume is full.
type logger struct {
	pod   *corev1.Pod
	claim string
	// root is the volume as this machine sees it.
	root string
}

// startLogger makes a claim and starts a logger on it.
func startLogger(t *testing.T, name string) *logger {
	t.Helper()
	claim := createClaim(t, name, corev1.PersistentVolumeFilesystem)
	pod := fioPod(t, name, claim.Name, "--filename=log", "--rw=write", "--bs=4k", "--rate=40k", "--size=64m", "--fsync=1",
		"--fallocate=none", "--create_on_open=1")
	if err := k8s.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), pod) })
	return &logger{pod: pod, claim: claim.Name}
}

// writes waits until the log has become longer.
func (l *logger) writes(t *testing.T) {
	t.Helper()
	var first int64
	eventually(t.Context(), t, l.pod.Name+" to write", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(l.pod), l.pod)
		if err != nil || l.pod.Status.Phase != corev1.PodRunning {
			return false, err
		}
		if l.root == "" {
			pid := pidOf(t, l.pod.Status.ContainerStatuses[0].ContainerID)
			l.root = filepath.Join("/proc", strconv.Itoa(pid), "root", "volume")
		}
		info, err := os.Stat(filepath.Join(l.root, "log"))
		if os.IsNotExist(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		if first == 0 {
			first = info.Size()
		}
		return info.Size() > first, nil
	})
}

// ends waits until the application has failed for lack of space.
func (l *logger) ends(t *testing.T) {
	t.Helper()
	eventually(t.Context(), t, l.pod.Name+" to fail", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(l.pod), l.pod)
		return l.pod.Status.Phase == corev1.PodFailed, err
	})
	if log := podLog(t.Context(), t, l.pod, "fio"); !strings.Contains(log, "No space left on device") {
		t.Errorf("the application ended with %s", log)
	}
}

// measured creates a benchmark on the claim. A reserve of "" is the default.
func (l *logger) measured(
	t *testing.T, name, reserve string, change func(*v1alpha1.FioParameters),
) *v1alpha1.StorageBenchmark {
	t.Helper()
	sb := benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "claim", ClaimName: &l.claim}}
		if reserve != "" {
			sb.Spec.Targets[0].FreeSpaceReserve = new(resource.MustParse(reserve))
		}
		fio := &v1alpha1.FioParameters{RW: "randread", Size: new("32M")}
		change(fio)
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "reads", Fio: fio}}
		sb.Spec.Placement.NodeSelector = map[string]string{corev1.LabelHostname: l.pod.Spec.NodeName}
	})
	create(t, sb)
	return sb
}

// TestApplicationKeepsItsSpace checks that a benchmark on a claim leaves space to the application that writes
// there: the benchmark is refused if its files need the space, and fio is stopped if the application comes to need
// it. Without a reserve the application ends.
func TestApplicationKeepsItsSpace(t *testing.T) {
	sideBySide(t, load(2))
	kept, full := startLogger(t, "application-kept"), startLogger(t, "application-full")
	kept.writes(t)
	full.writes(t)
	large := func(fio *v1alpha1.FioParameters) { fio.Size = new("10G") }

	filling := full.measured(t, "without-reserve", "0", large)
	refused := kept.measured(t, "refused", "", large)
	grows := kept.measured(t, "grows", "64Mi", func(fio *v1alpha1.FioParameters) {
		fio.RW, fio.Options = "write", map[string]v1alpha1.FioOptionValue{"file_append": "1"}
		fio.Size = new("200M")
	})
	const failed = v1alpha1.ReasonRunFailed
	fails(t, refused, failed, "claim: free ", "needed 10 GiB, reserve 1 GiB: fio was not started", "freeSpaceReserve")
	fails(t, grows, failed, "reads.claim: free ", "needed 200 MiB, reserve 64 MiB: fio was not started")
	kept.writes(t)

	stopped := kept.measured(t, "stopped", "64Mi", func(fio *v1alpha1.FioParameters) {
		fio.TimeBased, fio.RuntimeSeconds = new(true), new(int32(600))
	})
	runningPod(t, stopped)
	kept.fill(t, 150<<20)
	done := fails(t, stopped, failed, "reads.claim: free ", "reserve 64 MiB: fio was stopped", "freeSpaceReserve")
	if run := done.Status.Runs[0]; run.Attempts != 1 {
		t.Errorf("the run was made %d times", run.Attempts)
	}
	kept.writes(t)

	fails(t, filling, failed, "No space left on device")
	full.ends(t)
}

// fill writes a file to the volume, as the application might.
func (l *logger) fill(t *testing.T, bytes int64) {
	t.Helper()
	file, err := os.Create(filepath.Join(l.root, "data"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zero, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zero.Close()
	if _, err := io.CopyN(file, zero, bytes); err != nil {
		t.Fatal(err)
	}
}
