//go:build e2e

package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// A client that measures alone lays out its files in the container that measures. Users see which of both it is at, nothing
// of the layout is in the result, and the log that is kept has one output of fio.
func TestLayoutBeforeMeasuring(t *testing.T) {
	sideBySide(t)
	sb := benchmark(t, "layout", longLayout, lasting(3))
	create(t, sb)
	until(t, sb, "files to be laid out", func(sb *v1alpha1.StorageBenchmark) bool {
		return atStep(v1alpha1.ReasonPreparing)(sb) && measurerRuns(t, sb)
	})
	until(t, sb, "fio to measure", atStep(v1alpha1.ReasonMeasuring))
	run := completes(t, sb).Status.Runs[0]
	if run.Result == nil || run.Result.ElapsedMilliseconds < 3000 || run.Result.ElapsedMilliseconds > 6000 {
		t.Errorf("result %+v, want three seconds", run.Result)
	}
	log := keptLog(t, &run)
	layout, measuring, found := strings.Cut(log, "\ntest files are laid out\n")
	if !found || !strings.HasPrefix(layout, digest.LayoutPrefix) || strings.Contains(measuring, digest.LayoutPrefix) || strings.Count(log, `"fio version"`) != 1 {
		t.Errorf("the log is\n%s", log)
	}
}

// measurerRuns says whether the container that measures runs in a pod of the benchmark that has no other.
func measurerRuns(t *testing.T, sb *v1alpha1.StorageBenchmark) bool {
	t.Helper()
	var pods corev1.PodList
	if err := k8s.List(t.Context(), &pods, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name, v1alpha1.LabelRole: v1alpha1.RoleRun}); err != nil {
		t.Fatalf("list pods: %v", err)
	}
	if len(pods.Items) != 1 || len(pods.Items[0].Spec.InitContainers) > 0 || len(pods.Items[0].Status.ContainerStatuses) != 1 {
		return false
	}
	status := pods.Items[0].Status.ContainerStatuses[0]
	return status.Name == job.MeasureContainer && status.State.Running != nil
}
