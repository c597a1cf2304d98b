package controllers

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// The scheduler's words, for a pod that finds no node because of other pods, of its volume, or of both.
const (
	crowdedOut = "0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules."
	elsewhere  = "0/2 nodes are available: 2 node(s) had volume node affinity conflict."
	bothWords  = "0/2 nodes are available: 1 node(s) had volume node affinity conflict, 1 node(s) didn't satisfy existing pods anti-affinity rules."
)

// unscheduled returns a pod that finds no node, in the scheduler's words.
func unscheduled(words string) *corev1.Pod {
	return &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: words},
	}}}
}

// waiting returns the wait for a pod that began a time ago. It ends in what ends the benchmark.
func waiting(ago time.Duration, pod *corev1.Pod) *workers.PodWait {
	s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{PodStartSeconds: new(int32(60)), ProvisioningSeconds: new(int32(120)), WaitingForNodeSeconds: new(int32(600))}).Build())
	st := &workers.PodWait{Pass: s, What: "run a (1 of 1)", Began: at(-ago), Pod: pod}
	st.Invalid = func(err error) { s.Fail(v1alpha1.ReasonRunFailed, err.Error()) }
	st.Expire = func(message string) { s.Fail(v1alpha1.ReasonDeadlineExceeded, message) }
	return st
}

// A wait is told, and ends the benchmark at its deadline, which is said with what was waited for.
func TestAwait(t *testing.T) {
	st := waiting(time.Minute, nil)
	if out := st.Await(attempt.StartDecision{After: time.Second}, v1alpha1.ReasonProvisioning, "target fast", "the volume of target fast", "no space", attempt.Limit{Field: "provisioningSeconds", Seconds: 120}); out != pass.AwaitFor(time.Second) {
		t.Errorf("it goes on with %+v", out)
	}
	if got := st.Pass.SB.Status.Condition(v1alpha1.ConditionSucceeded); got.Reason != v1alpha1.ReasonProvisioning || got.Message != "target fast: no space" || st.Pass.SB.Status.HasMeasured() {
		t.Errorf("condition is %+v, ended: %t", got, st.Pass.SB.Status.HasMeasured())
	}
	if out := st.Await(attempt.StartDecision{Expired: true}, v1alpha1.ReasonProvisioning, "target fast", "the volume of target fast", "no space", attempt.Limit{Field: "provisioningSeconds", Seconds: 120}); out != pass.SaveFirst() {
		t.Errorf("at the deadline it goes on with %+v", out)
	}
	want := "run a (1 of 1) waited 120 s for the volume of target fast (spec.deadlines.provisioningSeconds): no space"
	if got := st.Pass.SB.Status.Condition(v1alpha1.ConditionMeasured); got.Reason != v1alpha1.ReasonDeadlineExceeded || got.Message != want {
		t.Errorf("condition is %+v, want %q", got, want)
	}
}

// What is said of a pod or a Job that was not made: that it never will be, who refuses it for now, or nothing, when the
// call may succeed later.
func TestNotMade(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	quota := apierrors.NewForbidden(pods, "p", errors.New("exceeded quota"))
	invalid := apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "p", nil)
	busy := errors.New("etcd is busy")
	for _, test := range []struct {
		name string
		ago  time.Duration
		err  error
		want pass.Outcome
		kind string
		said string
		pass error
	}{
		{"a quota", 0, quota, pass.AwaitFor(2 * time.Second).Resting(time.Minute), v1alpha1.ConditionSucceeded, "run a (1 of 1): the pod was refused: " + quota.Error(), nil},
		{"a webhook", 59 * time.Second, apierrors.NewBadRequest("no"), pass.AwaitFor(time.Second).Resting(time.Second), v1alpha1.ConditionSucceeded, "run a (1 of 1): the pod was refused: no", nil},
		{"a quota for too long", time.Minute, quota, pass.SaveFirst(), v1alpha1.ConditionMeasured, "run a (1 of 1) waited 60 s for its pod (spec.deadlines.podStartSeconds): " + quota.Error(), nil},
		{"what cannot be", 0, invalid, pass.SaveFirst(), v1alpha1.ConditionMeasured, invalid.Error(), nil},
		{"another error", 0, busy, pass.Outcome{}, v1alpha1.ConditionSucceeded, "", busy},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := waiting(test.ago, nil)
			out, err := st.NotMade("pod", test.err)
			if out != test.want || !errors.Is(err, test.pass) || st.Pass.SB.Status.HasMeasured() != (test.kind == v1alpha1.ConditionMeasured) {
				t.Errorf("it goes on with %+v, want %+v: %v", out, test.want, err)
			}
			if got := st.Pass.SB.Status.Condition(test.kind).Message; got != test.said {
				t.Errorf("users read %q, want %q", got, test.said)
			}
		})
	}
}

