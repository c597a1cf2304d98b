// Package digest is the message that the runner leaves for the controller: what fio measured, in the
// at most 4,096 bytes of a container's termination message, and what the runner's exit codes mean.
// Runner and controller meet nowhere else.
package digest

import (
	"iter"
	"time"

	"github.com/storagebench/storagebench/internal/direction"
	"github.com/storagebench/storagebench/internal/histogram"
)

// Exit codes of the runner. Any other code is a failure that is not known to be worth repeating.
const (
	// ExitFailed: fio or the storage failed; a repetition would fail in the same way.
	ExitFailed = 1
	// ExitUsage: the runner was started with wrong arguments (EX_USAGE of sysexits.h).
	ExitUsage = 64
	// ExitNoProgress: fio completed no I/O for as long as the progress deadline (EX_IOERR).
	ExitNoProgress = 74
	// ExitInterrupted: the run was ended from outside before its end, so it can be repeated (EX_TEMPFAIL).
	ExitInterrupted = 75
	// ExitLate: the runner could not start fio at the instant that all clients had been told: it had passed, or cannot be
	// theirs by the node's clock. All clients have to repeat.
	ExitLate = 76
)

// LivenessInterval is the longest that the log of a runner is silent, as long as the runner gets on.
const LivenessInterval = 10 * time.Second

// JobFileVariable is the environment variable that holds the job file for the runner.
const JobFileVariable = "STORAGEBENCH_JOB_FILE"

// LayoutVariable is the environment variable with the job file whose files a runner lays out before it measures.
const LayoutVariable = "STORAGEBENCH_LAYOUT_FILE"

// ProbeVariable is the environment variable with the job file that a runner runs after it has measured: a probe.
const ProbeVariable = "STORAGEBENCH_PROBE_FILE"

// PodVariable is the environment variable with the UID of the pod, which the runner's report names.
const PodVariable = "STORAGEBENCH_POD_UID"

// EBSMetricsVariable is the environment variable with the address at which aws-ebs-csi-driver has metrics of the node's volumes.
const EBSMetricsVariable = "STORAGEBENCH_EBS_METRICS_URL"

// VolumeVariable is the environment variable with what the driver calls the volume, where that is known before.
const VolumeVariable = "STORAGEBENCH_VOLUME_ID"

// LayoutPrefix begins each line of the log of a runner that lays out files before it measures, for as long as it does. So
// the last line says which of both it is at.
const LayoutPrefix = "layout | "

// ProbePrefix begins each line of the log of a runner that probes, after it has measured.
const ProbePrefix = "probe | "

// MaxGroups is the most result groups that a report can hold within the size of a termination message.
const MaxGroups = 16

// MaxNameLength is the most bytes of a group's name that a report keeps.
const MaxNameLength = 64

// Report is what one run of fio measured.
type Report struct {
	_          struct{} `cbor:",toarray"`
	FioVersion string
	Groups     []Group
	// Coarsening says by how many bits Encode made the buckets of all histograms coarser, 0 to
	// histogram.MaxCoarsening: they are 2^Coarsening as wide as fio's. 0 where they are fio's own.
	Coarsening int64
	// Pod is the UID of the pod that the runner is in, so that no other one's report passes for this one's: a pod is of one
	// client in one attempt of one run of one benchmark. It is encoded before the report. "" where the runner was not told.
	Pod string `cbor:"-"`
	// Probe is what was measured once more with other I/Os in flight, nil if nothing was. It is encoded beside the report's array.
	Probe *Probe `cbor:"-"`
	// LacksProbe says that fio had ended well when this was written, and that the probe after it has no result: it had not ended yet, or has failed.
	// So the report counts however the container ends. It is encoded beside the report's array.
	LacksProbe bool `cbor:"-"`
	// Environment is encoded beside the report's array, so that it can grow.
	Environment Environment `cbor:"-"`
	// Steady is what there was to see of a rate that had to become steady, nil if none had to. It is encoded beside the report's array.
	Steady *Steady `cbor:"-"`
}

