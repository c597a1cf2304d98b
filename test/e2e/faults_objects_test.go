//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// Somebody deletes the object that a run works with. The run is repeated, and only a whole attempt gives its result.
func TestDeletedUnderARun(t *testing.T) {
	sideBySide(t, load(3))
	jobOf := func(pod *corev1.Pod) client.Object {
		return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Labels[batchv1.JobNameLabel]}}
	}
	itself := func(pod *corev1.Pod) client.Object { return pod }
	for name, test := range map[string]struct {
		fault, does string
		what        func(*corev1.Pod) client.Object
		options     []client.DeleteOption
	}{
		"job":       {"The Job of a run is deleted", "kubectl delete job", jobOf, []client.DeleteOption{client.PropagationPolicy(metav1.DeletePropagationBackground)}},
		"orphan":    {"The Job of a run is deleted without its pod", "kubectl delete job --cascade=orphan", jobOf, []client.DeleteOption{client.PropagationPolicy(metav1.DeletePropagationOrphan)}},
		"pod":       {"The pod of a run is deleted", "kubectl delete pod", itself, nil},
		"pod-force": {"The pod of a run is deleted at once", "kubectl delete pod --force", itself, []client.DeleteOption{client.GracePeriodSeconds(0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := begin(t, &fault{
				section: faultsOfWorkload, name: test.fault, does: test.does, ends: v1alpha1.ReasonCompleted, bound: 75 * time.Second,
			})
			sb := benchmark(t, "deleted-"+name, lasting(6))
			create(t, sb)
			pod := runningPod(t, sb)
			f.strike()
			if err := k8s.Delete(t.Context(), test.what(pod), test.options...); err != nil {
				t.Fatalf("delete: %v", err)
			}
			done := f.end(t, sb)
			run := done.Status.Runs[0]
			if run.Attempts != 2 || run.Disruptions != 1 || run.Result == nil || run.Result.ElapsedMilliseconds < 6000 {
				t.Errorf("run = %+v, result = %+v", run, run.Result)
			}
		})
	}
}

// Kubernetes keeps a claim, and its volume, until no pod uses it any more. So a run goes on to its end.
func TestClaimDeletedUnderARun(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The claim of a run and its volume are deleted",
		does: "kubectl delete pvc and pv: both stay Terminating until the run has ended", ends: v1alpha1.ReasonCompleted, bound: time.Minute,
	})
	sb := benchmark(t, "claim-deleted", lasting(6))
	create(t, sb)
	runningPod(t, sb)
	claim := onlyClaim(t, sb)
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: claim.Spec.VolumeName}}
	f.strike()
	for _, object := range []client.Object{claim, volume} {
		if err := k8s.Delete(t.Context(), object); err != nil {
			t.Fatalf("delete %T: %v", object, err)
		}
		if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil || object.GetDeletionTimestamp() == nil {
			t.Errorf("%T after its deletion under a run: %v (%v)", object, object.GetDeletionTimestamp(), err)
		}
	}
	done := f.end(t, sb)
	if run := done.Status.Runs[0]; run.Attempts != 1 || run.Result == nil {
		t.Errorf("run = %+v", run)
	}
}

// Objects in a bucket do not go with the claim by which they were written. Deletion in the foreground, as by Argo CD, has Kubernetes delete
// the claim before the benchmark could remove them through it.
func TestBucketWithoutItsClaim(t *testing.T) {
	sideBySide(t)
	needsBucket(t)
	for name, foreground := range map[string]bool{"claim": false, "foreground": true} {
		t.Run(name, func(t *testing.T) {
			sb := onS3(t, "s3-without-"+name, v1alpha1.Workload{
				Name: "read", Fio: &v1alpha1.FioParameters{RW: "read", BS: new("1m"), Size: new("8M"), TimeBased: new(true), RuntimeSeconds: new(int32(8))},
			})
			create(t, sb)
			runningPod(t, sb)
			objects := filepath.Join(os.Getenv(bucketDirectory), ptr.Deref(bucket(t).S3.Prefix, ""), childmeta.Name(sb, sb.Spec.Targets[0].Name))
			eventually(t.Context(), t, "objects in the bucket", func(context.Context) (bool, error) { return hasFiles(objects) })
			if foreground {
				if err := k8s.Delete(t.Context(), sb, client.PropagationPolicy(metav1.DeletePropagationForeground)); err != nil {
					t.Fatal(err)
				}
				within(t.Context(), t, 90*time.Second, "the benchmark to be gone", func(ctx context.Context) (bool, error) {
					err := k8s.Get(ctx, client.ObjectKeyFromObject(sb), sb)
					return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
				})
			} else {
				if err := k8s.Delete(t.Context(), onlyClaim(t, sb)); err != nil {
					t.Fatal(err)
				}
				completes(t, sb)
			}
			if left, err := hasFiles(objects); err != nil || left {
				t.Errorf("objects are left in %s (%v)", objects, err)
			}
		})
	}
}