// Before the scheduler's words stands what the benchmark has to do with them.
func TestOwnReason(t *testing.T) {
	onNode := unscheduled(bothWords)
	onNode.Spec.NodeName = "n"
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"no pod":               {nil, ""},
		"a pod on a node":      {onNode, ""},
		"no memory":            {unscheduled("0/2 nodes are available: 2 Insufficient memory."), ""},
		"crowded out":          {unscheduled(crowdedOut), "1 of 2 have a node: "},
		"its volume elsewhere": {unscheduled(elsewhere), "the volume is elsewhere: "},
		"both":                 {unscheduled(bothWords), "the volume is elsewhere: 1 of 2 have a node: "},
	} {
		st := waiting(0, test.pod)
		st.Crowded, st.Elsewhere = "1 of 2 have a node: ", "the volume is elsewhere: "
		if got := st.OwnReason(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// What a wait is decided by is what the pass knows.
func TestStartFacts(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{}
	st := waiting(time.Minute, unscheduled(crowdedOut))
	atStepSince(st.Pass.SB, v1alpha1.ReasonWaitingForNode, at(-30*time.Second))
	want := attempt.StartFacts{
		Now: noon, Began: noon.Add(-time.Minute), Ready: noon.Add(-time.Minute), Node: attempt.NodeWait{Since: noon.Add(-30 * time.Second)}, Blocked: true, Rival: true,
		HasPod: true, CrowdedOut: true, Unbound: true, NodeLimit: 10 * time.Minute, VolumeLimit: 2 * time.Minute, PodLimit: time.Minute,
	}
	if diff := cmp.Diff(want, st.StartFacts(claim, workers.Competition{Held: "another benchmark measures", Older: "an older one"})); diff != "" {
		t.Errorf("facts (-want +got):\n%s", diff)
	}
	want = attempt.StartFacts{Now: noon, Began: noon, Ready: noon, NodeLimit: 10 * time.Minute, VolumeLimit: 2 * time.Minute, PodLimit: time.Minute}
	if diff := cmp.Diff(want, waiting(0, nil).StartFacts(nil, workers.Competition{})); diff != "" {
		t.Errorf("facts without a pod (-want +got):\n%s", diff)
	}
}

// While others hold the nodes, nothing is free. When the wait has ended, all that waited has its time from then on.
func TestNoteNodeWait(t *testing.T) {
	for _, test := range []struct {
		name        string
		free        time.Time
		decision    attempt.StartDecision
		want        time.Time
		wantsToMove bool
	}{
		{"others hold the nodes", time.Time{}, attempt.StartDecision{For: attempt.AwaitedNode}, time.Time{}, false},
		{"nobody holds them", time.Time{}, attempt.StartDecision{For: attempt.AwaitedNode, IsFree: true}, noon, false},
		{"nobody has held them since", noon.Add(-time.Second), attempt.StartDecision{For: attempt.AwaitedNode, IsFree: true}, noon.Add(-time.Second), false},
		{"somebody was faster", noon.Add(-time.Second), attempt.StartDecision{For: attempt.AwaitedNode}, time.Time{}, false},
		{"the wait has ended", noon.Add(-time.Second), attempt.StartDecision{For: attempt.AwaitedPod, NodeFreed: true}, time.Time{}, true},
		{"a pod starts", time.Time{}, attempt.StartDecision{For: attempt.AwaitedPod}, time.Time{}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := waiting(time.Hour, nil)
			st.Others = []*metav1.Time{at(-time.Hour)}
			st.Pass.Memory.NodeFreeSince = test.free
			st.NoteNodeWait(test.decision)
			if got := st.Pass.Memory.NodeFreeSince; !got.Equal(test.want) {
				t.Errorf("free since %s, want %s", got, test.want)
			}
			began := at(-time.Hour)
			if test.wantsToMove {
				began = at(0)
			}
			if !st.Began.Equal(began) || !st.Others[0].Equal(began) {
				t.Errorf("the waits began at %s and %s, want %s", st.Began, st.Others[0], began)
			}
		})
	}
}

// Benchmarks that the operator does not see are the reason only if no other client and no wish of the user is.
func TestIsCrowdedByUnseen(t *testing.T) {
	apart := &v1alpha1.Placement{Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{}}}
	for name, test := range map[string]struct {
		confined  bool
		crowded   string
		placement *v1alpha1.Placement
		want      bool
	}{
		"an operator that sees all":    {false, "", nil, false},
		"a confined one":               {true, "", nil, true},
		"other clients":                {true, "1 of 2 have a node: ", nil, false},
		"a placement without wishes":   {true, "", &v1alpha1.Placement{}, true},
		"nodes that are wished for":    {true, "", &v1alpha1.Placement{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}, true},
		"pods that are not wished for": {true, "", apart, false},
	} {
		if got := workers.IsCrowdedByUnseen(test.confined, test.crowded, test.placement); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// A volume that comes late, but in its time, leaves a pod all of its time to start, also where nobody can look at the
// volume.
func TestVolumeThatTakesLong(t *testing.T) {
	t.Parallel()
	limits := v1alpha1.Deadlines{ProvisioningSeconds: new(int32(1200)), PodStartSeconds: new(int32(600))}
	for name, test := range map[string]struct {
		start     func(*testWorld)
		benchmark func(*testWorld) *builder.Benchmark
	}{
		"of an anchor":                      {func(w *testWorld) { w.startOperator() }, func(w *testWorld) *builder.Benchmark { return twoByTwo(w, "sb") }},
		"of a run, confined to a namespace": {(*testWorld).confine, func(w *testWorld) *builder.Benchmark { return builder.OneRun(w.Namespace, "sb") }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			test.start(w)
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
			slow := func(container string) fakecluster.Outcome {
				return fakecluster.Hold(container, "ErrImagePull", "the registry is slow")
			}
			w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return slow(job.AnchorContainer) })
			w.Cluster.AllPods(slow(job.LayoutContainer))
			sb := create(w, test.benchmark(w).Deadlines(limits).Build())
			w.passUntil(3*time.Second, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonProvisioning, "is not bound yet")
			}, sb)
			w.pass(sb, 700*time.Second)
			w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Bind() })
			w.untilStep(sb, v1alpha1.ReasonPreparing, "the registry is slow")
			w.pass(sb, 550*time.Second)
			w.untilStep(sb, v1alpha1.ReasonPreparing, "the registry is slow")
			w.pass(sb, 50*time.Second)
			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 600 s for its pod to start", "the registry is slow")
			if took := sb.Status.CompletionTime.Sub(sb.Status.StartTime.Time); took < 1300*time.Second {
				t.Errorf("it ended after %s", took)
			}
		})
	}
}

