package storage

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// measuredRoom is what statfs has as available to non-root users on new file systems, in bytes.
var measuredRoom = map[string]map[string]int64{
	"ext4": {
		"256Mi": 231321 << 10, "1Gi": 245093 << 12, "10Gi": 2550591 << 12, "100Gi": 25652456 << 12,
		"1000Gi": (262144000 - 4395994 - 4096) << 12,
	},
	"xfs": {
		"512Mi": 107269 << 12, "1Gi": 235783 << 12, "4Gi": 1016730 << 12, "10Gi": 2578630 << 12,
		"100Gi": 26007102 << 12, "1000Gi": 260180928 << 12,
	},
}

// Files that have room by Room fit on the file system that was measured, which has little more.
func TestRoom(t *testing.T) {
	for fsType, sizes := range measuredRoom {
		for capacity, measured := range sizes {
			target := &v1alpha1.Target{EBS: &v1alpha1.EBSVolume{FSType: &fsType}, Capacity: new(resource.MustParse(capacity))}
			got := Room(target, KindEBS)
			if got > measured || got < measured-target.Capacity.Value()/75 {
				t.Errorf("%s of %s has room for %d bytes, measured were %d", fsType, capacity, got, measured)
			}
		}
	}
}

// What has no file system of its own holds all of its capacity.
func TestRoomWithoutFileSystem(t *testing.T) {
	capacity := new(resource.MustParse("5Gi"))
	for kind, target := range map[Kind]*v1alpha1.Target{
		KindEFS:   {EFS: &v1alpha1.EFSFileSystem{}, Capacity: capacity},
		KindS3:    {S3: &v1alpha1.S3Bucket{}, Capacity: capacity},
		KindOther: {StorageClassName: new("c"), VolumeMode: new(corev1.PersistentVolumeBlock), Capacity: capacity},
	} {
		if got := Room(target, kind); got != capacity.Value() {
			t.Errorf("%q has room for %d bytes", kind, got)
		}
	}
}

// CapacityFor has room, and a little less has not.
func TestCapacityFor(t *testing.T) {
	target := &v1alpha1.Target{StorageClassName: new("c")}
	for _, bytes := range []int64{1, 100 * mib, 256 * mib, 480 * mib, 10 * gib, 52000 * mib, 3000*gib + 1, 1 << 60} {
		capacity := CapacityFor(target, KindOther, bytes)
		least := capacity.Value()
		if roomIn(target, KindOther, least) < bytes || roomIn(target, KindOther, least*9/10-mib) >= bytes {
			t.Errorf("%d bytes: capacity %s", bytes, capacity.String())
		}
	}
}
