package aws

import (
	"fmt"
	"maps"
	"strconv"
)

// ThroughputMode is how an EFS file system gets its throughput.
type ThroughputMode string

// The throughput modes of EFS.
const (
	// Bursting: throughput follows from what is stored, and credits allow more for a time.
	Bursting ThroughputMode = "Bursting"
	// Elastic: throughput follows from use.
	Elastic ThroughputMode = "Elastic"
	// Provisioned: throughput is what was asked for.
	Provisioned ThroughputMode = "Provisioned"
)

// Names of the fields of a file system, as problems have them.
const (
	FieldThroughputMode        = "throughputMode"
	FieldProvisionedThroughput = "provisionedThroughput"
	FieldMeteredSize           = "meteredSize"
)

// fileSystemMode is what AWS documents of file systems with performance mode General Purpose, in one throughput mode.
type fileSystemMode struct {
	// I/Os per second that one file system can do.
	readIOPS, writeIOPS int64
	// Most of a file system in the regions that have least.
	efsThroughput
	// Most of one client, in MiB/s of reads and writes together.
	clientMiBps int64
	// Most of a file system in the regions that have more, by their names.
	regions map[string]efsThroughput
}

// efsThroughput is what a file system can do at most, in MiB/s. A figure of 0 is not known.
type efsThroughput struct{ readMiBps, writeMiBps int64 }

// fileSystemModes: https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Performance summary", for regional file
// systems (read 2026-11-21). Elastic IOPS are the default quotas, as its notes have them: reads of data that is used
// often, as test files are; of other data, 90,000. They can be raised tenfold. 1,500 MiB/s for one client need version
// 2.0 or later of amazon-efs-utils or the aws-efs-csi-driver, else it has 500 as in other modes.
var fileSystemModes = map[ThroughputMode]fileSystemMode{
	Bursting: {
		readIOPS: 35000, writeIOPS: 7000, efsThroughput: efsThroughput{3 * 1024, 1024}, clientMiBps: 500, regions: efsBurstingRegions,
	},
	Provisioned: {
		readIOPS: 55000, writeIOPS: 25000, efsThroughput: efsThroughput{3 * 1024, 1024}, clientMiBps: 500, regions: efsProvisionedRegions,
	},
	Elastic: {
		readIOPS: 250000, writeIOPS: 50000, efsThroughput: efsThroughput{20 * 1024, 1024}, clientMiBps: 1500, regions: efsElasticRegions,
	},
}

// oneZone is what file systems of type One Zone can do, in each mode and region: "Performance summary", as above. In it, 3 GiB/s of reads and 1 of
// writes are no range, and its note 5 says that those with mode Bursting do as much as regional ones (a text of 2025, read 2026-11-23). They are metered as
// regional ones are. Those with mode Elastic have 500 MiB/s for one client in its table, where note 4, on regional ones, gives 1,500 to all with that mode: so 500 are what a client has
// at least.
var oneZone = fileSystemMode{readIOPS: 35000, writeIOPS: 7000, efsThroughput: efsThroughput{3 * 1024, 1024}, clientMiBps: 500}

// Regions that have more throughput by default: https://docs.aws.amazon.com/efs/latest/ug/limits.html (read 2026-11-23, in texts of several years). All
// can be raised by support.
var (
	// "Total bursting throughput", in its text of 2023: 3 and 5 GiB/s. Later texts have the range only, which is the same.
	efsBurstingRegions = inRegions(efsThroughput{5 * 1024, 3 * 1024}, "us-east-1", "us-east-2", "us-west-2", "ap-southeast-2", "eu-west-1")
	// "Total default Provisioned throughput": 10 and 3.33 GiB/s. The latter are the 3,414 MiB/s that can be asked for.
	efsProvisionedRegions = inRegions(efsThroughput{10 * 1024, efsMaxProvisionedMiBps}, "us-east-1", "us-east-2", "us-west-2", "eu-west-1")
	// "Total default Elastic throughput": 60 and 5 GiB/s. That of reads was raised to 60 in four more regions on 2025-05-02
	// (https://docs.amazonaws.cn/en_us/efs/latest/ug/document-history.md, read 2026-11-23), which says nothing of their writes.
	efsElasticRegions = func() map[string]efsThroughput {
		regions := inRegions(efsThroughput{60 * 1024, 5 * 1024},
			"us-east-1", "us-east-2", "us-west-2", "ap-northeast-1", "ap-southeast-1", "eu-central-1", "eu-west-1")
		maps.Copy(regions, inRegions(efsThroughput{readMiBps: 60 * 1024}, "ap-northeast-2", "ap-south-1", "ap-southeast-2", "eu-west-2"))
		return regions
	}()
)