// An operator that was away between the beginning of an attempt and its Job, or its pod, does not count that as time to
// start.
func TestOperatorWasAwayBeforeThePod(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		benchmark func(*testWorld) *builder.Benchmark
		begun     func(*v1alpha1.StorageBenchmarkStatus) bool
	}{
		"a run": {
			func(w *testWorld) *builder.Benchmark { return builder.OneRun(w.Namespace, "sb") },
			func(s *v1alpha1.StorageBenchmarkStatus) bool { return len(s.Runs) > 0 && s.Runs[0].Attempts == 1 },
		},
		"an anchor": {
			func(w *testWorld) *builder.Benchmark { return twoByTwo(w, "sb") },
			func(s *v1alpha1.StorageBenchmarkStatus) bool { return len(s.Anchors) > 0 && s.Anchors[0].Attempts == 1 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			w.Clock.Step(-time.Hour) // since when the operator is away, by the API server's clock
			stop := w.startOperatorWith(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
					if asksWhetherFresh(object) {
						sb := &v1alpha1.StorageBenchmark{}
						if err := c.Get(ctx, key, sb); err != nil {
							return err
						}
						if test.begun(&sb.Status) {
							return errors.New("the operator is about to end")
						}
					}
					return c.Get(ctx, key, object, options...)
				},
			})
			sb := create(w, test.benchmark(w).Build())
			w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
				if !test.begun(&sb.Status) {
					return errors.New("no attempt has begun")
				}
				return nil
			})
			stop()
			if pods := w.pods(); len(pods) > 0 {
				t.Fatalf("pod %s was made", pods[0].Name)
			}
			w.Clock.Pass(0)
			w.startOperator()
			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
		})
	}
}

