package prepare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// resolveTargets looks up the StorageClasses, drivers and claims that the targets name.
func resolveTargets(ctx context.Context, p *pass.Pass) ([]v1alpha1.TargetStatus, field.ErrorList, error) {
	var statuses []v1alpha1.TargetStatus
	var missing field.ErrorList
	for i := range p.SB.Spec.Targets {
		target := &p.SB.Spec.Targets[i]
		status, problem, err := resolve(ctx, p, field.NewPath("spec", "targets").Index(i), target)
		if err != nil {
			return nil, nil, err
		}
		if problem != nil {
			missing = append(missing, problem)
		}
		statuses = append(statuses, status)
	}
	return statuses, missing, nil
}

// resolve looks up what a target names, and says what is missing.
func resolve(
	ctx context.Context, p *pass.Pass, path *field.Path, target *v1alpha1.Target,
) (v1alpha1.TargetStatus, *field.Error, error) {
	switch {
	case target.ClaimName != nil:
		return resolveClaim(ctx, p, path, target)
	case target.StorageClassName != nil:
		return resolveClass(ctx, p, path, target)
	default:
		return resolveInline(ctx, p, path, target)
	}
}

// NewTargetStatus returns what is known of a target whose claim is made, before anything is looked up.
func NewTargetStatus(sb *v1alpha1.StorageBenchmark, target *v1alpha1.Target) v1alpha1.TargetStatus {
	return v1alpha1.TargetStatus{
		Name:             target.Name,
		StorageClassName: storage.ClassName(sb, target),
		Driver:           storage.Driver(target),
		VolumeMode:       storage.VolumeMode(target),
		AccessModes:      []corev1.PersistentVolumeAccessMode{storage.AccessMode(target)},
		Claims:           world.Each(storage.ClaimNames(sb, target), newClaimStatus),
	}
}

func newClaimStatus(name string) v1alpha1.ClaimStatus { return v1alpha1.ClaimStatus{Name: name} }

