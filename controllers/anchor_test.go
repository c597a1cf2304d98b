package controllers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/controllers/prepare"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// twoByTwo is a benchmark of two workloads on two targets.
func twoByTwo(w *testWorld, name string) *builder.Benchmark {
	return builder.NewBenchmark(w.Namespace, name).
		Target(builder.NewTarget("one")).Target(builder.NewBlockTarget("two")).
		Workload(builder.NewWorkload("reads")).Workload(builder.NewWorkload("more"))
}

// anchorIs says what of the benchmark's anchor is not as it should be.
func anchorIs(sb *v1alpha1.StorageBenchmark, attempts, disruptions int32) error {
	if len(sb.Status.Anchors) != 1 {
		return fmt.Errorf("anchors are %+v", sb.Status.Anchors)
	}
	if a := sb.Status.Anchors[0]; a.Node != fakecluster.Node || a.Attempts != attempts || a.Disruptions != disruptions {
		return fmt.Errorf("anchor is %+v, want node %q, %d attempts and %d disruptions", a, fakecluster.Node, attempts, disruptions)
	}
	return nil
}

// All volumes are there, on one node, before the first run begins, and all runs go there.
func TestAnchor(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome {
		return fakecluster.Hold(job.AnchorContainer, "ContainerCreating", "")
	})
	sb := create(w, twoByTwo(w, "sb").Build())
	w.Eventually(func() error { return wantPods(w.anchors(), false) })
	w.Eventually(func() error {
		if statuses := w.anchors()[0].Status.ContainerStatuses; len(statuses) == 0 {
			return fmt.Errorf("the anchor has not come to its node")
		}
		return nil
	})
	if jobs := w.jobs(); len(jobs) > 0 {
		t.Errorf("Job %s was made before the anchor ran", jobs[0].Name)
	}
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(job.AnchorContainer) })
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb = w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4)")

	if err := anchorIs(sb, 1, 0); err != nil {
		t.Error(err)
	}
	for _, target := range sb.Status.Targets {
		if len(target.Volumes) != 1 || target.Volumes[0].Node != fakecluster.Node || target.Volumes[0].Handle == "" {
			t.Errorf("target %s has volumes %+v", target.Name, target.Volumes)
		}
	}
	var claims []string
	for _, volume := range w.anchors()[0].Spec.Volumes {
		if volume.PersistentVolumeClaim != nil {
			claims = append(claims, volume.PersistentVolumeClaim.ClaimName)
		}
	}
	if diff := cmp.Diff([]string{sb.Status.Targets[0].Claims[0].Name, sb.Status.Targets[1].Claims[0].Name}, claims); diff != "" {
		t.Errorf("claims of the anchor (-want +got):\n%s", diff)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := anchorIs(sb, 1, 0); err != nil {
		t.Error(err)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// The first run on a target lays out the files of all runs there.
func TestFilesAreLaidOutOnce(t *testing.T) {
	w := newWorld(t)
	laidOut := map[string]bool{}
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		laidOut[pod.Annotations[v1alpha1.AnnotationRun]] = job.LaysOutFirst(&pod.Spec)
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewTarget("one")).Target(builder.NewTarget("two")).Workload(builder.NewWorkload("a")).
		Workload(builder.NewWorkload("b")).With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	want := map[string]bool{
		"a.one.1": true, "a.two.1": true, "b.one.1": false, "b.two.1": false,
		"a.one.2": false, "a.two.2": false, "b.one.2": false, "b.two.2": false,
	}
	if diff := cmp.Diff(want, laidOut); diff != "" {
		t.Errorf("runs that lay out files (-want +got):\n%s", diff)
	}
}

// A volume that only one pod may have is not mounted by the anchor, which may so hold a node where it cannot be used.
// Then it is said why no run starts, and what to do. Of other volumes that is not so: the anchor has them.
func TestVolumeElsewhere(t *testing.T) {
	t.Parallel()
	const scheduler = "1 node(s) had volume node affinity conflict."
	for mode, advised := range map[corev1.PersistentVolumeAccessMode]bool{corev1.ReadWriteOncePod: true, corev1.ReadWriteOnce: false} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnPod(func(*corev1.Pod) fakecluster.Outcome {
				return fakecluster.Unschedulable("0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, " + scheduler)
			})
			sb := create(w, twoByTwo(w, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].AccessMode = &mode }).Build())
			w.passUntil(3*time.Second, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonPreparing, scheduler)
			}, sb)
			advice := "the volume of target one cannot be used on node " + fakecluster.Node
			if got := meta.FindStatusCondition(w.Get(sb).Status.Conditions, v1alpha1.ConditionSucceeded).Message; strings.Contains(got, advice) != advised {
				t.Errorf("while it waits, it says %s", got)
			}
			w.pass(sb, 600*time.Second)
			sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, scheduler)
			if got := meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionSucceeded).Message; strings.Contains(got, advice) != advised {
				t.Errorf("at the end it says %s", got)
			}
		})
	}
}

