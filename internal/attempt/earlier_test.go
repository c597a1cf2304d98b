package attempt

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/job"
)

// What may go on is ended before another attempt begins, and what it has told is saved before that.
func TestDecideEarlier(t *testing.T) {
	for _, test := range []struct {
		name    string
		earlier Earlier
		want    EarlierAction
	}{
		{"the first attempt", Earlier{Saved: true}, LeaveEarlier},
		{"the first attempt, with something to save", Earlier{}, LeaveEarlier},
		{"of a run that was tried before", Earlier{Repeats: true, Saved: true}, EndEarlier},
		{"while a pod measures", Earlier{Measures: true, Saved: true}, EndEarlier},
		{"after a run that was given up", Earlier{CutShort: true, Saved: true}, EndEarlier},
		{"of a run that was tried before, with something to save", Earlier{Repeats: true}, SaveFirst},
		{"while a pod measures, with something to save", Earlier{Measures: true}, SaveFirst},
		{"after a run that was given up, with something to save", Earlier{CutShort: true}, SaveFirst},
	} {
		if got := DecideEarlier(test.earlier); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// The Jobs of finished runs go before the next run where they are in its way, but for those that Retain promises to keep.
func TestIsSpent(t *testing.T) {
	sidecar, ended := pods(corev1.PodRunning), pods(corev1.PodSucceeded)
	sidecar[0].Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", State: runs(noon)}}
	ending := pods(corev1.PodRunning)
	ending[0].Status.ContainerStatuses = []corev1.ContainerStatus{{Name: job.MeasureContainer}}
	for _, test := range []struct {
		name         string
		role         string
		policy       v1alpha1.CleanupPolicy
		two, refused bool
		pods         []*corev1.Pod
		want         bool
	}{
		{"a run", v1alpha1.RoleRun, v1alpha1.CleanupDelete, false, false, ended, false},
		{"a run whose pod is about to end", v1alpha1.RoleRun, v1alpha1.CleanupDelete, false, false, ending, false},
		{"a run, and the next Job was refused", v1alpha1.RoleRun, v1alpha1.CleanupDelete, false, true, ended, true},
		{"a run beside a sidecar", v1alpha1.RoleRun, v1alpha1.CleanupDelete, false, false, sidecar, true},
		{"a run of two clients", v1alpha1.RoleRun, v1alpha1.CleanupDelete, true, false, ended, true},
		{"a clean-up", v1alpha1.RoleCleanUp, v1alpha1.CleanupDelete, false, true, sidecar, false},
		{"a run that is retained", v1alpha1.RoleRun, v1alpha1.CleanupRetain, false, true, ended, false},
		{"a run that is retained, beside a sidecar", v1alpha1.RoleRun, v1alpha1.CleanupRetain, false, false, sidecar, true},
		{"a run of two clients that is retained", v1alpha1.RoleRun, v1alpha1.CleanupRetain, true, false, ended, true},
	} {
		sb := &v1alpha1.StorageBenchmark{}
		sb.Spec.CleanupPolicy = test.policy
		if test.two {
			sb.Spec.Clients, sb.Spec.Workloads = new(int32(2)), []v1alpha1.Workload{{}}
		}
		j := &batchv1.Job{}
		j.Labels = map[string]string{v1alpha1.LabelRole: test.role}
		if got := IsSpent(sb, j, test.pods, test.refused); got != test.want {
			t.Errorf("%s: %t, want %t", test.name, got, test.want)
		}
	}
}

// pods returns a pod in a phase.
func pods(phase corev1.PodPhase) []*corev1.Pod {
	return []*corev1.Pod{{Status: corev1.PodStatus{Phase: phase}}}
}

// A Job that is missing is made once. One that was there has been deleted, or cannot be found any more: made again, it would measure twice.
func TestDecideJobs(t *testing.T) {
	for _, test := range []struct {
		name    string
		missing int
		seen    bool
		want    JobsAction
	}{
		{"none is there yet", 3, false, MakeJobs},
		{"one was not made", 1, false, MakeJobs},
		{"all are there, for the first time", 0, false, FollowJobs},
		{"all are there", 0, true, FollowJobs},
		{"one was there", 1, true, FindJob},
		{"all were there", 3, true, FindJob},
	} {
		if got := DecideJobs(test.missing, test.seen); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
