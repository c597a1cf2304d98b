package controllers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// failure is a way in which a run can fail.
type failure struct {
	name   string
	pods   fakecluster.Outcome
	claims fakecluster.Provisioning
	memory string
	// What users see while the benchmark waits, and how long it does.
	step     string
	waits    string
	deadline time.Duration

	reason   string
	words    []string
	attempts int32
}

// Each way in which a run can fail ends the benchmark with the words of whoever knows why, and removes all
// that was made.
func TestFailures(t *testing.T) {
	t.Parallel()
	report, err := digest.Encode(builder.Report())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []failure{{
		name:   "fio error",
		pods:   fakecluster.Fail(digest.ExitFailed, "fio: io_u error on file /volume/x: No space left on device"),
		reason: v1alpha1.ReasonRunFailed, words: []string{"1 of 1 run failed: randread.fast: fio: io_u error on file /volume/x: No space left on device"},
	}, {
		name:   "layout error",
		pods:   fakecluster.FailLayout(digest.ExitFailed, "make the directory for test files: permission denied"),
		reason: v1alpha1.ReasonRunFailed, words: []string{"permission denied"},
	}, {
		name:   "files that need space of others",
		pods:   fakecluster.FailLayout(digest.ExitFailed, "free 203 MiB, needed 10 GiB, reserve 1 GiB: fio was not started"),
		reason: v1alpha1.ReasonRunFailed,
		words:  []string{"1 of 1 run failed: randread.fast: free 203 MiB, needed 10 GiB, reserve 1 GiB: fio was not started"},
	}, {
		name:   "no progress",
		pods:   fakecluster.Fail(digest.ExitNoProgress, "fio completed no I/O for 5m0s and was ended"),
		reason: v1alpha1.ReasonRunFailed, words: []string{"completed no I/O"},
	}, {
		name:   "no message",
		pods:   fakecluster.Fail(2, ""),
		reason: v1alpha1.ReasonRunFailed, words: []string{"exit code 2", "see the pod's log"},
	}, {
		name:   "out of memory",
		pods:   fakecluster.OutOfMemory(),
		memory: "64Mi",
		reason: v1alpha1.ReasonRunFailed, words: []string{"OOMKilled", "limit of 64Mi", "raise spec.pod.resources.limits.memory"},
	}, {
		name:   "garbage for a report",
		pods:   fakecluster.Say("\x01garbage"),
		reason: v1alpha1.ReasonRunFailed, words: []string{"left no result", "not a storagebench report"},
	}, {
		name:   "no report",
		pods:   fakecluster.Say(""),
		reason: v1alpha1.ReasonRunFailed, words: []string{"left no result"},
	}, {
		name:   "cut report",
		pods:   fakecluster.Say(report[:len(report)/2]),
		reason: v1alpha1.ReasonRunFailed, words: []string{"left no result"},
	}, {
		name:   "always evicted",
		pods:   fakecluster.Evict(),
		reason: v1alpha1.ReasonRunFailed, words: []string{"4 attempts were disrupted", "The node was low on resource"},
		attempts: 4,
	}, {
		name: "image cannot be pulled",
		pods: fakecluster.BackOff(`Back-off pulling image "runner:test": not found`),
		step: v1alpha1.ReasonPreparing, waits: "ImagePullBackOff", deadline: 600 * time.Second,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"run randread.fast (1 of 1) waited 600 s for its pod to start", "ImagePullBackOff", `Back-off pulling image "runner:test"`},
	}, {
		name: "no node takes the pod",
		pods: fakecluster.Unschedulable("0/3 nodes are available: 3 Insufficient cpu."),
		step: v1alpha1.ReasonPreparing, waits: "3 Insufficient cpu", deadline: 600 * time.Second,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"waited 600 s for its pod to start", "0/3 nodes are available: 3 Insufficient cpu."},
	}, {
		name:   "provisioner refuses",
		claims: fakecluster.Refuse(`failed to provision volume with StorageClass "fake": rpc error: code = ResourceExhausted desc = no space in pool`),
		step:   v1alpha1.ReasonProvisioning, waits: "no space in pool", deadline: 600 * time.Second,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"waited 600 s for the volume of target fast", "ProvisioningFailed: failed to provision", "no space in pool"},
	}, {
		name:   "no provisioner",
		claims: fakecluster.Wait(),
		step:   v1alpha1.ReasonProvisioning, waits: "is not bound yet", deadline: 600 * time.Second,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"waited 600 s for the volume of target fast", "is not bound yet"},
	}, {
		name: "run takes too long",
		pods: fakecluster.Hang(job.MeasureContainer),
		step: v1alpha1.ReasonMeasuring, deadline: 24 * time.Hour,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"waited 86400 s for its end"},
	}, {
		name: "layout takes too long",
		pods: fakecluster.Hang(job.LayoutContainer),
		step: v1alpha1.ReasonPreparing, deadline: 24 * time.Hour,
		reason: v1alpha1.ReasonDeadlineExceeded, words: []string{"waited 86400 s for its end"},
	}} {
		t.Run(test.name, func(t *testing.T) { test.happens(newWorld(t)) })
		if test.deadline > 0 {
			t.Run(test.name+", on a slow machine", func(t *testing.T) { test.happens(newSlowWorld(t)) })
		}
	}
}