func inRegions(most efsThroughput, names ...string) map[string]efsThroughput {
	regions := make(map[string]efsThroughput, len(names))
	for _, name := range names {
		regions[name] = most
	}
	return regions
}

// Throughput of file systems that burst, and their credits: https://docs.aws.amazon.com/efs/latest/ug/performance.html,
// "Bursting throughput" (read 2026-11-21). That new ones begin with 2.1 TiB of credits:
// https://repost.aws/knowledge-center/efs-burst-credits (read 2026-11-21).
const (
	efsBaseMiBpsPerTiB  = 50
	efsMinBaseMiBps     = 1
	efsBurstMiBpsPerTiB = 100
	efsMinBurstMiBps    = 100
	// Most credits of a file system of up to a TiB, and for each TiB of a larger one, in TiB.
	efsCreditTiB = 2.1
)

// Metering: reads count a third, and no request less than 4 KiB
// (https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Performance modes" and "Understanding Amazon EFS burst
// credits"; that no discount goes below 4 KiB is in its text of 2023-06-15; read 2026-11-21).
const (
	efsReadDiscount    = 3
	efsMinRequestBytes = 4 * kib
)

// Provisioned throughput in MiB/s: https://docs.aws.amazon.com/efs/latest/ug/API_CreateFileSystem.html (read 2026-11-21
// in the service model of botocore 1.44.5). How much of it a region gives differs; support may give more.
const (
	efsMinProvisionedMiBps = 1
	efsMaxProvisionedMiBps = 3414
)

// NFSSlots is how many requests Linux sends at a time through one mount of NFS 4.1, which EFS uses: max_session_slots of
// its module nfs is 64 by default (NFS4_DEF_SLOT_TABLE_SIZE in
// https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/fs/nfs/nfs4session.h, read 2026-11-28).
const NFSSlots = 64

// FileSystem is an EFS file system.
type FileSystem struct {
	// MaxIO says that its performance mode is Max I/O, else it is General Purpose. AWS documents neither the operations
	// per second of Max I/O nor how long one takes, but that it takes longer
	// (https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Performance modes", read 2026-11-28).
	MaxIO bool
	// OneZone says that it is of type One Zone, else it is regional.
	OneZone bool
	// Region is where it is, such as eu-west-1. Empty if it is not known: then throughput is the least of all regions.
	Region string
	// Empty if it is not known.
	ThroughputMode ThroughputMode
	// MiB/s, with Provisioned only.
	ProvisionedMiBps *int64
	// Bytes stored in storage class Standard (ValueInStandard), from which the throughput with Bursting follows.
	MeteredBytes int64
}

// Problems are what does not fit together, or what EFS does not have.
func (f FileSystem) Problems() []Problem {
	var problems []Problem
	_, known := fileSystemModes[f.ThroughputMode]
	if f.ThroughputMode != "" && !known {
		problems = append(problems, Problem{FieldThroughputMode, string(f.ThroughputMode),
			fmt.Sprintf("EFS has no throughput mode %q; use Bursting, Elastic or Provisioned", f.ThroughputMode)})
	}
	if found := f.provisionedProblem(); found != nil {
		problems = append(problems, *found)
	}
	if f.MeteredBytes < 0 {
		problems = append(problems, *problem(FieldMeteredSize, f.MeteredBytes, "a file system stores 0 bytes or more; set what it stores, or remove it for an empty one"))
	}
	return problems
}

