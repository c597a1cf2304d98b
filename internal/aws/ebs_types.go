package aws

import "slices"

// VolumeType is what AWS documents of a type of EBS volumes. A figure of 0 does not exist.
type VolumeType struct {
	Name string

	// Smallest and largest volume.
	MinGiB, MaxGiB int64

	// I/Os per second that can be provisioned, what one gets without asking (0: one must ask), and how many at most
	// for each GiB, although no size gets less than MinIOPS.
	MinIOPS, MaxIOPS, DefaultIOPS, MaxIOPSPerGiB int64

	// Throughput in MiB/s that can be provisioned, what one gets without asking, and how many IOPS a MiB/s needs.
	MinMiBps, MaxMiBps, DefaultMiBps, IOPSPerMiBps int64

	// Throughput in MiB/s for each TiB of a volume, and the most of any volume: what HDD types have with and without
	// credits.
	BaseMiBpsPerTiB, BurstMiBpsPerTiB, CapMiBps int64

	// Bytes that count as one I/O; a larger I/O counts as several.
	IOBytes int64
	// Whether small sequential I/Os count as one I/O of up to IOBytes. Of random I/Os each counts as one.
	MergesSequential bool

	// How long an I/O takes that waits for no other one. The documentation gives no figure for HDD types.
	Latency Latency

	// Documentation that the figures are from, and when it was read.
	Source string

	limits func(VolumeType, Volume) Limits
}

// Where the figures are from. The API reference was read where it is made from, the service model in botocore 1.44.5 of
// 2026-11-17. The user guide was read in github.com/awsdocs/amazon-ec2-user-guide as of 2023-06-15, the last text that
// is kept there. What was raised since: gp3
// (https://aws.amazon.com/about-aws/whats-new/2025/09/amazon-ebs-size-provisioned-performance-gp3-volumes/), whose
// figures are those of the API reference, with the two ratios unchanged (500 IOPS/GiB, as in the aws-ebs-csi-driver
// v1.64.0, and 0.25 MiB/s per IOPS, so that 2,000 MiB/s need 8,000); and io2, whose volumes are all Block Express since
// 2025-04-30 (provisioned-iops.html as of 2025).
const (
	sourceAPI   = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html"
	sourceGP    = "https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html"
	sourcePIOPS = "https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html"
	sourceHDD   = "https://docs.aws.amazon.com/ebs/latest/userguide/hdd-vols.html"
	sourceTypes = "https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html"
	readOn      = " (read 2026-11-21)"
)

// Size of an I/O: https://docs.aws.amazon.com/ebs/latest/userguide/ebs-io-characteristics.html (read 2026-11-23). AWS
// "attempts to merge" small sequential I/Os into such ones. On SSDs it does so with I/Os of 32 KiB and more
// (https://repost.aws/knowledge-center/ebs-calculate-optimal-io-size, read 2026-11-23), and published measurements show none of less: sequential I/Os of
// 16 KiB are held to the IOPS of gp2 and gp3 (experiments E2 and E3).
const (
	ssdIOBytes = 256 * kib
	hddIOBytes = 1024 * kib
	// MergedFromBytes is the size from which on sequential I/Os may be merged. On st1 and sc1 EBS always merges them, and
	// each smaller one costs a full I/O as each random one does
	// (https://repost.aws/knowledge-center/ebs-low-throughput-performance, read 2026-11-28).
	MergedFromBytes = 32 * kib
)

