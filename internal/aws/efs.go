package aws

import (
	"fmt"
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
	// Most of a file system, in MiB/s. It differs by region and can be raised by support; this is the least of regions.
	readMiBps, writeMiBps int64
	// Most of one client, in MiB/s of reads and writes together.
	clientMiBps int64
}

// fileSystemModes: https://docs.aws.amazon.com/efs/latest/ug/performance.html, "Performance summary", for regional file
// systems (read 2026-11-21). Elastic IOPS are the default quotas, as its notes have them: reads of data that is used
// often, as test files are; of other data, 90,000. They can be raised tenfold. 1,500 MiB/s for one client need version
// 2.0 or later of amazon-efs-utils or the aws-efs-csi-driver, else it has 500 as in other modes.
var fileSystemModes = map[ThroughputMode]fileSystemMode{
	Bursting:    {readIOPS: 35000, writeIOPS: 7000, readMiBps: 3 * 1024, writeMiBps: 1024, clientMiBps: 500},
	Provisioned: {readIOPS: 55000, writeIOPS: 25000, readMiBps: 3 * 1024, writeMiBps: 1024, clientMiBps: 500},
	Elastic:     {readIOPS: 250000, writeIOPS: 50000, readMiBps: 20 * 1024, writeMiBps: 1024, clientMiBps: 1500},
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

// FileSystem is an EFS file system with performance mode General Purpose, which is regional (not One Zone).
type FileSystem struct {
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
	mode, known := fileSystemModes[f.ThroughputMode]
	if !known {
		return Limits{}
	}
	limits := Limits{ReadIOPS: mode.readIOPS, WriteIOPS: mode.writeIOPS, Shared: true}
	switch {
	case f.ThroughputMode == Elastic:
		limits.ReadBytesPerSecond, limits.WriteBytesPerSecond = mode.readMiBps*mib, mode.writeMiBps*mib
		limits.Source = fmt.Sprintf("AWS: EFS file system with elastic throughput, by default quotas at least %d IOPS and %d MiB/s of reads, %d and %d of writes",
			mode.readIOPS, mode.readMiBps, mode.writeIOPS, mode.writeMiBps)
	case f.ProvisionedMiBps != nil && float64(*f.ProvisionedMiBps*mib) >= f.baseline():
		limits.ReadBytesPerSecond, limits.WriteBytesPerSecond = mode.metered(float64(*f.ProvisionedMiBps * mib))
		limits.Source = fmt.Sprintf("AWS: EFS file system with %d MiB/s provisioned, of which reads take a third", *f.ProvisionedMiBps)
	default:
		f.burst(mode, &limits)
	}
	return limits
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
	limits.Source = fmt.Sprintf("AWS: EFS file system that stores %s GiB, which bursts to %s MiB/s with credits and has %s without; reads take a third",
		strconv.FormatFloat(stored*1024, 'f', -1, 64), inMiB(burst), inMiB(base))
}

// ClientLimits are what one client (node) can do with the file system; none if the mode is not known.
func (f FileSystem) ClientLimits() Limits {
	mode, known := fileSystemModes[f.ThroughputMode]
	if !known {
		return Limits{}
	}
	limits := Limits{
		BytesPerSecond: mode.clientMiBps * mib,
		Source:         fmt.Sprintf("AWS: one client of EFS with %s throughput", f.ThroughputMode),
	}
	if f.ThroughputMode == Elastic {
		limits.Source += ", mounted by version 2.0 or later of amazon-efs-utils or aws-efs-csi-driver"
	}
	return limits
}

// MeteredBytes are the bytes that EFS counts for requests: those that metered throughput and credits are about.
func MeteredBytes(reads, readBytes, writes, writeBytes int64) float64 {
	return max(float64(readBytes)/efsReadDiscount, float64(reads*efsMinRequestBytes)) +
		max(float64(writeBytes), float64(writes*efsMinRequestBytes))
}

// metered are the bytes per second that can be read and written at a metered rate.
func (m fileSystemMode) metered(bytesPerSecond float64) (read, write int64) {
	return min(int64(bytesPerSecond*efsReadDiscount), m.readMiBps*mib), min(int64(bytesPerSecond), m.writeMiBps*mib)
}

// baseline is the metered throughput without credits, in bytes per second.
func (f FileSystem) baseline() float64 {
	return max(f.storedTiB()*efsBaseMiBpsPerTiB, efsMinBaseMiBps) * mib
}

func (f FileSystem) storedTiB() float64 { return float64(max(f.MeteredBytes, 0)) / tib }
