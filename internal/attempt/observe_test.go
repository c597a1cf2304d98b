package attempt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// podWith returns a pod that layout and fio are in these states of.
func podWith(layout, fio corev1.ContainerState, change func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: job.LayoutContainer, State: layout}}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: job.MeasureContainer, State: fio}}
	if change != nil {
		change(pod)
	}
	return pod
}

// layingOutFirst has the container that measures lay out files before.
func layingOutFirst(pod *corev1.Pod) {
	pod.Status.InitContainerStatuses = nil
	pod.Spec.Containers = []corev1.Container{{Name: job.MeasureContainer, Args: []string{"measure", "--layout"}}}
}

// probedPod is the UID of a pod whose container probes when it has measured, as probing makes it.
const probedPod = "the-pod"

func probing(pod *corev1.Pod) {
	pod.UID = probedPod
	pod.Spec.Containers = []corev1.Container{{Name: job.MeasureContainer, Args: []string{"measure", "--probe"}}}
}

// reportOf returns the message of a runner with a report of one result.
func reportOf(t *testing.T, report digest.Report) string {
	t.Helper()
	report.Groups = []digest.Group{{Name: "reads"}}
	message, err := digest.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func waits(reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
}

func runs(since time.Time) corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(since)}}
}

func ends(code int32, reason, message string) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: code, Reason: reason, Message: message, StartedAt: metav1.NewTime(noon), FinishedAt: metav1.NewTime(noon.Add(time.Minute)),
	}}
}

func jobWith(conditions ...batchv1.JobConditionType) *batchv1.Job {
	j := &batchv1.Job{}
	for _, kind := range conditions {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue})
	}
	return j
}

func condition(kind corev1.PodConditionType, status corev1.ConditionStatus, reason, message string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: kind, Status: status, Reason: reason, Message: message})
	}
}

func deleted(at time.Time) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.DeletionTimestamp = new(metav1.NewTime(at)) }
}

