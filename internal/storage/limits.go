package storage

import (
	"strconv"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/aws"
)

// limitsOfSpec and clientLimitsOfSpec are the sources of limits that the user has given.
const (
	limitsOfSpec       = "spec.targets[].limits"
	clientLimitsOfSpec = "spec.targets[].clientLimits"
)

// Class is what is known of where a target's volume comes from: the CSI driver, and the parameters of its
// StorageClass and of its VolumeAttributesClass, of which the latter prevail.
type Class struct {
	Driver     string
	Parameters map[string]string
	Attributes map[string]string
	// Capacity is the size of a volume that is there, nil for a volume that is made in the size that the target gives.
	Capacity *resource.Quantity
	// Bucket is the bucket of a volume that is there, "" if it is not known or not one of AWS.
	Bucket string
	// Unknown is for a volume that is there, and that the class may not describe.
	Unknown bool
	// Region is where the storage is, as far as limits depend on it. Empty if it is not known, as before the first pod has a node.
	Region string
}

// ClassOf returns what limits follow from of a StorageClass. Of one from before CSI, volumes get more IOPS than its iopsPerGB gives, where EBS asks for more:
// https://github.com/kubernetes/csi-translation-lib/blob/v0.37.1/plugins/aws_ebs.go
func ClassOf(class *storagev1.StorageClass) Class {
	of := Class{Driver: DriverOf(class.Provisioner), Parameters: class.Parameters}
	if class.Provisioner == ebsInTree {
		of.Parameters = map[string]string{}
		for name, value := range class.Parameters {
			of.Parameters[strings.ToLower(name)] = value
		}
		of.Parameters["allowautoiopspergbincrease"] = "true"
	}
	return of
}

// Limits returns what is known of what the target's storage can do at most, nil if nothing is: what the user says,
// else what AWS documents. How long an I/O takes is always what AWS documents.
func Limits(t *v1alpha1.Target, class Class) *v1alpha1.KnownLimits {
	documented := documentedLimits(t, class)
	if t.Limits == nil {
		return documented
	}
	limits := given(t.Limits, scopeOf(KindOf(t, class.Driver)), limitsOfSpec)
	if documented != nil {
		limits.TypicalReadMicroseconds = documented.TypicalReadMicroseconds
		limits.TypicalWriteMicroseconds = documented.TypicalWriteMicroseconds
	}
	return limits
}

func documentedLimits(t *v1alpha1.Target, class Class) *v1alpha1.KnownLimits {
	switch KindOf(t, class.Driver) {
	case KindEFS:
		return fileSystemLimits(t, class.Region)
	case KindS3:
		return bucketLimits(t, class.Bucket)
	case KindEBS:
		return volumeLimits(t, class)
	default:
		return nil
	}
}

// fileSystemLimits are those of an EFS file system. Only a target of efs tells its throughput mode, from which they
// follow.
func fileSystemLimits(t *v1alpha1.Target, region string) *v1alpha1.KnownLimits {
	if t.EFS == nil {
		return nil
	}
	return known(fileSystem(t.EFS, region).Limits(), v1alpha1.ScopeFileSystem)
}

// bucketLimits are those of the bucket of a target of s3, or else of the volume that was found.
func bucketLimits(t *v1alpha1.Target, found string) *v1alpha1.KnownLimits {
	bucket := found
	if t.S3 != nil {
		bucket = t.S3.Bucket
	}
	if bucket == "" || (t.S3 != nil && t.S3.EndpointURL != nil) {
		return nil
	}
	return known(aws.BucketLimits(bucket), v1alpha1.ScopeFileSystem)
}

// volumeLimits are those of an EBS volume. For a claim, they are known if its volume exists and the class
// describes.
func volumeLimits(t *v1alpha1.Target, class Class) *v1alpha1.KnownLimits {
	var volume aws.Volume
	switch {
	case t.EBS != nil:
		volume = ebsVolume(t)
	case class.Unknown, t.ClaimName != nil && class.Capacity == nil:
		return nil
	default:
		volume = withParameters(aws.Volume{GiB: inGiB(ptr.Deref(class.Capacity, Capacity(t)))}, class.Parameters)
	}
	return known(withAttributes(volume, class.Attributes).Limits(), v1alpha1.ScopeVolume)
}

// LimitsInZone returns the limits of a target that a node in a zone uses, if they are those that were found before the zone was known.
func LimitsInZone(t *v1alpha1.Target, found *v1alpha1.KnownLimits, zone string) *v1alpha1.KnownLimits {
	if t.EFS == nil {
		return found
	}
	return Limits(t, Class{Region: aws.RegionOf(zone)})
}

