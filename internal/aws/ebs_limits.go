package aws

import (
	"fmt"
	"math"
)

// gp3LoweredIOPS is to what aws-ebs-csi-driver lowers more IOPS of a gp3 volume where it cannot find out the most of the region: where EC2
// denies it a dry run of CreateVolume, as policies do that ask for certain tags or for encryption
// (v1.64.0, gp3FallbackMaxIOPS in pkg/cloud/cloud.go, read 2026-11-24). Of other types it lowers to their most. Versions before 1.50 always lower.
const gp3LoweredIOPS = 16000

// Figures of gp2 (https://docs.aws.amazon.com/ebs/latest/userguide/general-purpose.html, read 2026-11-21).
const (
	gp2IOPSPerGiB = 3
	gp2MinIOPS    = 100
	gp2MaxIOPS    = 16000
	// Volumes of up to 1,000 GiB, which have less, burst to it.
	gp2BurstIOPS = 3000
	gp2IOCredits = 5_400_000
	// Volumes of up to gp2SmallGiB have gp2SmallMiBps, larger ones gp2LargeMiBps, for which those under 334 GiB need
	// credits: their base IOPS do not suffice for it.
	gp2SmallGiB   = 170
	gp2SmallMiBps = 128
	gp2LargeMiBps = 250
)

// Figures of io1 and io2 (https://docs.aws.amazon.com/ebs/latest/userguide/provisioned-iops.html, read 2026-11-21).
const (
	// io1 moves up to 256 KiB an I/O, but not more than this with up to 32,000 IOPS; each further one adds 16 KiB/s.
	io1PlateauMiBps = 500
	io1BytesPerIOPS = 16 * kib
	// io2 moves 0.256 MiB/s for each of its IOPS.
	io2MiBpsPerKIOPS = 256
)

// Figures of standard volumes (https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html, "Previous
// generation volumes", read 2026-11-21): about 100 IOPS on average, 40 to 200 at most, 40 to 90 MiB/s at most.
const standardMaxIOPS = 200

// Limits are what the volume can do; none for a type that is not known. Without a size, what follows from it is left out.
func (v Volume) Limits() Limits {
	t, known := LookupVolumeType(v.Type)
	if !known {
		return Limits{}
	}
	limits := t.limits(t, v)
	limits.MayMerge = !t.MergesSequential && limits.IOPS > 0
	limits.Typical = t.Latency
	return limits
}

func gp3Limits(t VolumeType, v Volume) Limits {
	iops, how := v.provisionedIOPS(t)
	throughput := t.DefaultMiBps
	if v.Throughput != nil {
		throughput = *v.Throughput
	}
	if iops == 0 {
		return Limits{BytesPerSecond: throughput * mib, Source: fmt.Sprintf("AWS: gp3 volume with %d MiB/s provisioned", throughput)}
	}
	limits := Limits{
		IOPS:           iops,
		BytesPerSecond: throughput * mib,
		Source:         fmt.Sprintf("AWS: gp3 volume with %d IOPS%s and %d MiB/s provisioned", iops, how, throughput),
	}
	if iops > gp3LoweredIOPS {
		limits.LoweredIOPS = gp3LoweredIOPS
	}
	return limits
}

func gp2Limits(t VolumeType, v Volume) Limits {
	if v.GiB <= 0 {
		return Limits{Source: "AWS: gp2 volume of a size that is not known"}
	}
	base := min(max(gp2IOPSPerGiB*v.GiB, gp2MinIOPS), gp2MaxIOPS)
	throughput := int64(gp2LargeMiBps * mib)
	if v.GiB <= gp2SmallGiB {
		throughput = gp2SmallMiBps * mib
	}
	if base >= gp2BurstIOPS {
		return Limits{
			IOPS:           base,
			BytesPerSecond: throughput,
			Source:         fmt.Sprintf("AWS: gp2 volume of %d GiB, which has %d IOPS and needs no credits", v.GiB, base),
		}
	}
	limits := Limits{
		IOPS:           gp2BurstIOPS,
		BytesPerSecond: throughput,
		Burst: &Burst{
			BaselineIOPS: base,
			Credits:      Bucket{Unit: UnitIOs, Max: gp2IOCredits, BasePerSecond: float64(base), BurstPerSecond: gp2BurstIOPS},
		},
		Source: fmt.Sprintf("AWS: gp2 volume of %d GiB, which bursts to %d IOPS with credits and has %d without", v.GiB,
			int64(gp2BurstIOPS), base),
	}
	if withoutCredits := base * t.IOBytes; withoutCredits < throughput {
		limits.Burst.BaselineBytesPerSecond = withoutCredits
	}
	return limits
}

