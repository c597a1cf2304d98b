package controllers

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// A benchmark can be deleted at any moment, and leaves nothing.
func TestDeletionAtEachStage(t *testing.T) {
	t.Parallel()
	step := func(reason string) func(*testWorld, *v1alpha1.StorageBenchmark) {
		return func(w *testWorld, sb *v1alpha1.StorageBenchmark) { w.untilStep(sb, reason) }
	}
	ended := func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
		w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	}
	for _, test := range []struct {
		name   string
		pods   fakecluster.Outcome
		wait   bool // claims are not bound
		keep   bool // volumes are not deleted before the benchmark is
		change func(*v1alpha1.StorageBenchmark)
		until  func(*testWorld, *v1alpha1.StorageBenchmark)
	}{{
		name: "at once", until: func(*testWorld, *v1alpha1.StorageBenchmark) {},
	}, {
		name:   "waiting for a StorageClass",
		change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].StorageClassName = new("none") },
		until:  step(v1alpha1.ReasonPending),
	}, {
		name:   "suspended",
		change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) },
		until:  step(v1alpha1.ReasonSuspended),
	}, {
		name: "provisioning", wait: true, until: step(v1alpha1.ReasonProvisioning),
	}, {
		name: "unschedulable", pods: fakecluster.Unschedulable("no nodes"), until: step(v1alpha1.ReasonPreparing),
	}, {
		name: "pulling the image", pods: fakecluster.BackOff("not found"), until: step(v1alpha1.ReasonPreparing),
	}, {
		name: "laying out files", pods: fakecluster.Hang(job.LayoutContainer), until: step(v1alpha1.ReasonPreparing),
	}, {
		name: "measuring", pods: fakecluster.Hang(job.MeasureContainer), until: step(v1alpha1.ReasonMeasuring),
	}, {
		name: "cleaning up", pods: fakecluster.Succeed(builder.Report()), keep: true, until: step(v1alpha1.ReasonCleaningUp),
	}, {
		name: "ended", pods: fakecluster.Succeed(builder.Report()), until: ended,
	}, {
		name: "retained", pods: fakecluster.Succeed(builder.Report()), until: ended,
		change: func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain },
	}, {
		name: "retained by the class", pods: fakecluster.Hang(job.MeasureContainer), until: step(v1alpha1.ReasonMeasuring),
		change: func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
		},
	}} {
		for _, propagation := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
			t.Run(fmt.Sprintf("%s %s", test.name, propagation), func(t *testing.T) {
				w := newWorld(t)
				w.Cluster.AllPods(test.pods)
				w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return !test.keep })
				if test.wait {
					w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.Wait() })
				}
				b := builder.OneRun(w.Namespace, "sb").Workload(builder.NewWorkload("second")).Target(builder.NewTarget("slow"))
				if test.change != nil {
					b.With(test.change)
				}
				sb := create(w, b.Build())
				test.until(w, sb)

				w.delete(sb, client.PropagationPolicy(propagation))
				w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return true })
				w.untilGone(sb)
			})
		}
	}
}

func TestRetain(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain
	}).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonRetained, "until the StorageBenchmark is deleted"); err != nil {
		t.Error(err)
	}
	if claims, volumes := w.claims(), w.volumes(); len(claims) != 1 || len(volumes) != 1 || claims[0].DeletionTimestamp != nil {
		t.Errorf("claims %v, volumes %v", claims, volumes)
	}
}

func TestVolumeOfARetainingClass(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
	}).Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A volume that is made when its claim is about to be given up is removed as well, also where its class would retain
