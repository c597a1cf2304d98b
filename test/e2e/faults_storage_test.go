//go:build e2e

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// efsDriver is the process of the local cluster that is the file system of all EFS volumes, and their driver.
const efsDriver = "csi-efs"

// onFileSystem has the benchmark measure on EFS.
func onFileSystem(t *testing.T) func(*v1alpha1.StorageBenchmark) {
	return func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "efs", EFS: experiment(t, "e4").Spec.Targets[0].EFS.DeepCopy()}}
		sb.Spec.Workloads[0].Fio.Size = new("1M")
	}
}

// A file system that stops answering holds fio in system calls: it cannot be killed, its pod stays Terminating, and the
// claim with it. The benchmark ends without them, says what is left and how to free it, and can be deleted.
func TestFileSystemStopsAnswering(t *testing.T) {
	ownNode(t, takes(theFileSystem), budget(4*time.Minute))
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The file system stops answering under fio",
		does: "stops the file system's server; ioProgressSeconds 5, cleanUpSeconds 20",
		sees: v1alpha1.ReasonCleaningUp, ends: v1alpha1.ReasonRunFailed, bound: 75 * time.Second,
		leaves: "the pod, which stays Terminating until the file system answers or its node restarts; the claim, the volume, its StorageClass and the directory of test files",
	})
	sb := benchmark(t, "hung", onFileSystem(t), lasting(300), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines.IOProgressSeconds, sb.Spec.Deadlines.CleanUpSeconds = new(int32(5)), new(int32(20))
	})
	if err := k8s.Create(t.Context(), sb); err != nil {
		t.Fatalf("create: %v", err)
	}
	pod := runningPod(t, sb)
	claim := onlyClaim(t, sb)
	processes := processesOf(t, pod, 2)
	// Before its first write fio waits for nothing that it could not be killed in.
	eventually(t.Context(), t, "fio to write", func(context.Context) (bool, error) { return hasWritten(processes.jobs, 256<<10), nil })
	server := hostProcess(t, efsDriver)
	t.Cleanup(func() {
		sendSignal(t, server, syscall.SIGCONT)
		if t.Failed() {
			dump(t, sb)
		}
		release(t, sb, pod, claim)
	})
	f.strike()
	sendSignal(t, server, syscall.SIGSTOP)

	f.see(t, sb, "waiting for the removal of pod "+pod.Name+", directory")
	done := f.end(t, sb, "fio completed no I/O for 5s", "spec.deadlines.ioProgressSeconds",
		"not removed within 2", "pod "+pod.Name, pod.Spec.NodeName, "claim "+claim.Name, "volume "+claim.Spec.VolumeName)
	if run := done.Status.Runs[0]; run.Result != nil {
		t.Errorf("run = %+v", run)
	}
	// What makes the fault: without it the test would prove nothing.
	if !slices.ContainsFunc(processes.jobs, isAlive) {
		t.Error("all processes of fio have ended, so none was held by the file system")
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil || pod.DeletionTimestamp == nil {
		t.Errorf("pod %s is not Terminating: deleted %v (%v)", pod.Name, pod.DeletionTimestamp, err)
	}

	// Deletion waits for the same deadline, and no longer.
	if err := k8s.Delete(t.Context(), sb); err != nil {
		t.Fatalf("delete: %v", err)
	}
	within(t.Context(), t, 35*time.Second, "the benchmark to be gone while its pod hangs", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// release removes what is left of a benchmark on a file system that did not answer and does so again: what had been told
// to go does so now, and the rest is for the person that read the message.
func release(t *testing.T, sb *v1alpha1.StorageBenchmark, pod *corev1.Pod, claim *corev1.PersistentVolumeClaim) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	volume := &corev1.PersistentVolume{}
	volume.Name = claim.Spec.VolumeName
	for _, object := range []client.Object{sb, pod, claim, volume} {
		if err := client.IgnoreNotFound(k8s.Delete(ctx, object)); err != nil {
			t.Errorf("delete %s: %v", object.GetName(), err)
		}
		within(ctx, t, 30*time.Second, object.GetName()+" to be gone", func(ctx context.Context) (bool, error) {
			err := k8s.Get(ctx, client.ObjectKeyFromObject(object), object)
			return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
		})
	}
	root := os.Getenv(fileSystemDirectory)
	left, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || root == "" {
		t.Fatalf("files on the file system %q: %v", root, err)
	}
	for _, directory := range left {
		if err := os.RemoveAll(directory); err != nil {
			t.Error(err)
		}
	}
	if names := clusterObjects(ctx, t, sb); len(names) > 0 {
		t.Errorf("%v are left", names)
	}
}

// A volume that is gone, as a disk that fails or is detached by force, gives errors of I/O. They are fio's own words.
func TestVolumeRemovedUnderARun(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The volume is lost under fio", does: "takes the blocks of the disk away",
		ends: v1alpha1.ReasonRunFailed, bound: time.Minute,
	})
	sb := benchmark(t, "volume-lost", lasting(30), func(sb *v1alpha1.StorageBenchmark) {
		// A second job may find that the file system has become read-only meanwhile.
		sb.Spec.Workloads[0].Fio.NumJobs = new(int32(1))
	})
	create(t, sb)
	processes := processesOf(t, runningPod(t, sb), 1)
	eventually(t.Context(), t, "fio to write", func(context.Context) (bool, error) { return hasWritten(processes.jobs, 1<<20), nil })
	volume := &corev1.PersistentVolume{}
	if err := k8s.Get(t.Context(), types.NamespacedName{Name: onlyClaim(t, sb).Spec.VolumeName}, volume); err != nil {
		t.Fatalf("get the volume: %v", err)
	}
	f.strike()
	shrink(t, volume)
	done := f.end(t, sb, "randwrite.volume", "Input/output error")
	if run := done.Status.Runs[0]; run.State != v1alpha1.RunFailed || run.Result != nil {
		t.Errorf("run = %+v", run)
	}
}

// shrink takes all blocks away from the disk of a volume, and has its device notice.
func shrink(t *testing.T, volume *corev1.PersistentVolume) {
	t.Helper()
	if err := os.Truncate(diskOf(t, volume), 0); err != nil {
		t.Fatal(err)
	}
	device := loopDeviceOf(volume)
	if device == "" {
		t.Fatalf("volume %s has no loop device", volume.Name)
	}
	noticeSize(t, filepath.Join("/dev", device))
}

// noticeSize has a loop device look at the size of its file again.
func noticeSize(t *testing.T, path string) {
	t.Helper()
	device, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if err := unix.IoctlSetInt(int(device.Fd()), unix.LOOP_SET_CAPACITY, 0); err != nil {
		t.Fatalf("tell %s its new size: %v", path, err)
	}
}
