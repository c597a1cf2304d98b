//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A raw block volume that somebody has retained, and freed for another claim, can come to a benchmark's claim. A workload that reads leaves what is on it as it was. Where all of
// it would be written before it is measured, the benchmark ends.
func TestFreedDeviceStaysAsItWas(t *testing.T) {
	sideBySide(t)
	retaining := retainingClass(t, storagev1.VolumeBindingImmediate)
	claim := createClaimOfClass(t, namespaceOf(t), "before", retaining.Name, corev1.PersistentVolumeBlock)
	application := holdDevice(t, claim)
	content := plantContent(t, claim)
	volume := retain(t, application, claim)
	for _, test := range []struct {
		name         string
		precondition *v1alpha1.Precondition
		ends, says   string
	}{
		{"reads", nil, v1alpha1.ReasonCompleted, ""},
		{"written", &v1alpha1.Precondition{}, v1alpha1.ReasonProvisioningFailed, "was not made for it"},
	} {
		free(t, volume)
		sb := device(t, test.name, test.precondition)
		sb.Spec.Targets[0].StorageClassName = &retaining.Name
		create(t, sb)

		done := until(t, sb, "the benchmark's end", ended)

		if c := succeeded(done); c.Reason != test.ends || !strings.Contains(c.Message, test.says) {
			t.Errorf("%s: Succeeded = %s %s: %s", test.name, c.Status, c.Reason, c.Message)
		}
		if volumes := done.Status.Targets[0].Volumes; len(volumes) != 1 || volumes[0].Name != volume.Name {
			t.Fatalf("%s: the claim came to %+v, and not to %s, so this shows nothing", test.name, volumes, volume.Name)
		}
		if cleaned := done.Status.Condition(v1alpha1.ConditionCleanedUp); !strings.Contains(cleaned.Message, "raw block volume "+volume.Name) {
			t.Errorf("%s: CleanedUp = %+v", test.name, cleaned)
		}
		awaitPhase(t, volume, corev1.VolumeReleased)
	}
	free(t, volume)
	after := createClaimOfClass(t, namespaceOf(t), "after", retaining.Name, corev1.PersistentVolumeBlock)
	application = holdDevice(t, after)
	if got := readDevice(t, volume.Name, len(content)); after.Spec.VolumeName != volume.Name || !bytes.Equal(got, content) {
		t.Errorf("claim %s is bound to %s, want %s with what was written there", after.Name, after.Spec.VolumeName, volume.Name)
	}
	retain(t, application, after)
}

// A benchmark can be deleted while all of its device is written, before there is anything to measure. Its volume goes, and the writing ends.
func TestDeletedWhileItsDeviceIsWritten(t *testing.T) {
	sideBySide(t)
	sb := device(t, "being-written", &v1alpha1.Precondition{Passes: new(int32(10))}) // 2.5 GiB, at 125 MB/s at most
	create(t, sb)
	until(t, sb, "its anchor to hold a node", func(sb *v1alpha1.StorageBenchmark) bool { return sb.Status.NodeOf(0) != "" })
	volumes := volumesOf(t.Context(), t, sb)
	if len(volumes) != 1 {
		t.Fatalf("volumes are %q", volumes)
	}
	path := deviceOf(t, volumes[0])
	before := writesTo(t, path)
	eventually(t.Context(), t, "the device to be written", func(context.Context) (bool, error) { return writesTo(t, path) > before, nil })
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(sb), sb); err != nil || !atStep(v1alpha1.ReasonPreparing)(sb) {
		t.Errorf("while its device is written it is at %+v, %v", succeeded(sb), err)
	}

	if err := k8s.Delete(t.Context(), sb); err != nil {
		t.Fatal(err)
	}

	eventually(t.Context(), t, "the benchmark to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), &v1alpha1.StorageBenchmark{})
		return err != nil, client.IgnoreNotFound(err)
	})
	checkVolumeGone(t.Context(), t, volumes[0])
}

// device returns a benchmark of reads on a new raw block volume.
func device(t *testing.T, name string, precondition *v1alpha1.Precondition) *v1alpha1.StorageBenchmark {
	t.Helper()
	return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].VolumeMode, sb.Spec.Targets[0].Precondition = new(corev1.PersistentVolumeBlock), precondition
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "reads", Fio: &v1alpha1.FioParameters{RW: "randread", BS: new("4k"), Size: new("16M"), Direct: new(true)}}}
	})
}

// writesTo returns how often the kernel has written to a device of this machine, by its path, whatever volume it was of.
func writesTo(t *testing.T, path string) int {
	t.Helper()
	stat, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(path), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	writes, err := strconv.Atoi(strings.Fields(string(stat))[4]) // https://docs.kernel.org/block/stat.html
	if err != nil {
		t.Fatal(err)
	}
	return writes
}
