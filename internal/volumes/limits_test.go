package volumes

import (
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// A file system has the limits of its region as soon as a client has a node, whose own limits are known then too.
func TestNoteLimits(t *testing.T) {
	target := v1alpha1.Target{Name: "efs", EFS: &v1alpha1.EFSFileSystem{FileSystemID: "fs-01234567", ThroughputMode: new(v1alpha1.EFSElastic)}}
	status := v1alpha1.TargetStatus{Name: "efs", Driver: storage.EFSDriver, Limits: storage.Limits(&target, storage.Class{})}
	NoteLimits(&target, &status)
	if len(status.ClientLimits) != 0 || *status.Limits.WriteBytesPerSecond != 1<<30 {
		t.Errorf("without a node: %+v", status)
	}
	status.Volumes = []v1alpha1.VolumeStatus{{Node: "node", Zone: "us-east-1c", InstanceType: "m6i.large"}}
	NoteLimits(&target, &status)
	if len(status.ClientLimits) != 2 || *status.Limits.WriteBytesPerSecond != 5<<30 {
		t.Errorf("on a node in us-east-1c: limits %+v, of the client %+v", status.Limits, status.ClientLimits)
	}
}