// A volume that only one pod may have is left to the runs.
func TestAnchorLeavesReadWriteOncePod(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, twoByTwo(w, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].AccessMode = new(corev1.ReadWriteOncePod)
	}).Build())
	w.Eventually(func() error { return wantPods(w.anchors(), false) })
	for _, volume := range w.anchors()[0].Spec.Volumes {
		if claim := volume.PersistentVolumeClaim; claim != nil && strings.Contains(claim.ClaimName, "-one-") {
			t.Errorf("the anchor has claim %s", claim.ClaimName)
		}
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// Who loses its node looks for another one, and repeats the run that was under way.
func TestLostNode(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*testWorld){
		"deleted": func(w *testWorld) { w.delete(&w.anchors()[0]) },
		"evicted": func(w *testWorld) {
			evicted := w.anchors()[0].Name
			w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
				if pod.Name == evicted {
					return fakecluster.EvictFrom(job.AnchorContainer)
				}
				return fakecluster.Hang(job.AnchorContainer)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			sb := create(w, twoByTwo(w, "sb").Build())
			w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4)")

			lose(w)

			sb = w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
				if err := anchorIs(sb, 2, 1); err != nil {
					return err
				}
				return wantRun(sb, v1alpha1.RunRunning, 2, 1)
			})
			if message := sb.Status.Anchors[0].Message; !strings.Contains(message, "lost node "+fakecluster.Node) {
				t.Errorf("message of the anchor is %q", message)
			}
			w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4), attempt 2")
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			if left := w.children(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// loseAnchor deletes the anchor that holds the benchmark's node.
func (w *testWorld) loseAnchor() {
	w.Helper()
	w.Eventually(func() error {
		for _, pod := range w.anchors() {
			if pod.DeletionTimestamp.IsZero() && attempt.HoldsNode(&pod) {
				return w.Client.Delete(w.Context(), &pod)
			}
		}
		return errors.New("no anchor holds a node")
	})
}

// mayMeasure names a pod of a run that measures, or will.
func (w *testWorld) mayMeasure(run string) error {
	w.Helper()
	for _, pod := range w.runPods() {
		if pod.Annotations[v1alpha1.AnnotationRun] == run && attempt.MayMeasure(&pod) {
			return fmt.Errorf("pod %s may measure", pod.Name)
		}
	}
	return nil
}

// A run fails if it loses its node in each attempt. The next run begins when the last attempt has ended.
func TestRunThatLosesEachNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4)")
	w.loseAnchor()
	for n := 2; n <= attempt.MaxDisruptions+1; n++ {
		w.untilStep(sb, v1alpha1.ReasonMeasuring, fmt.Sprintf("run reads.one (1 of 4), attempt %d", n))
		w.loseAnchor()
	}
	failed, next := w.Get(sb).Status.Runs[0].Name, w.Get(sb).Status.Runs[1].Name
	w.Eventually(func() error {
		for _, j := range w.jobs() {
			if j.Annotations[v1alpha1.AnnotationRun] == next {
				return nil
			}
		}
		return fmt.Errorf("run %s has no Job", next)
	})
	if err := w.mayMeasure(failed); err != nil {
		t.Errorf("run %s has begun, and of run %s %v", next, failed, err)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "1 of 4 runs failed: reads.one: 4 attempts were disrupted")
	if err := wantRun(sb, v1alpha1.RunFailed, attempt.MaxDisruptions+1, attempt.MaxDisruptions+1); err != nil {
		t.Error(err)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// An attempt that has lost its anchor is ended at once, and not when another one runs.
func TestAttemptEndsWithItsAnchor(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring, "run reads.one (1 of 4)")
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelAttempt] == "1" {
			return fakecluster.Hang(job.AnchorContainer)
		}
		return fakecluster.Unschedulable("0/1 nodes are available: 1 Insufficient cpu.")
	})
	w.loseAnchor()
	w.Eventually(func() error { return w.mayMeasure("reads.one") })
	sb = w.Get(sb)
	if err := wantRun(sb, v1alpha1.RunPending, 1, 1); err != nil || sb.Status.Anchors[0].Node != "" {
		t.Errorf("%v, anchors %+v", err, sb.Status.Anchors)
	}
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(job.AnchorContainer) })
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// A benchmark does not look for nodes for ever.
func TestNodesAreLostTooOften(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.EvictFrom(job.AnchorContainer) })
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonRunFailed, "9 nodes were lost, the last one because", "low on resource")
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// What keeps an anchor from starting is said, and not waited for beyond its deadline. Nothing is left then.
func TestAnchorDeadlines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		anchor fakecluster.Outcome
		claims func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning
		step   string
		words  []string
	}{{
		name: "no node", anchor: fakecluster.Unschedulable("0/2 nodes are available: 2 node(s) had volume node affinity conflict."),
		step: v1alpha1.ReasonPreparing, words: []string{"the anchor (one pod that mounts all volumes) waited 600 s for its pod to start", "volume node affinity conflict"},
	}, {
		name: "no image", anchor: fakecluster.Hold(job.AnchorContainer, "ErrImagePull", "no such image"),
		step: v1alpha1.ReasonPreparing, words: []string{"the anchor (one pod that mounts all volumes) waited 600 s for its pod to start", "ErrImagePull: no such image"},
	}, {
		name: "no volume of the second target", anchor: fakecluster.Hang(job.AnchorContainer),
		claims: func(claim *corev1.PersistentVolumeClaim) fakecluster.Provisioning {
			if claim.Labels[v1alpha1.LabelTarget] == "two" {
				return fakecluster.Refuse("no space in pool")
			}
			return fakecluster.Bind()
		},
		step: v1alpha1.ReasonProvisioning, words: []string{"waited 600 s for the volume of target two", "no space in pool"},
	}} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return test.anchor })
			if test.claims != nil {
				w.Cluster.OnClaim(test.claims)
			}
			sb := create(w, twoByTwo(w, "sb").Build())
			last := test.words[len(test.words)-1]
			w.passUntil(3*time.Second, func() error {
				return matches(w.Get(sb), v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, test.step, last)
			}, sb)
			w.pass(sb, 10*time.Minute)
			w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, test.words...)
			if left := w.children(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if jobs := w.jobs(); len(jobs) > 0 {
				t.Errorf("Job %s was made", jobs[0].Name)
			}
		})
	}
}