// ClientLimits returns what is known of what a node of an instance type can do at most on its way to the target's
// storage.
func ClientLimits(t *v1alpha1.Target, driver, instanceType string) []v1alpha1.KnownLimits {
	if t.ClientLimits != nil {
		return []v1alpha1.KnownLimits{*given(t.ClientLimits, v1alpha1.ScopeInstance, clientLimitsOfSpec)}
	}
	var all []v1alpha1.KnownLimits
	add := func(limits aws.Limits, scope v1alpha1.LimitScope) {
		if l := known(limits, scope); l != nil {
			all = append(all, *l)
		}
	}
	if t.EFS != nil {
		add(fileSystem(t.EFS, "").ClientLimits(), v1alpha1.ScopeClient)
	}
	instance, ok := aws.LookupInstance(instanceType)
	if ok && t.S3 != nil {
		add(aws.MountpointLimits(t.S3.MountOptions), v1alpha1.ScopeClient)
	}
	switch {
	case !ok:
	case KindOfDriver(driver) == KindEBS:
		add(ebsLimits(instanceType, instance), v1alpha1.ScopeInstance)
		if t.EBS != nil {
			add(instance.VolumeLimits(instanceType, string(t.EBS.Type)), v1alpha1.ScopeInstance)
		}
	case KindOfDriver(driver).IsPartOfService():
		add(networkLimits(instanceType, instance), v1alpha1.ScopeInstance)
	}
	return all
}

// scopeOf returns what limits of storage of a kind are limits of, if the user does not say.
func scopeOf(kind Kind) v1alpha1.LimitScope {
	if kind.IsPartOfService() {
		return v1alpha1.ScopeFileSystem
	}
	return v1alpha1.ScopeVolume
}

// given returns limits that the user has given.
func given(limits *v1alpha1.Limits, scope v1alpha1.LimitScope, source string) *v1alpha1.KnownLimits {
	l := &v1alpha1.KnownLimits{Limits: *limits.DeepCopy(), Source: source}
	if l.Scope == "" {
		l.Scope = scope
	}
	return l
}

// known returns documented limits as the API has them, nil if they name no figure. IOPS that hold for random I/O only are left out where
// they change with credits, of which sequential I/O takes others. That they are counted so is kept: it says what a random I/O takes of the credits.
func known(limits aws.Limits, scope v1alpha1.LimitScope) *v1alpha1.KnownLimits {
	l := &v1alpha1.KnownLimits{Source: limits.Source, Counting: counting(limits), Precision: precision(limits), Limits: v1alpha1.Limits{
		Scope:               scope,
		ReadIOPS:            figure(limits.ReadIOPS),
		WriteIOPS:           figure(limits.WriteIOPS),
		BytesPerSecond:      figure(limits.BytesPerSecond),
		ReadBytesPerSecond:  figure(limits.ReadBytesPerSecond),
		WriteBytesPerSecond: figure(limits.WriteBytesPerSecond),
		Burst:               burst(limits.Burst),
	}}
	l.LoweredIOPS, l.LoweredBytesPerSecond = figure(limits.LoweredIOPS), figure(limits.LoweredBytesPerSecond)
	l.TypicalReadMicroseconds = figure(limits.Typical.Read.Microseconds())
	l.TypicalWriteMicroseconds = figure(limits.Typical.Write.Microseconds())
	if !limits.RandomIOPS || l.Burst == nil {
		l.IOPS = figure(limits.IOPS)
	} else {
		l.Burst.BaselineIOPS = nil
	}
	if l.Limits == (v1alpha1.Limits{Scope: scope}) {
		return nil
	}
	return l
}

// counting says how storage with the limits counts I/Os.
func counting(limits aws.Limits) v1alpha1.IOCounting {
	switch {
	case limits.RandomIOPS:
		return v1alpha1.CountsRandom
	case limits.MayMerge:
		return v1alpha1.CountsMerged
	case limits.Shared:
		return v1alpha1.CountsShared
	}
	return ""
}

func precision(limits aws.Limits) v1alpha1.LimitPrecision {
	switch {
	case limits.Approximate:
		return v1alpha1.PrecisionRange
	case limits.AtLeast:
		return v1alpha1.PrecisionAtLeast
	}
	return ""
}

func burst(b *aws.Burst) *v1alpha1.Burst {
	if b == nil {
		return nil
	}
	out := &v1alpha1.Burst{BaselineIOPS: figure(b.BaselineIOPS), BaselineBytesPerSecond: figure(b.BaselineBytesPerSecond)}
	switch b.Credits.Unit {
	case aws.UnitIOs:
		out.IOCredits = figure(int64(b.Credits.Max))
	case aws.UnitBytes:
		out.ByteCredits = figure(int64(b.Credits.Max))
	}
	return out
}

// figure returns a figure as the API has it: unset if it is not known.
func figure(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return &n
}

