package disk

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

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
var Loop = Kind{Plan: planLoop, Budget: openLoop}

func planLoop(r *csi.CreateVolumeRequest) (Plan, error) {
	limits, err := parseLimits(r.GetParameters())
	if err != nil {
		return Plan{}, status.Error(codes.InvalidArgument, err.Error())
	}
	capacity, err := capacityFor(r.GetCapacityRange(), r.GetVolumeCapabilities())
	if err != nil {
		return Plan{}, err
	}
	return Plan{ID: volumeID(r.GetName()), CapacityBytes: capacity, Limits: limits}, nil
}

// steady is a budget that stays as it is.
type steady Rate

// Spend is part of Budget.
func (s steady) Spend(time.Time, Work) Rate { return Rate(s) }

// Latency is part of Budget: that of the machine.
func (steady) Latency() Latency { return Latency{} }

// Keep is part of Budget.
func (steady) Keep(time.Time) ([]byte, error) { return nil, nil }

func openLoop(volume Plan, _ []byte) (Budget, error) {
	return steady{IOs: float64(volume.Limits.IOPS), Bytes: float64(volume.Limits.ThroughputMiB * mib)}, nil
}

// Limits are what may be done on a volume, by all its pods together. Zero is no limit.
type Limits struct {
	IOPS          int64 `json:"iops,omitempty"`
	ThroughputMiB int64 `json:"throughputMiB,omitempty"`
}

func (l Limits) empty() bool { return l == Limits{} }

// parseLimits reads the parameters of a StorageClass. It refuses what it does not
// know: a misspelled limit would be no limit. Of several faults it names the first by sorted key.
func parseLimits(parameters map[string]string) (limits Limits, err error) {
	known := map[string]*int64{"iops": &limits.IOPS, "throughput": &limits.ThroughputMiB}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if strings.HasPrefix(name, metadataPrefix) {
			continue
		}
		limit, ok := known[name]
		if !ok {
			return limits, fmt.Errorf("parameter %q: unknown; known are iops and throughput (MiB/s)", name)
		}
		if *limit, err = strconv.ParseInt(parameters[name], 10, 64); err != nil || *limit < 1 || *limit > maxLimit {
			return limits, fmt.Errorf("parameter %q: %q is not an integer from 1 to %d", name, parameters[name], maxLimit)
		}
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
