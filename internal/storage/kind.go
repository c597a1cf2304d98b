package storage

import (
	"cmp"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Kind is what the storage of a target is. The CSI driver decides it, whichever field of the target names the storage.
type Kind string

// The kinds whose rules are known. All other storage, and storage whose driver is not known, is KindOther.
const (
	KindOther Kind = ""
	KindEBS   Kind = "EBS"
	KindEFS   Kind = "EFS"
	KindS3    Kind = "S3"
)

// KindOf returns the kind of a target's storage. The target names its driver itself, or else it is the one that was
// found for its StorageClass or claim, "" if none was.
func KindOf(t *v1alpha1.Target, found string) Kind { return KindOfDriver(cmp.Or(Driver(t), found)) }

// KindOfDriver returns the kind of the volumes of a CSI driver.
func KindOfDriver(driver string) Kind {
	switch driver {
	case EBSDriver, EBSAutoModeDriver:
		return KindEBS
	case EFSDriver:
		return KindEFS
	case S3Driver:
		return KindS3
	default:
		return KindOther
	}
}

// IsObjectStore reports whether files are objects, which are written once, from the first byte to the last.
func (k Kind) IsObjectStore() bool { return k == KindS3 }

// IsPartOfService reports whether volumes are parts of a file system or a bucket that was there before. They have no
// size and no raw blocks, and files on them stay when the driver lets a volume go.
func (k Kind) IsPartOfService() bool { return k == KindEFS || k == KindS3 }

// inTree are the provisioners from before CSI, with the drivers to which Kubernetes gives their StorageClasses and
// volumes: https://github.com/kubernetes/csi-translation-lib/tree/v0.37.1/plugins
var inTree = map[string]string{
	ebsInTree:                       EBSDriver,
	"kubernetes.io/azure-disk":      "disk.csi.azure.com",
	"kubernetes.io/azure-file":      "file.csi.azure.com",
	"kubernetes.io/cinder":          "cinder.csi.openstack.org",
	"kubernetes.io/gce-pd":          "pd.csi.storage.gke.io",
	"kubernetes.io/portworx-volume": "pxd.portworx.com",
	"kubernetes.io/vsphere-volume":  "csi.vsphere.vmware.com",
}

// DriverOf returns the driver that makes the volumes of a provisioner, as StorageClasses and volumes name it.
func DriverOf(provisioner string) string { return cmp.Or(inTree[provisioner], provisioner) }

// IsCSI reports whether a driver is certainly one of CSI. The others may be provisioners of another kind, which
// Kubernetes has no object for: a name with a slash, such as rancher.io/local-path, always is one, as no CSI driver has
// a slash in its name (https://github.com/container-storage-interface/spec/blob/v1.11.0/spec.md#getplugininfo). A name
// without a slash may be either unless a part of it is csi.
func IsCSI(driver string) bool {
	for _, known := range inTree {
		if driver == known {
			return true
		}
	}
	return !strings.Contains(driver, "/") && slices.Contains(strings.Split(driver, "."), "csi")
}
