package controllers

import (
	"context"
	"errors"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	batchv1ac "k8s.io/client-go/applyconfigurations/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/fakecluster"
	"github.com/storagebench/storagebench/test/harness"
)

// unsaved has a status be as it was before a Job or an anchor was made that is there, and gives the benchmark deadlines
// by which another one would be made now. No operator runs.
func (w *testWorld) unsaved(sb *v1alpha1.StorageBenchmark, made client.Object) {
	w.Helper()
	w.strip(made, "labels", v1alpha1.LabelBenchmark) // the operator does not see it until it makes it
	w.Eventually(func() error {
		current := w.Get(sb)
		for i := range current.Status.Runs {
			current.Status.Runs[i].Job = ""
		}
		for i := range current.Status.Anchors {
			current.Status.Anchors[i].Pod = ""
		}
		return w.Client.Status().Update(w.Context(), current)
	})
	w.update(sb, func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines.IOProgressSeconds, sb.Spec.Deadlines.WaitingForNodeSeconds = new(int32(1234)), new(int32(100_000))
	})
}

// What was made, and would be another one now, is taken. The run does not end because the API server refuses to change
// it.
func TestWhatIsThereIsTaken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		repetitions int32
		made        func(*testWorld) []client.Object
	}{
		"a Job": {1, func(w *testWorld) (made []client.Object) {
			for _, j := range w.jobs() {
				if j.Status.Active > 0 { // the Job controller has seen it
					made = append(made, &j)
				}
			}
			return made
		}},
		"an anchor": {2, func(w *testWorld) (made []client.Object) {
			for _, pod := range w.anchors() {
				made = append(made, &pod)
			}
			return made
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			waits := fakecluster.Unschedulable("no nodes")
			w.Cluster.AllPods(waits)
			w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return waits })
			stop := w.startOperator()
			sb := create(w, builder.OneRun(w.Namespace, "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Repetitions = &test.repetitions }).Build())
			w.Eventually(func() error {
				if made := test.made(w); len(made) != 1 {
					return fmt.Errorf("%d are made", len(made))
				}
				return nil
			})
			stop()
			made := test.made(w)[0]
			w.unsaved(sb, made)
			w.startOperator()
			w.Eventually(func() error {
				if err := w.gone(made); err == nil || made.GetLabels()[v1alpha1.LabelBenchmark] == "" {
					return fmt.Errorf("it is not taken, with conditions %s", harness.Conditions(w.Get(sb)))
				}
				return nil
			})
			w.Cluster.OnAnchor(func(*corev1.Pod) fakecluster.Outcome { return fakecluster.Hang(job.AnchorContainer) })
			w.Cluster.AllPods(fakecluster.Succeed(builder.Report()))

			sb = w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)

			if err := wantRun(sb, v1alpha1.RunSucceeded, 1, 0); err != nil {
				t.Error(err)
			}
			if len(sb.Status.Anchors) > 0 && sb.Status.Anchors[0].Attempts != 1 {
				t.Errorf("anchors are %+v", sb.Status.Anchors)
			}
		})
	}
}

