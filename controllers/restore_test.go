package controllers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
)

// twiceMeasuring is a benchmark of two runs of which the first one measures, with an anchor.
func twiceMeasuring(w *testWorld) *v1alpha1.StorageBenchmark {
	w.Helper()
	w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
	sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = new(int32(2)) }).Build())
	return w.untilStep(sb, v1alpha1.ReasonMeasuring)
}

// strip takes labels or annotations of an object away.
func (w *testWorld) strip(object client.Object, field string, keys ...string) {
	w.Helper()
	var nulls []string
	for _, key := range keys {
		nulls = append(nulls, fmt.Sprintf("%q:null", key))
	}
	patch := fmt.Sprintf(`{"metadata":{%q:{%s}}}`, field, strings.Join(nulls, ","))
	if err := w.Client.Patch(w.Context(), object, client.RawPatch(types.MergePatchType, []byte(patch))); err != nil {
		w.Fatal(err)
	}
}

// A Job or a pod that has lost what the operator finds it by gets it back, and nothing is measured twice.
func TestLostLabels(t *testing.T) {
	t.Parallel()
	aJob := func(w *testWorld) client.Object { return &w.jobs()[0] }
	aPod := func(w *testWorld) client.Object { return &w.runPods()[0] }
	anAnchor := func(w *testWorld) client.Object { return &w.anchors()[0] }
	for name, test := range map[string]struct {
		object func(*testWorld) client.Object
		field  string
		keys   []string
	}{
		"a Job's benchmark":        {aJob, "labels", []string{v1alpha1.LabelBenchmark}},
		"a Job's role":             {aJob, "labels", []string{v1alpha1.LabelRole}},
		"all labels of a Job":      {aJob, "labels", []string{v1alpha1.LabelManagedBy, v1alpha1.LabelBenchmark, v1alpha1.LabelRole, v1alpha1.LabelTarget, v1alpha1.LabelAttempt}},
		"a Job's run":              {aJob, "annotations", []string{v1alpha1.AnnotationRun}},
		"an anchor's benchmark":    {anAnchor, "labels", []string{v1alpha1.LabelBenchmark}},
		"two labels of an anchor":  {anAnchor, "labels", []string{v1alpha1.LabelManagedBy, v1alpha1.LabelHoldsNode}},
		"an anchor's hold":         {anAnchor, "labels", []string{v1alpha1.LabelHoldsNode, v1alpha1.LabelUID}},
		"for whom an anchor holds": {anAnchor, "labels", []string{v1alpha1.LabelUID}},
		"a pod's benchmark":        {aPod, "labels", []string{v1alpha1.LabelBenchmark}},
		"a pod's role":             {aPod, "labels", []string{v1alpha1.LabelRole, v1alpha1.LabelTarget}},
		"a Job's target":           {aJob, "labels", []string{v1alpha1.LabelTarget}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := twiceMeasuring(w)
			object := test.object(w)
			before := object.DeepCopyObject().(client.Object)
			w.strip(object, test.field, test.keys...)
			w.pass(sb, 0)
			w.Eventually(func() error {
				if err := w.gone(object); err == nil {
					return fmt.Errorf("%s is gone", before.GetName())
				}
				lost := append(owned.Lacking(object.GetLabels(), before.GetLabels()), owned.Lacking(object.GetAnnotations(), before.GetAnnotations())...)
				if len(lost) > 0 {
					return fmt.Errorf("%v are not restored", lost)
				}
				return nil
			})
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil || sb.Status.Anchors[0].Attempts != 1 {
				t.Errorf("%v, anchors %+v", err, sb.Status.Anchors)
			}
		})
	}
}

