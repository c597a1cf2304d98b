package csidriver

import (
	"slices"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Uses are the ways in which pods can use the volumes of a driver.
type Uses struct {
	AccessModes []csi.VolumeCapability_AccessMode_Mode
	// BlockAccessModes are those beside that only raw block devices have.
	BlockAccessModes []csi.VolumeCapability_AccessMode_Mode
	// Claims are the same access modes in the words of claims.
	Claims []string
	// FileSystems that a volume may be asked to have.
	FileSystems []string
	// Block says that a volume can be a raw block device.
	Block bool
}

// Check refuses capabilities of a volume, in words that begin as those of the AWS drivers.
func (u Uses) Check(capabilities ...*csi.VolumeCapability) error {
	if len(capabilities) == 0 {
		return missing("Volume capabilities")
	}
	for _, capability := range capabilities {
		if capability == nil {
			return missing("Volume capability")
		}
		if problem := u.problem(capability); problem != "" {
			return status.Error(codes.InvalidArgument, problem)
		}
	}
	return nil
}

func (u Uses) problem(capability *csi.VolumeCapability) string {
	mode, fsType := capability.GetAccessMode().GetMode(), capability.GetMount().GetFsType()
	known := slices.Contains(u.AccessModes, mode) || capability.GetBlock() != nil && slices.Contains(u.BlockAccessModes, mode)
	switch {
	case capability.GetMount() == nil && capability.GetBlock() == nil:
		return "Volume capabilities not supported: neither a mount nor a block access type"
	case !known:
		return "Volume capabilities not supported: invalid access mode: " + mode.String() + "; possible are " + strings.Join(u.Claims, " and ")
	case capability.GetBlock() != nil && !u.Block:
		return "Volume capabilities not supported: only filesystem volumes are supported"
	case fsType != "" && !slices.Contains(u.FileSystems, fsType):
		return "Volume fstype not supported: invalid fstype: " + fsType + "; possible are " + strings.Join(u.FileSystems, ", ")
	}
	return ""
}
