package ebs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
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

// ControllerPublishVolume is part of the Controller service. Codes and words are the driver's, and EC2's from errors that its users have posted: of a volume in another zone in
// https://github.com/mondoohq/mql/issues/500, of one that another instance has in https://github.com/kubernetes/kubernetes/issues/45726, and as it is
// deleted in https://github.com/NixOS/nixops-aws/issues/104 (read 2026-11-24).
func (v *volumes) ControllerPublishVolume(ctx context.Context, r *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	id, nodeID := r.GetVolumeId(), r.GetNodeId()
	node, ok := v.instance(nodeID)
	if !ok || isNotFound(v.Check(id)) {
		return nil, status.Errorf(codes.NotFound, "Volume %q not found", id)
	}
	err := v.checkZone(id, nodeID, node.Zone)
	if err == nil {
		err = v.Attach(ctx, id, node.Name)
	}
	if inUse := (*disk.InUseError)(nil); errors.As(err, &inUse) {
		err = &apiError{"AttachVolume", volumeInUse, id + " is already attached to an instance"} // also where it is at as many as it can be, for which nobody has posted EC2's words
	}
	if err != nil {
		return nil, status.Errorf(codes.Internal, "Could not attach volume %q to node %q: could not attach volume %q to node %q: %v", id, nodeID, id, nodeID, err)
	}
	return &csi.ControllerPublishVolumeResponse{PublishContext: map[string]string{disk.DevicePathKey: deviceName(id)}}, nil
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

// ControllerUnpublishVolume is part of the Controller service. A volume or an instance that is gone is no error.
func (v *volumes) ControllerUnpublishVolume(ctx context.Context, r *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	id, nodeID := r.GetVolumeId(), r.GetNodeId()
	if node, ok := v.instance(nodeID); ok && !isNotFound(v.Check(id)) {
		if err := v.Detach(ctx, id, node.Name); err != nil {
			return nil, status.Errorf(codes.Internal, "Could not detach volume %q from node %q: %v", id, nodeID, err)
		}
	}
	return &csi.ControllerUnpublishVolumeResponse{}, nil
}

// DeleteVolume is part of the Controller service.
func (v *volumes) DeleteVolume(ctx context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	id := r.GetVolumeId()
	response, err := v.Volumes.DeleteVolume(ctx, r)
	if inUse := (*disk.InUseError)(nil); errors.As(err, &inUse) {
		refusal := &apiError{"DeleteVolume", volumeInUse, fmt.Sprintf("Volume %s is currently attached to %s", id, instanceID(inUse.Node))}
		return nil, status.Errorf(codes.Internal, "Could not delete volume ID %q: DeleteDisk could not delete volume: %v", id, refusal)
	}
	return response, err
}

func isNotFound(err error) bool { return status.Code(err) == codes.NotFound }
