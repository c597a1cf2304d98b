package storage

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

// Validate refuses what AWS would refuse of a target, or its driver would silently change. path is the field of the
// target, kind what is known of its storage. The API server refuses most of it too; a plan can be made without one.
func Validate(path *field.Path, t *v1alpha1.Target, kind Kind) field.ErrorList {
	errs := append(validateVolume(path, t, kind), validateDataSource(path, t)...)
	switch {
	case t.EBS != nil:
		errs = append(errs, validateEBS(path, t)...)
	case t.EFS != nil:
		errs = append(errs, problems(path, "efs", t, fileSystem(t.EFS, "").Problems())...)
	case t.S3 != nil:
		errs = append(errs, validateS3(path.Child("s3"), t.S3)...)
	}
	return errs
}

// validateVolume refuses what the kind of storage cannot have: the objects would be made, and no pod could ever start.
func validateVolume(path *field.Path, t *v1alpha1.Target, kind Kind) field.ErrorList {
	var errs field.ErrorList
	shared, claimed, ofClass := kind.IsPartOfService(), t.ClaimName != nil, t.StorageClassName != nil
	mode, access := VolumeMode(t), ptr.Deref(t.AccessMode, "")
	switch at := path.Child("capacity"); {
	case t.Capacity == nil:
	case claimed:
		errs = append(errs, field.Forbidden(at, "it belongs to new volumes: remove it, the claim has its own"))
	case t.Capacity.Value() < 1:
		errs = append(errs, field.Invalid(at, t.Capacity.String(), "give at least 1, such as 500Mi or 30Gi"))
	}
	switch at := path.Child("accessMode"); {
	case ofClass && kind == KindS3 && AccessMode(t) != corev1.ReadWriteMany:
		errs = append(errs, field.Invalid(at, AccessMode(t), "S3 buckets are shared: set ReadWriteMany"))
	case t.AccessMode == nil:
	case !slices.Contains(accessModes, access):
		errs = append(errs, field.NotSupported(at, access, accessModes))
	case claimed:
		errs = append(errs, field.Forbidden(at, "it belongs to new volumes: remove it, the claim has its own"))
	case shared && !ofClass && access != corev1.ReadWriteMany:
		errs = append(errs, field.Invalid(at, access, "EFS file systems and S3 buckets are shared: remove it, or set ReadWriteMany"))
	case kind == KindEBS && access == corev1.ReadWriteMany && !mayAttachToMany(t):
		errs = append(errs, field.Invalid(at, access, "an EBS volume belongs to one node, except a raw block volume of type io2: "+
			"remove it, set type: io2 and volumeMode: Block, or use efs for storage that is shared"))
	}
	switch at := path.Child("volumeMode"); {
	case !slices.Contains(volumeModes, mode):
		errs = append(errs, field.NotSupported(at, mode, volumeModes))
	case claimed && t.VolumeMode != nil:
		errs = append(errs, field.Forbidden(at, "it belongs to new volumes: remove it, the claim has its own"))
	case shared && !claimed && mode == corev1.PersistentVolumeBlock:
		errs = append(errs, field.Invalid(at, mode, "EFS file systems and S3 buckets have no raw block volumes: remove it, or use ebs"))
	}
	if t.VolumeAttributesClassName != nil && !IsNewVolume(t) {
		errs = append(errs, field.Forbidden(path.Child("volumeAttributesClassName"), "it is for new volumes: remove it, or use storageClassName or ebs"))
	}
	return errs
}

// mayAttachToMany reports whether an EBS volume can be attached to several instances: one of type io2 without a file
// system. The type of a StorageClass's volume is not known here.
// https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/v1.64.0/docs/multi-attach.md
func mayAttachToMany(t *v1alpha1.Target) bool {
	return VolumeMode(t) == corev1.PersistentVolumeBlock && (t.EBS == nil || t.EBS.Type == "io2")
}

// validateDataSource refuses a source of storage that is not made, and one of which nothing would be read: test files in a file system are new
// blocks, also where the file system is a snapshot's.
func validateDataSource(path *field.Path, t *v1alpha1.Target) field.ErrorList {
	source, at := t.DataSource, path.Child("dataSource")
	if source == nil {
		return nil
	}
	if !IsNewVolume(t) {
		return field.ErrorList{field.Forbidden(at, "it is what new volumes are made from: remove it, or use storageClassName or ebs")}
	}
	var errs field.ErrorList
	if mode := VolumeMode(t); mode == corev1.PersistentVolumeFilesystem {
		errs = append(errs, field.Invalid(path.Child("volumeMode"), mode,
			"test files in a file system are new blocks, so that nothing of the dataSource would be read: set Block, or remove dataSource"))
	}
	switch group := ptr.Deref(source.APIGroup, ""); {
	case !slices.Contains(sourceKinds, source.Kind):
		errs = append(errs, field.NotSupported(at.Child("kind"), source.Kind, sourceKinds))
	case source.Kind == v1alpha1.DataSourceSnapshot && group != v1alpha1.SnapshotGroup:
		errs = append(errs, field.Invalid(at.Child("apiGroup"), group, "VolumeSnapshots are of another group: set "+v1alpha1.SnapshotGroup))
	case source.Kind == v1alpha1.DataSourceClaim && group != "":
		errs = append(errs, field.Invalid(at.Child("apiGroup"), group, "PersistentVolumeClaims are of no group: remove it"))
	}
	for _, message := range validation.IsDNS1123Subdomain(source.Name) {
		errs = append(errs, field.Invalid(at.Child("name"), source.Name, message))
	}
	return errs
}

var (
	accessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadWriteMany, corev1.ReadWriteOncePod}
	volumeModes = []corev1.PersistentVolumeMode{corev1.PersistentVolumeFilesystem, corev1.PersistentVolumeBlock}
	sourceKinds = []v1alpha1.DataSourceKind{v1alpha1.DataSourceSnapshot, v1alpha1.DataSourceClaim}
)

// problems returns what was found as errors of the fields of a kind of storage; the capacity is the target's own.
func problems(path *field.Path, kind string, t *v1alpha1.Target, found []aws.Problem) field.ErrorList {
	var errs field.ErrorList
	for _, p := range found {
		switch at := path.Child(kind, p.Field); {
		case p.Field == aws.FieldCapacity:
			errs = append(errs, field.Invalid(path.Child(p.Field), new(Capacity(t)).String(), p.Message))
		case p.Value == "":
			errs = append(errs, field.Required(at, p.Message))
		default:
			errs = append(errs, field.Invalid(at, p.Value, p.Message))
		}
	}
	return errs
}
