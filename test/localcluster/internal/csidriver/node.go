package csidriver

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/moby/sys/mountinfo"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// NodeGetInfo is part of the Node service.
func (s *service) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return s.info(), nil
}

// info is what the driver says of the node.
func (s *service) info() *csi.NodeGetInfoResponse {
	if s.driver.Info == nil {
		return &csi.NodeGetInfoResponse{NodeId: s.node.Name}
	}
	return s.driver.Info(s.node)
}

// NodeGetCapabilities is part of the Node service.
func (s *service) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	response := &csi.NodeGetCapabilitiesResponse{}
	for _, kind := range s.driver.Node {
		response.Capabilities = append(response.Capabilities, &csi.NodeServiceCapability{
			Type: &csi.NodeServiceCapability_Rpc{Rpc: &csi.NodeServiceCapability_RPC{Type: kind}},
		})
	}
	return response, nil
}

// NodeGetVolumeStats is part of the Node service.
func (s *service) NodeGetVolumeStats(_ context.Context, r *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	if err := s.Check(r.GetVolumeId()); err != nil {
		return nil, err
	}
	info, err := os.Stat(r.GetVolumePath())
	if err != nil {
		return nil, status.Errorf(codes.NotFound, "Volume path does not exist: %v", err)
	}
	measure := deviceUsage
	if info.IsDir() {
		measure = fileSystemUsage
	}
	usage, err := measure(r.GetVolumePath())
	return &csi.NodeGetVolumeStatsResponse{Usage: usage}, err
}

func fileSystemUsage(path string) ([]*csi.VolumeUsage, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(path, &stat); err != nil {
		return nil, err
	}
	usage := []*csi.VolumeUsage{usageOf(csi.VolumeUsage_BYTES, stat.Bsize, stat.Blocks, stat.Bfree, stat.Bavail)}
	// EFS does not count its files.
	if stat.Files > 0 {
		usage = append(usage, usageOf(csi.VolumeUsage_INODES, 1, stat.Files, stat.Ffree, stat.Ffree))
	}
	return usage, nil
}

func usageOf(unit csi.VolumeUsage_Unit, size int64, total, free, available uint64) *csi.VolumeUsage {
	return &csi.VolumeUsage{Unit: unit, Total: int64(total) * size, Used: int64(total-free) * size, Available: int64(available) * size}
}

func deviceUsage(path string) ([]*csi.VolumeUsage, error) {
	device, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	size, err := device.Seek(0, io.SeekEnd)
	return []*csi.VolumeUsage{{Unit: csi.VolumeUsage_BYTES, Total: size}}, errors.Join(err, device.Close())
}

// Mounted says whether a path is a mount point. One that does not exist is none.
func Mounted(path string) (bool, error) {
	mounted, err := mountinfo.Mounted(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return mounted, err
}