// Steady is what there was to see of a rate that had to become steady before it was measured: in what was measured, or, where only that had to begin warm, right
// before.
type Steady struct {
	_ struct{} `cbor:",toarray"`
	// AfterMilliseconds is for how long fio had run before what is reported began.
	AfterMilliseconds int64
	// Rounds are the mean rates of the parts of what was looked at, which are equally long, in the unit of the metric. Nil where they are not known.
	Rounds []int64
}

// Environment is what the runner saw of the machine while fio measured, for warnings about results that
// mislead. 0 stands for what is not known. A field can be added under a new key without another version of
// the encoding: Decode passes over keys that it does not know.
type Environment struct {
	// CPUMillis is how many CPUs the container may use, in thousandths.
	CPUMillis int64 `cbor:"1,keyasint,omitempty"`
	// MemoryBytes is how much memory the page cache of the test files can take: the node's, or the
	// container's limit where that is smaller.
	MemoryBytes int64 `cbor:"2,keyasint,omitempty"`
	// Periods is the number of the CPU limit's periods in which the container ran while fio measured, and
	// ThrottledPeriods the number of those in which the limit held it back. Without a limit both are 0.
	Periods          int64 `cbor:"3,keyasint,omitempty"`
	ThrottledPeriods int64 `cbor:"4,keyasint,omitempty"`
	// Files is the number of files that the runner found for fio to read, at most 1,000, and SparseFiles the
	// number of those with more than a hundredth of their size never written: reading that takes no storage.
	Files       int64 `cbor:"5,keyasint,omitempty"`
	SparseFiles int64 `cbor:"6,keyasint,omitempty"`
	// StartMarginMilliseconds is how long before the agreed start the runner had read it. 0 in a run without
	// an agreed start.
	StartMarginMilliseconds int64 `cbor:"7,keyasint,omitempty"`
	// Keys 8 and 9 are those of the syncs and of metadata, key 10 is that of the probe.

	// StealPermille is how much of the time of all CPUs of the node the hypervisor gave to others while fio measured, in
	// thousandths: steal of /proc/stat.
	StealPermille int64 `cbor:"11,keyasint,omitempty"`
	// UsedPermille and UsedInodesPermille are how much of the space and of the inodes of the file system with the test files
	// was used before fio measured or after it, whichever is more, in thousandths. Both are 0 of raw block volumes, and where
	// the file system has no size of its own.
	UsedPermille       int64 `cbor:"12,keyasint,omitempty"`
	UsedInodesPermille int64 `cbor:"13,keyasint,omitempty"`
	// BusiestJobPermille is how much of the bytes of all jobs one of them moved, the one that moved most, in thousandths. It
	// is known of processes that are clones of one section.
	BusiestJobPermille int64 `cbor:"14,keyasint,omitempty"`
	// Key 15 says that there is no probe.

	// Counters are what the kernel counted of the storage from just before fio began until it had ended. Nil where it counts nothing.
	Counters *Counters `cbor:"16,keyasint,omitempty"`
	// Exceeded is what EBS itself says of the same time. Nil where it was not asked, or did not answer.
	Exceeded *Exceeded `cbor:"17,keyasint,omitempty"`
	// Keys 18 to 20 are those of what is steady and of latency targets.

	// Node is how busy the node was meanwhile. Nil where that is not known.
	Node *Node `cbor:"21,keyasint,omitempty"`
	// Key 22 is that of submissions.

	// Volume is what EBS itself has counted of the volume meanwhile. Nil where it was not asked, or did not answer.
	Volume *Volume `cbor:"23,keyasint,omitempty"`
}

// Exceeded is for how long demand exceeded what an EBS volume may do, and what its instance may, in microseconds.
type Exceeded struct {
	VolumeIOPS         int64 `cbor:"1,keyasint,omitempty"`
	VolumeThroughput   int64 `cbor:"2,keyasint,omitempty"`
	InstanceIOPS       int64 `cbor:"3,keyasint,omitempty"`
	InstanceThroughput int64 `cbor:"4,keyasint,omitempty"`
}