// it.
func TestVolumeThatComesLate(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindLate() })
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = new(fakecluster.RetainClass)
	}).Build())
	w.untilStep(sb, v1alpha1.ReasonProvisioning)
	w.Eventually(func() error {
		if volumes := w.volumes(); len(volumes) != 1 {
			return fmt.Errorf("volumes are %v", volumes)
		}
		return nil
	})
	w.passUntil(300*time.Second, func() error { // and no longer: clean-up has a deadline too
		if c := w.Get(sb); c.Status.Condition(v1alpha1.ConditionMeasured).Status == "" {
			return errors.New(harness.Conditions(c))
		}
		return nil
	}, sb)

	sb = w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, "the volume of target fast")

	if c := sb.Status.Condition(v1alpha1.ConditionCleanedUp); c.Reason != v1alpha1.ReasonNothingLeft {
		t.Errorf("CleanedUp = %+v", c)
	}
	if left := w.children(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// A claim of a StorageClass may be bound to a volume that somebody has made by hand. That is not ours to delete.
func TestVolumeOfSomebodyElse(t *testing.T) {
	t.Parallel()
	for name, annotations := range map[string]map[string]string{
		"made by hand": nil,
		// Its claim is gone, and an administrator has cleared claimRef for another one.
		"retained, and used again": {owned.ProvisionedBy: fakecluster.Driver},
	} {
		t.Run(name, func(t *testing.T) { keepsVolumeOfSomebodyElse(t, annotations) })
	}
}

func keepsVolumeOfSomebodyElse(t *testing.T, annotations map[string]string) {
	t.Helper()
	w := newWorld(t)
	volume := freedVolume(w, func(pv *corev1.PersistentVolume) { pv.Annotations, pv.Spec.CSI.VolumeHandle = annotations, "precious" })
	w.Cluster.OnClaim(func(*corev1.PersistentVolumeClaim) fakecluster.Provisioning { return fakecluster.BindTo(volume.Name) })
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName = &volume.Spec.StorageClassName
	}).Build())

	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

	if got := sb.Status.Targets[0].Volumes; len(got) != 1 || got[0].Handle != "precious" {
		t.Errorf("volumes are %v", got)
	}
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, "not made for this benchmark", "volume "+volume.Name+" (precious)"); err != nil {
		t.Error(err)
	}
	if err := w.gone(volume); err == nil || volume.Spec.PersistentVolumeReclaimPolicy != corev1.PersistentVolumeReclaimRetain {
		t.Errorf("the volume is %v", volume)
	}
}

// What cannot be removed in time is named, with what a person can do, and holds back nothing.
func TestLeftBehind(t *testing.T) {
	w := newWorld(t)
	w.Cluster.OnVolume(func(*corev1.PersistentVolume) bool { return false })
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())

	w.untilStep(sb, v1alpha1.ReasonCleaningUp, "waiting for the removal of volume")
	began := w.Clock.Now()
	w.pass(sb, 600*time.Second)
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, fmt.Sprintf("not removed within %.0f s (spec.deadlines.cleanUpSeconds): volume", w.Clock.Since(began).Seconds()))
	volume := sb.Status.Targets[0].Volumes[0]
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind,
		fmt.Sprintf("volume %s (%s) (kubectl delete pv %s)", volume.Name, volume.Handle, volume.Name)); err != nil {
		t.Error(err)
	}
	if sb.Status.Runs[0].Result == nil {
		t.Error("the result is lost")
	}
	// The API server, which stamps the deletion, has not seen those 600 s.
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Deadlines.CleanUpSeconds = new(int32(7200)) })
	w.delete(sb)
	w.untilStep(sb, v1alpha1.ReasonCleaningUp, "waiting for the removal of volume")
	w.pass(sb, 7200*time.Second)
	w.Eventually(func() error { return w.gone(sb) })
	w.Eventually(func() error {
		return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "kubectl delete pv")
	})
}

// A node that is gone cannot hold back the deletion of a benchmark for ever.
func TestDeletionWithALostNode(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Lose())
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	w.delete(sb)
	w.untilStep(sb, v1alpha1.ReasonCleaningUp, "waiting for the removal of pod", "claim", "volume")
	w.pass(sb, 600*time.Second)
	w.Eventually(func() error { return w.gone(sb) })
	w.Eventually(func() error {
		return w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind, "kubectl delete pod --force")
	})
}

