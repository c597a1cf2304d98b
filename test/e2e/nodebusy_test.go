//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Pods that keep the CPUs of a node busy are named as what made a result slow, and what is missed beside them stays undecided.
func TestBusyNode(t *testing.T) {
	sideBySide(t, quietest, budget(4*time.Minute))
	sb := benchmark(t, "busy-node", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(unthrottled)
		sb.Spec.Targets[0].Limits = &v1alpha1.Limits{IOPS: new(int64(1_000_000)), BytesPerSecond: new(int64(10 << 30))} // none is near
		log := func(name string) v1alpha1.Workload {
			return v1alpha1.Workload{Name: name, Fio: &v1alpha1.FioParameters{
				RW: "write", BS: new("2300"), IOEngine: new("sync"), Fdatasync: new(int32(1)), Size: new("22M"), TimeBased: new(true), RuntimeSeconds: new(int32(4)),
			}}
		}
		sb.Spec.Workloads = []v1alpha1.Workload{log("quiet"), log("busy")}
		// No storage is that fast.
		sb.Spec.Expectations = []v1alpha1.Expectation{
			{Workload: "quiet", Metric: "sync.p99", Max: new("1us")}, {Workload: "busy", Metric: "sync.p99", Max: new("1us")},
		}
	})
	create(t, sb)
	until(t, sb, "the first run to end", func(sb *v1alpha1.StorageBenchmark) bool {
		return len(sb.Status.Runs) > 0 && sb.Status.Runs[0].State == v1alpha1.RunSucceeded
	})
	keepBusy(t, 2, 4)
	done := completes(t, sb)
	c := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionExpectationsMet)
	t.Logf("expectations are met: %s: %s", c.Status, c.Message)
	for _, run := range done.Status.Runs {
		warned := isWarnedOf(&run, v1alpha1.WarningNodeBusy)
		sync := run.Result.Of(v1alpha1.OperationSync).CompletionLatency
		t.Logf("%s: node %+v, %d IOPS, fdatasync p50 %s, p99 %s, %s: %s", run.Workload, run.NodeLoad, run.Result.Of(v1alpha1.OperationWrite).IOPS(),
			time.Duration(sync.P50Nanoseconds), time.Duration(sync.P99Nanoseconds), run.LimitedBy.Reason, run.LimitedBy.Message)
		if run.NodeLoad == nil {
			t.Fatalf("%s: nothing is known of the node", run.Name)
		}
		// A quiet run is not always one: this machine may have other work. A busy one need not keep fio itself waiting: what
		// serves the disk in the kernel may wait instead, which the rule does not see.
		if wanted := run.NodeLoad.WaitedPercent >= 10; wanted && !warned || warned != (run.LimitedBy.Reason == v1alpha1.BoundNodeCPU) {
			t.Errorf("%s: warned of a busy node: %t, limited by %s", run.Name, warned, run.LimitedBy.Reason)
		}
	}
	if busy := done.Status.Runs[1].NodeLoad; busy.OthersPercent < 50 {
		t.Errorf("the busy node was %+v", busy)
	}
	// What is missed on a quiet node is missed.
	if want := expectedOf(done.Status.Runs[0]); c.Status != want {
		t.Errorf("expectations are met: %s, want %s: %s", c.Status, want, c.Message)
	}
}

// expectedOf returns what the condition is if the run misses what is expected: unknown, if its node was busy.
func expectedOf(run v1alpha1.Run) metav1.ConditionStatus {
	if isNodeBusy(&run) {
		return metav1.ConditionUnknown
	}
	return metav1.ConditionFalse
}

// isNodeBusy reports whether other work on the node kept its CPUs from a run.
func isNodeBusy(run *v1alpha1.Run) bool {
	warned := isWarnedOf(run, v1alpha1.WarningNodeBusy)
	return warned
}

// figuresBound returns what held a run back by its figures alone. This machine may have other work, and then its CPUs are what is named instead of latency.
func figuresBound(run *v1alpha1.Run) string {
	if run.LimitedBy.Reason == v1alpha1.BoundNodeCPU {
		return v1alpha1.BoundLatency
	}
	return run.LimitedBy.Reason
}

// isWarnedOf reports whether a run has a warning.
func isWarnedOf(run *v1alpha1.Run, reason string) bool {
	return slices.ContainsFunc(run.Warnings, func(w v1alpha1.Warning) bool { return w.Reason == reason })
}

// keepBusy makes pods of which each has so many processes that do nothing but compute, until the test ends.
func keepBusy(t *testing.T, pods, processes int) {
	t.Helper()
	for i := range pods {
		pod := burner(t, fmt.Sprintf("burner-%d", i), processes)
		if err := k8s.Create(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			err := k8s.Delete(context.WithoutCancel(t.Context()), pod, client.GracePeriodSeconds(0))
			if client.IgnoreNotFound(err) != nil {
				t.Error(err)
			}
		})
	}
}

func burner(t *testing.T, name string, processes int) *corev1.Pod {
	t.Helper()
	pod := fioPod(t, name, "", "--ioengine=cpuio", "--cpuload=100", "--time_based", "--runtime=600", fmt.Sprintf("--numjobs=%d", processes))
	container := &pod.Spec.Containers[0]
	container.WorkingDir, container.VolumeMounts, pod.Spec.Volumes = "", nil, nil
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	return pod
}