// A benchmark that needs the node of another waits, and says for whom.
func TestWaitingForNode(t *testing.T) {
	const refusal = "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	first := create(w, twoByTwo(w, "first").Build())
	w.untilStep(first, v1alpha1.ReasonMeasuring)
	w.Cluster.OnAnchor(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelBenchmark] == "second" {
			return fakecluster.Unschedulable(refusal)
		}
		return fakecluster.Hang(job.AnchorContainer)
	})
	second := create(w, twoByTwo(w, "second").Build())
	message := fmt.Sprintf("other benchmarks measure on node %s (first in namespace %s)", fakecluster.Node, w.Namespace)
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, message)

	// Longer than a pod may take to start, which is not what it waits for.
	w.pass(second, time.Hour)
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, message)

	w.delete(first)
	w.Eventually(func() error { return w.gone(first) })
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(job.AnchorContainer) })
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.untilEnd(second, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// A benchmark does not wait for the node of another for ever.
func TestWaitingForNodeHasADeadline(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.untilStep(create(w, twoByTwo(w, "first").Build()), v1alpha1.ReasonMeasuring)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelBenchmark] == "second" {
			return fakecluster.Unschedulable("0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.")
		}
		return fakecluster.Hang(job.MeasureContainer)
	})
	// A benchmark of one run has no anchor, and waits all the same.
	second := create(w, builder.OneRun(w.Namespace, "second").Deadlines(v1alpha1.Deadlines{WaitingForNodeSeconds: new(int32(60))}).Build())
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, "run randread.fast (1 of 1): other benchmarks measure on node "+fakecluster.Node)
	w.pass(second, time.Minute)
	w.untilEnd(second, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 60 s for a node of its own (spec.deadlines.waitingForNodeSeconds): other benchmarks measure on")
}

