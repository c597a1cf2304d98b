package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/harness"
)

// allGone says which Jobs and pods there are in the namespace, whatever labels they have.
func (w *world) allGone() error {
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

// Jobs and anchors that have lost all labels while no operator was there do not outlive the benchmark, nor go on while it is suspended.
func TestStraysAreRemoved(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world, *v1alpha1.StorageBenchmark){
		"suspended": func(w *world, sb *v1alpha1.StorageBenchmark) {
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) })
			w.startOperator()
			w.untilStep(sb, v1alpha1.ReasonSuspended, "set it to false to go on")
		},
		"deleted": func(w *world, sb *v1alpha1.StorageBenchmark) {
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
		Namespace: "default", Name: job.RunName(sb, "reads.fast", 1, 0), UID: "j1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
	}}
	anchor := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: job.AnchorName(sb, 0, 3), UID: "p1", OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)},
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
			c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j, anchor).WithIndex(&corev1.Pod{}, metav1.ObjectNameField, func(o client.Object) []string { return []string{o.GetName()} }).Build()
			p := passOver(&Reconciler{Client: c, Live: c}, sb)
			p.fail(v1alpha1.ReasonRunFailed, "no")

			if err := onceLooked(p.memory, func() error { p.awaitsLook = false; _, err := p.retain(t.Context()); return err }); err != nil {
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

// Labels may be taken away after it was looked for what lacks them. It is looked for again before it is said that nothing is left.
func TestLateStraysEnd(t *testing.T) {
	suspended := func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Suspend = new(true) }
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark)
		ended  bool
		step   func(context.Context, *pass) (outcome, error)
	}{
		"volumes are kept":    {func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain }, true, cleanUp},
		"volumes are removed": {func(*v1alpha1.StorageBenchmark) {}, true, cleanUp},
		"suspended":           {suspended, false, suspend},
	} {
		t.Run(name, func(t *testing.T) {
			sb, j, anchor := strayed()
			test.change(sb)
			sb.Status.Runs[0].State = v1alpha1.RunPending // it is suspended already
			j.Status.Active = 1
			c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j, anchor).WithIndex(&corev1.Pod{}, metav1.ObjectNameField, func(o client.Object) []string { return []string{o.GetName()} }).Build()
			p := passOver(&Reconciler{Client: c, Live: c}, sb)
			if test.ended {
				p.fail(v1alpha1.ReasonRunFailed, "no")
			}
			p.memory.strays = strays{sought: true} // when Job and anchor had their labels

			for range 2 { // what is unsaved is so no longer
				p.before = p.sb.DeepCopy()
				if err := onceLooked(p.memory, func() error { p.awaitsLook = false; _, err := test.step(t.Context(), p); return err }); err != nil {
					t.Fatal(err)
				}
				p.endLook()
			}

			for _, object := range []client.Object{j, anchor} {
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err == nil {
					t.Errorf("%s is there, with conditions %s", object.GetName(), harness.Conditions(p.sb))
				}
			}
		})
	}
}

// A Job is the benchmark's that has lost labels only if it has its owner, and a name that the benchmark gives. It is asked for where it is looked for.
func TestStrayJobs(t *testing.T) {
	role := func(role string) client.MatchingLabels { return client.MatchingLabels{v1alpha1.LabelRole: role} }
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmark, *batchv1.Job)
		having client.MatchingLabels
		want   bool
	}{
		"all labels":                {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, nil, true},
		"of that role":              {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, role(v1alpha1.RoleRun), true},
		"of another role":           {func(*v1alpha1.StorageBenchmark, *batchv1.Job) {}, role(v1alpha1.RoleCleanUp), false},
		"clean-up":                  {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Name = job.CleanUpName(sb, "fast", 0) }, role(v1alpha1.RoleCleanUp), true},
		"the annotation of its run": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Labels = labelsOfAttempt(sb, "1") }, nil, true},
		"another attempt's number": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) {
			j.Labels, j.Annotations = labelsOfAttempt(sb, "2"), map[string]string{v1alpha1.AnnotationRun: "reads.fast"}
		}, nil, true},
		"none": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) {
			j.Labels, j.Annotations = labelsOfAttempt(sb, "1"), map[string]string{v1alpha1.AnnotationRun: "reads.fast"}
		}, nil, false},
		"of an attempt that was not made": {func(sb *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Name = job.RunName(sb, "reads.fast", 3, 0) }, nil, false},
		"of another name":                 {func(_ *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.Name = "theirs" }, nil, false},
		"of no owner":                     {func(_ *v1alpha1.StorageBenchmark, j *batchv1.Job) { j.OwnerReferences = nil }, nil, false},
		"the benchmark goes on":           {func(sb *v1alpha1.StorageBenchmark, _ *batchv1.Job) { sb.Status.Conditions = nil }, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			sb, j, _ := strayed()
			sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
			test.change(sb, j)
			p := passOver(&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j).Build()}, sb)
			p.sb.Status.Anchors = nil
			for range 2 { // the second time by what is remembered
				if err := p.seekStrays(t.Context()); err != nil {
					t.Fatal(err)
				}
				found, err := p.strayJobs(t.Context(), test.having)
				if err != nil || slices.ContainsFunc(found, func(o *batchv1.Job) bool { return o.UID == j.UID }) != test.want {
					t.Errorf("found %v, %v", found, err)
				}
			}
			if among, err := p.seekJobsAmongAll(t.Context()); err != nil || fmt.Sprint(among) != fmt.Sprint(p.memory.strays.jobs) && p.mayStray() {
				t.Errorf("among all %v, %v, by their names %v", among, err, p.memory.strays.jobs)
			}
		})
	}
}

