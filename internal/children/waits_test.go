package children

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// Of the claims that a pod needs, one that is not there is not waited for, nor one that is not needed.
func TestUnbound(t *testing.T) {
	claim := func(name string, phase corev1.PersistentVolumeClaimPhase) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.PersistentVolumeClaimStatus{Phase: phase}}
	}
	c := Of(builder.OneRun("default", "sb").Build(), noneUnmade)
	c.Claims = map[string]*corev1.PersistentVolumeClaim{"bound": claim("bound", corev1.ClaimBound), "pending": claim("pending", corev1.ClaimPending), "new": claim("new", "")}
	for want, needs := range map[string][]Need{
		"":        {{"t", "bound"}, {"theirs", "mine"}},
		"pending": {{"t", "bound"}, {"t", "pending"}, {"t", "new"}},
		"new":     {{"t", "new"}, {"t", "pending"}},
	} {
		if got := c.FirstUnbound(needs); (got == nil) != (want == "") || (got != nil && got.Name != want) {
			t.Errorf("it waits for %v, want %q", got, want)
		}
	}
}

// A pod has time to start from when the last of its volumes was there.
func TestReadySince(t *testing.T) {
	for name, test := range map[string]struct {
		needs []Need
		want  time.Duration
	}{
		"no volumes":              {nil, 0},
		"there before":            {[]Need{{"t", "early"}}, 0},
		"seen since":              {[]Need{{"t", "early"}, {"t", "late"}}, 30 * time.Second},
		"seen since, first":       {[]Need{{"t", "late"}, {"t", "early"}}, 30 * time.Second},
		"somebody's claim":        {[]Need{{"t", "mine"}}, 0},
		"not seen":                {[]Need{{"t", "unseen"}}, 0},
		"seen after its deadline": {[]Need{{"t", "seen late"}}, time.Minute},
	} {
		w := waitsOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build())
		w.BoundSince = map[types.UID]time.Time{"e": noon.Add(-time.Minute), "l": noon.Add(30 * time.Second), "d": noon.Add(time.Hour)}
		w.Claims = map[string]*corev1.PersistentVolumeClaim{}
		for name, uid := range map[string]types.UID{"early": "e", "late": "l", "unseen": "u", "seen late": "d"} {
			w.Claims[name] = &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{UID: uid}}
		}
		if got := w.ReadySince(noon, test.needs); !got.Equal(noon.Add(test.want)) {
			t.Errorf("%s: a pod has time since %s, want %s later than its wait", name, got, test.want)
		}
	}
}

// Whether a pod is waited for is told by its Job and itself. One that was there, and is not found, may measure.
func TestStartingSince(t *testing.T) {
	began, bound := noon, noon.Add(20*time.Second)
	sb := builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{ProvisioningSeconds: new(int32(60))}).Build()
	sb.UID = "u1"
	claim := storage.ClaimName(sb, &sb.Spec.Targets[0], 0)
	name := childmeta.RunName(sb, "reads.fast", 1, 0)
	running := func(state corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: job.MeasureContainer, State: state}}}}
	}
	for _, test := range []struct {
		label    string
		recorded string // status.runs[].job
		job      *batchv1.Job
		pod      *corev1.Pod
		boundAt  time.Time
		want     *time.Time
	}{
		{"no Job yet", "", nil, nil, time.Time{}, &began},
		{"a Job that is lost", name, nil, nil, time.Time{}, nil},
		{"no pod yet", name, &batchv1.Job{}, nil, time.Time{}, &began},
		{"a pod that is not found", name, &batchv1.Job{Status: batchv1.JobStatus{Active: 1}}, nil, time.Time{}, nil},
		{"a Job that was made late", name, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(bound)}}, nil, time.Time{}, &bound},
		{"a pod that waits", name, &batchv1.Job{}, running(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}), time.Time{}, &began},
		{"a pod whose volume came late", name, &batchv1.Job{}, &corev1.Pod{}, bound, &bound},
		{"a pod that runs", name, &batchv1.Job{}, running(corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(noon)}}), time.Time{}, nil},
		{"a pod that has ended", name, &batchv1.Job{}, running(corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}), time.Time{}, nil},
	} {
		w := waitsOf(sb.DeepCopy())
		w.Now = noon.Add(time.Minute)
		w.Benchmark.Status.Runs = []v1alpha1.Run{{Name: "reads.fast", Target: "fast", State: v1alpha1.RunRunning, Attempts: 1, StartTime: &metav1.Time{Time: noon}, Job: test.recorded}}
		w.Benchmark.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast"}}
		w.BoundSince = map[types.UID]time.Time{"c": test.boundAt}
		w.Claims = map[string]*corev1.PersistentVolumeClaim{claim: {ObjectMeta: metav1.ObjectMeta{UID: "c"}}}
		if test.job != nil {
			test.job.Name = name
			w.Jobs = map[string]*batchv1.Job{name: test.job}
		}
		if test.pod != nil {
			w.Pods = map[string][]*corev1.Pod{name: {test.pod}}
		}
		if got := w.startingSince(); (got == nil) != (test.want == nil) || (got != nil && !got.Equal(*test.want)) {
			t.Errorf("%s: a pod has time to start since %v, want %v", test.label, got, test.want)
		}
	}
}

