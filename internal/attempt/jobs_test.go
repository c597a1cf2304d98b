package attempt

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// A Job runs as long as one of its pods does, or one may come.
func TestMayRun(t *testing.T) {
	condition := func(kind batchv1.JobConditionType, status corev1.ConditionStatus) batchv1.JobStatus {
		return batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: kind, Status: status}}}
	}
	pod := func(owner string, phase corev1.PodPhase) *corev1.Pod {
		of := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: owner, UID: types.UID("uid-of-" + owner)}}
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, batchv1.SchemeGroupVersion.WithKind("Job"))}},
			Status:     corev1.PodStatus{Phase: phase},
		}
	}
	for name, test := range map[string]struct {
		status batchv1.JobStatus
		pods   []*corev1.Pod
		want   bool
	}{
		"no pod yet":                    {batchv1.JobStatus{}, nil, true},
		"suspended by somebody":         {condition(batchv1.JobSuspended, corev1.ConditionTrue), nil, true},
		"only the pod of another Job":   {batchv1.JobStatus{}, []*corev1.Pod{pod("other", corev1.PodSucceeded)}, true},
		"a pod that waits":              {batchv1.JobStatus{Active: 1}, []*corev1.Pod{pod("job", corev1.PodPending)}, true},
		"a pod that runs":               {batchv1.JobStatus{Active: 1}, []*corev1.Pod{pod("job", corev1.PodRunning)}, true},
		"of two pods one runs":          {batchv1.JobStatus{}, []*corev1.Pod{pod("job", corev1.PodFailed), pod("job", corev1.PodRunning)}, true},
		"a pod that still runs":         {condition(batchv1.JobFailureTarget, corev1.ConditionTrue), []*corev1.Pod{pod("job", corev1.PodRunning)}, true},
		"it is not complete":            {condition(batchv1.JobComplete, corev1.ConditionFalse), nil, true},
		"its pod has just ended":        {batchv1.JobStatus{Active: 1}, []*corev1.Pod{pod("job", corev1.PodSucceeded)}, false},
		"complete":                      {condition(batchv1.JobComplete, corev1.ConditionTrue), []*corev1.Pod{pod("job", corev1.PodSucceeded)}, false},
		"complete, and the pod is gone": {condition(batchv1.JobComplete, corev1.ConditionTrue), nil, false},
		"failed, and the pod is gone":   {condition(batchv1.JobFailed, corev1.ConditionTrue), nil, false},
		"it is to fail":                 {condition(batchv1.JobFailureTarget, corev1.ConditionTrue), nil, false},
		"it is to be complete":          {condition(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue), nil, false},
		"clean-up whose pod has failed": {batchv1.JobStatus{Failed: 1}, []*corev1.Pod{pod("job", corev1.PodFailed)}, true},
		"clean-up that has failed":      {condition(batchv1.JobFailed, corev1.ConditionTrue), []*corev1.Pod{pod("job", corev1.PodFailed)}, false},
	} {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "job", UID: "uid-of-job", Labels: map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun}}, Status: test.status}
		if strings.HasPrefix(name, "clean-up") {
			j.Labels[v1alpha1.LabelRole] = v1alpha1.RoleCleanUp
		}
		if got := mayRun(j, test.pods); got != test.want {
			t.Errorf("%s: it runs: %t, want %t", name, got, test.want)
		}
	}
}

// Of the benchmark's own Jobs, those that run are told from those of which Kubernetes has yet to say that they have ended, and from those that are being deleted.
func TestRunningJobs(t *testing.T) {
	sb := &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "sb", UID: "u"}}
	named := func(run string, change func(*batchv1.Job)) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: childmeta.RunName(sb, run, 1, 0), UID: types.UID("uid-of-" + run), Annotations: map[string]string{v1alpha1.AnnotationRun: run},
			Labels:          childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelAttempt, "1", v1alpha1.LabelClient, "0"),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(sb, v1alpha1.GroupVersion.WithKind("StorageBenchmark"))},
		}}
		if change != nil {
			change(j)
		}
		return j
	}
	runs, goes := named("runs", nil), named("goes", func(j *batchv1.Job) { j.DeletionTimestamp = new(metav1.NewTime(noon)) })
	ends, ended := named("ends", nil), named("ended", func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	})
	theirs := named("theirs", func(j *batchv1.Job) { j.OwnerReferences = nil })
	pod := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded}}
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(ends, batchv1.SchemeGroupVersion.WithKind("Job"))}

	running, ending, own := RunningJobs(sb, []*batchv1.Job{runs, goes, ends, ended, theirs}, []*corev1.Pod{pod})

	if !slices.Equal(running, []*batchv1.Job{runs}) || !slices.Equal(ending, []*batchv1.Job{ends}) {
		t.Errorf("running are %v, ending %v", running, ending)
	}
	if want := sets.New(runs.UID, goes.UID, ends.UID, ended.UID); !own.Equal(want) {
		t.Errorf("own are %v, want %v", own, want)
	}
}

// Pods that have ended are left out, and the list stays as it is.
func TestWithoutEndedPods(t *testing.T) {
	ended, runs := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed}}, &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}}
	all := []*corev1.Pod{ended, runs}
	if got := WithoutEndedPods(all); !slices.Equal(got, []*corev1.Pod{runs}) || all[0] != ended {
		t.Errorf("left are %v of %v", got, all)
	}
}
