package controllers

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
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

func TestInspect(t *testing.T) {
	none, done, initializing := corev1.ContainerState{}, ends(0, "Completed", ""), waits("PodInitializing", "")
	phase := func(phase corev1.PodPhase, reason, message string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = phase, reason, message
		}
	}
	for _, test := range []struct {
		name string
		job  *batchv1.Job
		pod  *corev1.Pod
		want observation
	}{
		{"no pod yet", jobWith(), nil, observation{message: "waiting for the pod to be created"}},
		{"Job failed without a pod", jobWith(batchv1.JobFailed), nil, observation{progress: ended, disrupted: true, message: "its pod was deleted"}},
		{"Job is failing without a pod", jobWith(batchv1.JobFailureTarget), nil, observation{progress: ended, disrupted: true, message: "its pod was deleted"}},
		{"Job succeeded without a pod", jobWith(batchv1.JobComplete), nil, observation{progress: ended, disrupted: true, message: "its pod was deleted before its result was read"}},
		{"Job is being deleted", &batchv1.Job{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(noon))}}, nil, observation{progress: ended, disrupted: true, message: "its Job was deleted"}},
		{"new pod", jobWith(), podWith(none, none, nil), observation{}},
		{"unschedulable", jobWith(), podWith(none, none, condition(corev1.PodScheduled, corev1.ConditionFalse, "Unschedulable", "0/3 nodes")), observation{message: "the pod cannot be scheduled: 0/3 nodes"}},
		{"creating", jobWith(), podWith(waits("ContainerCreating", ""), initializing, nil), observation{}},
		{"image", jobWith(), podWith(waits("ErrImagePull", "not found"), initializing, nil), observation{message: "container layout waits: ErrImagePull: not found"}},
		{"lays out", jobWith(), podWith(runs(noon), initializing, nil), observation{progress: running, reason: v1alpha1.ReasonPreparing, since: noon}},
		{"between containers", jobWith(), podWith(done, initializing, nil), observation{progress: running, reason: v1alpha1.ReasonPreparing, since: noon}},
		{"measures", jobWith(), podWith(done, runs(noon.Add(time.Minute)), nil), observation{progress: running, reason: v1alpha1.ReasonMeasuring, since: noon}},
		{"lays out or measures", jobWith(), podWith(none, runs(noon), layingOutFirst), observation{progress: running, reason: v1alpha1.ReasonPreparing, unheard: true, since: noon}},
		{"image of one that lays out first", jobWith(), podWith(none, waits("ErrImagePull", "not found"), layingOutFirst), observation{message: "container fio waits: ErrImagePull: not found"}},
		{"succeeded after it has laid out", jobWith(), podWith(none, ends(0, "Completed", "report"), layingOutFirst), observation{progress: ended, succeeded: true, message: "report"}},
		{"failed to lay out first", jobWith(), podWith(none, ends(digest.ExitFailed, "Error", "no space"), layingOutFirst), observation{progress: ended, message: "no space"}},
		{"out of memory, also in laying out", jobWith(), podWith(none, ends(digest.ExitFailed, "OOMKilled", "killed"), layingOutFirst), observation{progress: ended, message: "the container ran out of memory (OOMKilled); the node has too little, so have fewer jobs or a smaller iodepth x bs"}},
		{"measures while being deleted", jobWith(), podWith(done, runs(noon), deleted(noon)), observation{progress: running, reason: v1alpha1.ReasonMeasuring, since: noon, givenUp: noon.Add(lostAfter)}},
		{"lost", jobWith(), podWith(done, runs(noon), deleted(noon.Add(-2*time.Minute))), observation{progress: ended, disrupted: true, message: "its pod was deleted"}},
		{"succeeded", jobWith(), podWith(done, ends(0, "Completed", "report"), nil), observation{progress: ended, succeeded: true, message: "report"}},
		{"succeeded while being evicted", jobWith(), podWith(done, ends(0, "Completed", "report"), condition(corev1.DisruptionTarget, corev1.ConditionTrue, "Evicted", "x")), observation{progress: ended, succeeded: true, message: "report"}},
		{"failed", jobWith(), podWith(done, ends(digest.ExitFailed, "Error", " fio: error\n"), nil), observation{progress: ended, message: "fio: error"}},
		{"layout failed", jobWith(), podWith(ends(digest.ExitFailed, "Error", "no space"), initializing, nil), observation{progress: ended, message: "no space"}},
		{"no words", jobWith(), podWith(done, ends(3, "Error", ""), nil), observation{progress: ended, message: "the runner ended with exit code 3 and left no message; see the pod's log"}},
		{"interrupted", jobWith(), podWith(done, ends(digest.ExitInterrupted, "Error", "ended before"), nil), observation{progress: ended, disrupted: true, message: "ended before"}},
		{"evicted", jobWith(), podWith(done, ends(137, "Error", ""), condition(corev1.DisruptionTarget, corev1.ConditionTrue, "TerminationByKubelet", "low on memory")), observation{progress: ended, disrupted: true, message: "TerminationByKubelet: low on memory"}},
		{"node restarted", jobWith(), podWith(done, ends(137, "ContainerStatusUnknown", "could not be located"), nil), observation{progress: ended, disrupted: true, message: "its node lost the container, as after a restart: could not be located"}},
		{"end not seen by the runtime", jobWith(), podWith(done, ends(255, "Unknown", ""), nil), observation{progress: ended, disrupted: true, message: "its node lost the container, as after a restart"}},
		{"out of memory", jobWith(), podWith(done, ends(137, "OOMKilled", ""), nil), observation{progress: ended, message: "the container ran out of memory (OOMKilled); the node has too little, so have fewer jobs or a smaller iodepth x bs"}},
		{"refused by the kubelet", jobWith(), podWith(none, none, phase(corev1.PodFailed, "OutOfcpu", "Node didn't have enough resource: cpu")), observation{progress: ended, disrupted: true, message: "OutOfcpu: Node didn't have enough resource: cpu"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := inspect(test.job, test.pod, noon)
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(observation{})); diff != "" {
				t.Errorf("observation (-want +got):\n%s", diff)
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

func TestNewestPod(t *testing.T) {
	pod := func(age time.Duration) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon.Add(-age))}}
	}
	young := pod(time.Second)
	if got := newest([]*corev1.Pod{pod(time.Hour), young, pod(time.Minute)}); got != young {
		t.Errorf("newest is %v", got)
	}
	if got := newest(nil); got != nil {
		t.Errorf("newest of none is %v", got)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""}, {"abcde", 5, "abcde"}, {"abcdef", 5, "ab…"}, {"äöüß", 7, "äö…"}, {"äöüß", 6, "ä…"}, {"aäöü", 6, "aä…"},
		{"a\nb", 5, "a\nb"}, {"\x1b[2Ja\r\u202e\x00", 9, " [2Ja   "}, {"\xff\xfea", 5, "?a"}, {"\x80\x80\x80", 2, "?"},
	} {
		if got := truncate(test.text, test.n); got != test.want || len(got) > test.n || !utf8.ValidString(got) {
			t.Errorf("truncate(%q, %d) is %q, want %q", test.text, test.n, got, test.want)
		}
	}
	if note := limitNote(strings.Repeat("ä", 1000)); len(note) > 1024 || !strings.HasSuffix(note, "…") {
		t.Errorf("note of %d bytes", len(note))
	}
	if note := limitNote("short"); note != "short" {
		t.Errorf("note %q", note)
	}
}