func TestObserve(t *testing.T) {
	none, done, initializing := corev1.ContainerState{}, ends(0, "Completed", ""), waits("PodInitializing", "")
	phase := func(phase corev1.PodPhase, reason, message string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = phase, reason, message
		}
	}
	awaitsProbe := reportOf(t, digest.Report{Pod: probedPod, LacksProbe: true})
	outOfMemoryState := State{Phase: Failed, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}
	for _, test := range []struct {
		name string
		job  *batchv1.Job
		pod  *corev1.Pod
		want State
	}{
		{"no pod yet", jobWith(), nil, State{Phase: Starting, Why: "waiting for the pod to be created"}},
		{"Job failed without a pod", jobWith(batchv1.JobFailed), nil, State{Phase: Interrupted, Why: "its pod was deleted"}},
		{"Job is failing without a pod", jobWith(batchv1.JobFailureTarget), nil, State{Phase: Interrupted, Why: "its pod was deleted"}},
		{"Job succeeded without a pod", jobWith(batchv1.JobComplete), nil, State{Phase: Interrupted, Why: "its pod was deleted before its result was read"}},
		{"Job is being deleted", &batchv1.Job{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(noon))}}, nil, State{Phase: Interrupted, Why: "its Job was deleted"}},
		{"new pod", jobWith(), podWith(none, none, nil), State{Phase: Starting}},
		{"unschedulable", jobWith(), podWith(none, none, condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", "0/3 nodes")), State{Phase: Starting, Why: "the pod cannot be scheduled: 0/3 nodes"}},
		{"creating", jobWith(), podWith(waits("ContainerCreating", ""), initializing, nil), State{Phase: Starting}},
		{"image", jobWith(), podWith(waits("ErrImagePull", "not found"), initializing, nil), State{Phase: Starting, Why: "container layout waits: ErrImagePull: not found"}},
		{"lays out", jobWith(), podWith(runs(noon), initializing, nil), State{Phase: LayingOut, Began: noon}},
		{"between containers", jobWith(), podWith(done, initializing, nil), State{Phase: LayingOut, Began: noon}},
		{"measures", jobWith(), podWith(done, runs(noon.Add(time.Minute)), nil), State{Phase: Measuring, Began: noon}},
		{"lays out or measures", jobWith(), podWith(none, runs(noon), layingOutFirst), State{Phase: Working, Began: noon}},
		{"image of one that lays out first", jobWith(), podWith(none, waits("ErrImagePull", "not found"), layingOutFirst), State{Phase: Starting, Why: "container fio waits: ErrImagePull: not found"}},
		{"succeeded after it has laid out", jobWith(), podWith(none, ends(0, "Completed", "report"), layingOutFirst), State{Phase: Succeeded, Report: "report"}},
		{"failed to lay out first", jobWith(), podWith(none, ends(digest.ExitFailed, "Error", "no space"), layingOutFirst), State{Phase: Failed, Why: "no space"}},
		{"out of memory, also in laying out", jobWith(), podWith(none, ends(digest.ExitFailed, "OOMKilled", "killed"), layingOutFirst), State{Phase: Failed, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}},
		{"measures while being deleted", jobWith(), podWith(done, runs(noon), deleted(noon)), State{Phase: Measuring, Began: noon, GivenUp: noon.Add(LostAfter)}},
		{"lost", jobWith(), podWith(done, runs(noon), deleted(noon.Add(-2*time.Minute))), State{Phase: Interrupted, Why: "its pod was deleted"}},
		{"succeeded", jobWith(), podWith(done, ends(0, "Completed", "report"), nil), State{Phase: Succeeded, Report: "report"}},
		{"succeeded while being evicted", jobWith(), podWith(done, ends(0, "Completed", "report"), condition(corev1.DisruptionTarget, corev1.ConditionTrue, "Evicted", "x")), State{Phase: Succeeded, Report: "report"}},
		{"failed", jobWith(), podWith(done, ends(digest.ExitFailed, "Error", " fio: error\n"), nil), State{Phase: Failed, Why: "fio: error"}},
		{"layout failed", jobWith(), podWith(ends(digest.ExitFailed, "Error", "no space"), initializing, nil), State{Phase: Failed, Why: "no space"}},
		{"no words", jobWith(), podWith(done, ends(3, "Error", ""), nil), State{Phase: Failed, Why: "the runner ended with exit code 3 and left no message; see the pod's log"}},
		{"interrupted", jobWith(), podWith(done, ends(digest.ExitInterrupted, "Error", "ended before"), nil), State{Phase: Interrupted, Why: "ended before"}},
		{"evicted", jobWith(), podWith(done, ends(137, "Error", ""), condition(corev1.DisruptionTarget, corev1.ConditionTrue, "TerminationByKubelet", "low on memory")), State{Phase: Interrupted, Why: "TerminationByKubelet: low on memory"}},
		{"node restarted", jobWith(), podWith(done, ends(137, "ContainerStatusUnknown", "could not be located"), nil), State{Phase: Interrupted, Why: "its node lost the container, as after a restart: could not be located"}},
		{"end not seen by the runtime", jobWith(), podWith(done, ends(255, "Unknown", ""), nil), State{Phase: Interrupted, Why: "its node lost the container, as after a restart"}},
		{"out of memory", jobWith(), podWith(done, ends(137, "OOMKilled", ""), nil), State{Phase: Failed, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}},
		{"out of memory in layout that went on", jobWith(), podWith(ends(0, "OOMKilled", ""), initializing, nil), State{Phase: Failed, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}},
		{"late", jobWith(), podWith(done, ends(digest.ExitLate, "Error", "heard 3 s late"), nil), State{Phase: Late, Why: "heard 3 s late"}},
		{"not lost yet", jobWith(), podWith(done, runs(noon), deleted(noon.Add(-LostAfter))), State{Phase: Measuring, Began: noon, GivenUp: noon}},
		{"refused by the kubelet", jobWith(), podWith(none, none, phase(corev1.PodFailed, "OutOfcpu", "Node didn't have enough resource: cpu")), State{Phase: Interrupted, Why: "OutOfcpu: Node didn't have enough resource: cpu"}},
		{"out of memory in a probe", jobWith(), podWith(done, ends(137, "OOMKilled", awaitsProbe), probing), State{Phase: Succeeded, Report: awaitsProbe, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}},
		{"one of its processes out of memory in a probe", jobWith(), podWith(done, ends(0, "OOMKilled", awaitsProbe), probing), State{Phase: Succeeded, Report: awaitsProbe, Why: "the container ran out of memory (OOMKilled), as its node has too little; lower numjobs, iodepth or bs"}},
		{"killed in a probe", jobWith(), podWith(done, ends(137, "Error", awaitsProbe), probing), State{Phase: Succeeded, Report: awaitsProbe, Why: "its container ended with exit code 137 (Error)"}},
		{"evicted in a probe", jobWith(), podWith(done, ends(137, "Error", awaitsProbe), func(pod *corev1.Pod) {
			probing(pod)
			condition(corev1.DisruptionTarget, corev1.ConditionTrue, "TerminationByKubelet", "low on memory")(pod)
		}), State{Phase: Succeeded, Report: awaitsProbe, Why: "TerminationByKubelet: low on memory"}},
		{"a probe that failed", jobWith(), podWith(done, ends(0, "Completed", awaitsProbe), probing), State{Phase: Succeeded, Report: awaitsProbe}},
		{"out of memory, and no probe was to come", jobWith(), podWith(done, ends(137, "OOMKilled", awaitsProbe), func(pod *corev1.Pod) { pod.UID = probedPod }), outOfMemoryState},
		{"out of memory with a report that awaits none", jobWith(), podWith(done, ends(137, "OOMKilled", reportOf(t, digest.Report{Pod: probedPod})), probing), outOfMemoryState},
		{"out of memory with a report of another pod", jobWith(), podWith(done, ends(137, "OOMKilled", reportOf(t, digest.Report{Pod: "another", LacksProbe: true})), probing), outOfMemoryState},
		{"out of memory with a report of no pod", jobWith(), podWith(done, ends(137, "OOMKilled", reportOf(t, digest.Report{LacksProbe: true})), probing), outOfMemoryState},
		{"out of memory with half a report", jobWith(), podWith(done, ends(137, "OOMKilled", awaitsProbe[:len(awaitsProbe)/2]), probing), outOfMemoryState},
		{"out of memory in layout, with a report", jobWith(), podWith(ends(137, "OOMKilled", awaitsProbe), initializing, probing), outOfMemoryState},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Observe(test.job, test.pod, noon)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOutOfMemory(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("128Mi")},
	}}}}}
	if got := outOfMemory(pod); !strings.Contains(got, "with a limit of 128Mi; raise spec.pod.resources.limits.memory") {
		t.Errorf("message is %q", got)
	}
}

// A Job tells that its pod has started, or has ended, before the pod does where the watch of pods is silent.
func TestIsBehind(t *testing.T) {
	started := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
		Name: job.MeasureContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Unix(1, 0))}},
	}}}}
	ended := &corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed}}
	over := batchv1.JobStatus{Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}}
	for name, test := range map[string]struct {
		status batchv1.JobStatus
		pod    *corev1.Pod
		want   bool
	}{
		"neither has started":          {batchv1.JobStatus{Active: 1}, &corev1.Pod{}, false},
		"the pod has started":          {batchv1.JobStatus{Active: 1, Ready: new(int32(1))}, &corev1.Pod{}, true},
		"the pod has started, as seen": {batchv1.JobStatus{Active: 1, Ready: new(int32(1))}, started, false},
		"the Job has ended":            {over, started, true},
		"both have ended":              {over, ended, false},
	} {
		if got := IsBehind(&batchv1.Job{Status: test.status}, test.pod, time.Unix(2, 0)); got != test.want {
			t.Errorf("%s: the pod is behind: %t, want %t", name, got, test.want)
		}
	}
}
