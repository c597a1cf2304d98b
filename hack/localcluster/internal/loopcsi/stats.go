package loopcsi

import (
	"context"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// NodeGetVolumeStats is part of the Node service.
func (d *nodeDriver) NodeGetVolumeStats(_ context.Context, r *csi.NodeGetVolumeStatsRequest) (*csi.NodeGetVolumeStatsResponse, error) {
	if r.GetVolumePath() == "" {
		return nil, status.Error(codes.InvalidArgument, "volume path is missing")
	}
	v, err := d.volume(r.GetVolumeId())
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(r.GetVolumePath())
	if err != nil {
		return nil, status.Error(codes.NotFound, err.Error())
	}
	if !info.IsDir() {
		return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{{
			Unit: csi.VolumeUsage_BYTES, Total: v.CapacityBytes,
		}}}, nil
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(r.GetVolumePath(), &fs); err != nil {
		return nil, internalError(err)
	}
	return &csi.NodeGetVolumeStatsResponse{Usage: usage(fs)}, nil
}

func usage(fs unix.Statfs_t) []*csi.VolumeUsage {
	block := fs.Bsize
	return []*csi.VolumeUsage{{
		Unit:      csi.VolumeUsage_BYTES,
		Total:     int64(fs.Blocks) * block,
		Used:      int64(fs.Blocks-fs.Bfree) * block,
		Available: int64(fs.Bavail) * block,
	}, {
		Unit:      csi.VolumeUsage_INODES,
		Total:     int64(fs.Files),
		Used:      int64(fs.Files - fs.Ffree),
		Available: int64(fs.Ffree),
	}}
}
