package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/clean"
	"github.com/storagebench/storagebench/controllers/measure"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// allGone says which Jobs and pods there are in the namespace, whatever labels they have.
func (w *testWorld) allGone() error {
	var jobs batchv1.JobList
	var pods corev1.PodList
	if err := errors.Join(w.Client.List(w.Context(), &jobs, client.InNamespace(w.Namespace)), w.Client.List(w.Context(), &pods, client.InNamespace(w.Namespace))); err != nil {
		return err
	}
	if len(jobs.Items)+len(pods.Items) > 0 {
		return fmt.Errorf("there are %d Jobs and %d pods", len(jobs.Items), len(pods.Items))
	}
	return nil
}

// Jobs and anchors that have lost all labels while no operator was there do not outlive the benchmark, nor go on while
// it is suspended.
func TestStraysAreRemoved(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testWorld, *v1alpha1.StorageBenchmark){
		"suspended": func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
			w.startOperator()
			w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
		},
		"deleted": func(w *testWorld, sb *v1alpha1.StorageBenchmark) {
			w.delete(sb)
			w.startOperator()
			w.untilGone(sb)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			stop := w.startOperator()
			sb := twiceMeasuring(w)
			stop()
			all := []string{v1alpha1.LabelManagedBy, v1alpha1.LabelBenchmark, v1alpha1.LabelRole, v1alpha1.LabelTarget, v1alpha1.LabelAttempt, v1alpha1.LabelClient}
			j, anchor := w.jobs()[0], w.anchors()[0]
			w.strip(&j, "labels", all...)
			w.strip(&anchor, "labels", all...)

			end(w, sb)

			if err := w.allGone(); err != nil {
				t.Error(err)
			}
		})
	}
}

// strayed is a benchmark of a run that goes on, and its Job and its anchor.
func strayed() (*v1alpha1.StorageBenchmark, *batchv1.Job, *corev1.Pod) {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u1"
	sb.Status.Runs = []v1alpha1.Run{{Name: "reads.fast", Target: "fast", State: v1alpha1.RunRunning, Attempts: 2}}
	sb.Status.Anchors = []v1alpha1.Anchor{{Attempts: 3}}
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: childmeta.RunName(sb, "reads.fast", 1, 0), UID: "j1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
	}}
	anchor := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: childmeta.AnchorName(sb, 0, 3), UID: "p1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
	}}
	return sb, j, anchor
}

// What runs without labels is ended also where volumes are kept. What has ended stays.
func TestRetainEndsStrays(t *testing.T) {
	for name, test := range map[string]struct {
		status batchv1.JobStatus
		kept   bool
	}{
		"it runs":      {batchv1.JobStatus{Active: 1}, false},
		"it has ended": {batchv1.JobStatus{Succeeded: 1, Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			sb, j, anchor := strayed()
			sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain
			j.Status = test.status
			c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j, anchor).Build()
			p := passOver(&Reconciler{Client: c, Live: c}, sb)
			p.Fail(v1alpha1.ReasonRunFailed, "no")

			if _, err := clean.Retain(t.Context(), p); err != nil {
				t.Fatal(err)
			}

			if err := c.Get(t.Context(), client.ObjectKeyFromObject(j), j); (err == nil) != test.kept {
				t.Errorf("the Job: %v", err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(anchor), anchor); err == nil {
				t.Error("the anchor is there")
			}
		})
	}
}

// What was seen to be gone may come after that, by a call whose answer was lost. It is ended before a step reports that
// nothing is left.
func TestWhatComesLateIsEnded(t *testing.T) {
	suspended := func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }
	retained := func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		ended  bool
		step   func(context.Context, *pass.Pass) (pass.Outcome, error)
	}{
		"volumes are kept":    {retained, true, clean.Up},
		"volumes are removed": {func(*v1alpha1.StorageBenchmark) {}, true, clean.Up},
		"suspended":           {suspended, false, clean.Suspend},
	} {
		t.Run(name, func(t *testing.T) {
			sb, j, anchor := strayed()
			test.change(sb)
			sb.Status.Runs[0].State = v1alpha1.RunPending // it is suspended already
			j.Status.Active = 1
			c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j, anchor).Build()
			p := passOver(&Reconciler{Client: c, Live: c}, sb)
			if test.ended {
				p.Fail(v1alpha1.ReasonRunFailed, "no")
			}
			p.Before, p.Memory.Gone = p.SB.DeepCopy(), sets.New(j.Name, anchor.Name)

			if _, err := test.step(t.Context(), p); err != nil {
				t.Fatal(err)
			}

			for _, object := range []client.Object{j, anchor} {
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil {
					t.Errorf("%s is there, with conditions %s", object.GetName(), harness.Conditions(p.SB))
				}
			}
		})
	}
}

