package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A figure that does not tell is not called one that was not measured: the table has the figure, and the line below it why there is no answer.
func TestCheckOfWhatIsUndecided(t *testing.T) {
	synced := func(count, p99, iops int64) *v1alpha1.Result {
		return &v1alpha1.Result{
			Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 10_000, MilliIOPS: 1000 * iops}, {Name: v1alpha1.OperationSync, Count: count, Latency: &v1alpha1.Latency{MeanNanoseconds: p99 / 2}, CompletionLatency: &v1alpha1.LatencyDistribution{P99Nanoseconds: p99}}},
		}
	}
	for name, test := range map[string]struct {
		results []*v1alpha1.Result
		want    []string
	}{
		"enough syncs": {[]*v1alpha1.Result{synced(1000, 2_000_000, 60)}, []string{"Good enough: etcd.v1 on gp3.\n", "etcd.v1 gp3 yes fdatasync p99 2 ms, write IOPS 60", "\nMet: etcd on gp3: fdatasync p99 2 ms"}},
		"too few syncs": {[]*v1alpha1.Result{synced(999, 2_000_000, 60)}, []string{
			"Undecided: etcd.v1 on gp3.\n", "etcd.v1 gp3 undecided fdatasync p99 2 ms, write IOPS 60",
			"\nUndecided: etcd on gp3: fdatasync p99 2 ms, expected at most 10 ms; p99 needs 1000 syncs, and a run had 999\n",
		}},
		"too few, and something misses": {[]*v1alpha1.Result{synced(999, 2_000_000, 40)}, []string{"Not good enough: etcd.v1 on gp3.\n", "etcd.v1 gp3 no fdatasync p99 2 ms, write IOPS 40", "\nUndecided: etcd on gp3: fdatasync p99 2 ms", "\nNot met: etcd on gp3: write IOPS 40"}},
		"one of two runs failed": {[]*v1alpha1.Result{synced(1000, 2_000_000, 60), nil}, []string{
			"etcd.v1 gp3 undecided fdatasync p99 2 ms, write IOPS 60", "\nUndecided: etcd on gp3: write IOPS 60, expected at least 50; only 1 of 2 runs measured it\n",
		}},
		"no result": {[]*v1alpha1.Result{nil}, []string{"Not measured: etcd.v1 on gp3.\n", "etcd.v1 gp3 not measured fdatasync p99 was not measured, write IOPS was not measured", "\nNot measured: etcd on gp3: fdatasync p99 was not measured, expected at most 10 ms\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{
				Targets: []v1alpha1.Target{{Name: "gp3"}}, Workloads: []v1alpha1.Workload{{Name: "etcd", Preset: new("etcd.v1")}},
			}}
			for _, result := range test.results {
				run := v1alpha1.Run{Name: "etcd.gp3", Target: "gp3", Workload: "etcd", State: v1alpha1.RunFailed, Result: result}
				if result != nil {
					run.State = v1alpha1.RunSucceeded
				}
				sb.Status.Runs = append(sb.Status.Runs, run)
			}
			var out strings.Builder
			Check(&out, sb)
			answer, rest, _ := strings.Cut(out.String(), "\n\n")
			table, below, _ := strings.Cut(rest, "\n\n")
			text := answer + "\n" + strings.Join(strings.Fields(table), " ") + "\n" + below
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in:\n%s", want, &out)
				}
			}
		})
	}
}

// A preset of which nothing is expected has figures and no answer, also where one of several figures is missing.
func TestCheckOfWhatHasNoAnswer(t *testing.T) {
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{
		Targets: []v1alpha1.Target{{Name: "gp3"}, {Name: "efs"}}, Workloads: []v1alpha1.Workload{{Name: "wal", Preset: new("postgres-wal.v1")}},
	}}
	sb.Status.Runs = []v1alpha1.Run{
		{Name: "wal.gp3", Target: "gp3", Workload: "wal", State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 10_000, MilliIOPS: 60_000}}}},
		{Name: "wal.efs", Target: "efs", Workload: "wal", State: v1alpha1.RunFailed},
	}
	var out strings.Builder
	Check(&out, sb)
	table := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"gp3 - fdatasync p99 was not measured, write IOPS 60", "efs not measured fdatasync p99 was not measured, write IOPS was not measured"} {
		if !strings.Contains(table, want) {
			t.Errorf("%q is not in:\n%s", want, &out)
		}
	}
}

// Where fio had no CPU the storage is not told to be bad: there is no answer, and it says why.
func TestCheckForWantOfCPU(t *testing.T) {
	slow := &v1alpha1.LatencyDistribution{P50Nanoseconds: 2_000_000, P99Nanoseconds: 88_000_000, MaxNanoseconds: 100_000_000}
	sb := &v1alpha1.StorageBenchmark{Spec: v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}}, Workloads: []v1alpha1.Workload{{Name: "etcd", Preset: new("etcd")}}}}
	sb.Status.Runs = []v1alpha1.Run{{
		Name: "etcd.gp3", Target: "gp3", Workload: "etcd", State: v1alpha1.RunSucceeded,
		Result: &v1alpha1.Result{
			Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 10_030, MilliIOPS: 401_000, CompletionLatency: slow}, {Name: v1alpha1.OperationSync, Count: 10_029, Latency: &v1alpha1.Latency{MeanNanoseconds: 2_400_000}, CompletionLatency: slow}},
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
	if got := checked(); strings.Contains(got, "  no  ") || !strings.Contains(got, "undecided") || !strings.Contains(got, "fio had no more CPU (ClientCPU) in 1 of 1 run") {
		t.Errorf("the storage is not good enough:\n%s", got)
	}
}
