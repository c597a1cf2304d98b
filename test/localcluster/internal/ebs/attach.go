package ebs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/disk"
)

// Most volumes come to an instance, and leave it, within 1 to 4 s, says the driver (v1.64.0, pkg/cloud/cloud.go, of attachmentBackoff).
const (
	attaching = 1500 * time.Millisecond
	detaching = 1500 * time.Millisecond
)

const (
	volumeInUse  = "VolumeInUse"
	zoneMismatch = "InvalidVolume.ZoneMismatch"
)

// Attach is part of csidriver.Attacher. Codes and words are the driver's, and EC2's from errors that its users have posted: of a volume in another zone in
// https://github.com/mondoohq/mql/issues/500, of one that another instance has in https://github.com/kubernetes/kubernetes/issues/45726, and as it is
// deleted in https://github.com/NixOS/nixops-aws/issues/104 (read 2026-11-24).
func (v *volumes) Attach(ctx context.Context, id, nodeID string) (map[string]string, error) {
	node, ok := v.instance(nodeID)
	if !ok || isNotFound(v.Check(id)) {
		return nil, status.Errorf(codes.NotFound, "Volume %q not found", id)
	}
	err := v.checkZone(id, nodeID, node.Zone)
	if err == nil {
		err = v.Volumes.Attach(ctx, id, node.Name)
	}
	if inUse := (*disk.InUseError)(nil); errors.As(err, &inUse) {
		err = &apiError{"AttachVolume", volumeInUse, id + " is already attached to an instance"}
	}
	if err != nil {
		return nil, status.Errorf(codes.Internal, "Could not attach volume %q to node %q: could not attach volume %q to node %q: %v", id, nodeID, id, nodeID, err)
	}
	return map[string]string{disk.DevicePathKey: deviceName(id)}, nil
}

// checkZone refuses a volume of another zone, as EC2 does.
func (v *volumes) checkZone(id, nodeID, zone string) error {
	plan, err := v.Planned(id)
	if err != nil {
		return err
	}
	if plan.Topology[zoneKey] != zone {
		return &apiError{"AttachVolume", zoneMismatch, fmt.Sprintf("The volume '%s' is not in the same availability zone as instance '%s'", id, nodeID)}
	}
	return nil
}

// deviceName looks like one that the driver asks EC2 for. The node finds the device by the volume, as nodes of EC2 do.
func deviceName(id string) string {
	last := id[len(id)-1]
	return "/dev/xvda" + string('a'+last%26)
}

// Detach is part of csidriver.Attacher. A volume or an instance that is gone is no error.
func (v *volumes) Detach(ctx context.Context, id, nodeID string) error {
	node, ok := v.instance(nodeID)
	if !ok || isNotFound(v.Check(id)) {
		return nil
	}
	if err := v.Volumes.Detach(ctx, id, node.Name); err != nil {
		return status.Errorf(codes.Internal, "Could not detach volume %q from node %q: %v", id, nodeID, err)
	}
	return nil
}

// Delete is part of csidriver.Volumes.
func (v *volumes) Delete(id string) error {
	err := v.Volumes.Delete(id)
	if inUse := (*disk.InUseError)(nil); errors.As(err, &inUse) {
		refusal := &apiError{"DeleteVolume", volumeInUse, fmt.Sprintf("Volume %s is currently attached to %s", id, instanceID(inUse.Node))}
		return status.Errorf(codes.Internal, "Could not delete volume ID %q: DeleteDisk could not delete volume: %v", id, refusal)
	}
	return err
}

func isNotFound(err error) bool { return status.Code(err) == codes.NotFound }