// Whose a pod is that holds a node is not told by its labels.
func TestDescribeForgedHolder(t *testing.T) {
	other := older("older", nil)
	pods := holdersOf(other, nil)
	forged := pods[0].DeepCopy()
	forged.Name, forged.Spec.NodeName = "forged", "other-node"
	s := young([]*v1alpha1.StorageBenchmark{other}, append(pods, forged))

	rivals, err := workers.Rivals(t.Context(), s)

	got := rivals.Holders(s.SB)
	slices.Sort(got)
	want := []string{
		"node a-node (older in namespace default)",
		"node other-node (pod forged in namespace default, with label storagebench.dev/holds-node, of no known benchmark)",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// A pod that is refused after its turn has come, behind an older benchmark, has all its time from then on.
func TestRefusedAfterAnOlderBenchmark(t *testing.T) {
	s := failingPass()
	later(s, time.Hour)
	s.SB.Status.Anchors = []v1alpha1.Anchor{{StartTime: &metav1.Time{Time: noon}}, {StartTime: &metav1.Time{Time: noon}}}
	atStepSince(s.SB, v1alpha1.ReasonWaitingForNode, &metav1.Time{Time: noon})
	s.Memory.NodeFreeSince = noon
	refused := func() pass.Outcome { return prepare.AnchorWait(s, 0, nil).Refused("pod", errors.New("exceeded quota")) }
	for range 30 {
		if out := refused(); out.Saves || s.SB.Status.HasMeasured() {
			t.Fatalf("ended %s after its turn: %+v", s.Now.Sub(noon.Add(time.Hour)), s.SB.Status.Condition(v1alpha1.ConditionMeasured))
		}
		later(s, 2*time.Second)
	}
	if refused(); !s.SB.Status.HasMeasured() {
		t.Error("it waits for longer than it may")
	}
	for i, a := range s.SB.Status.Anchors {
		if !a.StartTime.Time.Equal(noon.Add(time.Hour)) {
			t.Errorf("anchor %d waits since %s", i, a.StartTime)
		}
	}
}

// asksWhetherFresh says whether a pass gets the object to learn whether it has read the newest version of the
// benchmark.
func asksWhetherFresh(object client.Object) bool {
	_, metadata := object.(*metav1.PartialObjectMetadata)
	return metadata && object.GetObjectKind().GroupVersionKind().Kind == "StorageBenchmark"
}