// Figures returns all times, always in the same order.
func (e *Exceeded) Figures() []*int64 {
	return []*int64{&e.VolumeIOPS, &e.VolumeThroughput, &e.InstanceIOPS, &e.InstanceThroughput}
}

// Counters are what a kernel counted of a block device or of an NFS mount.
type Counters struct {
	// NFS says that it is an NFS mount.
	NFS bool `cbor:"1,keyasint,omitempty"`
	// Reads and Writes are the requests that were completed, and ReadBytes and WriteBytes what they moved.
	Reads      int64 `cbor:"2,keyasint,omitempty"`
	ReadBytes  int64 `cbor:"3,keyasint,omitempty"`
	Writes     int64 `cbor:"4,keyasint,omitempty"`
	WriteBytes int64 `cbor:"5,keyasint,omitempty"`
	// Others are discards and flushes of a block device, and all operations of NFS but READ and WRITE.
	Others int64 `cbor:"6,keyasint,omitempty"`
	// Merges are the reads and writes of a block device that became part of another request.
	Merges int64 `cbor:"7,keyasint,omitempty"`
	// BusyMilliseconds is for how long a block device had at least one request.
	BusyMilliseconds int64 `cbor:"8,keyasint,omitempty"`
	// QueueMilliseconds is for how long all requests were there, added up.
	QueueMilliseconds int64 `cbor:"9,keyasint,omitempty"`
	// Retransmissions are the operations of NFS that were sent again.
	Retransmissions int64 `cbor:"10,keyasint,omitempty"`
}

// Figures returns all that is counted, always in the same order.
func (c *Counters) Figures() []*int64 {
	return []*int64{
		&c.Reads, &c.ReadBytes, &c.Writes, &c.WriteBytes, &c.Others, &c.Merges, &c.BusyMilliseconds, &c.QueueMilliseconds, &c.Retransmissions,
	}
}

// Group is what fio reports together: one section of a job file with its clones, or, with
// group_reporting, the sections that ran at the same time.
type Group struct {
	_    struct{} `cbor:",toarray"`
	Name string
	// JobStart is when the first of the group's jobs began to be measured, which is when its ramp_time was over, in milliseconds since 1970 by the clock of the
	// node; 0 where nobody knows.
	JobStart            int64
	ElapsedMilliseconds int64
	UserPercent         int64
	SystemPercent       int64
	Read                *Direction
	Write               *Direction
	Trim                *Direction
	// Sync is nil if fio called none, or took no latencies. It is encoded beside the report's array.
	Sync *Sync `cbor:"-"`
	// Metadata is nil of jobs that move data. It is encoded beside the report's array.
	Metadata *Metadata `cbor:"-"`
	// Steady is what fio's option steadystate found, nil without it. It is encoded beside the report's array.
	Steady *FioSteady `cbor:"-"`
	// LatencyTarget is nil of jobs without one. It is encoded beside the report's array.
	LatencyTarget *LatencyTarget `cbor:"-"`
}

// MaxCriterion is the most bytes of a criterion that a report keeps.
const MaxCriterion = 32

// FioSteady is what fio's option steadystate found.
type FioSteady struct {
	_ struct{} `cbor:",toarray"`
	// Criterion is fio's, such as iops_slope:0.3%.
	Criterion string
	Attained  bool
}

// Directions yields what was measured in each direction in which there was I/O, by the names of internal/direction.
func (g *Group) Directions() iter.Seq2[string, *Direction] {
	return direction.Present(g.Read, g.Write, g.Trim)
}

// IsEmpty says whether the group has no figures of data or metadata.
func (g *Group) IsEmpty() bool {
	return g.Read == nil && g.Write == nil && g.Trim == nil && g.Metadata == nil
}

// Direction returns what was measured in a direction, nil if there was no such I/O.
func (g *Group) Direction(name string) *Direction {
	return direction.Named(name, g.Read, g.Write, g.Trim)
}