// Where there are so many Jobs that they cannot be looked at in time, or the API server takes so long, those that have lost labels stay, and all else is removed.
func TestSeekingStraysEnds(t *testing.T) {
	for name, attempts := range map[string]int32{"few, by their names": 2, "many, among all": fewJobs + 1} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				silent := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
					List: func(ctx context.Context, _ client.WithWatch, _ client.ObjectList, _ ...client.ListOption) error {
						<-ctx.Done()
						return ctx.Err()
					},
					Get: func(ctx context.Context, _ client.WithWatch, _ client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
						<-ctx.Done()
						return ctx.Err()
					},
				})
				sb, _, _ := strayed()
				sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
				sb.Status.Anchors, sb.Status.Runs[0].Attempts = nil, attempts
				p, began := passOver(&Reconciler{Live: silent}, sb), time.Now()
				if err := p.seekStrays(t.Context()); err != nil || !p.memory.strays.sought || time.Since(began) != seekPatience {
					t.Errorf("after %s: %v", time.Since(began), err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				p.memory.strays = strays{}
				if err := p.seekStrays(ctx); err == nil || p.memory.strays.sought {
					t.Error("the end of the pass is taken for the end of the search")
				}
			})
		})
	}
}

// That time is up for some calls does not hide that others have failed.
func TestSearchThatFailedHasNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sb, j, _ := strayed()
		sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
		sb.Status.Anchors = nil
		live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).Build(), interceptor.Funcs{
			Get: func(ctx context.Context, _ client.WithWatch, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
				if key.Name == j.Name {
					return errors.New("etcd is busy")
				}
				<-ctx.Done()
				return ctx.Err()
			},
		})
		p := passOver(&Reconciler{Live: live}, sb)
		if err := p.seekStrays(t.Context()); err == nil || p.memory.strays.sought {
			t.Errorf("it has ended, with %v", err)
		}
	})
}

// What was found while a benchmark was suspended says nothing of the Jobs that it has when it has been resumed.
func TestStraysAreForgottenWhenItGoesOn(t *testing.T) {
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
		p.memory.strays = strays{sought: true}
		_, _ = p.advance(t.Context()) // it gets no further than the first call, as the benchmark is in no cluster
		if p.memory.strays.sought != test.kept {
			t.Errorf("%s: %+v", name, p.memory.strays)
		}
	}
}

// Where a call fails, the next try asks for those that were not seen to be gone, so that a search ends also where many calls fail.
func TestSearchGoesOnWhereItFailed(t *testing.T) {
	sb, j, _ := strayed()
	sb.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionMeasured, Status: metav1.ConditionFalse}}
	sb.Status.Anchors, sb.Status.Runs[0].Attempts = nil, 3
	second := job.RunName(sb, "reads.fast", 2, 0)
	var asked []string
	live := interceptor.NewClient(fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(j).Build(), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
			asked = append(asked, key.Name)
			if key.Name == second && len(asked) < 7 {
				return errors.New("etcd is busy")
			}
			return c.Get(ctx, key, object, options...)
		},
	})
	p := passOver(&Reconciler{Live: live}, sb)

	if err := p.seekStrays(t.Context()); err == nil || p.memory.strays.sought {
		t.Errorf("a search that failed has ended: %v", err)
	}
	p = p.newPass(sb, p.memory)
	if err := p.seekStrays(t.Context()); err != nil || !p.memory.strays.sought {
		t.Errorf("the search has not ended: %v", err)
	}

	want := []string{j.Name, second, job.RunName(sb, "reads.fast", 3, 0), job.CleanUpName(sb, "fast", 0), j.Name, second, j.Name, second}
	if !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if found := p.memory.strays.jobs; len(found) != 1 || found[0].Name != j.Name {
		t.Errorf("found %+v, want %s", found, j.Name)
	}
}

func labelsOfAttempt(sb *v1alpha1.StorageBenchmark, number string) map[string]string {
	return child.Labels(sb, v1alpha1.LabelRole, v1alpha1.RoleRun, v1alpha1.LabelTarget, "fast", v1alpha1.LabelAttempt, number, v1alpha1.LabelClient, "0")
}
