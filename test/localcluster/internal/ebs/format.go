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

// maxAttachments is how many instances of a zone a volume of type io2 can be attached to, if it was made for that:
// https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes-multi.html (read 2026-11-28). All have to be built on Nitro, as the m6i.large are that
// the nodes pose as.
const maxAttachments = 16

// isShared reports whether several instances are to have a volume at once (v1.64.0, CreateVolume in pkg/driver/controller.go).
func isShared(capabilities []*csi.VolumeCapability) bool {
	return slices.ContainsFunc(capabilities, func(c *csi.VolumeCapability) bool {
		return c.GetAccessMode().GetMode() == csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER && c.GetBlock() != nil
	})
}