func (f FileSystem) provisionedProblem() *Problem {
	switch {
	case f.ProvisionedMiBps == nil && f.ThroughputMode == Provisioned:
		return &Problem{FieldProvisionedThroughput, "", fmt.Sprintf("throughput mode Provisioned has the throughput that was asked for; set provisionedThroughput to it, %d to %d MiB/s",
			efsMinProvisionedMiBps, efsMaxProvisionedMiBps)}
	case f.ProvisionedMiBps == nil:
		return nil
	case f.ThroughputMode != Provisioned:
		return problem(FieldProvisionedThroughput, *f.ProvisionedMiBps, "only throughput mode Provisioned has it; remove it, or set throughputMode: Provisioned")
	case *f.ProvisionedMiBps < efsMinProvisionedMiBps || *f.ProvisionedMiBps > efsMaxProvisionedMiBps:
		return problem(FieldProvisionedThroughput, *f.ProvisionedMiBps, "EFS takes %d to %d MiB/s; set what the file system has, and limits by hand if AWS has raised yours",
			efsMinProvisionedMiBps, efsMaxProvisionedMiBps)
	}
	return nil
}

// Limits are what the whole file system can do, with all its clients; none if the mode is not known. Where throughput is
// metered, that of writes is as metered and that of reads, which count a third, three times as high. Both are what
// either can do alone, and Shared says so. Baseline and credits are of metered bytes, as MeteredBytes counts them.
func (f FileSystem) Limits() Limits {
	mode, known := f.mode()
	if !known {
		return Limits{}
	}
	limits := Limits{ReadIOPS: mode.readIOPS, WriteIOPS: mode.writeIOPS, Shared: true, Typical: f.latency()}
	if f.MaxIO {
		limits = Limits{Shared: true}
	}
	switch {
	case f.ThroughputMode == Elastic:
		limits.ReadBytesPerSecond, limits.WriteBytesPerSecond = mode.readMiBps*mib, mode.writeMiBps*mib
		limits.Source = fmt.Sprintf("AWS: %s with elastic throughput, by default quotas of %s", f.kind(), f.place())
	case f.ProvisionedMiBps != nil && float64(*f.ProvisionedMiBps*mib) >= f.baseline():
		limits.ReadBytesPerSecond, limits.WriteBytesPerSecond = mode.metered(float64(*f.ProvisionedMiBps * mib))
		limits.Source = fmt.Sprintf("AWS: %s with %d MiB/s provisioned, and a read counts for a third of its bytes, within default quotas of %s", f.kind(), *f.ProvisionedMiBps, f.place())
	default:
		f.burst(mode, &limits)
	}
	return limits
}

// mode is what AWS documents of file systems of the mode and type, where this one is; false if the mode is not known.
func (f FileSystem) mode() (fileSystemMode, bool) {
	mode, known := fileSystemModes[f.ThroughputMode]
	switch {
	case !known:
		return fileSystemMode{}, false
	case f.OneZone && f.ThroughputMode != Bursting:
		return oneZone, true
	}
	// A file system of one zone that bursts has the figures of a regional one.
	if most, more := mode.regions[f.Region]; more {
		mode.efsThroughput = most
	}
	return mode, true
}

func (f FileSystem) latency() Latency {
	if f.OneZone {
		return efsOneZoneLatency
	}
	return efsLatency
}

func (f FileSystem) kind() string {
	switch {
	case f.OneZone:
		return "EFS One Zone file system"
	case f.MaxIO:
		return "EFS Max I/O file system"
	}
	return "EFS file system"
}