// hasFiles says whether there is a file below a directory, which need not be there.
func hasFiles(directory string) (bool, error) {
	found := false
	err := filepath.WalkDir(directory, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it is removed meanwhile
		}
		found = found || (err == nil && !entry.IsDir())
		return err
	})
	return found, err
}

// A claim that is deleted between runs cannot be used by the next one's pod, which says so.
func TestClaimDeletedBetweenRuns(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The claim is deleted, and there are more runs to come",
		does: "kubectl delete pvc during the first of two runs", sees: v1alpha1.ReasonPreparing, ends: v1alpha1.ReasonDeadlineExceeded, bound: time.Minute,
	})
	sb := benchmark(t, "claim-deleted-early", sweep("4k", "16k"), lasting(3), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Deadlines.PodStartSeconds = new(int32(20)) // also the first run's
	})
	create(t, sb)
	runningPod(t, sb)
	claim := onlyClaim(t, sb)
	f.strike()
	if err := k8s.Delete(t.Context(), claim); err != nil {
		t.Fatalf("delete the claim: %v", err)
	}
	f.see(t, sb, "the pod cannot be scheduled", "is being deleted")
	done := f.end(t, sb, claim.Name, "is being deleted")
	if run := done.Status.Runs[0]; run.Result == nil {
		t.Errorf("the run that had begun before: %+v", run)
	}
}

