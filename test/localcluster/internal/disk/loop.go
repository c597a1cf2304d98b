package disk

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

	// metadataPrefix of what the external-provisioner adds of its own accord.
	metadataPrefix = "csi.storage.k8s.io/"

	maxLimit = 1_000_000
)

// FileSystems are those that a volume can have.
var FileSystems = []string{"ext3", "ext4", "xfs"}

// minCapacity by file system, "" for a raw block device: what it takes to make one
// that holds something. mkfs.xfs refuses less than 300 MiB.
var minCapacity = map[string]int64{"": 1 * mib, "ext3": 16 * mib, "ext4": 16 * mib, "xfs": 300 * mib}

// Loop has limits that a StorageClass names.
var Loop = Kind{Plan: planLoop}

func planLoop(r *csi.CreateVolumeRequest) (Plan, error) {
	limits, err := parseLimits(r.GetParameters())
	if err != nil {
		return Plan{}, status.Error(codes.InvalidArgument, err.Error())
	}
	capacity, err := capacityFor(r.GetCapacityRange(), r.GetVolumeCapabilities())
	if err != nil {
		return Plan{}, err
	}
	return Plan{ID: volumeID(r.GetName()), CapacityBytes: capacity, Performance: steady(limits)}, nil
}

// parseLimits reads the parameters of a StorageClass. It refuses what it does not
// know: a misspelled limit would be no limit. Of several faults it names the first by sorted key.
func parseLimits(parameters map[string]string) (limits Rate, err error) {
	known := map[string]struct {
		limit *float64
		unit  int64
	}{"iops": {&limits.IOs, 1}, "throughput": {&limits.Bytes, mib}}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if strings.HasPrefix(name, metadataPrefix) {
			continue
		}
		parameter, ok := known[name]
		if !ok {
			return limits, fmt.Errorf("parameter %q: unknown; known are iops and throughput (MiB/s)", name)
		}
		number, err := strconv.ParseInt(parameters[name], 10, 64)
		if err != nil || number < 1 || number > maxLimit {
			return limits, fmt.Errorf("parameter %q: %q is not an integer from 1 to %d", name, parameters[name], maxLimit)
		}
		*parameter.limit = float64(number * parameter.unit)
	}
	return limits, nil
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
