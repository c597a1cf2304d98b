package report

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// written is a result of writes of 16 KiB with a mean latency, by 16 jobs that wait for each.
func written(iops int64) *v1alpha1.Result {
	mean := 16_000_000_000 / iops
	return &v1alpha1.Result{
		FioVersion: "fio-3.39", ElapsedMilliseconds: 60_004, CPU: &v1alpha1.CPUResult{UserPercent: 1, SystemPercent: 2},
		Figures: []v1alpha1.Figures{{Name: v1alpha1.OperationWrite, Count: 60 * iops, Bytes: 60 * iops << 14, MilliIOPS: 1000 * iops, BytesPerSecond: iops << 14, Latency: &v1alpha1.Latency{MeanNanoseconds: mean, StddevNanoseconds: mean / 8}, CompletionLatency: &v1alpha1.LatencyDistribution{
			MinNanoseconds: mean / 9, P50Nanoseconds: mean, P90Nanoseconds: mean + mean/10, P95Nanoseconds: mean + mean/5, P99Nanoseconds: 2 * mean,
			P999Nanoseconds: 3 * mean, P9999Nanoseconds: 4 * mean, MaxNanoseconds: 5 * mean,
		}}},
	}
}

// experiment is E1 at 16k with repetitions, of which there is one for each of the IOPS of gp3 and of EFS.
func experiment(name string, gp3, efs []int64) *v1alpha1.StorageBenchmark {
	begin := metav1.NewTime(time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC))
	choice := map[string]string{"bs": "16k"}
	sb := &v1alpha1.StorageBenchmark{
		ObjectMeta: metav1.ObjectMeta{Namespace: "storage", Name: name},
		Spec: v1alpha1.StorageBenchmarkSpec{
			Targets: []v1alpha1.Target{
				{Name: "gp3", Capacity: new(resource.MustParse("30Gi")), EBS: &v1alpha1.EBSVolume{Type: "gp3", IOPS: new(int32(3000))}},
				{Name: "efs", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-0123456789abcdef0"}},
			},
			Workloads: []v1alpha1.Workload{{
				Name: "randwrite",
				Fio:  &v1alpha1.FioParameters{RW: "randwrite", IOEngine: new("psync"), Direct: new(true), Size: new("1G"), NumJobs: new(int32(16)), TimeBased: new(true), RuntimeSeconds: new(int32(60))},
			}},
			Repetitions: new(int32(len(gp3))),
		},
		Status: v1alpha1.StorageBenchmarkStatus{
			StartTime: &begin, CompletionTime: new(metav1.NewTime(begin.Add(10 * time.Minute))),
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonCompleted, Message: "each run has a result"}},
			Targets: []v1alpha1.TargetStatus{
				{
					Name: "gp3", Driver: "ebs.csi.aws.com", StorageClassName: "sb-1", VolumeMode: "Filesystem",
					Volumes: []v1alpha1.VolumeStatus{{Name: "pvc-1", Handle: "vol-1", Node: "node-1", Zone: "eu-central-1a", InstanceType: "m6i.large"}},
					Limits:  &v1alpha1.KnownLimits{Limits: v1alpha1.Limits{Scope: v1alpha1.ScopeVolume, IOPS: new(int64(3000)), BytesPerSecond: new(int64(125 << 20))}, Source: "https://docs.aws.amazon.com/ebs"},
				},
				{Name: "efs", Driver: "efs.csi.aws.com", Volumes: []v1alpha1.VolumeStatus{{Name: "pvc-2", Handle: "fs-0|x", Node: "node-1", InstanceType: "m6i.large"}}},
			},
		},
	}
	sb.Spec.Workloads[0].Matrix = map[string]v1alpha1.MatrixValues{"bs": {intstr.FromString("16k")}}
	add := func(target string, repetition int, iops int64, bound v1alpha1.LimitedBy) {
		sb.Status.Runs = append(sb.Status.Runs, v1alpha1.Run{
			Name: fmt.Sprintf("randwrite.bs-16k.%s.%d", target, repetition+1), Workload: "randwrite", Target: target, Parameters: choice, Repetition: int32(repetition + 1),
			State: v1alpha1.RunSucceeded, Attempts: 1, Result: written(iops), LimitedBy: &bound,
		})
	}
	for i := range gp3 {
		add("gp3", i, gp3[i], v1alpha1.LimitedBy{Reason: v1alpha1.BoundVolumeIOPS, LimitIOPS: new(int64(3000)), UsedPercent: new(int32(102)), Message: "3048 of the volume's 3000 IOPS (102 %)"})
	}
	for i := range efs {
		add("efs", i, efs[i], v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, LimitInFlight: new(int64(16)), UsedPercent: new(int32(99)), Message: "16 of 16 I/Os were in flight all the time"})
	}
	sb.Status.PlannedRuns, sb.Status.FinishedRuns = int32(len(sb.Status.Runs)), int32(len(sb.Status.Runs))
	sb.Status.Comparisons = analysis.Compare(sb.Status.Runs, []string{"gp3", "efs"}, "gp3")
	sb.Status.Warnings = analysis.Summarize(sb.Status.Targets, sb.Status.Runs, sb.Status.Comparisons)
	return sb
}

// gp3Six and efsSix are six repetitions each.
var (
	gp3Six = []int64{3041, 3048, 3045, 3050, 3047, 3049}
	efsSix = []int64{1560, 1571, 1549, 1566, 1830, 1555}
)
