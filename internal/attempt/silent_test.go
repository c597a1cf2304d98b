package attempt

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/job"
)

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
