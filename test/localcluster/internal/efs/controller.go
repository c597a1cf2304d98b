package efs

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/test/localcluster/internal/efsfuse"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// CreateVolume is part of the Controller service: it makes an access point.
func (v *Volumes) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if err := v.known.CheckParameters(r.GetParameters()); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "Invalid parameter for CreateVolume: %v", err)
	}
	if r.GetParameters()["fileSystemId"] == "" {
		return nil, status.Error(codes.InvalidArgument, "Failed to resolve filesystem Id: the local stand-in reads no ConfigMap and no Secret, give fileSystemId")
	}
	parsed, err := parseParameters(r.GetParameters())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	v.changes.Lock()
	defer v.changes.Unlock()
	ap, err := v.ensureAccessPoint(r, parsed)
	made := &csi.Volume{VolumeId: handle{fsID: parsed.fsID, apID: ap.ID}.String(), CapacityBytes: ap.CapacityBytes}
	return &csi.CreateVolumeResponse{Volume: made}, err
}

func (v *Volumes) ensureAccessPoint(r *csi.CreateVolumeRequest, p parameters) (accessPoint, error) {
	if _, err := v.store.limits(p.fsID); err != nil {
		return accessPoint{}, createError(p, err)
	}
	token := p.clientToken(r.GetName(), r.GetParameters()[pvcName])
	size := r.GetCapacityRange().GetRequiredBytes()
	existing, err := v.store.accessPoint(p.fsID, newAccessPointID(p.fsID, token))
	switch {
	case err == nil && !p.reuse && existing.CapacityBytes != size:
		return accessPoint{}, status.Errorf(codes.AlreadyExists, "volume %q exists with a capacity of %d bytes, asked for are %d", r.GetName(), existing.CapacityBytes, size)
	case err == nil, !errors.Is(err, errNotFound):
		return existing, err
	}
	owner, err := v.owner(p)
	if err != nil {
		return accessPoint{}, err
	}
	dir, err := directory(r.GetParameters(), r.GetName(), uuid.NewString())
	if err != nil {
		return accessPoint{}, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := checkRootDirectory(p.fsID, dir); err != nil {
		return accessPoint{}, err
	}
	ap := accessPoint{
		ID: newAccessPointID(p.fsID, token), ClientToken: token, Path: dir,
		Owner: owner, Permissions: p.permissions, CapacityBytes: size,
	}
	v.log.Info("Access point created", "fileSystem", p.fsID, "accessPoint", ap.ID, "path", ap.Path, "uid", owner.UID, "gid", owner.GID)
	return ap, state.WriteJSON(v.store.accessPointFile(p.fsID, ap.ID), ap, 0o600)
}

// createError is the driver's for a file system that it cannot use. It finds out when
// it looks for a free number, or else when it makes the access point.
func createError(p parameters, err error) error {
	if !errors.Is(err, errNotFound) {
		return status.Error(codes.Internal, err.Error())
	}
	if p.uid == nil || p.gid == nil {
		return status.Errorf(codes.InvalidArgument, "File System does not exist: %v", err)
	}
	return status.Errorf(codes.Internal, "Failed to create Access point in File System %v : Failed to create access point: "+
		"operation error EFS: CreateAccessPoint, FileSystemNotFound: File system '%v' does not exist.", p.fsID, p.fsID)
}

func (v *Volumes) owner(p parameters) (efsfuse.Owner, error) {
	uid, gid := p.uid, p.gid
	if uid == nil || gid == nil {
		existing, err := v.store.accessPoints(p.fsID)
		if err != nil {
			return efsfuse.Owner{}, status.Error(codes.Internal, err.Error())
		}
		next, err := p.nextGID(existing)
		if err != nil {
			return efsfuse.Owner{}, err
		}
		if uid == nil {
			uid = &next
		}
		if gid == nil {
			gid = &next
		}
	}
	return efsfuse.Owner{UID: uint32(*uid), GID: uint32(*gid)}, nil
}

// DeleteVolume is part of the Controller service. The access point goes, and its directory stays.
func (v *Volumes) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	h, err := parseHandle(r.GetVolumeId())
	if err != nil || h.apID == "" {
		return &csi.DeleteVolumeResponse{}, nil
	}
	v.changes.Lock()
	defer v.changes.Unlock()
	if err := os.RemoveAll(v.store.accessPointFile(h.fsID, h.apID)); err != nil {
		return nil, fmt.Errorf("Failed to Delete volume %v: %w", r.GetVolumeId(), err) //nolint:staticcheck // the real driver's words
	}
	v.log.Info("Access point deleted", "fileSystem", h.fsID, "accessPoint", h.apID)
	return &csi.DeleteVolumeResponse{}, nil
}

// Check is part of csidriver.Volumes. Whether there is a volume shows when it is mounted.
func (*Volumes) Check(id string) error {
	if _, err := parseHandle(id); err != nil {
		return status.Errorf(codes.NotFound, "Volume not found, err: %v", err)
	}
	return nil
}