func resolveClass(
	ctx context.Context, p *pass.Pass, path *field.Path, target *v1alpha1.Target,
) (v1alpha1.TargetStatus, *field.Error, error) {
	status := NewTargetStatus(p.SB, target)
	if p.Namespaces.AreSet() {
		// Whether there is such a class, its claim will tell.
		status.Limits = storage.Limits(target, storage.Class{})
		return status, nil, nil
	}
	var classes storagev1.StorageClassList
	if err := p.World.Live.List(ctx, &classes); err != nil {
		return status, nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	i := slices.IndexFunc(classes.Items, func(c storagev1.StorageClass) bool { return c.Name == status.StorageClassName })
	if i < 0 {
		why := "there is no such StorageClass: " + WhichClasses(classes.Items)
		return status, field.Invalid(path.Child("storageClassName"), status.StorageClassName, why), nil
	}
	class := storage.ClassOf(&classes.Items[i])
	status.Driver = class.Driver
	attributes, problem, err := resolveAttributes(ctx, p, path, target, status.Driver)
	class.Attributes = attributes
	if why := storage.ClashOfAttributes(class); why != "" {
		problem = field.Invalid(path.Child("volumeAttributesClassName"), *target.VolumeAttributesClassName, why)
	}
	status.Limits = storage.Limits(target, class)
	return status, problem, err
}

// WhichClasses says which classes there are, but those that were made for benchmarks, whose names tell of those of
// others.
func WhichClasses(classes []storagev1.StorageClass) string {
	var names []string
	for i := range classes {
		if classes[i].Labels[v1alpha1.LabelManagedBy] != v1alpha1.ManagedBy {
			names = append(names, classes[i].Name)
		}
	}
	if len(names) == 0 {
		return "this cluster has none; create one"
	}
	return "this cluster has " + strings.Join(names, ", ")
}

// resolveInline looks up what storage names that the target describes by itself. awaitDrivers looks for its driver.
func resolveInline(
	ctx context.Context, p *pass.Pass, path *field.Path, target *v1alpha1.Target,
) (v1alpha1.TargetStatus, *field.Error, error) {
	status := NewTargetStatus(p.SB, target)
	attributes, problem, err := resolveAttributes(ctx, p, path, target, status.Driver)
	status.Limits = storage.Limits(target, storage.Class{Driver: status.Driver, Attributes: attributes})
	return status, problem, err
}

// NoAttributesClasses is what users of an older Kubernetes are told.
const NoAttributesClasses = "this cluster has no VolumeAttributesClasses, which come with Kubernetes 1.34; " +
	"remove it, and set iops and throughput instead"

// resolveAttributes returns the parameters of the VolumeAttributesClass that the target names.
func resolveAttributes(
	ctx context.Context, p *pass.Pass, path *field.Path, target *v1alpha1.Target, driver string,
) (map[string]string, *field.Error, error) {
	if target.VolumeAttributesClassName == nil {
		return nil, nil, nil
	}
	name := *target.VolumeAttributesClassName
	path = path.Child("volumeAttributesClassName")
	var class storagev1.VolumeAttributesClass
	err := p.World.Live.Get(ctx, types.NamespacedName{Name: name}, &class)
	switch {
	case meta.IsNoMatchError(err):
		return nil, field.Invalid(path, name, NoAttributesClasses), nil
	case apierrors.IsNotFound(err):
		return nil, field.Invalid(path, name,
			"there is no such VolumeAttributesClass; create it, or name one of: kubectl get volumeattributesclass"), nil
	case err != nil:
		return nil, nil, fmt.Errorf("get VolumeAttributesClass: %w", err)
	case class.DriverName != driver:
		return nil, field.Invalid(path, name, fmt.Sprintf(
			"it is of driver %s, and the volume is of %s; name one of that driver", class.DriverName, driver)), nil
	}
	return class.Parameters, nil, nil
}

func resolveClaim(
	ctx context.Context, p *pass.Pass, path *field.Path, target *v1alpha1.Target,
) (v1alpha1.TargetStatus, *field.Error, error) {
	status := v1alpha1.TargetStatus{Name: target.Name, Claims: []v1alpha1.ClaimStatus{{Name: *target.ClaimName}}}
	claim, err := p.World.LiveClaim(ctx, *target.ClaimName, "get claim")
	if err != nil {
		return status, nil, err
	}
	if claim.Name != "" {
		status.Claims[0].UID = claim.UID
		status.VolumeMode = ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		status.AccessModes = claim.Spec.AccessModes
		status.StorageClassName = ptr.Deref(claim.Spec.StorageClassName, "")
	}
	if why := WhyNotClaim(p.SB, claim); why != "" {
		return status, field.Invalid(path.Child("claimName"), *target.ClaimName, why), nil
	}
	class, err := classOfClaim(ctx, p, claim)
	status.Driver, status.Limits = class.Driver, storage.Limits(target, class)
	return status, nil, err
}

// classOfClaim reads where the volume of somebody's claim comes from. A namespaced operator sees the driver of a volume
// that was made for the claim, and no more.
func classOfClaim(ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim) (storage.Class, error) {
	if p.Namespaces.AreSet() {
		return storage.Class{Driver: storage.DriverOf(claim.Annotations[owned.ProvisionerAnnotation]), Unknown: true}, nil
	}
	volume, err := volumeOf(ctx, p, claim)
	if err != nil {
		return storage.Class{}, err
	}
	class, err := p.World.LiveClass(ctx, ptr.Deref(claim.Spec.StorageClassName, ""))
	if err != nil {
		return storage.Class{}, err
	}
	of := owned.ClassOf(volume, class)
	if name := owned.AttributesClass(claim, volume); name != "" && storage.KindOfDriver(of.Driver) == storage.KindEBS {
		var attributes storagev1.VolumeAttributesClass
		err = p.World.Live.Get(ctx, types.NamespacedName{Name: name}, &attributes)
		of.Attributes, of.Unknown = attributes.Parameters, of.Unknown || err != nil
	}
	return of, client.IgnoreNotFound(err)
}

// volumeOf reads the volume of a claim, nil if the claim has none by the volume's own word.
func volumeOf(
	ctx context.Context, p *pass.Pass, claim *corev1.PersistentVolumeClaim,
) (*corev1.PersistentVolume, error) {
	if claim.Spec.VolumeName == "" {
		return nil, nil
	}
	volume, err := p.World.LiveVolume(ctx, claim.Spec.VolumeName, "get volume of claim "+claim.Name)
	if err != nil || !owned.IsBound(volume, claim) {
		return nil, err
	}
	return volume, nil
}

// WhyNotClaim says why nothing can be measured on a user's claim, and what to do, "" if it can. A claim that does not
// exist has no UID.
func WhyNotClaim(sb *v1alpha1.StorageBenchmark, claim *corev1.PersistentVolumeClaim) string {
	switch clients := sb.Spec.MostClients(); {
	case claim.UID == "":
		return fmt.Sprintf("there is no such PersistentVolumeClaim in namespace %s; "+
			"create it, or name a storageClassName for a new volume", sb.Namespace)
	case !claim.DeletionTimestamp.IsZero():
		return "the PersistentVolumeClaim is being deleted; name another one"
	case clients > 1 && !isForMany(claim):
		return fmt.Sprintf("the PersistentVolumeClaim is %s, which lets pods of one node use it, "+
			"and %d clients are to measure together; name one that is ReadWriteMany, or set clients to 1",
			describeModes(claim.Spec.AccessModes), clients)
	default:
		return ""
	}
}

// isForMany reports whether pods on several nodes can use a claim at the same time.
func isForMany(claim *corev1.PersistentVolumeClaim) bool {
	return slices.Contains(claim.Spec.AccessModes, corev1.ReadWriteMany) ||
		slices.Contains(claim.Spec.AccessModes, corev1.ReadOnlyMany)
}

func describeModes(modes []corev1.PersistentVolumeAccessMode) string {
	words := world.Each(modes, func(mode corev1.PersistentVolumeAccessMode) string { return string(mode) })
	return strings.Join(words, " and ")
}
