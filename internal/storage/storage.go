// Package storage turns the targets of a benchmark into the objects that provision their volumes.
package storage

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
)

// Names of the CSI drivers.
const (
	EBSDriver = "ebs.csi.aws.com"
	EFSDriver = "efs.csi.aws.com"
	S3Driver  = "s3.csi.aws.com"
	fsxDriver = "fsx.csi.aws.com" // for Lustre

	// EBSAutoModeDriver makes the EBS volumes of EKS Auto Mode, with the parameters of EBSDriver. AWS runs it, and it
	// knows nothing of that driver's volumes.
	// https://docs.aws.amazon.com/eks/latest/userguide/create-storage-class.html
	EBSAutoModeDriver = "ebs.csi.eks.amazonaws.com"

	// ebsInTree stands in StorageClasses from the time before CSI, such as class gp2 that comes with EKS. Kubernetes has
	// EBSDriver make their volumes: https://kubernetes.io/docs/concepts/storage/volumes/#awselasticblockstore
	ebsInTree = "kubernetes.io/aws-ebs"

	// NoProvisioner stands in a StorageClass for which no volume is ever made: its claims come to volumes that are there.
	// https://kubernetes.io/docs/concepts/storage/storage-classes/#local
	NoProvisioner = "kubernetes.io/no-provisioner"
)

// DefaultCapacity is the capacity of a target that does not give one and that is no existing claim.
var DefaultCapacity = resource.MustParse("10Gi")

// Objects are what provisions a target's storage. All are nil for a claim that exists; they are made in the order
// of the fields.
type Objects struct {
	// Class is the StorageClass of targets that do not name one.
	Class *storagev1ac.StorageClassApplyConfiguration
	// Volume is the PersistentVolume of storage that is not provisioned by its driver.
	Volume *corev1ac.PersistentVolumeApplyConfiguration
	// Claims are the claims of which pods mount the volumes: one, or one for each client of storage that is not shared.
	Claims []*corev1ac.PersistentVolumeClaimApplyConfiguration
}

// User is who the pods run as, which some mounts must be told.
type User struct {
	UID, GID int64
}

// For returns what provisions the target's storage for pods of a user.
func For(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, user User) Objects {
	switch {
	case t.StorageClassName != nil:
		return Objects{Claims: claims(sb, t, *t.StorageClassName)}
	case t.EBS != nil:
		return Objects{Class: ebsClass(sb, t), Claims: claims(sb, t, ClassName(sb, t))}
	case t.EFS != nil && isStatic(t.EFS):
		return static(sb, t, efsVolume(t.EFS))
	case t.EFS != nil:
		return Objects{Class: efsClass(sb, t), Claims: claims(sb, t, ClassName(sb, t))}
	case t.S3 != nil:
		return static(sb, t, s3Volume(sb, t, user))
	default:
		return Objects{}
	}
}

// Kinds returns how many kinds of storage the target gives, of which it must be one.
func Kinds(t *v1alpha1.Target) int {
	kinds := 0
	for _, given := range []bool{t.StorageClassName != nil, t.EBS != nil, t.EFS != nil, t.S3 != nil, t.ClaimName != nil} {
		if given {
			kinds++
		}
	}
	return kinds
}

// IsProvisioned says whether the target's claim is made for the benchmark, and so deleted after it.
func IsProvisioned(t *v1alpha1.Target) bool { return t.ClaimName == nil }

// IsExisting says whether the target's volume was there before the benchmark, with whatever somebody has on it: a claim that
// exists, and a file system or an access point that is mounted as it is. Of a bucket the benchmark sees its own prefix only.
func IsExisting(t *v1alpha1.Target) bool {
	return !IsProvisioned(t) || (t.EFS != nil && isStatic(t.EFS))
}

// IsNewVolume reports whether the target's volume is made for the benchmark, and is no access to a file system or a
// bucket that exists.
func IsNewVolume(t *v1alpha1.Target) bool { return t.StorageClassName != nil || t.EBS != nil }

// MakesVolume says whether the target's PersistentVolume is made for the benchmark, by itself: of storage that is mounted as it is.
func MakesVolume(t *v1alpha1.Target) bool { return t.S3 != nil || (t.EFS != nil && isStatic(t.EFS)) }

// HasOwnPrefix reports whether the volume is a part of a bucket that holds nothing but the benchmark's files. A volume
// of a bucket that somebody else has made may hold anything.
func HasOwnPrefix(t *v1alpha1.Target) bool { return t.S3 != nil }

// KeepsFiles reports whether files on the target stay when its claim is deleted, so that they must be deleted before:
// on somebody's claim, and on storage whose driver leaves files behind. driver is the one that was found, "" if none
// was.
func KeepsFiles(t *v1alpha1.Target, driver string) bool {
	return !IsProvisioned(t) || KindOf(t, driver).IsPartOfService()
}

// LeavesFiles reports whether the files of a volume stay when its CSI driver deletes it, or lets it go.
func LeavesFiles(driver string) bool { return KindOfDriver(driver).IsPartOfService() }

// Driver returns the CSI driver of targets that do not name a StorageClass or a claim, else "".
func Driver(t *v1alpha1.Target) string {
	switch {
	case t.EBS != nil:
		return EBSDriver
	case t.EFS != nil:
		return EFSDriver
	case t.S3 != nil:
		return S3Driver
	default:
		return ""
	}
}

// Capacity returns the size of the target's new volume, or how much its files may take of a shared file system or a
// bucket. The size of a claim that exists is not known from the spec.
func Capacity(t *v1alpha1.Target) resource.Quantity {
	return ptr.Deref(t.Capacity, DefaultCapacity)
}

// VolumeMode returns the mode of the target's new volume.
func VolumeMode(t *v1alpha1.Target) corev1.PersistentVolumeMode {
	return ptr.Deref(t.VolumeMode, corev1.PersistentVolumeFilesystem)
}

// AccessMode returns the access mode of the target's new volume.
func AccessMode(t *v1alpha1.Target) corev1.PersistentVolumeAccessMode {
	if t.EFS != nil || t.S3 != nil {
		return corev1.ReadWriteMany
	}
	return ptr.Deref(t.AccessMode, corev1.ReadWriteOnce)
}

// ClassName returns the name of the StorageClass of the target's claim: the one that is named, or that is made; ""
// for one without.
func ClassName(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) string {
	switch {
	case t.StorageClassName != nil:
		return *t.StorageClassName
	case t.EBS != nil, t.EFS != nil && !isStatic(t.EFS):
		return childmeta.Name(sb, t.Name)
	default:
		return ""
	}
}

// IsShared says whether all clients use one claim. Of other storage each has a volume of its own.
func IsShared(t *v1alpha1.Target) bool {
	return !IsProvisioned(t) || AccessMode(t) == corev1.ReadWriteMany
}

// ClaimName returns the name of the PersistentVolumeClaim that a client, counted from 0, uses of the target.
func ClaimName(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target, client int32) string {
	switch {
	case t.ClaimName != nil:
		return *t.ClaimName
	case client == 0 || IsShared(t):
		return childmeta.Name(sb, t.Name)
	default:
		return childmeta.Name(sb, t.Name, childmeta.Client(client))
	}
}

// ClaimNames returns the names of all PersistentVolumeClaims of the target, in the order of the clients that use them.
func ClaimNames(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) []string {
	var names []string
	for client := range Claims(sb, t) {
		names = append(names, ClaimName(sb, t, client))
	}
	return names
}

// Claims returns the number of the target's claims: 1, or as many as there are clients.
func Claims(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) int32 {
	if IsShared(t) {
		return 1
	}
	return sb.Spec.MostClients()
}
