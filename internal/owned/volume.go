package owned

import (
	"path"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/storage"
)

// IsBound says whether a volume is a claim's by its own word. By that of the claim it need not be: who makes a claim can name
// any volume of the cluster there, also one of another namespace.
func IsBound(pv *corev1.PersistentVolume, claim *corev1.PersistentVolumeClaim) bool {
	ref := pv.Spec.ClaimRef
	return ref != nil && ref.Namespace == claim.Namespace && ref.Name == claim.Name && (ref.UID == claim.UID || ref.UID == "")
}

// Handle returns what the volume is called by the storage, such as vol-0123456789abcdef0.
func Handle(pv *corev1.PersistentVolume) string {
	switch source := pv.Spec.PersistentVolumeSource; {
	case source.CSI != nil:
		return source.CSI.VolumeHandle
	case source.AWSElasticBlockStore != nil: // of a StorageClass from before CSI; it may begin with the zone
		return path.Base(source.AWSElasticBlockStore.VolumeID)
	case source.Local != nil:
		return source.Local.Path
	case source.HostPath != nil:
		return source.HostPath.Path
	case source.NFS != nil:
		return source.NFS.Server + ":" + source.NFS.Path
	default:
		return pv.Name
	}
}

// Provisioner returns the driver that has made a volume, and deletes it, "" if an administrator has made it.
func Provisioner(pv *corev1.PersistentVolume) string { return pv.Annotations[ProvisionedBy] }

// Driver returns the driver of a volume, "" if that has none.
func Driver(pv *corev1.PersistentVolume) string {
	switch {
	case pv.Spec.CSI != nil:
		return pv.Spec.CSI.Driver
	case pv.Spec.AWSElasticBlockStore != nil: // one from before CSI, which Kubernetes gives to the driver
		return storage.EBSDriver
	default:
		return storage.DriverOf(Provisioner(pv))
	}
}