// A Job without its labels is the benchmark's if it has its owner, and a name that the benchmark gives.
func TestJobsWithoutLabels(t *testing.T) {
	role := func(role string) client.MatchingLabels { return client.MatchingLabels{v1alpha1.LabelRole: role} }
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark, *batchv1.Job)
		having client.MatchingLabels
		want   bool
	}{
		"all labels":                {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, nil, true},
		"of that role":              {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, role(v1alpha1.RoleRun), true},
		"of another role":           {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, role(v1alpha1.RoleCleanUp), false},
		"clean-up":                  {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Name = childmeta.CleanUpName(sb, "fast", 0) }, role(v1alpha1.RoleCleanUp), true},
		"the annotation of its run": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Labels = labelsOfAttempt(sb, "1") }, nil, true},
		"another attempt's number": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) {
			j.Labels, j.Annotations = labelsOfAttempt(sb, "2"), map[string]string{v1alpha1.AnnotationRun: "reads.fast"}
		}, nil, true},
		"none": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) {
			j.Labels, j.Annotations = labelsOfAttempt(sb, "1"), map[string]string{v1alpha1.AnnotationRun: "reads.fast"}
		}, nil, true},
		"of an attempt that was not made": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) {
			j.Name = childmeta.RunName(sb, "reads.fast", 3, 0)
		}, nil, false},
		"of another name":       {func(_ *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Name = "theirs" }, nil, false},
		"of no owner":           {func(_ *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.OwnerReferences = nil }, nil, false},
		"the benchmark goes on": {func(sb *v1alpha1.StorageBenchmark, _ *batchv1.Job) { sb.Status.Conditions = nil }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			sb, j, _ := strayed()
			sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
			test.change(sb, j)
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j).Build()
			p := passOver(&Reconciler{Live: live}, sb)
			jobs, _, err := workers.ListChildren(t.Context(), p, test.having)
			isFound := slices.ContainsFunc(jobs, func(o *batchv1.Job) bool { return o.UID == j.UID })
			if err != nil || isFound != test.want {
				t.Errorf("found %v, %v", jobs, err)
			}
		})
	}
}

// A Job and an anchor are found whichever of their labels they have lost, once each.
func TestEachLabelMayBeLost(t *testing.T) {
	ended := metav1.Condition{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}
	roles := []string{v1alpha1.LabelRole, v1alpha1.LabelAttempt, v1alpha1.LabelClient, v1alpha1.LabelTarget}
	sb, _, _ := strayed()
	for _, lost := range append(slices.Collect(maps.Keys(childmeta.Labels(sb))), append(roles, "none")...) {
		t.Run(lost, func(t *testing.T) {
			sb, j, anchor := strayed()
			sb.Status.Conditions = []metav1.Condition{ended}
			j.Labels, j.Annotations = labelsOfAttempt(sb, "1"), map[string]string{v1alpha1.AnnotationRun: "reads.fast"}
			anchor.Labels = childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor, v1alpha1.LabelAttempt, "3", v1alpha1.LabelClient, "0")
			delete(j.Labels, lost)
			delete(anchor.Labels, lost)
			live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j, anchor).Build()
			p := passOver(&Reconciler{Live: live}, sb)
			jobs, pods, err := workers.ListChildren(t.Context(), p, nil)
			if err != nil || len(jobs) != 1 || jobs[0].UID != j.UID || len(pods) != 1 || pods[0].UID != anchor.UID {
				t.Errorf("found %v and %v, %v", jobs, pods, err)
			}
		})
	}
}