// happens has a benchmark fail in a world.
func (test *failure) happens(w *testWorld) {
	w.Helper()
	w.Cluster.AllPods(test.pods)
	if test.claims != (fakecluster.Provisioning{}) || test.name == "no provisioner" {
		w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return test.claims })
	}
	sb := builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		if test.memory != "" {
			sb.Spec.Pod = &v1alpha1.PodSettings{Resources: corev1.ResourceRequirements{
				Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(test.memory)},
			}}
		}
	}).Build()

	create(w, sb)
	if test.step != "" {
		w.Eventually(func() error { return wantPods(w.pods(), test.waits == "") })
		w.pass(sb, attempt.QuietStart)
		w.untilStep(sb, test.step, test.waits)
		// More than once: a deadline counts from when the operator has seen what it is for, such as a pod that lays out files.
		w.passUntil(test.deadline+time.Second, func() error {
			if current := w.Get(sb); !current.Status.HasMeasured() {
				return fmt.Errorf("it still measures: %+v", current.Status.Conditions)
			}
			return nil
		}, sb)
	}
	sb = w.untilEnd(sb, metav1.ConditionFalse, test.reason, test.words...)

	if err := matches(sb, v1alpha1.ConditionMeasured, metav1.ConditionFalse, test.reason, test.words...); err != nil {
		w.Error(err)
	}
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft); err != nil {
		w.Error(err)
	}
	run := sb.Status.Runs[0]
	if run.State != v1alpha1.RunFailed || run.Result != nil || run.CompletionTime == nil || !containsAll(run.Message, test.words[1:]) {
		w.Errorf("run is %+v", run)
	}
	if want := max(test.attempts, 1); run.Attempts != want {
		w.Errorf("%d attempts, want %d", run.Attempts, want)
	}
	if sb.Status.Progress != "1/1" {
		w.Errorf("progress is %s", sb.Status.Progress)
	}
	if left := w.children(); len(left) > 0 {
		w.Errorf("left: %q", left)
	}
	w.Eventually(func() error { return w.hasEvent(corev1.EventTypeWarning, "RunFailed", "randread.fast: ") })
	w.Eventually(func() error { return w.hasEvent(corev1.EventTypeWarning, test.reason, test.words...) })
	w.delete(sb)
	w.untilGone(sb)
}

func TestOneFailureDoesNotStopTheOthers(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Annotations[v1alpha1.AnnotationRun] == "first.fast" {
			return fakecluster.Fail(digest.ExitFailed, "no such luck")
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("fast")).
		Workload(builder.NewWorkload("first")).Workload(builder.NewWorkload("second")).Build())

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 2 runs failed: first.fast: no such luck")

	if run := sb.Status.Runs[1]; run.State != v1alpha1.RunSucceeded || run.Result == nil {
		t.Errorf("second run is %+v", run)
	}
	if sb.Status.Summary != "second: fast 3048 IOPS 5.01ms p50" || sb.Status.Progress != "2/2" {
		t.Errorf("summary %q, progress %q", sb.Status.Summary, sb.Status.Progress)
	}
}

