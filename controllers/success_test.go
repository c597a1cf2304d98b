package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

func TestSuccess(t *testing.T) {
	w := newWorld(t)
	w.cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run randread.fast (1 of 1)")
	w.cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run on 1 target in")

	claim := storage.ClaimName(sb, &sb.Spec.Targets[0])
	want := v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: 1,
		PlannedRuns:        1,
		FinishedRuns:       1,
		Progress:           "1/1",
		Summary:            "randread: fast read 3048 IOPS 5.01ms p50",
		Targets: []v1alpha1.TargetStatus{{
			Name:             "fast",
			StorageClassName: builder.StorageClass,
			VolumeMode:       corev1.PersistentVolumeFilesystem,
			Claims:           []string{claim},
			Volumes: []v1alpha1.VolumeStatus{{
				Name: sb.Status.Targets[0].Volumes[0].Name, Handle: "handle-" + claim,
				Node: fakecluster.Node, Zone: fakecluster.Zone, InstanceType: fakecluster.InstanceType,
			}},
			ProvisionedSeconds: sb.Status.Targets[0].ProvisionedSeconds,
		}},
		Runs: []v1alpha1.Run{{
			Name: "randread.fast", Target: "fast", Workload: "randread", State: v1alpha1.RunSucceeded,
			Attempts: 1, Job: job.RunName(sb, "randread.fast", 1), LogConfigMap: child.Name(sb, "randread.fast", "log"), Result: wantResult(),
		}},
	}
	ignored := cmp.Options{
		cmpopts.IgnoreFields(v1alpha1.StorageBenchmarkStatus{}, "Conditions", "StartTime", "CompletionTime"),
		cmpopts.IgnoreFields(v1alpha1.Run{}, "StartTime", "CompletionTime"),
	}
	if diff := cmp.Diff(want, sb.Status, ignored); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if seconds := sb.Status.Targets[0].ProvisionedSeconds; seconds == nil || *seconds < 0 || *seconds > 5 {
		t.Errorf("provisionedSeconds is %v", ptr.Deref(seconds, -1))
	}
	for name, time := range map[string]*metav1.Time{
		"startTime": sb.Status.StartTime, "run's startTime": sb.Status.Runs[0].StartTime, "run's completionTime": sb.Status.Runs[0].CompletionTime,
	} {
		if time == nil {
			t.Errorf("no %s", name)
		}
	}
	for _, want := range []struct{ kind, reason string }{
		{v1alpha1.ConditionMeasured, v1alpha1.ReasonCompleted}, {v1alpha1.ConditionCleanedUp, v1alpha1.ReasonNothingLeft},
	} {
		if err := matches(sb, want.kind, metav1.ConditionTrue, want.reason); err != nil {
			t.Error(err)
		}
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	for _, event := range []struct{ reason, words string }{
		{v1alpha1.ReasonProvisioning, "1 run on 1 target"}, {v1alpha1.ReasonMeasuring, "randread.fast"}, {"RunSucceeded", "randread.fast"}, {v1alpha1.ReasonCompleted, "1 run on 1 target"},
	} {
		w.eventually(func() error { return w.hasEvent(corev1.EventTypeNormal, event.reason, event.words) })
	}

	w.delete(sb)
	w.untilGone(sb)
}

// wantResult is builder.Report in the status.
func wantResult() *v1alpha1.Result {
	return &v1alpha1.Result{
		FioVersion: "fio-3.39", ElapsedMilliseconds: 60005,
		Read: &v1alpha1.IOResult{
			IOs: 1000, Bytes: 4096000, IOPS: 3048, BytesPerSecond: 12484608,
			Latency: &v1alpha1.Latency{MeanNanoseconds: 5400000, StddevNanoseconds: 1200000},
			CompletionLatency: &v1alpha1.LatencyDistribution{
				MinNanoseconds: 4900000, P50Nanoseconds: 5013504, P90Nanoseconds: 5013504, P95Nanoseconds: 8978432,
				P99Nanoseconds: 8978432, P999Nanoseconds: 8978432, P9999Nanoseconds: 8978432, MaxNanoseconds: 9100000,
			},
		},
		CPU: &v1alpha1.CPUResult{UserPercent: 3, SystemPercent: 9},
	}
}