// A claim that is deleted while the benchmark is suspended takes its volume along, and with it what was laid out. The
// benchmark ends, and keeps its results.
func TestClaimDeletedWhileSuspended(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The claim is deleted while the benchmark is suspended",
		does: "kubectl delete pvc while spec.suspend is true, during the second of two runs", sees: v1alpha1.ReasonSuspended, ends: v1alpha1.ReasonProvisioningFailed, bound: 75 * time.Second,
	})
	sb := benchmark(t, "claim-deleted-suspended", sweep("4k", "16k"), lasting(6))
	create(t, sb)
	until(t, sb, "the second run", func(sb *v1alpha1.StorageBenchmark) bool {
		return len(sb.Status.Runs) == 2 && sb.Status.Runs[1].Job != "" && succeeded(sb).Reason == v1alpha1.ReasonMeasuring
	})
	suspend := func(value bool) {
		if err := k8s.Patch(t.Context(), sb, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"suspend":%t}}`, value))); err != nil {
			t.Fatalf("suspend: %v", err)
		}
	}
	suspend(true)
	f.see(t, sb, "set it to false to go on")
	claim := onlyClaim(t, sb)
	f.strike()
	if err := k8s.Delete(t.Context(), claim); err != nil {
		t.Fatalf("delete the claim: %v", err)
	}
	eventually(t.Context(), t, "the claim to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(claim), &corev1.PersistentVolumeClaim{})
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	suspend(false)
	done := f.end(t, sb, "claim "+claim.Name+" was deleted, and with it the volume that was measured")
	if run := done.Status.Runs[0]; run.Result == nil {
		t.Errorf("the run that had ended before: %+v", run)
	}
}

// A claim that no pod uses yet is gone at once, and made again.
func TestClaimDeletedWhileProvisioning(t *testing.T) {
	sideBySide(t, early, takes(healthyNodes))
	const label = "e2e.storagebench.dev/claim-deleted-unbound"
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The claim is deleted before its volume is made",
		does: "kubectl delete pvc while no node fits, and then lets one fit", sees: v1alpha1.ReasonProvisioning, ends: v1alpha1.ReasonCompleted, bound: time.Minute,
	})
	sb := benchmark(t, "claim-deleted-unbound", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Placement.NodeSelector = map[string]string{label: "yes"}
	})
	create(t, sb)
	f.see(t, sb, "didn't match Pod's node affinity/selector")
	first := onlyClaim(t, sb)
	f.strike()
	if err := k8s.Delete(t.Context(), first); err != nil {
		t.Fatalf("delete the claim: %v", err)
	}
	eventually(t.Context(), t, "another claim", func(ctx context.Context) (bool, error) {
		claim := &corev1.PersistentVolumeClaim{}
		err := k8s.Get(ctx, client.ObjectKeyFromObject(first), claim)
		return err == nil && claim.UID != first.UID, client.IgnoreNotFound(err)
	})
	labelNode(t, nodesOf(t)[0], label)
	f.end(t, sb)
}

// labelNode has a node carry a label until the test ends.
func labelNode(t *testing.T, name, label string) {
	t.Helper()
	t.Cleanup(func() {
		if err := setLabel(context.WithoutCancel(t.Context()), name, label, "null"); err != nil {
			t.Error(err)
		}
	})
	if err := setLabel(t.Context(), name, label, `"yes"`); err != nil {
		t.Fatal(err)
	}
}

// setLabel sets a label of a node to a value in JSON; null removes it.
func setLabel(ctx context.Context, node, label, value string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, label, value)
	err := k8s.Patch(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node}}, client.RawPatch(types.MergePatchType, patch))
	if err != nil {
		return fmt.Errorf("set label %s of node %s to %s: %w", label, node, value, err)
	}
	return nil
}

// onlyClaim returns the benchmark's one claim.
func onlyClaim(t *testing.T, sb *v1alpha1.StorageBenchmark) *corev1.PersistentVolumeClaim {
	t.Helper()
	var claims corev1.PersistentVolumeClaimList
	if err := k8s.List(t.Context(), &claims, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name}); err != nil || len(claims.Items) != 1 {
		t.Fatalf("%d claims (%v)", len(claims.Items), err)
	}
	return &claims.Items[0]
}

// A namespace that is deleted takes all with it, also what has no namespace. Nothing can be made there any more, such as
// the pods that remove test files, and the operator does not wait for what it cannot do.
func TestNamespaceDeleted(t *testing.T) {
	sideBySide(t)
	f := begin(t, &fault{
		section: faultsOfWorkload, name: "The namespace is deleted during a run", does: "kubectl delete namespace", bound: 75 * time.Second,
	})
	ns := newNamespace(t)
	theirs := createClaimOfClass(t, ns.Name, "theirs", class, corev1.PersistentVolumeFilesystem)
	sb := benchmark(t, "namespace-deleted", lasting(300), func(sb *v1alpha1.StorageBenchmark) {
		sb.Namespace = ns.Name
		sb.Spec.Targets = []v1alpha1.Target{
			{Name: "claim", ClaimName: &theirs.Name, FreeSpaceReserve: new(resource.MustParse("64Mi"))},
			{Name: "ebs", EBS: &v1alpha1.EBSVolume{Type: "gp3"}},
		}
		// The claim is new, and its root directory is root's.
		sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: securityOf(func(s *corev1.PodSecurityContext) { s.FSGroup = new(int64(65532)) })}
	})
	create(t, sb)
	runningPod(t, sb)
	volumes := volumesOf(t.Context(), t, sb)
	if len(clusterObjects(t.Context(), t, sb)) == 0 || len(volumes) != 1 {
		t.Fatalf("cluster-scoped objects %v, volumes %v", clusterObjects(t.Context(), t, sb), volumes)
	}
	f.strike()
	if err := k8s.Delete(t.Context(), ns); err != nil {
		t.Fatalf("delete the namespace: %v", err)
	}
	within(t.Context(), t, f.bound, "the namespace to be gone", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(ns), ns)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	within(t.Context(), t, f.bound, "the volumes to be gone", func(ctx context.Context) (bool, error) {
		for _, name := range volumes {
			if err := k8s.Get(ctx, types.NamespacedName{Name: name}, &corev1.PersistentVolume{}); !apierrors.IsNotFound(err) {
				return false, err
			}
		}
		return true, nil
	})
	f.gone(t, sb)
}
