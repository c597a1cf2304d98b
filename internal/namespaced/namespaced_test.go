package namespaced

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/internal/volumes"
	"github.com/storagebench/storagebench/test/builder"
)

// inline is a benchmark of which the first target needs objects without a namespace, and the second does not.
func inline() *v1alpha1.StorageBenchmark {
	bucket := v1alpha1.Target{Name: "bucket", S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	return builder.NewBenchmark("ns", "sb").Target(bucket).Target(builder.NewTarget("fast")).Build()
}

// Users are told to which namespaces the operator is confined. One that is not says nothing, and nothing is beyond its reach.
func TestWords(t *testing.T) {
	for want, n := range map[string]Namespaces{"this operator is confined to namespace a": {"a"}, "this operator is confined to namespaces a, b": {"a", "b"}} {
		if got := n.Words(); got != want || !n.AreSet() {
			t.Errorf("it says %q, want %q", got, want)
		}
		if limits := n.UnknownLimits(); !strings.Contains(limits, want) {
			t.Errorf("of limits it says %q", limits)
		}
		problems := n.BeyondReach(inline().Spec.Targets)
		if len(problems) != 1 || problems[0].Field != "spec.targets[0].s3" || !strings.Contains(problems[0].Detail, want) {
			t.Errorf("beyond its reach are %v", problems)
		}
	}
	var whole Namespaces
	if words := whole.UnknownLimits() + whole.VolumesUnknown(inline()); whole.AreSet() || words != "" || len(whole.BeyondReach(inline().Spec.Targets)) > 0 {
		t.Errorf("one that is not confined says %q", words)
	}
}

// The driver of a StorageClass that cannot be read is what its claim says. What is known stays.
func TestLearnDrivers(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{ours.ProvisionerAnnotation: "csi.fake"}}}
	for name, test := range map[string]struct {
		n      Namespaces
		target v1alpha1.TargetStatus
		want   string
	}{
		"of its claim":    {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []string{"c"}}, "csi.fake"},
		"known":           {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []string{"c"}, Driver: storage.EBSDriver}, storage.EBSDriver},
		"no claim yet":    {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []string{"d"}}, ""},
		"it was resolved": {nil, v1alpha1.TargetStatus{Claims: []string{"c"}}, ""},
	} {
		targets := []v1alpha1.TargetStatus{test.target}
		test.n.LearnDrivers(targets, volumes.Claims{"c": claim})
		if got := targets[0].Driver; got != test.want {
			t.Errorf("%s: driver %q, want %q", name, got, test.want)
		}
	}
}

// A node may not answer if a pod there is not ready, for longer than its start takes, though its container is said to run.
func TestSilentNode(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	pod := func(unready time.Duration, state corev1.ContainerState) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: corev1.PodSpec{NodeName: "n"}}
		p.Status.Phase = corev1.PodRunning
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: job.MeasureContainer, State: state}}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(now.Add(-unready))}}
		return p
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	for name, test := range map[string]struct {
		pods []*corev1.Pod
		want string
	}{
		"no pod":                  {[]*corev1.Pod{nil}, ""},
		"it starts":               {[]*corev1.Pod{pod(quiet, running)}, ""},
		"it is not ready":         {[]*corev1.Pod{pod(quiet+time.Second, running)}, "pod p has not been ready since 2026-03-01T11:59:49Z: node n may not answer"},
		"the second is not ready": {[]*corev1.Pod{pod(0, running), pod(time.Hour, running)}, "pod p has not been ready since 2026-03-01T11:00:00Z"},
		"it has ended":            {[]*corev1.Pod{pod(time.Hour, corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}})}, ""},
	} {
		if got := SilentNode(test.pods, now); !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: it says %q, want %q", name, got, test.want)
		}
	}
}

// What it can neither see nor remove is named, and not waited for.
func TestLeftClusterObjects(t *testing.T) {
	left := Namespaces{"ns"}.LeftClusterObjects(inline())
	if len(left) != 1 || !left[0].Abandoned || !strings.HasPrefix(left[0].Command, "kubectl delete pv ") || !strings.Contains(left[0].What, "confined to namespace ns") {
		t.Errorf("left are %+v", left)
	}
	if waits := cleanup.WithoutAbandoned(left); len(waits) > 0 {
		t.Errorf("it waits for %+v", waits)
	}
}