func TestHandle(t *testing.T) {
	for want, source := range map[string]corev1.PersistentVolumeSource{
		"vol-0123":       {CSI: &corev1.CSIPersistentVolumeSource{VolumeHandle: "vol-0123"}},
		"/mnt/disk":      {Local: &corev1.LocalVolumeSource{Path: "/mnt/disk"}},
		"/var/x":         {HostPath: &corev1.HostPathVolumeSource{Path: "/var/x"}},
		"server:/export": {NFS: &corev1.NFSVolumeSource{Server: "server", Path: "/export"}},
		"pv":             {ISCSI: &corev1.ISCSIPersistentVolumeSource{}},
	} {
		pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: source}}
		if got := handle(pv); got != want {
			t.Errorf("handle is %q, want %q", got, want)
		}
	}
}

func TestNewResult(t *testing.T) {
	report := builder.Report()
	if diff := cmp.Diff(*wantResult(), newResult(&report, &report.Groups[0])); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	// gtod_reduce leaves no latencies; slow storage has less than an I/O per second.
	bare := digest.Group{Trim: &digest.Direction{IOs: 3, MilliIOPS: 499}, Write: &digest.Direction{MilliIOPS: 500}}
	want := v1alpha1.Result{CPU: &v1alpha1.CPUResult{}, Trim: &v1alpha1.IOResult{IOs: 3}, Write: &v1alpha1.IOResult{IOPS: 1}}
	if diff := cmp.Diff(want, newResult(&digest.Report{}, &bare)); diff != "" {
		t.Errorf("result without latencies (-want +got):\n%s", diff)
	}
	hostile := digest.Direction{MilliIOPS: 1<<63 - 1}
	if got := newIOResult(&hostile).IOPS; got < 0 {
		t.Errorf("%d IOPS", got)
	}
}

func TestEventTime(t *testing.T) {
	at := func(minutes int) metav1.Time { return metav1.NewTime(noon.Add(time.Duration(minutes) * time.Minute)) }
	created := metav1.ObjectMeta{CreationTimestamp: at(1)}
	for name, test := range map[string]struct {
		event corev1.Event
		want  metav1.Time
	}{
		"created":       {corev1.Event{ObjectMeta: created}, at(1)},
		"events.k8s.io": {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time)}, at(2)},
		"core":          {corev1.Event{ObjectMeta: created, LastTimestamp: at(3), EventTime: metav1.NewMicroTime(at(2).Time)}, at(3)},
		"series":        {corev1.Event{ObjectMeta: created, EventTime: metav1.NewMicroTime(at(2).Time), Series: &corev1.EventSeries{LastObservedTime: metav1.NewMicroTime(at(4).Time)}}, at(4)},
	} {
		if got := eventTime(&test.event); !got.Equal(test.want.Time) {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