// What was gone while a benchmark was suspended may be made again when it is resumed.
func TestGoneIsForgottenWhenItGoesOn(t *testing.T) {
	for name, test := range map[string]struct {
		suspend, kept bool
	}{
		"suspended": {suspend: true, kept: true},
		"resumed":   {suspend: false, kept: false},
	} {
		sb, _, _ := strayed()
		sb.Spec.Suspend = &test.suspend
		live := fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build()
		p := passOver(&Reconciler{Client: live, Live: live}, sb)
		p.Memory.Gone = sets.New("some-job")
		_, _ = advance(t.Context(), p) // it gets no further than the first call, as the benchmark is in no cluster
		if p.Memory.Gone.Has("some-job") != test.kept {
			t.Errorf("%s: %+v", name, p.Memory.Gone)
		}
	}
}

// Where calls fail, the next pass asks for those objects that were not seen to be gone, so that passes come to an end
// also where many calls fail. Each call is tried twice.
func TestNextPassAsksForLess(t *testing.T) {
	sb, j, _ := strayed()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	sb.Status.Anchors, sb.Status.Runs[0].Attempts = nil, 3
	second := childmeta.RunName(sb, "reads.fast", 2, 0)
	fails := 3
	var asked asks
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			asked.add(key.Name)
			if key.Name == second && asked.of(second) <= fails {
				return errors.New("etcd is busy")
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	r := &Reconciler{Live: live}
	p := passOver(r, sb)

	if _, err := workers.ReadOwned(t.Context(), p); err == nil || p.Owned != nil {
		t.Errorf("what is there is known, though a call has failed: %v", err)
	}
	p = r.newPass(sb, p.Memory)
	if all, err := workers.ReadOwned(t.Context(), p); err != nil || len(all.Jobs) != 1 || all.Jobs[0].Name != j.Name {
		t.Errorf("found %+v, want %s, %v", all, j.Name, err)
	}

	want := map[string]int{j.Name: 2, second: 4, childmeta.RunName(sb, "reads.fast", 3, 0): 1, childmeta.CleanUpName(sb, "fast", 0): 1}
	if !maps.Equal(asked.times, want) {
		t.Errorf("asked for %v, want %v", asked.times, want)
	}
}

// The last reading of all comes to an end also where a call of each pass fails: it goes on where it has failed. It finds
// what came after the first one.
func TestLastReadingEnds(t *testing.T) {
	sb, j, _ := strayed()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	sb.Status.Anchors, sb.Status.Runs[0].Attempts = nil, 40
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build()
	number, fails := 0, map[string]int{}
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			if key.Name == childmeta.RunName(sb, "reads.fast", int32(number%40+1), 0) {
				fails[key.Name]++
				return errors.New("etcd is busy")
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	r, remembered := &Reconciler{Client: cluster, Live: live}, &pass.Memory{}
	end := func() ([]cleanup.Leftover, error) {
		p := passOver(r, sb)
		p.Memory = remembered
		return workers.UntilNothingIsLeft(t.Context(), p, clean.RemovePods)
	}
	var err error
	for number = range 4 {
		if _, err = end(); err == nil {
			break
		}
	}
	if err != nil || len(fails) == 0 {
		t.Errorf("the last reading has not ended after %d passes, of which some failed (%v): %v", number+1, fails, err)
	}
	remembered.ReadsAll = false // something else was left meanwhile
	if err := cluster.Create(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	for number = range 4 {
		left, failed := end()
		if failed == nil && len(left) == 1 {
			return
		}
	}
	t.Error("a Job that came late is not found")
}

// asks counts what the API server is asked for.
type asks struct {
	mu    sync.Mutex
	times map[string]int
}

func (a *asks) add(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.times == nil {
		a.times = map[string]int{}
	}
	a.times[name]++
}

func (a *asks) of(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.times[name]
}

func labelsOfAttempt(sb *v1alpha1.StorageBenchmark, number string) map[string]string {
	return childmeta.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, "fast", v1alpha1.LabelAttempt, number, v1alpha1.LabelClient, "0")
}

// To take the outcome of the last run is not to begin with clean-up.
func TestTakeLastDoesNotBeginCleanUp(t *testing.T) {
	sb := beingDeleted()
	sb.Status.Runs = runsOf(v1alpha1.RunRunning)
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	sb.Spec.Deadlines.CleanUpSeconds = new(int32(600))
	p := passOver(&Reconciler{}, sb)
	p.Now = *at(0)
	if _, err := measure.Conclude(t.Context(), p); err != nil || !p.Memory.CleaningSince.IsZero() {
		t.Errorf("clean-up has begun at %s: %v", p.Memory.CleaningSince, err)
	}
}

// beingDeleted is a benchmark that has begun to measure, and is to be removed.
func beingDeleted() *v1alpha1.StorageBenchmark {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID, sb.DeletionTimestamp, sb.Finalizers = "u", at(0), []string{v1alpha1.Finalizer}
	sb.Status.StartTime = at(0)
	sb.Status.Anchors, sb.Status.Targets = []v1alpha1.Anchor{{Attempts: 1}}, []v1alpha1.TargetStatus{{Name: "fast"}}
	return sb
}

// Where calls for claims and volumes do not end before the pass does, Jobs are deleted all the same.
func TestDeletionsDoNotWaitForOtherCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sb := beingDeleted()
		run, claim, volume := madeForRun(sb)
		cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run, claim, volume).Build()
		live := interceptor.NewClient(cluster, interceptor.Funcs{
			Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
				switch object.(type) {
				case *corev1.PersistentVolumeClaim, *corev1.PersistentVolume:
					<-ctx.Done()
					return ctx.Err()
				}
				return c.Get(ctx, key, object, options...)
			},
		})
		writes := interceptor.NewClient(cluster, interceptor.Funcs{
			Delete: func(ctx context.Context, c client.WithWatch, object client.Object, options ...client.DeleteOption) error {
				if ctx.Err() != nil { // the fake client would delete it all the same
					return ctx.Err()
				}
				return c.Delete(ctx, object, options...)
			},
		})
		p := passOver(&Reconciler{Client: writes, Live: live}, sb)
		p.Now = *at(0)
		ctx, cancel := context.WithTimeout(t.Context(), passPatience)
		defer cancel()

		_, err := clean.Remove(ctx, p)

		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error is %v", err)
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(run), run); err == nil {
			t.Error("the Job is there")
		}
	})
}

