package fakecluster

import (
	"context"
	"errors"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// collectGarbage deletes what belonged to an object that is gone, or that is being deleted in the foreground.
func (c *Cluster) collectGarbage(ctx context.Context) error {
	for _, each := range []func(func(client.Object) error) error{
		func(do func(client.Object) error) error {
			return c.eachClaim(ctx, func(o *corev1.PersistentVolumeClaim) error { return do(o) })
		},
		func(do func(client.Object) error) error {
			return c.eachConfigMap(ctx, func(o *corev1.ConfigMap) error { return do(o) })
		},
		func(do func(client.Object) error) error {
			return c.eachJob(ctx, func(o *batchv1.Job) error { return do(o) })
		},
		func(do func(client.Object) error) error {
			return c.eachPod(ctx, func(o *corev1.Pod) error { return do(o) })
		},
		func(do func(client.Object) error) error {
			return c.eachBenchmark(ctx, func(o *v1alpha1.StorageBenchmark) error { return do(o) })
		},
	} {
		err := each(func(object client.Object) error {
			if !object.GetDeletionTimestamp().IsZero() {
				return nil
			}
			orphan, err := c.isOrphan(ctx, object)
			if err != nil || !orphan {
				return err
			}
			return c.client.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground))
		})
		if err != nil {
			return err
		}
	}
	return c.releaseBenchmarks(ctx)
}

// isOrphan says whether the owner of an object is gone, or wants to see it gone first. Pods of Jobs that are
// being deleted are left to runJobs.
func (c *Cluster) isOrphan(ctx context.Context, object client.Object) (bool, error) {
	reference := metav1.GetControllerOf(object)
	if reference == nil {
		return false, nil
	}
	owner := ownerOf(reference)
	key := client.ObjectKey{Namespace: c.namespace, Name: reference.Name}
	if err := c.cache.Get(ctx, key, owner); err == nil && owner.GetUID() == reference.UID {
		_, isJob := owner.(*batchv1.Job)
		return !isJob && controllerutil.ContainsFinalizer(owner, metav1.FinalizerDeleteDependents), nil
	}
	// The cache may not have heard of it yet.
	err := c.client.Get(ctx, key, owner)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return owner.GetUID() != reference.UID, err
}

// ownerOf returns an empty object of the owner's kind.
func ownerOf(reference *metav1.OwnerReference) client.Object {
	switch reference.Kind {
	case "Job":
		return &batchv1.Job{}
	case "StorageBenchmarkSchedule":
		return &v1alpha1.StorageBenchmarkSchedule{}
	}
	return &v1alpha1.StorageBenchmark{}
}

// releaseBenchmarks lets go of benchmarks that were deleted in the foreground, when all that they own is gone.
func (c *Cluster) releaseBenchmarks(ctx context.Context) error {
	return c.eachBenchmark(ctx, func(sb *v1alpha1.StorageBenchmark) error {
		if !controllerutil.ContainsFinalizer(sb, metav1.FinalizerDeleteDependents) {
			return nil
		}
		owned := 0
		count := func(object client.Object) {
			if metav1.IsControlledBy(object, sb) {
				owned++
			}
		}
		err := errors.Join(
			c.eachClaim(ctx, func(o *corev1.PersistentVolumeClaim) error { count(o); return nil }),
			c.eachJob(ctx, func(o *batchv1.Job) error { count(o); return nil }))
		if err != nil || owned > 0 {
			return err
		}
		return c.removeFinalizer(ctx, sb, metav1.FinalizerDeleteDependents)
	})
}
