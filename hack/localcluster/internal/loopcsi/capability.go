package loopcsi

import (
	"fmt"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	mib = 1 << 20
	gib = 1 << 30

	defaultFSType   = "ext4"
	defaultCapacity = 1 * gib
	// sectorSize is what a device's size is a multiple of, on any disk.
	sectorSize = 4096
)

// minCapacity by file system, "" for a raw block device: what it takes to make one
// that holds something. mkfs.xfs refuses less than 300 MiB.
var minCapacity = map[string]int64{"": 1 * mib, "ext3": 16 * mib, "ext4": 16 * mib, "xfs": 300 * mib}

func checkCapabilities(capabilities []*csi.VolumeCapability) error {
	if len(capabilities) == 0 {
		return status.Error(codes.InvalidArgument, "volume capabilities are missing")
	}
	for _, capability := range capabilities {
		if err := checkCapability(capability); err != nil {
			return err
		}
	}
	return nil
}

func checkCapability(capability *csi.VolumeCapability) error {
	if capability == nil {
		return status.Error(codes.InvalidArgument, "volume capability is missing")
	}
	if capability.GetMount() == nil && capability.GetBlock() == nil {
		return status.Error(codes.InvalidArgument, "volume capability has neither a mount nor a block access type")
	}
	if err := checkAccessMode(capability.GetAccessMode().GetMode()); err != nil {
		return err
	}
	if fsType := fsTypeOf(capability); minCapacity[fsType] == 0 {
		return status.Errorf(codes.InvalidArgument, "file system type %q is not supported, only ext3, ext4 and xfs are", fsType)
	}
	return nil
}

// checkAccessMode refuses what a disk with an ordinary file system cannot do.
func checkAccessMode(mode csi.VolumeCapability_AccessMode_Mode) error {
	switch mode {
	case csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER,
		csi.VolumeCapability_AccessMode_SINGLE_NODE_SINGLE_WRITER,
		csi.VolumeCapability_AccessMode_SINGLE_NODE_MULTI_WRITER:
		return nil
	default:
		return status.Errorf(codes.InvalidArgument,
			"access mode %s is not supported: a volume is a disk of one node, only ReadWriteOnce and ReadWriteOncePod are possible", mode)
	}
}

// fsTypeOf returns the file system of a capability, "" for a raw block device.
func fsTypeOf(capability *csi.VolumeCapability) string {
	if capability.GetBlock() != nil {
		return ""
	}
	if fsType := capability.GetMount().GetFsType(); fsType != "" {
		return fsType
	}
	return defaultFSType
}

// capacityFor chooses the size of a new volume.
func capacityFor(requested *csi.CapacityRange, capabilities []*csi.VolumeCapability) (int64, error) {
	least, most := requested.GetRequiredBytes(), requested.GetLimitBytes()
	if least < 0 || most < 0 || (most > 0 && least > most) {
		return 0, status.Errorf(codes.InvalidArgument, "capacity range %d to %d is none", least, most)
	}
	if least == 0 {
		least = defaultCapacity
		if most > 0 {
			least = min(least, most)
		}
	}
	for _, capability := range capabilities {
		least = max(least, minCapacity[fsTypeOf(capability)])
	}
	size := (least + sectorSize - 1) / sectorSize * sectorSize
	if most > 0 && size > most {
		return 0, status.Errorf(codes.OutOfRange, "the smallest possible volume has %d bytes, the limit is %d", size, most)
	}
	return size, nil
}

// fits says whether a volume of the given size is what a request asks for.
func fits(size int64, requested *csi.CapacityRange) error {
	least, most := requested.GetRequiredBytes(), requested.GetLimitBytes()
	if size < least || (most > 0 && size > most) {
		return fmt.Errorf("it has %d bytes, asked for are %d to %d", size, least, most)
	}
	return nil
}
