package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Where fio had no CPU the storage is not told to be bad: there is no answer, and it says why.
func TestCheckForWantOfCPU(t *testing.T) {
	slow := &v1alpha1.LatencyDistribution{P50Nanoseconds: 2_000_000, P99Nanoseconds: 88_000_000, MaxNanoseconds: 100_000_000}
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}}, Workloads: []v1alpha1.Workload{{Name: "etcd", Preset: new("etcd")}}}}
	sb.Status.Runs = []v1alpha1.Run{{
		Name: "etcd.gp3", Target: "gp3", Workload: "etcd", State: v1alpha1.RunSucceeded,
		Result: &v1alpha1.Result{
			Write: &v1alpha1.IOResult{IOs: 10_030, IOPS: 401, CompletionLatency: slow}, Sync: &v1alpha1.SyncResult{Count: 10_029, MeanNanoseconds: 2_400_000, Latency: slow},
		},
		LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS},
	}}
	checked := func() string {
		var out bytes.Buffer
		Check(&out, sb)
		return out.String()
	}
	if got := checked(); !strings.Contains(got, "  no  ") {
		t.Errorf("the storage is good enough:\n%s", got)
	}
	sb.Status.Runs[0].LimitedBy.Reason = v1alpha1.BoundClientCPU
	if got := checked(); strings.Contains(got, "  no  ") || !strings.Contains(got, "not measured") || !strings.Contains(got, "fio had no more CPU (ClientCPU) in 1 of 1 run") {
		t.Errorf("the storage is not good enough:\n%s", got)
	}
}