// volumeTypes are all types of EBS volumes, the usual ones first.
var volumeTypes = []VolumeType{
	{
		Name:   "gp3",
		MinGiB: 1, MaxGiB: 65536,
		MinIOPS: 3000, MaxIOPS: 80000, DefaultIOPS: 3000, MaxIOPSPerGiB: 500,
		MinMiBps: 125, MaxMiBps: 2000, DefaultMiBps: 125, IOPSPerMiBps: 4,
		IOBytes: ssdIOBytes,
		Latency: ssdLatency,
		Source:  sourceAPI + ", " + sourceGP + readOn,
		limits:  gp3Limits,
	},
	{
		Name:   "gp2",
		MinGiB: 1, MaxGiB: 16384,
		IOBytes: ssdIOBytes,
		Latency: ssdLatency,
		Source:  sourceAPI + ", " + sourceGP + readOn,
		limits:  gp2Limits,
	},
	{
		Name:   "io2",
		MinGiB: 4, MaxGiB: 65536,
		MinIOPS: 100, MaxIOPS: 256000, MaxIOPSPerGiB: 1000,
		CapMiBps: 4000,
		IOBytes:  ssdIOBytes,
		Latency:  io2Latency,
		Source:   sourceAPI + ", " + sourcePIOPS + readOn,
		limits:   io2Limits,
	},
	{
		Name:   "io1",
		MinGiB: 4, MaxGiB: 16384,
		MinIOPS: 100, MaxIOPS: 64000, MaxIOPSPerGiB: 50,
		CapMiBps: 1000,
		IOBytes:  ssdIOBytes,
		Latency:  ssdLatency,
		Source:   sourceAPI + ", " + sourcePIOPS + readOn,
		limits:   io1Limits,
	},
	{
		Name:   "st1",
		MinGiB: 125, MaxGiB: 16384,
		BaseMiBpsPerTiB: 40, BurstMiBpsPerTiB: 250, CapMiBps: 500,
		IOBytes: hddIOBytes, MergesSequential: true,
		Source: sourceAPI + ", " + sourceHDD + readOn,
		limits: hddLimits,
	},
	{
		Name:   "sc1",
		MinGiB: 125, MaxGiB: 16384,
		BaseMiBpsPerTiB: 12, BurstMiBpsPerTiB: 80, CapMiBps: 250,
		IOBytes: hddIOBytes, MergesSequential: true,
		Source: sourceAPI + ", " + sourceHDD + readOn,
		limits: hddLimits,
	},
	{
		Name:   "standard",
		MinGiB: 1, MaxGiB: 1024,
		CapMiBps: 90,
		IOBytes:  hddIOBytes, MergesSequential: true,
		Source: sourceAPI + ", " + sourceTypes + readOn,
		limits: standardLimits,
	},
}

// DefaultVolumeType is the type that the aws-ebs-csi-driver makes where none is named
// (https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/v1.64.0/docs/parameters.md, read 2026-11-21). EC2 itself
// would make gp2.
const DefaultVolumeType = "gp3"

// VolumeTypes returns what is known of all types of EBS volumes, the usual ones first.
func VolumeTypes() []VolumeType {
	return slices.Clone(volumeTypes)
}

// LookupVolumeType returns what is known of a type by AWS's name for it, which is in lower case; that of gp3 for "".
func LookupVolumeType(name string) (VolumeType, bool) {
	if name == "" {
		name = DefaultVolumeType
	}
	for _, t := range volumeTypes {
		if t.Name == name {
			return t, true
		}
	}
	return VolumeType{}, false
}

// ProvisionsIOPS says whether volumes of the type have the IOPS that one asks for.
func (t VolumeType) ProvisionsIOPS() bool { return t.MaxIOPS > 0 }

// ProvisionsThroughput says whether volumes of the type have the throughput that one asks for.
func (t VolumeType) ProvisionsThroughput() bool { return t.MaxMiBps > 0 }

// MaxIOPSFor is how many IOPS can be provisioned for a volume of a size; for any size if gib is 0.
func (t VolumeType) MaxIOPSFor(gib int64) int64 {
	if gib <= 0 {
		return t.MaxIOPS
	}
	return min(t.MaxIOPS, max(t.MinIOPS, t.MaxIOPSPerGiB*gib))
}

// IOUnits is how many I/Os EBS counts for I/Os of a client with so many bytes in all: those that IOPS limits and
// credits are about. I/Os are taken to be of one size; sequential is whether each follows the one before it.
func (t VolumeType) IOUnits(ios, bytes int64, sequential bool) float64 {
	full := float64(bytes) / float64(t.IOBytes)
	if sequential && t.MergesSequential {
		return full
	}
	return max(float64(ios), full)
}

// CreditUnits is how many credits I/Os of a client cost, before what is earned meanwhile: I/Os for gp2, bytes for st1
// and sc1, of which a small random I/O takes 1 MiB ("Inefficiency of small read/writes on HDD" in
// https://docs.aws.amazon.com/ebs/latest/userguide/hdd-vols.html, read 2026-11-21).
func (t VolumeType) CreditUnits(ios, bytes int64, sequential bool) float64 {
	units := t.IOUnits(ios, bytes, sequential)
	if t.BurstMiBpsPerTiB > 0 {
		units *= float64(t.IOBytes)
	}
	return units
}
