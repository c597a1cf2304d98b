package storage

import (
	storagev1 "k8s.io/api/storage/v1"
	storagev1ac "k8s.io/client-go/applyconfigurations/storage/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// defaultDirectoryPerms lets only the access point's own user in, as whom all access through it is made.
const defaultDirectoryPerms = "700"

func isStatic(fs *v1alpha1.EFSFileSystem) bool {
	return ptr.Deref(fs.Provisioning, v1alpha1.EFSDynamic) == v1alpha1.EFSStatic
}

// efsClass returns the StorageClass that has aws-efs-csi-driver make an access point:
// https://github.com/kubernetes-sigs/aws-efs-csi-driver/blob/v3.4.1/docs/parameters.md
func efsClass(sb *v1alpha1.StorageBenchmark, t *v1alpha1.Target) *storagev1ac.StorageClassApplyConfiguration {
	fs := t.EFS
	parameters := map[string]string{
		"provisioningMode": "efs-ap",
		"fileSystemId":     fs.FileSystemID,
		"directoryPerms":   ptr.Deref(fs.DirectoryPerms, defaultDirectoryPerms),
	}
	setNumber(parameters, "uid", fs.UID)
	setNumber(parameters, "gid", fs.GID)
	setNumber(parameters, "gidRangeStart", fs.GIDRangeStart)
	setNumber(parameters, "gidRangeEnd", fs.GIDRangeEnd)
	set(parameters, "basePath", fs.BasePath)
	if ptr.Deref(fs.FileSystemType, "") == v1alpha1.EFSOneZone {
		// Keeps pods in the zone of the file system: others pay for each byte that crosses zones, and measure that way.
		parameters["enforceZoneAffinity"] = "true"
	}
	return class(sb, t, EFSDriver, parameters).
		WithMountOptions(fs.MountOptions...).
		WithVolumeBindingMode(storagev1.VolumeBindingImmediate)
}

// efsVolume returns the root of a file system, or an access point that exists. Its handle has the form that drivers
// of all versions take:
// https://github.com/kubernetes-sigs/aws-efs-csi-driver/tree/v3.4.1/examples/kubernetes/efs/static_provisioning
func efsVolume(fs *v1alpha1.EFSFileSystem) csiVolume {
	v := csiVolume{driver: EFSDriver, handle: fs.FileSystemID, mountOptions: fs.MountOptions}
	if fs.AccessPointID != nil {
		v.handle += "::" + *fs.AccessPointID
	}
	if !ptr.Deref(fs.EncryptInTransit, true) {
		v.attributes = map[string]string{"encryptInTransit": "false"}
	}
	return v
}