func TestDisruptionIsRepeated(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelAttempt] == "1" {
			return fakecluster.Evict()
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	run := sb.Status.Runs[0]
	if run.Attempts != 2 || run.Disruptions != 1 || run.Message != "" || run.Job != childmeta.RunName(sb, run.Name, 2, 0) {
		t.Errorf("run is %+v", run)
	}
	attempts := sb.Status.AbandonedAttempts
	if len(attempts) != 1 || attempts[0].Run != run.Name || attempts[0].Attempt != 1 || attempts[0].Reason != v1alpha1.AbandonDisrupted ||
		attempts[0].Node != fakecluster.Node || attempts[0].StartTime == nil || attempts[0].CompletionTime == nil ||
		!strings.Contains(attempts[0].Message, "low on resource") {
		t.Errorf("abandoned attempts are %+v", attempts)
	}
	w.Eventually(func() error {
		return w.hasEvent(corev1.EventTypeWarning, "RunDisrupted", "attempt 1 was disrupted and is repeated: TerminationByKubelet: The node was low on resource")
	})
}

// A pod or Job that somebody deletes while it measures is a disruption.
func TestDeletedByHand(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"pod", "Job", "Job in the background"} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			sb := w.untilStep(create(w, builder.OneRun(w.Namespace, "sb").Build()), v1alpha1.ReasonMeasuring)

			switch what {
			case "pod":
				w.delete(&w.pods()[0])
			case "Job":
				w.delete(&w.jobs()[0], foreground)
			default:
				w.delete(&w.jobs()[0], background)
			}
			w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error { return wantRun(sb, v1alpha1.RunRunning, 2, 1) })
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if err := wantRun(sb, v1alpha1.RunSucceeded, 2, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// wantAsked says that logs of pods that run were not looked at so often.
func (w *testWorld) wantAsked(times int64) error {
	if asked := w.asked.Load(); asked < times {
		return fmt.Errorf("logs were looked at %d times", asked)
	}
	return nil
}

// A Job that somebody's finalizer keeps, after its deletion, measures nothing once its pod is gone. The benchmark waits
// a minute for it, and goes on.
func TestJobThatIsKeptAfterItsDeletion(t *testing.T) {
	w := newWorld(t)
	sb := twiceMeasuring(w)
	kept := w.jobs()[0]
	held := client.MergeFrom(kept.DeepCopy())
	kept.Finalizers = append(kept.Finalizers, "example.com/held")
	if err := w.Client.Patch(t.Context(), &kept, held); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.letGo(&kept) })
	w.delete(&kept, foreground)
	w.Eventually(func() error {
		if pods := w.runPods(); len(pods) > 0 {
			return fmt.Errorf("pod %s is still there", pods[0].Name)
		}
		return nil
	})
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.passUntil(attempt.LostAfter, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionMeasured, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	}, sb)
	w.letGo(&kept)

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := wantRun(sb, v1alpha1.RunSucceeded, 2, 1); err != nil {
		t.Error(err)
	}
}

// Files may take any time to be laid out; that is not the pod's time to start.
func TestLayoutMayTakeLongerThanStart(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.LayoutContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.Eventually(func() error { return w.wantAsked(1) }) // so the operator knows that the pod has begun
	w.pass(sb, time.Hour)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run randread.fast (1 of 1)")
	w.pass(sb, time.Hour)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.passUntil(hearsAtLatest, func() error {
		return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonMeasuring, "run randread.fast (1 of 1)")
	}, sb)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))

	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// The same where clients begin together, also between the container that lays out and the one that measures.
func TestLayoutOfClientsMayTakeLongerThanStart(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.LayoutContainer))
	sb := create(w, threeClients(w).Deadlines(v1alpha1.Deadlines{IOProgressSeconds: new(int32(10))}).Build())
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run reads.own (1 of 2) by 3 clients")
	w.passUntil(20*time.Second, func() error { return w.wantAsked(3) }, sb) // so the operator knows that the pods have begun

	w.Cluster.AllPods(fakecluster.Hold(job.MeasureContainer, "PodInitializing", ""))
	w.Eventually(func() error { return wantInitialized(w.runPods(), 3) })
	w.pass(sb, time.Hour)
	w.untilStep(sb, v1alpha1.ReasonPreparing, "run reads.own (1 of 2) by 3 clients")
	w.pass(sb, time.Hour)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))

	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}
