// Package digest is the message that the runner leaves for the controller: what fio measured, in the
// at most 4,096 bytes of a container's termination message, and what the runner's exit codes mean.
// Runner and controller meet nowhere else.
package digest

import (
	"iter"
	"slices"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
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

// Report is what one run of fio measured. All that is encoded as a map can grow under new keys, which Decode passes over
// where it does not know them.
type Report struct {
	FioVersion string  `cbor:"1,keyasint,omitempty"`
	Groups     []Group `cbor:"2,keyasint"`
	// Coarsening says by how many bits Encode made the buckets of all histograms coarser, 0 to
	// histogram.MaxCoarsening: they are 2^Coarsening as wide as fio's. 0 where they are fio's own.
	Coarsening int64 `cbor:"3,keyasint,omitempty"`
	// Probe is what was measured once more with other I/Os in flight, nil if nothing was.
	Probe *Probe `cbor:"4,keyasint,omitempty"`
	// LacksProbe says that fio had ended well when this was written, and that the probe after it has no result: it had not
	// ended yet, or has failed. So the report counts however the container ends.
	LacksProbe bool `cbor:"5,keyasint,omitempty"`
	// Environment is what the runner saw of the machine.
	Environment Environment `cbor:"6,keyasint"`
	// Steady is what there was to see of a rate that had to become steady, nil if none had to.
	Steady *Steady `cbor:"7,keyasint,omitempty"`
	// Pod is the UID of the pod that the runner is in, so that no other one's report passes for this one's: a pod is of one
	// client in one attempt of one run of one benchmark. It is encoded before the report. "" where the runner was not told.
	Pod string `cbor:"-"`
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
// mislead. 0 stands for what is not known.
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
	// StealPermille is how much of the time of all CPUs of the node the hypervisor gave to others while fio measured, in
	// thousandths: steal of /proc/stat.
	StealPermille int64 `cbor:"8,keyasint,omitempty"`
	// UsedPermille and UsedInodesPermille are how much of the space and of the inodes of the file system with the test files
	// was used before fio measured or after it, whichever is more, in thousandths. Both are 0 of raw block volumes, and where
	// the file system has no size of its own.
	UsedPermille       int64 `cbor:"9,keyasint,omitempty"`
	UsedInodesPermille int64 `cbor:"10,keyasint,omitempty"`
	// BusiestJobPermille is how much of the bytes of all jobs one of them moved, the one that moved most, in thousandths. It
	// is known of processes that are clones of one section.
	BusiestJobPermille int64 `cbor:"11,keyasint,omitempty"`
	// Counters are what the kernel counted of the storage from just before fio began until it had ended. Nil where it counts nothing.
	Counters *Counters `cbor:"12,keyasint,omitempty"`
	// Exceeded is what EBS itself says of the same time. Nil where it was not asked, or did not answer.
	Exceeded *Exceeded `cbor:"13,keyasint,omitempty"`
	// Node is how busy the node was meanwhile. Nil where that is not known.
	Node *Node `cbor:"14,keyasint,omitempty"`
	// Volume is what EBS itself has counted of the volume meanwhile. Nil where it was not asked, or did not answer.
	Volume *Volume `cbor:"15,keyasint,omitempty"`
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
	Name string `cbor:"1,keyasint,omitempty"`
	// JobStart is when the first of the group's jobs began to be measured, which is when its ramp_time was over, in
	// milliseconds since 1970 by the clock of the node; 0 where nobody knows.
	JobStart            int64 `cbor:"2,keyasint,omitempty"`
	ElapsedMilliseconds int64 `cbor:"3,keyasint,omitempty"`
	UserPercent         int64 `cbor:"4,keyasint,omitempty"`
	SystemPercent       int64 `cbor:"5,keyasint,omitempty"`
	// Figures are those of each kind of operation that the group has some of, in the order of v1alpha1.Operations.
	Figures []Figures `cbor:"6,keyasint,omitempty"`
	// Steady is what fio's option steadystate found, nil without it.
	Steady *FioSteady `cbor:"7,keyasint,omitempty"`
	// LatencyTarget is nil of jobs without one.
	LatencyTarget *LatencyTarget `cbor:"8,keyasint,omitempty"`
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

// LatencyTarget is what fio's own search for a queue depth found, by its option latency_target.
type LatencyTarget struct {
	_ struct{} `cbor:",toarray"`
	// Nanoseconds is the target, Depth how many I/Os each job had in flight at the end.
	Nanoseconds int64
	Depth       int64
}

// Of returns the figures of an operation, nil if the group has none.
func (g *Group) Of(operation string) *Figures {
	if i := slices.IndexFunc(g.Figures, func(f Figures) bool { return f.Name == operation }); i >= 0 {
		return &g.Figures[i]
	}
	return nil
}

// Drop removes the figures of operations.
func (g *Group) Drop(is func(operation string) bool) {
	g.Figures = slices.DeleteFunc(g.Figures, func(f Figures) bool { return is(f.Name) })
}

// IsEmpty reports whether the group has no figures, or only those of syncs, which are part of what writes do.
func (g *Group) IsEmpty() bool {
	return !slices.ContainsFunc(g.Figures, func(f Figures) bool { return f.Name != v1alpha1.OperationSync })
}

// Probe is what a probe measured.
type Probe struct {
	_ struct{} `cbor:",toarray"`
	// Figures are those of reads and writes together.
	Figures Figures
	// CPUPercent is the CPU time that each job used, of the user and of the system, as a share of the time that it ran.
	CPUPercent int64
}

// all yields all figures of the groups.
func (r *Report) all() iter.Seq[*Figures] {
	return func(yield func(*Figures) bool) {
		for i := range r.Groups {
			for j := range r.Groups[i].Figures {
				if !yield(&r.Groups[i].Figures[j]) {
					return
				}
			}
		}
	}
}