// A claim whose volume was deleted under it is in nobody's way.
func TestDeletionWithALostVolume(t *testing.T) {
	w := newWorld(t)
	w.Cluster.AllPods(fakecluster.Unschedulable("no nodes"))
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.Eventually(func() error {
		if claims := w.claims(); len(claims) != 1 || claims[0].Status.Phase != corev1.ClaimBound {
			return fmt.Errorf("claims are %v", claims)
		}
		return nil
	})
	volume := w.volumes()[0]
	w.delete(&volume)
	w.Eventually(func() error { return w.gone(&volume) })
	w.delete(sb)
	w.untilGone(sb)
}

func TestCleanUpJobFails(t *testing.T) {
	w := newWorld(t)
	w.claim("mine", corev1.PersistentVolumeFilesystem)
	w.Cluster.OnPod(func(pod *corev1.Pod) fakecluster.Outcome {
		if pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleCleanUp {
			return fakecluster.FailCleanUp("remove test files: permission denied")
		}
		return fakecluster.Succeed(builder.Report())
	})
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(builder.NewClaimTarget("t", "mine")).Workload(builder.NewWorkload("reads")).Build())

	// Without a wait for the deadline: Kubernetes has repeated what can be repeated.
	sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted, "not removed within", "directory storagebench-")
	if err := matches(sb, v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, "on claim mine"); err != nil {
		t.Error(err)
	}
}

func TestTimeToLive(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.TTLSecondsAfterFinished = new(int32(60))
	}).Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	w.pass(sb, 60*time.Second)
	w.untilGone(sb)
}

// A time to live can be set when the benchmark has ended, and the edit is seen.
func TestTimeToLiveSetAfterTheEnd(t *testing.T) {
	w := newWorld(t)
	sb := create(w, builder.OneRun(w.Namespace, "sb").Build())
	w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(3600)) })
	w.Until(sb, func(sb *v1alpha1.StorageBenchmark) error {
		if sb.Status.ObservedGeneration != 2 {
			return fmt.Errorf("observedGeneration is %d", sb.Status.ObservedGeneration)
		}
		return nil
	})
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.TTLSecondsAfterFinished = new(int32(0)) })
	w.untilGone(sb)
}

// Clean-up that no operator was there to try is tried when one is, however long ago the benchmark was deleted.
func TestCleanUpThatNobodyCouldTry(t *testing.T) {
	w := newWorldWithoutOperator(t)
	stop := w.startOperator()
	cleaned, _ := counted(w)
	sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(s3Target()).Target(ebsTarget()).Workload(reads("w")).Build())
	w.untilStep(sb, v1alpha1.ReasonMeasuring)
	stop()
	w.delete(sb)
	w.Clock.Pass(26 * time.Hour)

	w.startOperator()
	w.untilGone(sb)

	if cleaned.Load() == 0 {
		t.Error("no pod has removed the objects")
	}
	if err := w.hasEvent(corev1.EventTypeWarning, v1alpha1.ReasonLeftBehind); err == nil {
		t.Error("something is said to be left")
	}
}

// Each operator has some time to clean up since it first looked, the first one more than those that come after it.
func TestCleanUpRemaining(t *testing.T) {
	const never = time.Duration(-1)
	for _, test := range []struct {
		name         string
		began, tried time.Duration // how long ago; a try that never was begins now
		resumed      bool
		limit        int32
		half, all    time.Duration
	}{
		{"it begins", 0, never, false, 600, 5 * time.Minute, 10 * time.Minute},
		{"it goes on", 4 * time.Minute, 4 * time.Minute, false, 600, time.Minute, 6 * time.Minute},
		{"no operator was there", time.Hour, never, false, 600, time.Minute, 2 * time.Minute},
		{"none was there for the first half", 5 * time.Minute, never, false, 600, time.Minute, 5 * time.Minute},
		{"it was there and went away", time.Hour, never, true, 600, 15 * time.Second, 30 * time.Second},
		{"it is started anew in time", 4 * time.Minute, never, true, 600, time.Minute, 6 * time.Minute},
		{"it has tried for half of its time", time.Hour, time.Minute, false, 600, 0, time.Minute},
		{"it has tried", time.Hour, 2 * time.Minute, false, 600, -time.Minute, 0},
		{"short", time.Hour, never, false, 10, 5 * time.Second, 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{CleanUpSeconds: &test.limit}).Build())
			s.SB.DeletionTimestamp = at(-test.began)
			if test.resumed {
				s.Step(v1alpha1.ReasonCleaningUp, "waiting")
			}
			if test.tried != never {
				s.Memory.CleaningSince, s.Memory.CleaningFor = noon.Add(-test.tried), cleanup.FirstTry
			}
			spent := s.Cleaning()
			if half, all := spent.HalfRemaining(), spent.Remaining(); half != test.half || all != test.all || spent.IsHalfOver() != (half <= 0) {
				t.Errorf("%s and %s remain, want %s and %s", half, all, test.half, test.all)
			}
		})
	}
}

