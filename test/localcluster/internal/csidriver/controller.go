package csidriver

import (
	"context"
	"slices"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ControllerGetCapabilities is part of the Controller service.
func (s *service) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	response := &csi.ControllerGetCapabilitiesResponse{}
	for _, kind := range s.driver.Controller {
		response.Capabilities = append(response.Capabilities, &csi.ControllerServiceCapability{
			Type: &csi.ControllerServiceCapability_Rpc{Rpc: &csi.ControllerServiceCapability_RPC{Type: kind}},
		})
	}
	return response, nil
}

// CreateVolume is part of the Controller service.
func (s *service) CreateVolume(_ context.Context, r *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if err := provided("Volume name", r.GetName()); err != nil {
		return nil, err
	}
	if err := s.checkSource(r.GetVolumeContentSource()); err != nil {
		return nil, err
	}
	if err := s.driver.Uses.Check(r.GetVolumeCapabilities()...); err != nil {
		return nil, err
	}
	volume, err := s.volumes.Create(r)
	return &csi.CreateVolumeResponse{Volume: volume}, asStatus(err)
}

// checkSource refuses what a volume cannot be made from: snapshots, and of a driver without clones other volumes.
func (s *service) checkSource(source *csi.VolumeContentSource) error {
	switch clones := slices.Contains(s.driver.Controller, csi.ControllerServiceCapability_RPC_CLONE_VOLUME); {
	case source == nil:
		return nil
	case source.GetVolume() == nil || !clones:
		return status.Error(codes.InvalidArgument, "snapshots are not supported, and clones by disks only: leave out dataSource")
	default:
		return provided("Volume ID of the source", source.GetVolume().GetVolumeId())
	}
}

// DeleteVolume is part of the Controller service.
func (s *service) DeleteVolume(_ context.Context, r *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	if err := provided("Volume ID", r.GetVolumeId()); err != nil {
		return nil, err
	}
	return &csi.DeleteVolumeResponse{}, asStatus(s.volumes.Delete(r.GetVolumeId()))
}

// ControllerPublishVolume is part of the Controller service.
func (s *service) ControllerPublishVolume(ctx context.Context, r *csi.ControllerPublishVolumeRequest) (*csi.ControllerPublishVolumeResponse, error) {
	attacher, ok := s.volumes.(Attacher)
	if !ok {
		return s.UnimplementedControllerServer.ControllerPublishVolume(ctx, r)
	}
	if err := provided("Volume ID", r.GetVolumeId(), "Node ID", r.GetNodeId()); err != nil {
		return nil, err
	}
	if err := s.driver.Uses.Check(r.GetVolumeCapability()); err != nil {
		return nil, err
	}
	told, err := attacher.Attach(ctx, r.GetVolumeId(), r.GetNodeId())
	return &csi.ControllerPublishVolumeResponse{PublishContext: told}, asStatus(err)
}

// ControllerUnpublishVolume is part of the Controller service.
func (s *service) ControllerUnpublishVolume(ctx context.Context, r *csi.ControllerUnpublishVolumeRequest) (*csi.ControllerUnpublishVolumeResponse, error) {
	attacher, ok := s.volumes.(Attacher)
	if !ok {
		return s.UnimplementedControllerServer.ControllerUnpublishVolume(ctx, r)
	}
	if err := provided("Volume ID", r.GetVolumeId(), "Node ID", r.GetNodeId()); err != nil {
		return nil, err
	}
	return &csi.ControllerUnpublishVolumeResponse{}, asStatus(attacher.Detach(ctx, r.GetVolumeId(), r.GetNodeId()))
}

// ControllerModifyVolume is part of the Controller service.
func (s *service) ControllerModifyVolume(ctx context.Context, r *csi.ControllerModifyVolumeRequest) (*csi.ControllerModifyVolumeResponse, error) {
	modifier, ok := s.volumes.(Modifier)
	if !ok {
		return s.UnimplementedControllerServer.ControllerModifyVolume(ctx, r)
	}
	if err := provided("Volume ID", r.GetVolumeId()); err != nil {
		return nil, err
	}
	return &csi.ControllerModifyVolumeResponse{}, asStatus(modifier.Modify(r.GetVolumeId(), r.GetMutableParameters()))
}

// ValidateVolumeCapabilities is part of the Controller service.
func (s *service) ValidateVolumeCapabilities(_ context.Context, r *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if err := provided("Volume ID", r.GetVolumeId()); err != nil {
		return nil, err
	}
	if len(r.GetVolumeCapabilities()) == 0 {
		return nil, missing("Volume capabilities")
	}
	if err := s.volumes.Check(r.GetVolumeId()); err != nil {
		return nil, asStatus(err)
	}
	if err := s.driver.Uses.Check(r.GetVolumeCapabilities()...); err != nil {
		return &csi.ValidateVolumeCapabilitiesResponse{Message: status.Convert(err).Message()}, nil
	}
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
		VolumeContext:      r.GetVolumeContext(),
		VolumeCapabilities: r.GetVolumeCapabilities(),
		Parameters:         r.GetParameters(),
	}}, nil
}

// provided refuses a request that lacks something. It takes pairs of what a value is and the value.
func provided(pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			return missing(pairs[i])
		}
	}
	return nil
}

// missing is the AWS drivers' error for what a request lacks.
func missing(what string) error { return status.Errorf(codes.InvalidArgument, "%s not provided", what) }

func asStatus(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.Internal, err.Error())
}
