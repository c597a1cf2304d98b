package ebs

import (
	"maps"
	"slices"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// formatting are the parameters for mkfs, in lower case, with the file systems that cannot have them (v1.64.0, FileSystemConfigs of
// pkg/driver/constants.go). A raw block volume can have none.
var formatting = map[string][]string{
	"blocksize":             nil,
	"inodesize":             nil,
	"bytesperinode":         {"xfs"},
	"numberofinodes":        {"xfs"},
	"ext4bigalloc":          {"ext3", "xfs"},
	"ext4clustersize":       {"ext3", "xfs"},
	"ext4encryptionsupport": {"ext3", "xfs"},
}

// checkFormatting refuses what cannot be made, in the words of the driver. What a parameter that is false asks for is nothing.
func checkFormatting(parameters map[string]string, capabilities []*csi.VolumeCapability) error {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		key := strings.ToLower(name)
		without, ok := formatting[key]
		if !ok || parameters[name] == "" || parameters[name] == "false" {
			continue
		}
		for _, capability := range capabilities {
			fsType := capability.GetMount().GetFsType()
			switch {
			case capability.GetBlock() != nil:
				return status.Errorf(codes.InvalidArgument, "Cannot use %s with block volume", key)
			case slices.Contains(without, fsType):
				return status.Errorf(codes.InvalidArgument, "Cannot use %s with fstype %s", key, fsType)
			}
		}
	}
	return nil
}

// checkSharing refuses a volume that several instances are to have at once. EC2 has such ones of type io2. Here a device is at one node at a time.
func checkSharing(name, volumeType string, capabilities []*csi.VolumeCapability) error {
	shared := slices.ContainsFunc(capabilities, func(c *csi.VolumeCapability) bool {
		return c.GetAccessMode().GetMode() == csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER
	})
	switch {
	case !shared:
		return nil
	case volumeType != "io2":
		return status.Errorf(codes.Aborted, "Could not create volume %q: CreateDisk: multi-attach is only supported for io2 volumes", name)
	default:
		return status.Error(codes.InvalidArgument, "multi-attach is not acted out by the local cluster, whose disks are at one node at a time: leave out ReadWriteMany")
	}
}