// What is left is waited for until the deadline. Then it is what users are told, with an error that kept it from being
// known.
func TestAwaitRemoval(t *testing.T) {
	busy := errors.New("etcd is busy")
	volume := cleanup.Leftover{What: "volume x", Command: "kubectl delete pv x", Cost: cleanup.Paid}
	given := cleanup.Leftover{What: "directory d", Command: "remove it", Abandoned: true}
	for _, test := range []struct {
		name string
		took time.Duration
		left []cleanup.Leftover
		err  error
		want []cleanup.Leftover
		out  pass.Outcome
		pass error
		says string
	}{
		{"nothing is left", 0, nil, nil, nil, pass.GoOn(), nil, ""},
		{"something is", 0, []cleanup.Leftover{volume, given}, nil, nil, pass.AwaitGone([]cleanup.Leftover{volume, given}, time.Minute), nil, "waiting for the removal of volume x"},
		{"something is, for the last second", 59 * time.Second, []cleanup.Leftover{volume}, nil, nil, pass.AwaitGone([]cleanup.Leftover{volume}, time.Second), nil, "waiting for the removal of volume x"},
		{"something is for too long", time.Minute, []cleanup.Leftover{volume, given}, nil, []cleanup.Leftover{volume, given}, pass.GoOn(), nil, ""},
		{"only what is not tried any longer", 0, []cleanup.Leftover{given}, nil, []cleanup.Leftover{given}, pass.GoOn(), nil, ""},
		{"an error", 0, []cleanup.Leftover{volume}, busy, nil, pass.Outcome{}, busy, ""},
		{"an error for too long", time.Minute, []cleanup.Leftover{volume}, busy, []cleanup.Leftover{volume, cleanup.LeftByError(busy)}, pass.GoOn(), nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(60))}).Build())
			s.SB.DeletionTimestamp = at(-test.took)
			s.Memory.CleaningSince, s.Memory.CleaningFor = noon.Add(-test.took), cleanup.FirstTry
			left, out, err := clean.AwaitRemoval(s, test.left, test.err)
			if !slices.Equal(left, test.want) || out != test.out || !errors.Is(err, test.pass) {
				t.Errorf("got %+v, %+v, %v, want %+v, %+v, %v", left, out, err, test.want, test.out, test.pass)
			}
			if got := s.SB.Status.Condition(v1alpha1.ConditionSucceeded).Message; got != test.says {
				t.Errorf("it says %q, want %q", got, test.says)
			}
		})
	}
}

// What was left is not said to have been tried for longer than it was.
func TestLeftBehindTellsForHowLongItWasTried(t *testing.T) {
	for want, began := range map[string]time.Duration{
		"not removed within 600 s (spec.deadlines.cleanUpSeconds): volume x (kubectl delete pv x)":                                     10 * time.Minute,
		"not removed within 3720 s; this operator has tried for 120 s (spec.deadlines.cleanUpSeconds): volume x (kubectl delete pv x)": 62 * time.Minute,
	} {
		s := writerOf(builder.OneRun("default", "sb").Deadlines(v1alpha1.Deadlines{CleanUpSeconds: new(int32(600))}).Build())
		s.SB.DeletionTimestamp = at(-began)
		s.Memory.CleaningSince = noon.Add(-2 * time.Minute)
		clean.SetLeftBehind(s, []cleanup.Leftover{{What: "volume x", Command: "kubectl delete pv x"}})
		if got := s.SB.Status.Condition(v1alpha1.ConditionCleanedUp).Message; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