// A pod is not waited for before it is made.
func TestAwaitedSince(t *testing.T) {
	for name, test := range map[string]struct {
		made metav1.Time
		want time.Duration
	}{
		"not made yet":                   {metav1.Time{}, 0},
		"made at once, by another clock": {*at(-time.Second), 0},
		"made long after":                {*at(time.Hour), time.Hour},
	} {
		if got := AwaitedSince(at(0), test.made); !got.Equal(noon.Add(test.want)) {
			t.Errorf("%s: it is waited for since %s, want %s later than the attempt began", name, got, test.want)
		}
	}
}

// The pod that only has claims bound counts as made when the one before it was that let go of its node.
func TestAnchorMadeAt(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	binder := *job.ForBinding(sb, job.Image{}, job.Anchor{Attempt: 2}).Spec.Containers[0].Name
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want metav1.Time
	}{
		"none":                  {nil, metav1.Time{}},
		"one that holds a node": {&corev1.Pod{}, *at(0)},
		"one that only binds": {
			&corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: binder}}}},
			*at(-attempt.ReserveFor),
		},
	} {
		if test.pod != nil {
			test.pod.CreationTimestamp = *at(0)
		}
		if got := AnchorMadeAt(test.pod); !got.Equal(&test.want) {
			t.Errorf("%s: made at %s, want %s", name, got, test.want)
		}
	}
}

// A wait has its own deadline, which errors neither shorten nor make longer. Without one they have the time of a pod to start.
func TestPatience(t *testing.T) {
	running := v1alpha1.Run{Name: "reads.fast", Target: "fast", State: v1alpha1.RunRunning, Attempts: 1, StartTime: at(-time.Minute)}
	began := v1alpha1.Anchor{Attempts: 1, StartTime: at(-time.Minute)}
	for name, test := range map[string]struct {
		change func(*Waits)
		from   time.Duration
		field  string
		what   string
	}{
		"nothing":                 {func(*Waits) {}, -time.Second, "podStartSeconds", "errors to end"},
		"a node":                  {func(w *Waits) { atStep(w, v1alpha1.ReasonWaitingForNode) }, -time.Hour, "waitingForNodeSeconds", "a node"},
		"storage that is refused": {func(w *Waits) { atStep(w, v1alpha1.ReasonProvisioning) }, -time.Hour, "provisioningSeconds", "a volume"},
		"a run's pod":             {func(w *Waits) { w.Benchmark.Status.Runs = []v1alpha1.Run{running} }, -time.Minute, "podStartSeconds", "a pod to start"},
		"a run's volume": {func(w *Waits) {
			w.Benchmark.Status.Runs, w.Claims = []v1alpha1.Run{running}, unbound(w.Benchmark)
		}, -time.Minute, "provisioningSeconds", "a volume"},
		"an anchor": {func(w *Waits) {
			w.Benchmark.Status.Anchors = []v1alpha1.Anchor{{Node: "a", StartTime: at(-time.Hour)}, began}
		}, -time.Minute, "podStartSeconds", "a pod to start"},
		"an anchor's volume": {func(w *Waits) { w.Benchmark.Status.Anchors, w.Claims = []v1alpha1.Anchor{began}, unbound(w.Benchmark) }, -time.Minute, "provisioningSeconds", "a volume"},
		"a volume that no anchor mounts": {func(w *Waits) {
			w.Benchmark.Status.Anchors, w.Claims = []v1alpha1.Anchor{began}, unbound(w.Benchmark)
			w.Benchmark.Status.Targets = []v1alpha1.TargetStatus{{Name: "fast", AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}}}
		}, -time.Minute, "podStartSeconds", "a pod to start"},
	} {
		w := waitsOf(builder.OneRun("default", "sb").Build())
		test.change(w)
		from, limit, what := w.Patience(noon.Add(-time.Second))
		if !from.Equal(noon.Add(test.from)) || limit.Field != test.field || what != test.what {
			t.Errorf("%s: %s from %s on for %s", name, limit.Field, from.Sub(noon), what)
		}
	}
}

// atStep has a benchmark be at a step for an hour.
func atStep(w *Waits, step string) {
	w.Benchmark.Status.StepStartTime = at(-time.Hour)
	w.Benchmark.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: step}}
}

// unbound returns the claims of a benchmark, which have no volumes yet.
func unbound(sb *v1alpha1.StorageBenchmark) map[string]*corev1.PersistentVolumeClaim {
	return map[string]*corev1.PersistentVolumeClaim{storage.ClaimName(sb, &sb.Spec.Targets[0], 0): {}}
}

// waitsOf returns what a benchmark waits for at noon.
func waitsOf(sb *v1alpha1.StorageBenchmark) *Waits {
	return &Waits{Children: Of(sb, noneUnmade), Now: noon}
}
