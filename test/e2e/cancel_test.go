//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestCancel: the plugin cancels a benchmark in its second run. The first result is kept and printed, and the volume is
// gone. Then the same is measured again, by a benchmark that flags describe as an EBS volume.
func TestCancel(t *testing.T) {
	sideBySide(t)
	plugin := newPlugin(t)
	sb := benchmark(t, "cancel", lasting(2), func(sb *v1alpha1.StorageBenchmark) {
		second := *sb.Spec.Workloads[0].DeepCopy()
		second.Name, second.Fio.RuntimeSeconds = "second", new(int32(300))
		sb.Spec.Workloads = append(sb.Spec.Workloads, second)
	})
	create(t, sb)
	until(t, sb, "the second run", func(sb *v1alpha1.StorageBenchmark) bool {
		return len(sb.Status.Runs) == 2 && sb.Status.Runs[0].Result != nil && atStep(v1alpha1.ReasonMeasuring)(sb)
	})
	out, notes, err := plugin("cancel", sb.Name)
	if err != nil || !strings.Contains(out, sb.Spec.Workloads[0].Name) {
		t.Errorf("%v:\n%s%s", err, out, notes)
	}
	done := until(t, sb, "the benchmark's end", ended)
	if c := succeeded(done); c.Reason != v1alpha1.ReasonCancelled || done.Status.Runs[0].Result == nil || done.Status.Runs[1].Result != nil {
		t.Errorf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	checkCleanedUp(t, done)
	if volumes := volumesOf(t.Context(), t, sb); len(volumes) > 0 {
		t.Errorf("left are volumes %v", volumes)
	}
}

// TestRunByFlags: flags name an EBS volume with its fields, and options of fio after -- what is measured there.
func TestRunByFlags(t *testing.T) {
	sideBySide(t)
	out, notes, err := newPlugin(t)("run", "--ebs", "gp3,iops=3000,capacity=1Gi", "--name", "by-flags", "--rm", "--expect", "read.iops=10",
		"--", "--rw=randread", "--bs=4k", "--size=64M", "--direct=1", "--runtime=2", "--time_based")
	if err != nil || !strings.Contains(out, "gp3") || !strings.Contains(notes, "by-flags deleted") {
		t.Errorf("%v:\n%s%s", err, out, notes)
	}
}

// TestDoctor: on the cluster of the tests, with all drivers, nothing fails, and storage knows the limits of its classes.
func TestDoctor(t *testing.T) {
	sideBySide(t)
	plugin := newPlugin(t)
	out, notes, err := plugin("doctor")
	if err != nil || strings.Contains(out, "Failed") || !strings.Contains(out, "OK       EBS driver") || strings.Contains(out, "unknown:") {
		t.Errorf("%v:\n%s%s", err, out, notes)
	}
	out, notes, err = plugin("storage")
	if err != nil || !strings.Contains(out, class) || !strings.Contains(out, "efs.csi.aws.com") || strings.Contains(out, " no ") {
		t.Errorf("%v:\n%s%s", err, out, notes)
	}
}
