//go:build e2e

package e2e

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What EBS itself says of a volume's limits is asked for each run, and is the verdict where a limit was exceeded most of the time.
func TestWhatEBSSays(t *testing.T) {
	sideBySide(t, load(figures))
	workload := func(name string, change func(*v1alpha1.FioParameters)) v1alpha1.Workload {
		fio := &v1alpha1.FioParameters{
			RW: "randwrite", BS: new("4k"), IOEngine: new("libaio"), IODepth: new(int32(32)), Direct: new(true), Size: new("64M"), RuntimeSeconds: new(int32(8)), TimeBased: new(true),
		}
		change(fio)
		return v1alpha1.Workload{Name: name, Fio: fio}
	}
	sb := benchmark(t, "ebs-says", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets = []v1alpha1.Target{{Name: "gp3", EBS: &v1alpha1.EBSVolume{Type: "gp3"}}}
		sb.Spec.Workloads = []v1alpha1.Workload{
			workload("all", func(*v1alpha1.FioParameters) {}),
			workload("little", func(f *v1alpha1.FioParameters) { f.RateIOPS = new(intstr.FromInt32(300)) }),
		}
	})
	done := measured(t, sb)
	for _, run := range done.Status.Runs {
		e, bound := run.Exceeded, run.LimitedBy
		if e == nil {
			t.Errorf("%s: EBS says nothing", run.Name)
			continue
		}
		checkOperationsOfEBS(t, &run)
		elapsed := run.Result.ElapsedMilliseconds
		t.Logf("%s: %+v of %d ms, %s by %s: %s", run.Name, e, elapsed, bound.Reason, bound.Evidence, bound.Message)
		switch run.Workload {
		case "all":
			if e.VolumeIOPSMilliseconds < elapsed/2 || e.VolumeIOPSMilliseconds > elapsed*5/4 || e.VolumeThroughputMilliseconds > 0 {
				t.Errorf("%s: at its IOPS limit EBS says %+v of %d ms", run.Name, e, elapsed)
			}
			if bound.Reason != v1alpha1.BoundVolumeIOPS || bound.Evidence != v1alpha1.EvidenceVolume || !strings.Contains(bound.Message, "the volume itself says so: the IOPS limit was exceeded for ") {
				t.Errorf("%s: limited by %s (%s): %s", run.Name, bound.Reason, bound.Evidence, bound.Message)
			}
		case "little":
			if e.VolumeIOPSMilliseconds > elapsed/20 || bound.Reason != v1alpha1.BoundWorkloadRate || !strings.Contains(bound.Message, "no limit of a volume or of its instance was exceeded") {
				t.Errorf("%s: EBS says %+v, limited by %s: %s", run.Name, e, bound.Reason, bound.Message)
			}
		}
	}
}

// checkOperationsOfEBS holds what EBS counted of writes to what fio did, which is all that the volume has to do but for the file system's own.
func checkOperationsOfEBS(t *testing.T, run *v1alpha1.Run) {
	t.Helper()
	own, by := run.VolumeStatistics.Of(v1alpha1.OperationWrite), run.Result.Of(v1alpha1.OperationWrite)
	if own == nil {
		t.Errorf("%s: EBS counted no writes: %+v", run.Name, run.VolumeStatistics)
		return
	}
	t.Logf("%s: EBS counted %+v, fio has %d writes, p50 %d ns and p99 %d ns", run.Name, *own, by.Count, by.CompletionLatency.P50Nanoseconds, by.CompletionLatency.P99Nanoseconds)
	if own.Count < by.Count || own.Count > by.Count*12/10+200 || own.Bytes < by.Bytes {
		t.Errorf("%s: EBS counted %d writes of %d bytes, fio has %d of %d", run.Name, own.Count, own.Bytes, by.Count, by.Bytes)
	}
	if own.P50Microseconds == 0 || own.P50Microseconds > own.P99Microseconds || 1000*own.P50Microseconds > 2*by.CompletionLatency.P50Nanoseconds {
		t.Errorf("%s: EBS has a p50 of %d us, fio %d ns", run.Name, own.P50Microseconds, by.CompletionLatency.P50Nanoseconds)
	}
}