func io1Limits(t VolumeType, v Volume) Limits {
	iops, how := v.provisionedIOPS(t)
	plateau := min(iops*t.IOBytes, io1PlateauMiBps*mib)
	throughput := min(max(plateau, iops*io1BytesPerIOPS), t.CapMiBps*mib)
	return provisionedLimits(t, iops, how, throughput)
}

func io2Limits(t VolumeType, v Volume) Limits {
	iops, how := v.provisionedIOPS(t)
	throughput := min(iops*io2MiBpsPerKIOPS*mib/1000, t.CapMiBps*mib)
	return provisionedLimits(t, iops, how, throughput)
}

func provisionedLimits(t VolumeType, iops int64, how string, bytesPerSecond int64) Limits {
	if iops == 0 {
		return Limits{Source: fmt.Sprintf("AWS: %s volume with IOPS that are not known", t.Name)}
	}
	return Limits{
		IOPS:           iops,
		BytesPerSecond: bytesPerSecond,
		Source: fmt.Sprintf("AWS: %s volume with %d IOPS%s provisioned, from which %s MiB/s follow", t.Name, iops, how,
			inMiB(float64(bytesPerSecond))),
	}
}

func hddLimits(t VolumeType, v Volume) Limits {
	if v.GiB <= 0 {
		return Limits{Source: fmt.Sprintf("AWS: %s volume of a size that is not known", t.Name)}
	}
	most := float64(t.CapMiBps) * mib
	burst := min(float64(t.BurstMiBpsPerTiB*v.GiB)*mib/1024, most)
	base := min(float64(t.BaseMiBpsPerTiB*v.GiB)*mib/1024, most)
	limits := Limits{
		IOPS:           hddIOPS(t, burst),
		BytesPerSecond: int64(burst),
		RandomIOPS:     true,
		Source:         fmt.Sprintf("AWS: %s volume of %d GiB, which has %s MiB/s", t.Name, v.GiB, inMiB(burst)),
	}
	if base < burst {
		limits.Burst = &Burst{
			BaselineIOPS:           hddIOPS(t, base),
			BaselineBytesPerSecond: int64(base),
			// A full bucket suffices to read the volume once: 1 TiB of credits for each TiB.
			Credits: Bucket{Unit: UnitBytes, Max: float64(v.GiB) * gib, BasePerSecond: base, BurstPerSecond: burst},
		}
		limits.Source = fmt.Sprintf("AWS: %s volume of %d GiB, which bursts to %s MiB/s with credits and has %s without",
			t.Name, v.GiB, inMiB(burst), inMiB(base))
	}
	return limits
}

// hddIOPS are the random I/Os per second that a throughput allows, of which each takes as much as a full one.
func hddIOPS(t VolumeType, bytesPerSecond float64) int64 {
	return max(1, int64(math.Round(bytesPerSecond/float64(t.IOBytes))))
}

func standardLimits(t VolumeType, _ Volume) Limits {
	return Limits{
		IOPS:           standardMaxIOPS,
		BytesPerSecond: t.CapMiBps * mib,
		RandomIOPS:     true,
		Approximate:    true,
		Source:         "AWS: standard volumes have about 100 IOPS, 40 to 200 at most, and 40 to 90 MiB/s",
	}
}

// inMiB is a number of bytes in MiB, with one digit behind the point where it needs one.
func inMiB(bytes float64) string {
	tenths := math.Round(bytes / mib * 10)
	if math.Mod(tenths, 10) == 0 {
		return fmt.Sprintf("%.0f", tenths/10)
	}
	return fmt.Sprintf("%.1f", tenths/10)
}
