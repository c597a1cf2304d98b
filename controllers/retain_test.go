package controllers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// retained returns a benchmark of two runs on one target that is not cleaned up. The first run ends, the second has the
// outcome.
func retained(w *testWorld, second fakecluster.Outcome) *v1alpha1.StorageBenchmark {
	w.Helper()
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "second.fast" {
			return second
		}
		return fakecluster.Succeed(builder.Report())
	})
	return create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).
		Workload(builder.NewWorkload("first")).Workload(builder.NewWorkload("second")).
		Deadlines(v1alpha1.Deadlines{RunCompletionSeconds: new(int32(3000)), PodStartSeconds: new(int32(3000)), IOProgressSeconds: new(int32(3000)), CleanUpSeconds: new(int32(86_400))}).
		With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
}

// podHasBegun says whether a container of a pod has begun.
func podHasBegun(pod *corev1.Pod) bool { return !attempt.Began(pod).IsZero() }

// untilRun waits until a run has a pod that is as the check wants it.
func (w *testWorld) untilRun(run string, check func(*corev1.Pod) bool) {
	w.Helper()
	w.Eventually(func() error {
		for _, pod := range w.runPods() {
			if pod.Annotations[v1alpha1.AnnotationRun] == run && check(&pod) {
				return nil
			}
		}
		return fmt.Errorf("run %s is not so far", run)
	})
}

// onlyEnded says what is left of a benchmark beside its claim and what the first run has left.
func (w *testWorld) onlyEnded() error {
	jobs, pods, anchors, claims := w.jobs(), w.runPods(), w.anchors(), w.claims()
	if len(jobs) != 1 || len(pods) != 1 || len(anchors) != 0 || len(claims) != 1 {
		return fmt.Errorf("%d Jobs, %d pods, %d anchors, %d claims", len(jobs), len(pods), len(anchors), len(claims))
	}
	if jobs[0].Annotations[v1alpha1.AnnotationRun] != "first.fast" || !attempt.HasEnded(&pods[0]) || claims[0].DeletionTimestamp != nil {
		return fmt.Errorf("the Job is of run %s, the pod is %s, the claim is deleted at %v", jobs[0].Annotations[v1alpha1.AnnotationRun], pods[0].Status.Phase, claims[0].DeletionTimestamp)
	}
	return nil
}

// What runs when a benchmark ends whose volumes are kept is ended: pods that measure or wait for a node, and anchors.
// What has ended stays.
func TestRetainEndsWhatRuns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second fakecluster.Outcome
		begun  func(*corev1.Pod) bool
	}{
		"a pod that measures": {fakecluster.Hang(job.MeasureContainer), podHasBegun},
		"a pod that waits":    {fakecluster.Unschedulable("no nodes"), func(pod *corev1.Pod) bool { return attempt.StartMessage(pod) != "" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := retained(w, test.second)
			w.untilRun("second.fast", test.begun)
			w.passUntil(3001*time.Second, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
			}, sb)

			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "run second.fast")

			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonRetained, clean.KeptUntil); err != nil {
				t.Error(err)
			}
			if err := w.onlyEnded(); err != nil {
				t.Error(err)
			}
			w.delete(sb)
			w.untilGone(sb)
		})
	}
}

// What does not end in time is named. What has ended is kept all the same.
func TestRetainNamesWhatDoesNotEnd(t *testing.T) {
	w := newWorld(t)
	sb := retained(w, fakecluster.Lose())
	w.untilRun("second.fast", podHasBegun)
	w.passUntil(3001*time.Second, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonCleaningUp, "waiting for the removal of", "pod ")
	}, sb)
	w.pass(sb, 86_401*time.Second)

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "kubectl delete pod --force", clean.KeptUntil)

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "not removed within", "kubectl delete pod --force", clean.KeptUntil); err != nil {
		t.Error(err)
	}
	if jobs := w.jobs(); len(jobs) != 1 || jobs[0].Annotations[v1alpha1.AnnotationRun] != "first.fast" || len(w.claims()) != 1 {
		t.Errorf("Jobs are %v, claims %v", jobs, w.claims())
	}
}

// A Job whose pod has ended stays if Kubernetes says that it gets no other one. Until then whoever may edit Jobs can
// have it get one, also when nobody sees to it any more.
func TestRetainLeavesNoJobThatMayRun(t *testing.T) {
	t.Parallel()
	const yetToSay = "Kubernetes has not marked it as ended yet"
	for name, test := range map[string]struct {
		then func(*testWorld, *v1alpha1.StorageBenchmark)
		left int
	}{
		"Kubernetes says so": {func(w *testWorld, _ *v1alpha1.StorageBenchmark) {
			w.Cluster.OnJob(func(*batchv1.Job) bool { return true })
		}, 2},
		"it gets another pod":  {func(w *testWorld, _ *v1alpha1.StorageBenchmark) { w.repeatPod("second.fast") }, 1},
		"nobody says anything": {func(w *testWorld, sb *v1alpha1.StorageBenchmark) { w.pass(sb, clean.EndingPatience+time.Second) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnJob(func(j *batchv1.Job) bool { return j.Annotations[v1alpha1.AnnotationRun] != "second.fast" })
			sb := retained(w, fakecluster.Fail(digest.ExitFailed, "fio: no"))
			w.untilStep(sb, v1alpha1.ReasonCleaningUp, yetToSay)

			test.then(w, sb)

			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "second.fast: fio: no")
			if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonRetained, clean.KeptUntil); err != nil {
				t.Error(err)
			}
			jobs := w.jobs()
			if len(jobs) != test.left || len(w.anchors()) > 0 || len(w.claims()) != 1 {
				t.Errorf("%d Jobs are left, want %d; %d anchors, %d claims", len(jobs), test.left, len(w.anchors()), len(w.claims()))
			}
			for i := range jobs {
				if !attempt.MakesNoPods(&jobs[i]) {
					t.Errorf("Job %s may get another pod: %+v", jobs[i].Name, jobs[i].Status)
				}
			}
		})
	}
}