// A node that was free for a moment, until another benchmark took it, does not have the wait begin anew.
func TestWaitingForNodeHasOneDeadlineInAll(t *testing.T) {
	const busy, full = "1 node(s) didn't satisfy existing pods anti-affinity rules.", "1 Insufficient cpu."
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	w.untilStep(create(w, twoByTwo(w, "first").Build()), v1alpha1.ReasonMeasuring)
	refuse := func(why string) {
		w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
			if pod.Labels[v1alpha1.LabelBenchmark] == "second" {
				return fakecluster.Unschedulable("0/1 nodes are available: " + why)
			}
			return fakecluster.Hang(job.MeasureContainer)
		})
	}
	refuse(busy)
	second := create(w, builder.OneRun(w.Namespace, "second").Deadlines(v1alpha1.Deadlines{WaitingForNodeSeconds: new(int32(6000))}).Build())
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, "other benchmarks measure on node")
	w.pass(second, 4000*time.Second)
	refuse(full)
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, "nobody holds its node any more; waiting for the scheduler")
	refuse(busy)
	w.untilStep(second, v1alpha1.ReasonWaitingForNode, "other benchmarks measure on node")
	w.pass(second, 2000*time.Second)
	w.untilEnd(second, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "waited 6000 s for a node of its own")
}

// A benchmark that is held lets its node go, and looks for one again afterwards. That is no disruption.
func TestSuspendReleasesNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)

	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
	w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false")
	if pods := w.pods(); len(pods) > 0 {
		t.Errorf("pod %s is left while the benchmark is held", pods[0].Name)
	}
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(false) })
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := anchorIs(sb, 2, 0); err != nil {
		t.Error(err)
	}
}

// Whoever does not let the anchor be made may yet change their mind.
func TestAnchorWaitsForQuota(t *testing.T) {
	w := newWorld(t)
	quota := w.limit(corev1.ResourcePods, 0)
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonPreparing, "the anchor (one pod that mounts all volumes): the pod was refused", "exceeded quota")
	w.delete(quota)
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
}

// An anchor whose container is started again still holds its node, however long ago it was started first.
func TestAnchorIsRestarted(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, twoByTwo(w, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome {
		return fakecluster.Hold(job.AnchorContainer, "CrashLoopBackOff", "")
	})
	w.Eventually(func() error {
		if anchor := w.anchors()[0]; anchor.Status.ContainerStatuses[0].State.Waiting == nil {
			return fmt.Errorf("the anchor's container is %+v", anchor.Status.ContainerStatuses[0].State)
		}
		return nil
	})
	w.pass(sb, time.Hour)
	w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if err := anchorIs(sb, 1, 0); err != nil {
		t.Error(err)
	}
}

// Volumes that are kept for inspection do not keep the node.
func TestRetainReleasesNode(t *testing.T) {
	w := newWorld(t)
	sb := create(w, twoByTwo(w, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }).Build())
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	w.Eventually(func() error {
		if anchors := w.anchors(); len(anchors) > 0 {
			return fmt.Errorf("anchor %s is left", anchors[0].Name)
		}
		return nil
	})
	if claims := w.claims(); len(claims) != 2 {
		t.Errorf("%d claims are left, want those of both targets", len(claims))
	}
	w.delete(sb)
	w.untilGone(sb)
}

// A benchmark that ends while it notes the nodes that it holds says so before anything is cleaned up.
func TestAnchorOnALostClaimIsSavedFirst(t *testing.T) {
	sb := builder.NewBenchmark("default", "sb").Target(builder.NewClaimTarget("t", "mine")).Workload(builder.NewWorkload("reads")).Build()
	sb.UID = "u1"
	sb.Status.Anchors = []v1alpha1.Anchor{{Attempts: 1, StartTime: &metav1.Time{Time: noon}}}
	sb.Status.Targets = []v1alpha1.TargetStatus{{Name: "t", Claims: []v1alpha1.ClaimStatus{{Name: "mine", UID: "before"}}, TestFiles: v1alpha1.TestFilesPresent, Volumes: []v1alpha1.VolumeStatus{{Name: "pv"}}}}
	name := childmeta.AnchorName(sb, 0, 1)
	live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(
		&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "mine", UID: "after"}},
		&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain}},
	).Build()
	s := passOver(&Reconciler{Client: live, Live: live}, sb)
	s.Children.Anchors = map[string]*corev1.Pod{name: {
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{NodeName: "a"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: job.AnchorContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}},
	}}
	out, err := prepare.HoldNodes(t.Context(), s, attempt.DecideAnchors(s.Children.SeeAnchors()))
	if err != nil || !s.SB.Status.HasMeasured() || !out.Saves {
		t.Errorf("outcome %+v, %v, concluded %t", out, err, s.SB.Status.HasMeasured())
	}
}

