//go:build e2e

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/procfs/blockdevice"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What a run says that the kernel counted is what the kernel says of the volume's device beside it.
func TestKernelCountersOfADevice(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "counters-device", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{RW: "randwrite", BS: new("16k"), Direct: new(true), Size: new("64M"), RuntimeSeconds: new(int32(3)), TimeBased: new(true)}
		sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain
	})
	create(t, sb)
	device := ""
	eventually(t.Context(), t, "the volume's device", func(ctx context.Context) (bool, error) {
		var claims corev1.PersistentVolumeClaimList
		err := k8s.List(ctx, &claims, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name})
		if err != nil || len(claims.Items) != 1 || claims.Items[0].Spec.VolumeName == "" {
			return false, err
		}
		volume := &corev1.PersistentVolume{}
		if err := k8s.Get(ctx, types.NamespacedName{Name: claims.Items[0].Spec.VolumeName}, volume); err != nil {
			return false, err
		}
		device = loopDeviceOf(volume)
		return device != "", nil
	})
	before := diskStats(t, device)
	done := until(t, sb, "the run's end", func(sb *v1alpha1.StorageBenchmark) bool {
		return len(sb.Status.Runs) == 1 && sb.Status.Runs[0].HasEnded()
	})
	after := diskStats(t, device)
	run := done.Status.Runs[0]
	c := run.Counters
	if c == nil || c.Source != v1alpha1.CountersOfBlockDevice {
		t.Fatalf("the run has counters %+v: %s", c, run.Message)
	}
	t.Logf("%s: %+v, fio: %d writes, %d bytes", device, c, run.Result.Of(v1alpha1.OperationWrite).Count, run.Result.Of(v1alpha1.OperationWrite).Bytes)
	// The device is closed after the run, which may flush it: a write without a byte.
	writes, bytes := int64(after.WriteIOs-before.WriteIOs), int64(after.WriteSectors-before.WriteSectors)*512
	if flushes := writes - c.Writes; flushes < 0 || flushes > 1 || c.WriteBytes != bytes {
		t.Errorf("the run has %d writes of %d bytes, and the kernel counted %d of %d", c.Writes, c.WriteBytes, writes, bytes)
	}
	if c.Writes != run.Result.Of(v1alpha1.OperationWrite).Count || c.WriteBytes != run.Result.Of(v1alpha1.OperationWrite).Bytes {
		t.Errorf("the run has %d writes of %d bytes, and fio did %d of %d", c.Writes, c.WriteBytes, run.Result.Of(v1alpha1.OperationWrite).Count, run.Result.Of(v1alpha1.OperationWrite).Bytes)
	}
	// At its limit a device is busy as long as fio has a processor. Another unit of time would be a thousand times as much, or as little.
	if c.BusyMilliseconds < run.Result.ElapsedMilliseconds/10 || c.QueueMilliseconds < c.BusyMilliseconds/2 || c.BusyMilliseconds > run.Result.ElapsedMilliseconds+1000 {
		t.Errorf("in %d ms the device was busy for %d ms, and its requests were there for %d", run.Result.ElapsedMilliseconds, c.BusyMilliseconds, c.QueueMilliseconds)
	}
}

func diskStats(t *testing.T, device string) blockdevice.IOStats {
	t.Helper()
	fs, err := blockdevice.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	stats, _, err := fs.SysBlockDeviceStat(device)
	if err != nil {
		t.Fatal(err)
	}
	return stats
}

// What the page cache answers, gathers and keeps is seen by what the storage did.
func TestKernelCountersTellThePageCache(t *testing.T) {
	sideBySide(t)
	fio := func(rw, bs string) *v1alpha1.FioParameters {
		return &v1alpha1.FioParameters{RW: rw, BS: &bs, Direct: new(false), Size: new("64M")}
	}
	again := fio("randread", "4k")
	// At 1,000 IOPS the first time takes 0.5 s. By default fio has the page cache forget the file each time that it begins anew.
	again.Invalidate = new(false)
	again.Size, again.TimeBased, again.RuntimeSeconds = new("2M"), new(true), new(int32(2))
	synced := fio("write", "4k")
	synced.EndFsync = new(true)
	sb := benchmark(t, "counters-cache", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "answered", Fio: again}, {Name: "gathered", Fio: synced}, {Name: "kept", Fio: fio("write", "4k")}}
	})
	done := measured(t, sb)
	for _, run := range done.Status.Runs {
		c, r := run.Counters, run.Result
		if c == nil {
			continue // as measured has said
		}
		t.Logf("%s: %+v, fio: %+v %+v; warnings %+v", run.Name, c, r.Of(v1alpha1.OperationRead), r.Of(v1alpha1.OperationWrite), run.Warnings)
		switch run.Workload {
		case "answered":
			if c.ReadBytes > r.Of(v1alpha1.OperationRead).Bytes/2 {
				t.Errorf("%s: fio read %d bytes of a file of 2 MiB, and the storage %d", run.Name, r.Of(v1alpha1.OperationRead).Bytes, c.ReadBytes)
			}
			wantWarning(t, &run, v1alpha1.WarningFilesFitInMemory, "that fio read: the page cache answered the rest")
		case "gathered":
			if c.WriteBytes < r.Of(v1alpha1.OperationWrite).Bytes || c.Writes > r.Of(v1alpha1.OperationWrite).Count/8 {
				t.Errorf("%s: fio did %d writes of %d bytes, and the storage %d of %d", run.Name, r.Of(v1alpha1.OperationWrite).Count, r.Of(v1alpha1.OperationWrite).Bytes, c.Writes, c.WriteBytes)
			}
		case "kept":
			if c.WriteBytes > r.Of(v1alpha1.OperationWrite).Bytes/2 {
				t.Logf("%s: the kernel was quick to write %d of %d bytes back", run.Name, c.WriteBytes, r.Of(v1alpha1.OperationWrite).Bytes)
				continue
			}
			wantWarning(t, &run, v1alpha1.WarningUnsyncedWrites, "that fio wrote")
		}
	}
}

// wantCounters checks that the kernel has counted what a run did, and that it counts nothing of FUSE, by which EFS and S3 come here.
func wantCounters(t *testing.T, sb *v1alpha1.StorageBenchmark, run *v1alpha1.Run) {
	t.Helper()
	at := slices.IndexFunc(sb.Spec.Targets, func(target v1alpha1.Target) bool { return target.Name == run.Target })
	switch target := &sb.Spec.Targets[at]; {
	case target.ClaimName != nil || run.Clients > 1:
	case target.EFS != nil || target.S3 != nil:
		if run.Counters != nil {
			t.Errorf("%s: of FUSE the kernel has counted %+v", run.Name, run.Counters)
		}
	case run.Counters == nil:
		t.Errorf("%s has no counters", run.Name)
	}
}

func wantWarning(t *testing.T, run *v1alpha1.Run, reason, words string) {
	t.Helper()
	if !slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == reason && strings.Contains(w.Message, words) }) {
		t.Errorf("%s has no warning %s with %q: %+v", run.Name, reason, words, run.Warnings)
	}
}
