//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// E3's trap: files that fit into the node's memory, without O_DIRECT. And a limit of CPU that holds fio back.
func TestWarnings(t *testing.T) {
	sideBySide(t, quietest) // fio reaches the limit of one processor only if no other test uses it
	sb := benchmark(t, "warnings", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(unthrottled) // the CPU is to be what holds it back
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randread", BS: new("4k"), Size: new("4M"), NumJobs: new(int32(2)), TimeBased: new(true), RuntimeSeconds: new(int32(3)),
			Invalidate: new(false), // what was laid out stays in memory
		}
		sb.Spec.Pod = &v1alpha1.PodSettings{}
		sb.Spec.Pod.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("150m")}
	})
	create(t, sb)
	done := completes(t, sb)
	run := done.Status.Runs[0]
	reasons := map[string]string{}
	for _, warning := range run.Warnings {
		reasons[warning.Reason] = warning.Message
	}
	for _, want := range []string{v1alpha1.WarningFilesFitInMemory, v1alpha1.WarningCPUThrottled, v1alpha1.WarningShortRuntime} {
		if reasons[want] == "" {
			t.Errorf("no warning %s, but %v", want, reasons)
		}
	}
	if run.LimitedBy.Reason != v1alpha1.BoundClientCPU || run.Result.CPU.ThrottledPercent == nil {
		t.Errorf("limited by %+v with CPU %+v", run.LimitedBy, run.Result.CPU)
	}
	for _, summary := range done.Status.Warnings {
		if summary.Remedy == "" || summary.Results == 0 || summary.Message == "" {
			t.Errorf("warning %+v", summary)
		}
	}
}

// Files that leave little space on their volume, and targets that are measured one after the other: both are told, of each run and of each verdict.
func TestWarningsOfSpaceAndOrder(t *testing.T) {
	sideBySide(t, load(2), budget(4*time.Minute))
	sb := benchmark(t, "space", func(sb *v1alpha1.StorageBenchmark) {
		first := sb.Spec.Targets[0]
		first.Name, first.StorageClassName = "first", new(unthrottled)
		second := *first.DeepCopy()
		second.Name = "second"
		sb.Spec.Targets = []v1alpha1.Target{first, second}
		// Of a volume of 256 MiB ext4 leaves files some 226 MiB.
		sb.Spec.Workloads[0].Fio = &v1alpha1.FioParameters{
			RW: "randread", BS: new("4k"), Direct: new(true), Size: new("106M"), NumJobs: new(int32(2)), TimeBased: new(true), RuntimeSeconds: new(int32(1)),
		}
		sb.Spec.Repetitions, sb.Spec.Order = new(int32(4)), v1alpha1.OrderByTarget
	})
	done := measured(t, sb)
	if message, results := warned(done, v1alpha1.WarningNearlyFull); results != 8 || !strings.Contains(message, "% full") {
		t.Errorf("%d results have a warning of space: %q", results, message)
	}
	if message, results := warned(done, v1alpha1.WarningOrderByTarget); results != 1 || !strings.Contains(message, "on second: ") {
		t.Errorf("%d verdicts have a warning of their order: %q", results, message)
	}
	if message, results := warned(done, v1alpha1.WarningUnevenJobs); results != 0 {
		t.Errorf("of two jobs that do the same %d results have a warning: %q", results, message)
	}
}
