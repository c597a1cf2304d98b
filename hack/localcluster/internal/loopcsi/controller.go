package loopcsi

import (
	"context"
	"errors"
	"fmt"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/storagebench/storagebench/hack/localcluster/internal/csiserve"
	"github.com/storagebench/storagebench/hack/localcluster/internal/loopdev"
)

// ControllerGetCapabilities is part of the Controller service. Without
// SINGLE_NODE_MULTI_WRITER there would be no ReadWriteOncePod.
func (d *Driver) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	kinds := []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_SINGLE_NODE_MULTI_WRITER,
	}
	if d.kind.Modify != nil {
		kinds = append(kinds, csi.ControllerServiceCapability_RPC_MODIFY_VOLUME)
	}
	return csiserve.ControllerCapabilities(kinds...), nil
}

// CreateVolume is part of the Controller service.
func (d *Driver) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	wanted, err := d.newVolume(r)
	if err != nil {
		return nil, err
	}
	defer d.lock(wanted.ID)()
	existing, err := d.store.get(wanted.ID)
	switch {
	case err == nil:
		if err := sameVolume(existing, wanted, r.GetCapacityRange()); err != nil {
			return nil, status.Errorf(codes.AlreadyExists, "volume %q exists with other properties: %v", wanted.Name, err)
		}
		wanted = existing
	case errors.Is(err, errNoVolume):
		if err := d.store.create(wanted); err != nil {
			return nil, createError(err)
		}
		d.log.Info("Volume created", "volume", wanted.ID, "capacityBytes", wanted.CapacityBytes, "limits", wanted.Limits)
	default:
		return nil, internalError(err)
	}
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{
		VolumeId:      wanted.ID,
		CapacityBytes: wanted.CapacityBytes,
		VolumeContext: wanted.Context,
	}}, nil
}

func (d *Driver) newVolume(r *csi.CreateVolumeRequest) (volume, error) {
	if r.GetName() == "" {
		return volume{}, status.Error(codes.InvalidArgument, "volume name is missing")
	}
	if r.GetVolumeContentSource() != nil {
		return volume{}, status.Error(codes.InvalidArgument, "snapshots and clones are not supported")
	}
	if err := checkCapabilities(r.GetVolumeCapabilities()); err != nil {
		return volume{}, err
	}
	plan, err := d.kind.Plan(r)
	if err != nil {
		return volume{}, err
	}
	return volume{Plan: plan, Name: r.GetName()}, nil
}

func sameVolume(existing, wanted volume, requested *csi.CapacityRange) error {
	if existing.Limits != wanted.Limits {
		return fmt.Errorf("it has the limits %+v, asked for are %+v", existing.Limits, wanted.Limits)
	}
	if existing.Settings != wanted.Settings {
		return fmt.Errorf("it has the settings %s, asked for are %s", existing.Settings, wanted.Settings)
	}
	return fits(existing.CapacityBytes, requested)
}

func createError(err error) error {
	switch {
	case errors.Is(err, unix.EFBIG):
		return status.Errorf(codes.OutOfRange, "the disk below cannot hold a file of that size: %v", err)
	case errors.Is(err, unix.ENOSPC):
		return status.Errorf(codes.ResourceExhausted, "the disk below is full: %v", err)
	}
	return internalError(err)
}

// DeleteVolume is part of the Controller service.
func (d *Driver) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	if r.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "volume id is missing")
	}
	defer d.lock(r.GetVolumeId())()
	v, err := d.store.get(r.GetVolumeId())
	if errors.Is(err, errNoVolume) {
		return &csi.DeleteVolumeResponse{}, nil
	}
	if err != nil {
		return nil, internalError(err)
	}
	device, err := loopdev.Find(d.store.disk(v.ID))
	if err != nil {
		return nil, internalError(err)
	}
	if device != "" {
		return nil, status.Errorf(codes.FailedPrecondition, "volume %s is in use as %s", v.ID, device)
	}
	if err := d.store.delete(v.ID); err != nil {
		return nil, internalError(err)
	}
	d.log.Info("Volume deleted", "volume", v.ID)
	return &csi.DeleteVolumeResponse{}, nil
}

// ValidateVolumeCapabilities is part of the Controller service.
func (d *Driver) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if len(r.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "volume capabilities are missing")
	}
	if _, err := d.volume(r.GetVolumeId()); err != nil {
		return nil, err
	}
	if err := checkCapabilities(r.GetVolumeCapabilities()); err != nil {
		return &csi.ValidateVolumeCapabilitiesResponse{Message: status.Convert(err).Message()}, nil
	}
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
		VolumeContext:      r.GetVolumeContext(),
		VolumeCapabilities: r.GetVolumeCapabilities(),
		Parameters:         r.GetParameters(),
	}}, nil
}

// volume returns a volume that a caller says exists.
func (d *Driver) volume(id string) (volume, error) {
	if id == "" {
		return volume{}, status.Error(codes.InvalidArgument, "volume id is missing")
	}
	v, err := d.store.get(id)
	if errors.Is(err, errNoVolume) {
		return volume{}, status.Errorf(codes.NotFound, "volume %q does not exist", id)
	}
	if err != nil {
		return volume{}, internalError(err)
	}
	return v, nil
}

func internalError(err error) error { return status.Error(codes.Internal, err.Error()) }
