package plugin

import (
	"context"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// checkStorage finds StorageClasses and claims that a benchmark names and that do not exist, before anything is created.
// Brought are the names of objects that are created with it. What the user may not list is not checked.
func (c *cluster) checkStorage(ctx context.Context, notes io.Writer, sb *v1alpha1.StorageBenchmark, brought ...string) error {
	classes, known := names(ctx, c, &storagev1.StorageClassList{})
	claims, claimsKnown := names(ctx, c, &corev1.PersistentVolumeClaimList{}, client.InNamespace(sb.Namespace))
	isMissing := func(name string, there []string) bool {
		return name != "" && !slices.Contains(there, name) && !slices.Contains(brought, name)
	}
	var problems field.ErrorList
	for i := range sb.Spec.Targets {
		target, path := &sb.Spec.Targets[i], field.NewPath("spec", "targets").Index(i)
		class, claim := ptr.Deref(target.StorageClassName, ""), ptr.Deref(target.ClaimName, "")
		if known && isMissing(class, classes) {
			why := "there is no such StorageClass" + meant(class, classes)
			if c.mayBeStatic(ctx, class) {
				fmt.Fprintf(notes, "%s: %s: %s; only a volume that names it can be measured\n", path.Child("storageClassName"), class, why)
				continue
			}
			problems = append(problems, field.Invalid(path.Child("storageClassName"), class, why))
		}
		if claimsKnown && isMissing(claim, claims) {
			problems = append(problems, field.Invalid(path.Child("claimName"), claim,
				fmt.Sprintf("there is no such claim in namespace %s%s", sb.Namespace, meant(claim, claims))))
		}
	}
	return problems.ToAggregate()
}

// mayBeStatic reports whether a volume may name a StorageClass that does not exist, as an administrator can have made it.
func (c *cluster) mayBeStatic(ctx context.Context, class string) bool {
	var volumes corev1.PersistentVolumeList
	if err := c.List(ctx, &volumes); err != nil {
		return true
	}
	return slices.ContainsFunc(volumes.Items, func(v corev1.PersistentVolume) bool { return v.Spec.StorageClassName == class })
}

// names returns the names of all objects of a kind, and whether they could be listed.
func names(ctx context.Context, c client.Reader, list client.ObjectList, options ...client.ListOption) (all []string, known bool) {
	if err := c.List(ctx, list, options...); err != nil {
		return nil, false
	}
	err := meta.EachListItem(list, func(object runtime.Object) error {
		named, err := meta.Accessor(object)
		if err == nil {
			all = append(all, named.GetName())
		}
		return err
	})
	return all, err == nil
}