// What is refused is taken only if it is there and the benchmark's own. Else whoever wanted it learns why it was
// refused.
func TestMakeJob(t *testing.T) {
	kind, resource := schema.GroupKind{Group: "batch", Kind: "Job"}, schema.GroupResource{Group: "batch", Resource: "jobs"}
	invalid, exists := apierrors.NewInvalid(kind, "job", nil), apierrors.NewAlreadyExists(resource, "job")
	forbidden, away := apierrors.NewForbidden(resource, "job", errors.New("exceeded quota")), errors.New("etcd is away")
	sb := builder.OneRun("default", "sb").Build()
	sb.UID = "u1"
	another := sb.DeepCopy()
	another.UID = "u0"
	labels := map[string]string{v1alpha1.LabelRole: v1alpha1.RoleRun}
	there := func(of *v1alpha1.StorageBenchmark) *batchv1.Job {
		return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: "job", UID: "of-" + of.UID, Labels: labels, OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(of)},
		}}
	}
	for name, test := range map[string]struct {
		refused error
		there   *batchv1.Job
		get     error
		want    error
	}{
		"made":                         {},
		"ours, and another one by now": {refused: invalid, there: there(sb)},
		"ours, and made meanwhile":     {refused: exists, there: there(sb)},
		"not there":                    {refused: invalid, want: invalid},
		"another benchmark's":          {refused: invalid, there: there(another), want: invalid},
		"not to be seen":               {refused: invalid, there: there(sb), get: away, want: away},
		"refused for another reason":   {refused: forbidden, there: there(sb), want: forbidden},
		"not answered":                 {refused: away, there: there(sb), want: away},
	} {
		t.Run(name, func(t *testing.T) {
			objects := fake.NewClientBuilder().WithScheme(envtest.Scheme())
			if test.there != nil {
				objects = objects.WithObjects(test.there)
			}
			c := objects.WithInterceptorFuncs(interceptor.Funcs{
				Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
					return test.refused
				},
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, options ...client.GetOption) error {
					if test.get != nil {
						return test.get
					}
					return c.Get(ctx, key, object, options...)
				},
			}).Build()
			err := workers.MakeJob(t.Context(), passOver(&Reconciler{Client: c, Live: c}, sb), batchv1ac.Job("job", "default").WithLabels(labels))
			if !errors.Is(err, test.want) || (test.want != nil && apierrors.IsInvalid(err) != apierrors.IsInvalid(test.want)) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

// What provisions a target's storage is taken as it was made before, by an older release, unless what is measured
// depends on the difference. Nothing is left of it.
func TestStorageThatIsThere(t *testing.T) {
	t.Parallel()
	otherwise := func(differs string) []string {
		return []string{"exists from before, with other settings that change what is measured", differs, "create the benchmark anew"}
	}
	for name, test := range map[string]struct {
		target v1alpha1.Target
		change func(storage.Objects)
		words  []string // nil: it is taken
	}{
		"a class that binds at another time": {ebsTarget(), func(o storage.Objects) {
			o.Class.WithVolumeBindingMode(storagev1.VolumeBindingImmediate).WithReclaimPolicy(corev1.PersistentVolumeReclaimRetain)
		}, nil},
		"a class of other volumes":  {ebsTarget(), func(o storage.Objects) { o.Class.Parameters["iops"] = "3000" }, otherwise(`parameters.iops is "3000", and would be "4000"`)},
		"a class of another driver": {ebsTarget(), func(o storage.Objects) { o.Class.WithProvisioner("another") }, otherwise(`provisioner is "another"`)},
		"a volume of another bucket": {s3Target(), func(o storage.Objects) {
			o.Volume.Spec.CSI.VolumeAttributes["bucketName"] = "theirs"
		}, otherwise(`volumeAttributes.bucketName is "theirs", and would be "my-bucket"`)},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorldWithoutOperator(t)
			sb := create(w, builder.NewBenchmark(w.Namespace, "sb").Target(test.target).Workload(reads("w")).Build())
			made := storage.For(sb, &sb.Spec.Targets[0], job.UserOf(sb))
			test.change(made)
			var err error
			if made.Class != nil {
				err = w.Client.Apply(t.Context(), made.Class, world.ApplyOptions...)
			} else {
				err = w.Client.Apply(t.Context(), made.Volume, world.ApplyOptions...)
			}
			if err != nil {
				t.Fatal(err)
			}
			w.startOperator()

			if test.words == nil {
				w.untilEnd(sb, metav1.ConditionTrue, v1alpha1.ReasonCompleted)
			} else {
				w.untilEnd(sb, metav1.ConditionFalse, v1alpha1.ReasonProvisioningFailed, test.words...)
			}
			if left := w.children(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}