// A list that failed is asked for again, also in the same pass: it may be the last one.
func TestListThatFailedIsAskedForAgain(t *testing.T) {
	sb := beingDeleted()
	run, _, _ := madeForRun(sb)
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(run).Build()
	failed := false
	live := interceptor.NewClient(cluster, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
			if _, jobs := list.(*batchv1.JobList); jobs && !failed {
				failed = true
				return errors.New("etcd is busy")
			}
			return c.List(ctx, list, options...)
		},
	})
	p := passOver(&Reconciler{Client: cluster, Live: live}, sb)
	p.Now = *at(0)
	if _, err := clean.Remove(t.Context(), p); err != nil || !failed {
		t.Errorf("a list has failed: %t, %v", failed, err)
	}
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(run), run); err == nil {
		t.Error("the Job is there")
	}
}

// A claim of the benchmark's own that comes when it is looked for late volumes is left, and its volume is none of
// somebody else's.
func TestOwnClaimThatComesLateIsLeft(t *testing.T) {
	sb := beingDeleted()
	_, claim, _ := madeForRun(sb)
	sb.Status.Targets[0].Volumes = nil // its volume is not in the status yet
	cluster := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(claim).Build()
	p := passOver(&Reconciler{Client: cluster, Live: cluster}, sb)
	if left, err := clean.LateVolumes(t.Context(), p); err != nil || !slices.Equal(kindsOf(left), []string{"claim"}) {
		t.Errorf("left are %+v, %v", left, err)
	}
}

// kindsOf returns the first words of what is left.
func kindsOf(left []cleanup.Leftover) (kinds []string) {
	for _, l := range left {
		kinds = append(kinds, strings.Fields(l.What)[0])
	}
	return kinds
}

// Test files may be reached by a claim that is made in the very step that gives them up. It is removed with that step's
// other claims, though it was not there when these were asked for.
func TestClaimMadeInAStepIsSeen(t *testing.T) {
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u"
	p, _ := listing(sb, sb.DeepCopy())
	if err := p.World.Live.Get(t.Context(), client.ObjectKeyFromObject(sb), p.SB); err != nil {
		t.Fatal(err)
	}
	if claims, err := pvc.LiveClaims(t.Context(), p); err != nil || len(claims) > 0 {
		t.Fatalf("claims are %v, %v", claims, err)
	}
	if _, err := clean.Remount(t.Context(), p, &sb.Spec.Targets[0]); err != nil {
		t.Fatal(err)
	}
	if claims, err := pvc.LiveClaims(t.Context(), p); err != nil || len(claims) != 1 {
		t.Errorf("claims are %v, %v", claims, err)
	}
}
