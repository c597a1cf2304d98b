package controllers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

func TestSuccess(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run randread.fast (1 of 1)")
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "1 run on 1 target in")

	claim := storage.ClaimName(sb, &sb.Spec.Targets[0], 0)
	want := v1alpha1.StorageBenchmarkStatus{
		ObservedGeneration: 1,
		PlannedRuns:        1,
		FinishedRuns:       1,
		Progress:           "1/1",
		Best:               "3048 IOPS 5.01ms p50",
		Summary:            "randread: fast 3048 IOPS 5.01ms p50",
		Targets: []v1alpha1.TargetStatus{{
			Name:             "fast",
			StorageClassName: builder.StorageClass,
			Driver:           fakecluster.Driver,
			VolumeMode:       corev1.PersistentVolumeFilesystem,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Claims: []v1alpha1.ClaimStatus{{
				Name: claim,
				UID:  types.UID(strings.TrimPrefix(sb.Status.Targets[0].Volumes[0].Name, "pvc-")), // as the cluster names volumes
			}},
			Volumes: []v1alpha1.VolumeStatus{{
				Name: sb.Status.Targets[0].Volumes[0].Name, Handle: "handle-" + claim,
				Node: fakecluster.Node, Zone: fakecluster.Zone, InstanceType: fakecluster.InstanceType,
			}},
			ProvisionedMilliseconds: sb.Status.Targets[0].ProvisionedMilliseconds,
		}},
		Runs: []v1alpha1.Run{{
			Name: "randread.fast", Target: "fast", Workload: "randread", Repetition: 1, State: v1alpha1.RunSucceeded,
			Attempts: 1, Job: childmeta.RunName(sb, "randread.fast", 1, 0), LogConfigMap: childmeta.Name(sb, "randread.fast", "log"), Result: builder.Result(),
			LimitedBy: &v1alpha1.LimitedBy{Reason: v1alpha1.BoundUnknown, Message: "no limits of the storage are known: set spec.targets[].limits"},
		}},
		Comparisons: []v1alpha1.Comparison{{Workload: "randread", Targets: []v1alpha1.TargetComparison{{Name: "fast", Runs: 1, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: new(alone(3_048_499)), BytesPerSecond: new(alone(12484608)), MeanNanoseconds: new(alone(5400000)), P50Nanoseconds: new(alone(5013504)), P90Nanoseconds: new(alone(5013504)), P99Nanoseconds: new(alone(8978432))}}}}}},
	}
	ignored := cmp.Options{
		cmpopts.IgnoreFields(v1alpha1.StorageBenchmarkStatus{}, "Conditions", "StartTime", "CompletionTime"),
		cmpopts.IgnoreFields(v1alpha1.Run{}, "StartTime", "CompletionTime"),
	}
	if diff := cmp.Diff(want, sb.Status, ignored); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if took := sb.Status.Targets[0].ProvisionedMilliseconds; took == nil || *took < 0 {
		t.Errorf("provisionedMilliseconds is %v", ptr.Deref(took, -1))
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
		w.Eventually(func() error { return w.hasEvent(corev1.EventTypeNormal, event.reason, event.words) })
	}

	w.delete(sb)
	w.untilGone(sb)
}

// alone is the statistic of a figure that was measured once.
func alone(n int64) v1alpha1.Statistic { return v1alpha1.Statistic{Median: n} }
