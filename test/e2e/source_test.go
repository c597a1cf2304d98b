//go:build e2e

package e2e

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Fio reads what an application has on its volume, from a copy that is made for the benchmark and deleted after it. The application runs meanwhile, and its
// volume stays as it is.
func TestCloneOfAClaim(t *testing.T) {
	sideBySide(t, load(2))
	claim := createClaim(t, "source", corev1.PersistentVolumeBlock)
	holdDevice(t, claim)
	content := plantContent(t, claim)
	before := claim.DeepCopy()
	sb := cloned(t, "clone", claim.Name)
	sb.Spec.Repetitions = new(int32(2))
	sb.Spec.Workloads[0].Fio.RuntimeSeconds, sb.Spec.Workloads[0].Fio.TimeBased = new(int32(5)), new(true)
	create(t, sb)

	measuring := until(t, sb, "fio to run", atStep(v1alpha1.ReasonMeasuring))

	clone := measuring.Status.Targets[0].Volumes[0]
	if clone.Name == claim.Spec.VolumeName {
		t.Fatalf("measured is the source itself: %+v", clone)
	}
	if got := readDevice(t, clone.Name, len(content)); !bytes.Equal(got, content) {
		t.Error("fio reads something else than the source has")
	}
	done := completes(t, sb)
	for i, words := range []string{"no run has used this volume", "earlier runs have used this volume"} {
		run := &done.Status.Runs[i]
		if run.Result == nil || run.Result.Of(v1alpha1.OperationRead) == nil || run.Result.Of(v1alpha1.OperationRead).Count == 0 {
			t.Errorf("%s has read nothing: %+v", run.Name, run.Result)
		}
		if !slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool {
			return w.Reason == v1alpha1.WarningFirstAccess && strings.HasPrefix(w.Message, words)
		}) {
			t.Errorf("%s has no warning that begins with %q: %+v", run.Name, words, run.Warnings)
		}
	}
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Spec, claim.Spec); diff != "" || claim.UID != before.UID || !claim.DeletionTimestamp.IsZero() {
		t.Errorf("the source is %+v (-before +after):\n%s", claim.ObjectMeta, diff)
	}
	if got := readDevice(t, claim.Spec.VolumeName, len(content)); !bytes.Equal(got, content) {
		t.Error("the source's volume was changed")
	}
}

// What a volume is to be made from is waited for, with the provisioner's words. What it would print of the data is refused.
func TestSourceThatIsNotThere(t *testing.T) {
	sideBySide(t, waits)
	missing := cloned(t, "of-nothing", "missing")
	missing.Spec.Deadlines.ProvisioningSeconds = new(int32(15))
	create(t, missing)
	fails(t, missing, v1alpha1.ReasonDeadlineExceeded, "error getting handle for DataSource Type PersistentVolumeClaim by Name missing")

	snapshot := cloned(t, "of-a-snapshot", "db")
	snapshot.Spec.Targets[0].DataSource.APIGroup, snapshot.Spec.Targets[0].DataSource.Kind = new(v1alpha1.SnapshotGroup), v1alpha1.DataSourceSnapshot
	snapshot.Spec.Deadlines.ProvisioningSeconds = new(int32(15))
	create(t, snapshot)
	fails(t, snapshot, v1alpha1.ReasonDeadlineExceeded, "CSI driver does not support snapshot restore")

	verifies := cloned(t, "verifies", "missing")
	verifies.Spec.Workloads[0].Fio.Options = map[string]v1alpha1.FioOptionValue{"verify": "pattern", "verify_pattern": "0"}
	create(t, verifies)
	fails(t, verifies, v1alpha1.ReasonInvalidSpec, "spec.workloads[0].fio.options[verify]", "fio prints bytes that are not as it expects")
}

// cloned returns a benchmark of reads on a copy of a claim's volume.
func cloned(t *testing.T, name, source string) *v1alpha1.StorageBenchmark {
	t.Helper()
	return benchmark(t, name, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		sb.Spec.Targets[0].DataSource = &v1alpha1.DataSource{Kind: v1alpha1.DataSourceClaim, Name: source}
		sb.Spec.Workloads = []v1alpha1.Workload{{Name: "reads", Fio: &v1alpha1.FioParameters{RW: "randread", BS: new("4k"), Size: new("16M"), Direct: new(true)}}}
	})
}

// holdDevice runs a pod that has a raw block claim until the test ends, waits until it runs, and returns it. The claim is bound then.
func holdDevice(t *testing.T, claim *corev1.PersistentVolumeClaim) *corev1.Pod {
	t.Helper()
	application := runApplication(t, claim.Name, claim, func(c *corev1.Container) {
		c.VolumeDevices = []corev1.VolumeDevice{{Name: "volume", DevicePath: "/dev/volume"}}
	})
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(claim), claim); err != nil {
		t.Fatal(err)
	}
	return application
}

// plantContent writes random bytes to the volume of a claim, as an application would, and returns them.
func plantContent(t *testing.T, claim *corev1.PersistentVolumeClaim) []byte {
	t.Helper()
	content := make([]byte, 16<<20)
	if _, err := rand.NewChaCha8([32]byte([]byte("what an application has written."))).Read(content); err != nil {
		t.Fatal(err)
	}
	device, err := os.OpenFile(deviceOf(t, claim.Spec.VolumeName), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	if _, err := device.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := device.Sync(); err != nil {
		t.Fatal(err)
	}
	return content
}

// readDevice returns what a volume begins with.
func readDevice(t *testing.T, volume string, size int) []byte {
	t.Helper()
	device, err := os.Open(deviceOf(t, volume))
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	content := make([]byte, size)
	if _, err := device.ReadAt(content, 0); err != nil {
		t.Fatal(err)
	}
	return content
}

// deviceOf returns the loop device of a volume that is in use, of this machine.
func deviceOf(t *testing.T, volume string) string {
	t.Helper()
	pv := &corev1.PersistentVolume{}
	if err := k8s.Get(t.Context(), client.ObjectKey{Name: volume}, pv); err != nil {
		t.Fatal(err)
	}
	device := loopDeviceOf(pv)
	if device == "" {
		t.Fatalf("volume %s (%s) is no device of this machine", volume, pv.Spec.CSI.VolumeHandle)
	}
	return filepath.Join("/dev", device)
}