// A benchmark whose pod did not keep others off its node leaves the node if another benchmark has come there, and
// repeats its attempt. All pods of the fake cluster have the same node.
func TestSharedNodeIsLeft(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		repetitions int32
		isolation   v1alpha1.Isolation
		disruptions int32
		alsoLost    []string
	}{
		"an anchor":                             {2, v1alpha1.IsolationNode, 1, nil},
		"the pod of a single run":               {1, v1alpha1.IsolationNode, 1, nil},
		"an anchor that may share it":           {2, v1alpha1.IsolationNone, 0, nil},
		"an anchor that is not found":           {2, v1alpha1.IsolationNode, 1, []string{v1alpha1.LabelBenchmark}},
		"the pod of a single run, is not found": {1, v1alpha1.IsolationNode, 1, []string{v1alpha1.LabelBenchmark}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Cluster.AllPods(fakecluster.Hang(job.MeasureContainer))
			of := func(name string) *v1alpha1.StorageBenchmark {
				sb := create(w, builder.OneRun(w.Namespace, name).With(func(sb *v1alpha1.StorageBenchmark) {
					sb.Spec.Repetitions, sb.Spec.Placement = &test.repetitions, &v1alpha1.Placement{Isolation: test.isolation}
				}).Build())
				return w.untilStep(sb, v1alpha1.ReasonMeasuring)
			}
			sb, other := of("sb"), of("other")
			for _, pod := range append(w.anchors(), w.runPods()...) {
				if pod.Labels[v1alpha1.LabelHoldsNode] != "" && pod.Labels[v1alpha1.LabelBenchmark] == sb.Name {
					w.strip(&pod, "labels", append(test.alsoLost, v1alpha1.LabelHoldsNode)...)
				}
			}
			w.pass(sb, 0)
			w.Eventually(func() error {
				if got := w.Get(sb).Status.Runs[0].Disruptions; got != test.disruptions {
					return fmt.Errorf("%d disruptions, want %d", got, test.disruptions)
				}
				for _, pod := range append(w.anchors(), w.runPods()...) {
					holds := test.repetitions == 1 || pod.Labels[v1alpha1.LabelRole] == v1alpha1.RoleAnchor
					if holds && pod.DeletionTimestamp.IsZero() && pod.Labels[v1alpha1.LabelHoldsNode] == "" {
						return fmt.Errorf("pod %s does not keep others off", pod.Name)
					}
				}
				return nil
			})
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			for benchmark, disruptions := range map[*v1alpha1.StorageBenchmark]int32{sb: test.disruptions, other: 0} {
				ended := w.untilEnd(benchmark, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
				if err := wantRun(ended, v1alpha1.RunSucceeded, 1+disruptions, disruptions); err != nil {
					t.Errorf("%s: %v", benchmark.Name, err)
				}
			}
		})
	}
}

// What has another owner is not ours any more. The run is made again, or another node is looked for.
func TestLostOwner(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*testWorld) client.Object{
		"a Job":     func(w *testWorld) client.Object { return &w.jobs()[0] },
		"an anchor": func(w *testWorld) client.Object { return &w.anchors()[0] },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			sb := twiceMeasuring(w)
			// Kubernetes keeps the claim as long as a pod names it, whoever's that is.
			w.update(sb, func(sb *v1alpha1.StorageBenchmark) { sb.Spec.CleanupPolicy = v1alpha1.CleanupRetain })
			object := of(w)
			if err := w.Client.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`))); err != nil {
				t.Fatal(err)
			}
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))
			w.pass(sb, 0)

			w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if err := w.gone(object); err == nil || !object.GetDeletionTimestamp().IsZero() {
				t.Errorf("%s, which is not ours, was deleted", object.GetName())
			}
		})
	}
}

// Labels that are taken away again and again are an error that goes on, of which users are told, and that has a
// deadline.
func TestLabelsThatCannotBeRestored(t *testing.T) {
	lost := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "job"}}
	patched := 0
	c := fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(lost).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			patched++
			return nil
		},
	}).Build()
	s := passOver(&Reconciler{Client: c}, builder.OneRun("default", "sb").Build())
	err := workers.Restore(t.Context(), s, lost, map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun}, nil)
	if err == nil || !strings.Contains(err.Error(), "job had lost "+v1alpha1.LabelRole+", which the operator needs to find it; that was put back") || !strings.Contains(err.Error(), "admission webhook") || patched != 1 {
		t.Errorf("%v after %d patches", err, patched)
	}
	if err := workers.Restore(t.Context(), s, lost, nil, nil); err != nil || patched != 1 {
		t.Errorf("of one that has all: %v after %d patches", err, patched)
	}
}

// A label of Kubernetes' Job controller can be forged as well.
func TestPodWithTheLabelOfAJob(t *testing.T) {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "job", UID: "j1"}}
	forged := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "forged", Labels: map[string]string{batchv1.ControllerUidLabel: "j1"}}}
	s := passOver(&Reconciler{Live: fake.NewClientBuilder().WithScheme(envtest.Scheme()).WithObjects(forged).Build()}, builder.OneRun("default", "sb").Build())
	if pod, err := workers.FindPod(t.Context(), s, j); err != nil || pod != nil {
		t.Errorf("%v, %v", pod, err)
	}
}
