package efscsi

import (
	"context"
	"errors"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/efsfuse"
)

// ControllerGetCapabilities is part of the Controller service.
func (d *nodeDriver) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	return csiserve.ControllerCapabilities(csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME), nil
}

// CreateVolume is part of the Controller service: it makes an access point.
func (d *nodeDriver) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if r.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume name not provided")
	}
	if err := checkCapabilities(r.GetVolumeCapabilities()); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := d.known.CheckParameters(r.GetParameters()); err != nil {
		return nil, status.Errorf(codes.InvalidArgument, "Invalid parameter for CreateVolume: %v", err)
	}
	if r.GetParameters()["fileSystemId"] == "" {
		return nil, status.Error(codes.InvalidArgument, "Failed to resolve filesystem Id: the local stand-in reads no ConfigMap and no Secret, give fileSystemId")
	}
	parsed, err := parseParameters(r.GetParameters())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	d.changes.Lock()
	defer d.changes.Unlock()
	ap, err := d.ensureAccessPoint(r, parsed)
	if err != nil {
		return nil, err
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{
		VolumeId:      handle{fsID: parsed.fsID, apID: ap.ID}.String(),
		CapacityBytes: ap.CapacityBytes,
	}}, nil
}

func (d *nodeDriver) ensureAccessPoint(r *csi.CreateVolumeRequest, p parameters) (accessPoint, error) {
	if _, err := d.store.limits(p.fsID); err != nil {
		return accessPoint{}, createError(p, err)
	}
	token := p.clientToken(r.GetName(), r.GetParameters()[pvcName])
	size := r.GetCapacityRange().GetRequiredBytes()
	existing, err := d.store.accessPoint(p.fsID, newAccessPointID(p.fsID, token))
	switch {
	case err == nil && !p.reuse && existing.CapacityBytes != size:
		return accessPoint{}, status.Errorf(codes.AlreadyExists, "volume %q exists with a capacity of %d bytes, asked for are %d", r.GetName(), existing.CapacityBytes, size)
	case err == nil, !errors.Is(err, errNotFound):
		return existing, err
	}
	owner, err := d.owner(p)
	if err != nil {
		return accessPoint{}, err
	}
	dir, err := directory(r.GetParameters(), r.GetName(), uuid.NewString())
	if err != nil {
		return accessPoint{}, status.Error(codes.InvalidArgument, err.Error())
	}
	ap := accessPoint{
		ID: newAccessPointID(p.fsID, token), ClientToken: token, Path: dir,
		Owner: owner, Permissions: p.permissions, CapacityBytes: size,
	}
	d.log.Info("Access point created", "fileSystem", p.fsID, "accessPoint", ap.ID, "path", ap.Path, "uid", owner.UID, "gid", owner.GID)
	return ap, d.store.saveAccessPoint(p.fsID, ap)
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

func (d *nodeDriver) owner(p parameters) (efsfuse.Owner, error) {
	uid, gid := p.uid, p.gid
	if uid == nil || gid == nil {
		existing, err := d.store.accessPoints(p.fsID)
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

// checkCapabilities refuses what the real driver refuses.
func checkCapabilities(capabilities []*csi.VolumeCapability) error {
	if len(capabilities) == 0 {
		return errors.New("Volume capabilities not provided") //nolint:staticcheck // the real driver's words
	}
	for _, capability := range capabilities {
		if err := checkCapability(capability); err != nil {
			return err
		}
	}
	return nil
}

func checkCapability(capability *csi.VolumeCapability) error {
	switch mode := capability.GetAccessMode().GetMode(); mode {
	case csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER, csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER:
	default:
		return errors.New("Volume capabilities not supported: invalid access mode: " + mode.String())
	}
	if capability.GetMount() == nil {
		return errors.New("Volume capabilities not supported: only filesystem volumes are supported") //nolint:staticcheck // the real driver's words
	}
	if fsType := capability.GetMount().GetFsType(); fsType != "" && fsType != "efs" {
		return errors.New("Volume fstype not supported: invalid fstype: " + fsType)
	}
	return nil
}

// DeleteVolume is part of the Controller service. The access point goes, and its
// directory stays.
func (d *nodeDriver) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume ID not provided")
	}
	h, err := parseHandle(r.GetVolumeId())
	if err != nil || h.apID == "" {
		return &csi.DeleteVolumeResponse{}, nil
	}
	d.changes.Lock()
	defer d.changes.Unlock()
	if err := d.store.deleteAccessPoint(h.fsID, h.apID); err != nil {
		return nil, status.Errorf(codes.Internal, "Failed to Delete volume %v: %v", r.GetVolumeId(), err)
	}
	d.log.Info("Access point deleted", "fileSystem", h.fsID, "accessPoint", h.apID)
	return &csi.DeleteVolumeResponse{}, nil
}

// ValidateVolumeCapabilities is part of the Controller service.
func (d *nodeDriver) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "Volume ID not provided")
	}
	if len(r.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "Volume capabilities not provided")
	}
	if _, err := parseHandle(r.GetVolumeId()); err != nil {
		return nil, status.Errorf(codes.NotFound, "Volume not found, err: %v", err)
	}
	if err := checkCapabilities(r.GetVolumeCapabilities()); err != nil {
		return &csi.ValidateVolumeCapabilitiesResponse{Message: strings.TrimSpace(err.Error())}, nil
	}
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
		VolumeContext: r.GetVolumeContext(), VolumeCapabilities: r.GetVolumeCapabilities(), Parameters: r.GetParameters(),
	}}, nil
}