// repeatPod makes another pod of a run's Job, as the Job controller does where the backoffLimit was raised. It measures
// for ever.
func (w *testWorld) repeatPod(run string) {
	w.Helper()
	for _, pod := range w.runPods() {
		if pod.Annotations[v1alpha1.AnnotationRun] != run {
			continue
		}
		again := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: pod.Namespace, Name: strings.TrimSuffix(pod.Name, "abcde") + "again", Labels: pod.Labels, Annotations: pod.Annotations,
				OwnerReferences: pod.OwnerReferences, Finalizers: []string{batchv1.JobTrackingFinalizer},
			},
			Spec: pod.Spec,
		}
		again.Spec.NodeName = ""
		w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
		create(w, again)
	}
}

// Sweeping leaves alone what is kept, and nothing else.
func TestIsRetained(t *testing.T) {
	for name, test := range map[string]struct {
		policy   v1alpha1.CleanupPolicy
		reason   string
		deleting bool
		want     bool
	}{
		"kept":                               {v1alpha1.CleanupRetain, v1alpha1.ReasonRetained, false, true},
		"kept, and edited since":             {v1alpha1.CleanupDelete, v1alpha1.ReasonRetained, false, true},
		"kept, and something did not end":    {v1alpha1.CleanupRetain, v1alpha1.ReasonLeftBehind, false, true},
		"removed, and something is left":     {v1alpha1.CleanupDelete, v1alpha1.ReasonLeftBehind, false, false},
		"removed, and edited since":          {v1alpha1.CleanupRetain, v1alpha1.ReasonNothingLeft, false, false},
		"deleted":                            {v1alpha1.CleanupRetain, v1alpha1.ReasonRetained, true, false},
		"deleted, and something did not end": {v1alpha1.CleanupRetain, v1alpha1.ReasonLeftBehind, true, false},
	} {
		s := writerOf(builder.OneRun("default", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = test.policy }).Build())
		s.SetCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, test.reason, "")
		if test.deleting {
			s.SB.DeletionTimestamp = at(0)
		}
		if got := clean.IsRetained(s); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

// Where the API server does not let what runs be ended, that is an error until the time for clean-up is over, and is
// named then.
func TestRetainWhereDeletionIsRefused(t *testing.T) {
	no := errors.New("webhook does not answer")
	for _, test := range []struct {
		name  string
		after time.Duration
		ends  bool
	}{{"it is tried", 0, false}, {"it is tried again", 599 * time.Second, false}, {"its time is over", 600 * time.Second, true}} {
		t.Run(test.name, func(t *testing.T) {
			sb := builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(600))}).Build()
			sb.UID, sb.Spec.CleanupPolicy = "u1", v1alpha1.CleanupRetain
			running := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
				Namespace: "default", Name: childmeta.RunName(sb, "reads.fast", 1, 0), UID: "j1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
				Labels:      childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelClient, "0", v1alpha1.LabelAttempt, "1"),
				Annotations: map[string]string{v1alpha1.AnnotationRun: "reads.fast"},
			}}
			c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(running).WithInterceptorFuncs(interceptor.Funcs{
				Delete: func(context.Context, client.WithWatch, client.Object, ...client.DeleteOption) error { return no },
			}).Build()
			p := passOver(&Reconciler{Client: c, Live: c}, sb)
			p.Now = *at(test.after)
			p.Memory.CleaningSince, p.Memory.CleaningFor = noon, cleanup.FirstTry
			p.Fail(v1alpha1.ReasonRunFailed, "no")
			p.SB.Status.Conditions[0].LastTransitionTime = *at(0)

			out, err := clean.Retain(t.Context(), p)

			if !test.ends {
				if !errors.Is(err, no) || p.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Status != "" {
					t.Errorf("%+v, %v, conditions %+v", out, err, p.SB.Status.Conditions)
				}
				return
			}
			if err != nil || out.Stop {
				t.Errorf("%+v, %v", out, err)
			}
			err = matches(p.SB, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind,
				"not removed within 600 s (spec.deadlines.cleanUpSeconds): Job "+running.Name, "kubectl delete job -n default", "what the API server kept (it answered: ", no.Error(), clean.KeptUntil)
			if err != nil || !strings.HasSuffix(p.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Message, clean.KeptUntil) {
				t.Error(err)
			}
		})
	}
}