// A lost node ends the attempt under way, unless that has ended by itself or has not begun, and is looked for again,
// but not for ever.
func TestLoseNode(t *testing.T) {
	const why = "the benchmark lost node a: its pod was deleted"
	again := v1alpha1.Anchor{Attempts: 3, Disruptions: 2, StartTime: at(time.Second), Message: why}
	last := v1alpha1.Anchor{Attempts: 2, Disruptions: attempt.MaxLostNodes + 1, StartTime: at(-time.Hour), Pod: "p", Node: "a", Message: why}
	for _, test := range []struct {
		name      string
		run       *v1alpha1.Run
		collected bool
		lost      int32
		want      v1alpha1.Anchor
		state     v1alpha1.RunState
		disrupted int32
		says      string
	}{
		{"no run", nil, false, 1, again, "", 0, ""},
		{"a run that has not begun", &v1alpha1.Run{Attempts: 1, State: v1alpha1.RunRunning}, false, 1, again, v1alpha1.RunPending, 0, ""},
		{"a run", &v1alpha1.Run{Attempts: 1, State: v1alpha1.RunRunning, Job: "j"}, false, 1, again, v1alpha1.RunPending, 1, ""},
		{"a run that has ended", &v1alpha1.Run{Attempts: 1, State: v1alpha1.RunSucceeded, Job: "j"}, true, 1, again, v1alpha1.RunSucceeded, 0, ""},
		{"a run, once too often", &v1alpha1.Run{Attempts: 1, State: v1alpha1.RunRunning, Job: "j"}, false, attempt.MaxLostNodes, last, v1alpha1.RunPending, 1,
			"9 nodes were lost, the last one because " + why},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Build())
			s.SB.Status.Anchors = []v1alpha1.Anchor{{Attempts: 2, Disruptions: test.lost, StartTime: at(-time.Hour), Pod: "p", Node: "a"}}
			loss := attempt.Loss{Node: "a", Why: "its pod was deleted", Before: test.lost, Run: test.run, Collected: test.collected}
			prepare.LoseNode(s, 0, test.run, attempt.DecideLoss(loss), noon.Add(time.Second))
			if diff := cmp.Diff(test.want, s.SB.Status.Anchors[0]); diff != "" {
				t.Errorf("anchor (-want +got):\n%s", diff)
			}
			if run := test.run; run != nil && (run.State != test.state || run.Disruptions != test.disrupted) {
				t.Errorf("the run is %+v", run)
			}
			if got := s.SB.Status.Condition(v1alpha1.ConditionMeasured).Message; got != test.says {
				t.Errorf("it ends with %q, want %q", got, test.says)
			}
		})
	}
}

// What is not saved yet of the end of measuring is saved before clean-up begins.
func TestCleanUpAwaitsTheConclusion(t *testing.T) {
	s := failingPass()
	s.Fail(v1alpha1.ReasonRunFailed, "it failed")
	if out, err := measure.Conclude(t.Context(), s); err != nil || !out.Saves {
		t.Errorf("unsaved: %+v, %v", out, err)
	}
	s.Before = s.SB.DeepCopy()
	if out, err := measure.Conclude(t.Context(), s); err != nil || out.Stop {
		t.Errorf("saved: %+v, %v", out, err)
	}
}

// Pods of anchors are noted when all are there.
func TestNoteAnchors(t *testing.T) {
	s := writerOf(builder.OneRun("default", "sb").Build())
	s.SB.Status.Anchors = []v1alpha1.Anchor{{Attempts: 1}, {Attempts: 2, Pod: "before", Node: "a"}}
	prepare.NoteAnchors(s)
	if got := s.SB.Status.Anchors; got[0].Pod != childmeta.AnchorName(s.SB, 0, 1) || got[1].Pod != childmeta.AnchorName(s.SB, 1, 2) {
		t.Errorf("noted are %+v", got)
	}
}