// ebsVolume returns the target's EBS volume as aws-ebs-csi-driver is asked for it.
func ebsVolume(t *v1alpha1.Target) aws.Volume {
	return aws.Volume{
		Type: string(t.EBS.Type), GiB: gibibytes(t),
		IOPS: wide(t.EBS.IOPS), IOPSPerGiB: wide(t.EBS.IOPSPerGB), Throughput: wide(t.EBS.Throughput),
	}
}

// withParameters returns a volume with what the parameters of a StorageClass say. The driver compares their names without
// regard to case.
func withParameters(v aws.Volume, parameters map[string]string) aws.Volume {
	for name, value := range parameters {
		switch strings.ToLower(name) {
		case "type":
			v.Type = value
		case "iops":
			v.IOPS = number(value)
		case "iopspergb":
			v.IOPSPerGiB = number(value)
		case "throughput":
			v.Throughput = number(value)
		case "allowautoiopspergbincrease":
			v.AllowIncrease = value == "true"
		}
	}
	return v
}

// withAttributes returns a volume with what the parameters of a VolumeAttributesClass say, whose names the driver (v1.64.0, CreateVolume in
// pkg/driver/controller.go, read 2026-11-24) takes as they are written. volumeType is an older name of type.
func withAttributes(v aws.Volume, attributes map[string]string) aws.Volume {
	for _, name := range []string{"volumeType", "type"} {
		if value, ok := attributes[name]; ok {
			v.Type = value
		}
	}
	if value, ok := attributes["iops"]; ok {
		v.IOPS = number(value)
	}
	if value, ok := attributes["throughput"]; ok {
		v.Throughput = number(value)
	}
	return v
}

// number is a number of a class, nil if it is none, or none for the driver, which has 32 bits.
func number(value string) *int64 {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return nil
	}
	return &n
}

const gib = 1 << 30

// gibibytes is the size of the target's new volume, rounded up as the driver does.
func gibibytes(t *v1alpha1.Target) int64 { return inGiB(Capacity(t)) }

// inGiB is a size in whole GiB, rounded up.
func inGiB(capacity resource.Quantity) int64 {
	bytes := capacity.Value()
	return bytes/gib + min(bytes%gib, 1)
}

func wide(n *int32) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// fileSystem returns the file system as AWS has it, in a region that may be unknown.
func fileSystem(fs *v1alpha1.EFSFileSystem, region string) aws.FileSystem {
	f := aws.FileSystem{
		Region:           region,
		OneZone:          ptr.Deref(fs.FileSystemType, v1alpha1.EFSRegional) == v1alpha1.EFSOneZone,
		MaxIO:            ptr.Deref(fs.PerformanceMode, v1alpha1.EFSGeneralPurpose) == v1alpha1.EFSMaxIO,
		ThroughputMode:   aws.ThroughputMode(ptr.Deref(fs.ThroughputMode, "")),
		ProvisionedMiBps: wide(fs.ProvisionedThroughput),
	}
	if fs.MeteredSize != nil {
		f.MeteredBytes = fs.MeteredSize.Value()
	}
	return f
}

// ebsLimits are those of an instance to all its EBS volumes.
func ebsLimits(name string, i aws.Instance) aws.Limits {
	limits := aws.Limits{
		IOPS: i.EBSMaximumIOPS, BytesPerSecond: i.EBSMaximumBytesPerSecond, LoweredBytesPerSecond: i.OtherEBS(),
		Source: "AWS: EBS bandwidth of " + name + ", " + aws.InstancesSource(),
	}
	if i.EBSBaselineBytesPerSecond < i.EBSMaximumBytesPerSecond || i.EBSBaselineIOPS < i.EBSMaximumIOPS {
		limits.Burst = &aws.Burst{BaselineIOPS: i.EBSBaselineIOPS, BaselineBytesPerSecond: i.EBSBaselineBytesPerSecond}
	}
	return limits
}

// networkLimits are those of an instance's network card, which has them in each direction.
func networkLimits(name string, i aws.Instance) aws.Limits {
	limits := aws.Limits{
		ReadBytesPerSecond: i.NetworkPeakBytesPerSecond, WriteBytesPerSecond: i.NetworkPeakBytesPerSecond,
		LoweredBytesPerSecond: i.OtherNetwork(),
		Source:                "AWS: network bandwidth of " + name + ", " + aws.InstancesSource(),
	}
	if i.NetworkBaselineBytesPerSecond > 0 && i.NetworkBaselineBytesPerSecond < i.NetworkPeakBytesPerSecond {
		limits.Burst = &aws.Burst{BaselineBytesPerSecond: i.NetworkBaselineBytesPerSecond}
	}
	return limits
}
