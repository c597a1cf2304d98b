package csidriver

import (
	"context"
	"slices"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// required are the fields that each request must have that knows them, in the words of the AWS drivers.
var required = []struct {
	field protoreflect.Name
	words string
}{
	{"name", "Volume name"},
	{"volume_id", "Volume ID"},
	{"node_id", "Node ID"},
	{"target_path", "Target path"},
	{"volume_path", "Volume path"},
	{stagingField, "Staging target"},
	{"volume_capability", "Volume capability"},
	{"volume_capabilities", "Volume capabilities"},
}

const stagingField = "staging_target_path"

// handle refuses what no driver answers, and has each error be a status, which is logged.
func (s *service) handle(ctx context.Context, request any, info *grpc.UnaryServerInfo, answer grpc.UnaryHandler) (response any, err error) {
	if err = s.check(request); err == nil {
		response, err = answer(ctx, request)
	}
	if err == nil {
		return response, nil
	}
	if _, ok := status.FromError(err); !ok {
		err = status.Error(codes.Internal, err.Error())
	}
	s.log.Error("Call failed", "method", info.FullMethod, "code", status.Code(err).String(), "err", err)
	return nil, err
}

// check refuses a request that lacks something, or asks for what the driver does not have.
func (s *service) check(request any) error {
	if message, ok := request.(proto.Message); ok {
		for _, one := range required {
			if s.lacks(message.ProtoReflect(), one.field) {
				return missing(one.words)
			}
		}
	}
	switch r := request.(type) {
	case *csi.CreateVolumeRequest:
		if err := s.checkSource(r.GetVolumeContentSource()); err != nil {
			return err
		}
		return s.driver.Uses.Check(r.GetVolumeCapabilities()...)
	case interface{ GetVolumeCapability() *csi.VolumeCapability }:
		return s.driver.Uses.Check(r.GetVolumeCapability())
	}
	return nil
}

// lacks says whether a message knows a field and does not have it. Where a volume is staged matters to drivers that stage volumes, and not to statistics.
func (s *service) lacks(message protoreflect.Message, name protoreflect.Name) bool {
	field := message.Descriptor().Fields().ByName(name)
	if field == nil || message.Has(field) {
		return false
	}
	_, statistics := message.Interface().(*csi.NodeGetVolumeStatsRequest)
	return name != stagingField || !statistics && slices.Contains(s.driver.Node, csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME)
}

// checkSource refuses what a volume cannot be made from: snapshots, and of a driver without clones other volumes.
func (s *service) checkSource(source *csi.VolumeContentSource) error {
	switch clones := slices.Contains(s.driver.Controller, csi.ControllerServiceCapability_RPC_CLONE_VOLUME); {
	case source == nil:
		return nil
	case source.GetVolume() == nil || !clones:
		return status.Error(codes.InvalidArgument, "snapshots are not supported, and clones by disks only: leave out dataSource")
	case source.GetVolume().GetVolumeId() == "":
		return missing("Volume ID of the source")
	}
	return nil
}

// missing is the AWS drivers' error for what a request lacks.
func missing(what string) error { return status.Errorf(codes.InvalidArgument, "%s not provided", what) }