// Direction is what was measured for reads, writes or trims.
type Direction struct {
	_              struct{} `cbor:",toarray"`
	IOs            int64
	Bytes          int64
	ShortIOs       int64
	DroppedIOs     int64
	MilliIOPS      int64 // thousandths of an I/O per second, so that slow storage is not rounded to nothing
	BytesPerSecond int64
	Latency        *Latency
	Completion     *Completion
	// Submission is the mean time that a submission took, in nanoseconds; 0 where it is not known, or next to nothing of a job's
	// time. It is encoded beside the report's array.
	Submission int64 `cbor:"-"`
}

// Sync is what was measured of the calls that have written data reach the storage: fsync, fdatasync, sync_file_range and
// syncfs together. They move no bytes, and fio counts them by their latencies.
type Sync struct {
	// Count is the number of syncs measured, at least 1.
	Count int64
	// Mean is their mean latency in nanoseconds.
	Mean int64
	// Completion is how their latencies are distributed, nil where fio kept no percentiles.
	Completion *Completion
}

// Metadata is what was measured of operations on files or directories themselves, which move no bytes.
type Metadata struct {
	// Count is the number of operations, at least 1.
	Count int64
	// MilliPerSecond is thousandths of an operation per second.
	MilliPerSecond int64
	// Mean is their mean latency in nanoseconds.
	Mean int64
	// Completion is how their latencies are distributed, nil where fio kept no percentiles.
	Completion *Completion
}

// Probe is what a probe measured, reads and writes together.
type Probe struct {
	_ struct{} `cbor:",toarray"`
	// IOs are those that were completed.
	IOs int64
	// MilliIOPS are thousandths of an I/O per second, and BytesPerSecond what these moved.
	MilliIOPS, BytesPerSecond int64
	// MeanLatency is that of all I/Os, in nanoseconds.
	MeanLatency int64
	// CPUPercent is the CPU time that each job used, of the user and of the system, as a share of the time that it ran.
	CPUPercent int64
}

// Latency is fio's lat: from submission to completion, in nanoseconds. Whole ones do, also to merge: what is
// pooled of them is less than 1 ns off, and a fraction would take room that the histograms need.
type Latency struct {
	_ struct{} `cbor:",toarray"`
	// Count is the number of I/Os measured, at least 1: with it the figures of several clients can be pooled.
	Count  int64
	Mean   int64
	Stddev int64
}

// Percentiles are the percentiles that a report carries beside the histogram.
var Percentiles = [...]float64{50, 90, 95, 99, 99.9, 99.99}

// Completion is fio's clat, or the latency of syncs or of operations of metadata, in nanoseconds.
type Completion struct {
	_   struct{} `cbor:",toarray"`
	Min int64
	Max int64
	// Buckets are the histogram's buckets that the Percentiles fall into: fio's percentiles have no other
	// values, and an index takes fewer bytes than nanoseconds. In what a runner reports they are those of the
	// full histogram, however coarse the one beside them is.
	Buckets [len(Percentiles)]int64
	// Histogram has fio's buckets; coarser ones (Report.Coarsening) in a report that would not fit otherwise,
	// and nil where even those would not.
	Histogram *histogram.Histogram
}

// NewCompletion returns the completion latencies that a histogram counts, from the least to the greatest.
func NewCompletion(least, greatest int64, h *histogram.Histogram) *Completion {
	c := &Completion{Min: least, Max: greatest, Histogram: h}
	for i, p := range Percentiles {
		c.Buckets[i] = int64(histogram.Index(h.Percentile(p)))
	}
	return c
}

// Percentile returns the i-th of the Percentiles in nanoseconds.
func (c *Completion) Percentile(i int) int64 {
	return int64(histogram.Value(int(c.Buckets[i])))
}

func (r *Report) directions() []*Direction {
	var all []*Direction
	for i := range r.Groups {
		for _, d := range r.Groups[i].Directions() {
			all = append(all, d)
		}
	}
	return all
}
