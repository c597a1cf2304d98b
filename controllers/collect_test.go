package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

// A report counts for the pod that it names. Only of a pod that an older release has made, which was not told who it is, one
// counts that names none.
func TestReportsOfOtherPods(t *testing.T) {
	container := corev1.Container{Name: job.MeasureContainer}
	old := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "mine"}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
	container.Env = []corev1.EnvVar{{Name: digest.PodVariable}}
	told := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{UID: "mine"}, Spec: corev1.PodSpec{Containers: []corev1.Container{container}}}
	for _, test := range []struct {
		name, named string
		pod         *corev1.Pod
		want        string
	}{
		{"its own", "mine", told, ""},
		{"another's", "theirs", told, "it is that of pod theirs"},
		{"nobody's", "", told, "it does not name its pod"},
		{"an older pod's", "", old, ""},
		{"another's, of an older pod", "theirs", old, "it is that of pod theirs"},
	} {
		if got := wrongPod(test.pod, &digest.Report{Pod: test.named}); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