// place says whose quotas the limits have.
func (f FileSystem) place() string {
	switch {
	case f.OneZone:
		return "all regions"
	case f.Region == "":
		return "the regions that have least, as this one is not known"
	}
	return f.Region
}

// burst sets the limits of a file system whose throughput follows from what it stores. That goes for mode Provisioned,
// too, where what is stored gives more than was provisioned
// (https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Provisioned throughput", read 2026-11-21).
func (f FileSystem) burst(mode fileSystemMode, limits *Limits) {
	stored := f.storedTiB()
	base, burst := f.baseline(), max(stored*efsBurstMiBpsPerTiB, efsMinBurstMiBps)*mib
	limits.ReadBytesPerSecond, limits.WriteBytesPerSecond = mode.metered(burst)
	limits.Burst = &Burst{
		BaselineBytesPerSecond: int64(base),
		Credits:                Bucket{Unit: UnitBytes, Max: max(stored, 1) * efsCreditTiB * tib, BasePerSecond: base, BurstPerSecond: burst},
	}
	limits.Source = fmt.Sprintf("AWS: %s that stores %s GiB, which bursts to %s MiB/s with credits and has %s without; reads take a third",
		f.kind(), strconv.FormatFloat(stored*1024, 'f', -1, 64), inMiB(burst), inMiB(base))
	if stored == 0 {
		limits.Source += "; it is taken for empty, because " + FieldMeteredSize + " is 0 or not set"
	}
}

// ClientLimits are what one client (node) can do with the file system; none if the mode is not known.
func (f FileSystem) ClientLimits() Limits {
	mode, known := f.mode()
	if !known {
		return Limits{}
	}
	limits := Limits{
		BytesPerSecond: mode.clientMiBps * mib,
		Source:         fmt.Sprintf("AWS: one client of EFS with %s throughput", f.ThroughputMode),
	}
	switch {
	case f.ThroughputMode == Elastic && f.OneZone:
		limits.AtLeast = true
		limits.Source = "AWS: one client of EFS One Zone with Elastic throughput, 500 MiB/s in the table of its performance summary; a note below that has 1500 for all with Elastic"
	case f.ThroughputMode == Elastic:
		limits.Source += ", mounted by version 2.0 or later of amazon-efs-utils or aws-efs-csi-driver"
	}
	return limits
}

// Operations are the operations that EFS counts for reads and writes, in reads: it has so many I/Os per second of each if there are none of the other.
// With performance mode General Purpose and mode Bursting a write counts as five reads
// (https://repost.aws/knowledge-center/linux-efs-performance-modes, read 2026-11-23); in other modes as many as their limits say.
func Operations(reads, writes, readIOPS, writeIOPS float64) float64 {
	return reads + writes*readIOPS/writeIOPS
}

// MeteredBytes are the bytes that EFS counts for requests: those that metered throughput and credits are about.
func MeteredBytes(reads, readBytes, writes, writeBytes int64) float64 {
	return max(float64(readBytes)/efsReadDiscount, float64(reads*efsMinRequestBytes)) +
		max(float64(writeBytes), float64(writes*efsMinRequestBytes))
}

// ReadableBytes are the bytes that can be read for so many metered ones, by requests that are not small.
func ReadableBytes(metered float64) float64 { return metered * efsReadDiscount }

// metered are the bytes per second that can be read and written at a metered rate.
func (m fileSystemMode) metered(bytesPerSecond float64) (read, write int64) {
	return min(int64(ReadableBytes(bytesPerSecond)), m.readMiBps*mib), min(int64(bytesPerSecond), m.writeMiBps*mib)
}

// baseline is the metered throughput without credits, in bytes per second.
func (f FileSystem) baseline() float64 {
	return max(f.storedTiB()*efsBaseMiBpsPerTiB, efsMinBaseMiBps) * mib
}

func (f FileSystem) storedTiB() float64 { return float64(max(f.MeteredBytes, 0)) / tib }
