package v1alpha1

import "slices"

// SectionResult is what one section of a job file, or a group of sections that ran together, measured.
type SectionResult struct {
	// name of the section; of a group, the first one's.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Name string `json:"name"`

	Result `json:",inline"`

	// limitedBy says what held the result back.
	// +optional
	LimitedBy *LimitedBy `json:"limitedBy,omitempty"`
}

// Result is what fio measured.
type Result struct {
	// fioVersion is the version of fio.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FioVersion string `json:"fioVersion,omitempty"`

	// elapsedMilliseconds is the time during which I/O was measured. Of jobs that are reported together it is the
	// longest.
	// +optional
	ElapsedMilliseconds int64 `json:"elapsedMilliseconds,omitempty"`

	// clients is the number of clients that measured together. I/Os and rates are added up. Latencies are those of all
	// I/Os of all clients. Unset if there is one.
	// +optional
	Clients int32 `json:"clients,omitempty"`

	// startSkewMilliseconds is how far apart the clients began, by the clocks of their nodes. Unset if fio does not
	// tell.
	// +optional
	StartSkewMilliseconds *int64 `json:"startSkewMilliseconds,omitempty"`

	// commonMilliseconds is the time during which all clients measured. Rates are those of this time, if each client's
	// was steady.
	// +optional
	CommonMilliseconds int64 `json:"commonMilliseconds,omitempty"`

	// figures are what was measured of each kind of operation. A result of operations on files has only metadata and, if it
	// syncs, sync, as no data is moved.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Figures []Figures `json:"figures,omitempty"`

	// latencyTargetIODepth is what fio's own option latency_target found: how many I/Os each job had in flight at the end, the
	// most that kept the target, if one did. Of several jobs and clients it is the least. Unset of workloads without it.
	// +optional
	LatencyTargetIODepth int32 `json:"latencyTargetIODepth,omitempty"`

	// steadyState says whether what was measured is steady, or with rampTimeSeconds auto what ran right before it. Unset where nothing was to become steady first. Kept for up to 48 results
	// of a benchmark, overTime included: warnings tell it of all that are not steady.
	// +optional
	SteadyState *SteadyState `json:"steadyState,omitempty"`

	// overTime is how the rate went during the run. Unset where it was the same all the time, as far as is known: the run may be too short to tell, or
	// have no series. Kept for up to 48 results of a benchmark.
	// +optional
	OverTime *OverTime `json:"overTime,omitempty"`

	// cpu is the CPU time of fio's jobs as a share of the time that they ran.
	// +optional
	CPU *CPUResult `json:"cpu,omitempty"`
}

// SteadyState says whether what was measured is steady, or with rampTimeSeconds auto what ran right before it.
type SteadyState struct {
	// attained says whether it is, by the rule of the workload.
	// +optional
	Attained bool `json:"attained"`

	// afterSeconds is for how long fio had run the workload before it measured.
	// +optional
	AfterSeconds int32 `json:"afterSeconds,omitempty"`

	// rangePercent is how far the slowest and the fastest of the five rounds are apart, in percent of their mean, rounded up. 10000
	// stands for more, and for a mean of 0. Unset of 0, and of results for whose slope and range the status has no room: all after 48.
	// +optional
	RangePercent int32 `json:"rangePercent,omitempty"`

	// slopePercent is by how much the line that fits the rounds best rises or falls, in percent of their mean, rounded up.
	// +optional
	SlopePercent int32 `json:"slopePercent,omitempty"`

	// criterion is that of a job file's own steadystate, such as iops_slope:0.3%, which fio has judged. Unset otherwise.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Criterion string `json:"criterion,omitempty"`
}

// OverTime is how a rate went during a run: I/Os a second, reads, writes and trims together. Times are from the start of what was measured.
type OverTime struct {
	// steadySeconds is from when on the rate was what it was at the end. Unset if it was not steady at the end either.
	// +optional
	SteadySeconds *int32 `json:"steadySeconds,omitempty"`

	// firstTenthMilliIOPS is the rate in the first tenth of the time, in thousandths.
	// +optional
	FirstTenthMilliIOPS int64 `json:"firstTenthMilliIOPS,omitempty"`

	// lastTenthMilliIOPS is the rate in the last tenth of the time.
	// +optional
	LastTenthMilliIOPS int64 `json:"lastTenthMilliIOPS,omitempty"`

	// fall is when and how far the rate fell and stayed lower. Unset if it did not.
	// +optional
	Fall *RateFall `json:"fall,omitempty"`

	// rise is when the rate became what it stayed, of one that was lower from the start, as of storage that has to warm up. Unset if it was not, and of a
	// rate that fell later.
	// +optional
	Rise *RateRise `json:"rise,omitempty"`

	// slowPercent is the share of the time in which the rate was less than half of the best that was usual.
	// +optional
	SlowPercent int32 `json:"slowPercent,omitempty"`

	// drops are the longest such times, in their order.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=3
	Drops []RateDrop `json:"drops,omitempty"`
}

// RateFall is a rate that became lower for the rest of a run.
type RateFall struct {
	// atSeconds is when it fell. Unset if it fell slowly, over the whole run.
	// +optional
	AtSeconds int32 `json:"atSeconds,omitempty"`

	// beforeMilliIOPS is the mean rate of the level just before it, without the point of the series in which it fell, where that is between both levels.
	// For a slow fall it is the mean of the first tenth of the time.
	// +optional
	BeforeMilliIOPS int64 `json:"beforeMilliIOPS,omitempty"`

	// afterMilliIOPS is the mean rate of the level just after it, without that point. For a slow fall it is the mean of the last tenth.
	// +optional
	AfterMilliIOPS int64 `json:"afterMilliIOPS,omitempty"`
}

// RateRise is a rate that was lower from the start of a run.
type RateRise struct {
	// atSeconds is when it became what it stayed.
	// +optional
	AtSeconds int32 `json:"atSeconds,omitempty"`

	// beforeMilliIOPS is the mean rate of all the time before, without the point of the series in which it rose, where that is between both levels.
	// +optional
	BeforeMilliIOPS int64 `json:"beforeMilliIOPS,omitempty"`

	// afterMilliIOPS is the mean rate of the level just after it, without that point.
	// +optional
	AfterMilliIOPS int64 `json:"afterMilliIOPS,omitempty"`
}

// RateDrop is a time in which a rate was low.
type RateDrop struct {
	// atSeconds is when it began.
	// +required
	AtSeconds int32 `json:"atSeconds"`

	// durationSeconds is how long it was.
	// +optional
	DurationSeconds int32 `json:"durationSeconds,omitempty"`

	// milliIOPS is the mean rate in it.
	// +optional
	MilliIOPS int64 `json:"milliIOPS,omitempty"`
}

// ProbeResult is what a probe measured.
type ProbeResult struct {
	// inFlight is the number of I/Os that the probe kept in flight, of all its jobs together. A workload with a probe has one client.
	// +optional
	InFlight int64 `json:"inFlight,omitempty"`

	// cpuPercent is the CPU time that each of fio's jobs used, in percent of one CPU.
	// +optional
	CPUPercent int32 `json:"cpuPercent,omitempty"`

	// Figures are those of reads and writes together: total. They have no distribution of latencies.
	Figures `json:",inline"`
}

// Figures are what was measured of one kind of operation.
type Figures struct {
	// name is the kind of operation. read, write and trim move data. sync is fsync, fdatasync and sync_file_range together,
	// which fio does not tell apart. metadata is creating, looking up and deleting files or directories (fio's ioengine
	// filecreate, filestat, filedelete, dircreate, dirstat and dirdelete).
	// +required
	// +kubebuilder:validation:Enum=read;write;trim;sync;metadata;total
	Name string `json:"name"`

	// count is the number of operations completed, those of all clients together.
	// +optional
	Count int64 `json:"count,omitempty"`

	// bytes is the number of bytes moved.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`

	// milliIOPS is operations per second, in thousandths: 3048123 is 3,048.123 IOPS. Unset for sync, whose time is part of that
	// of the writes.
	// +optional
	MilliIOPS int64 `json:"milliIOPS,omitempty"`

	// bytesPerSecond is bytes per second.
	// +optional
	BytesPerSecond int64 `json:"bytesPerSecond,omitempty"`

	// perClient says how the clients differ. Unset if there is one.
	// +optional
	PerClient *ClientSpread `json:"perClient,omitempty"`

	// latency is the mean latency as the application sees it: fio's lat of reads, writes and trims, from submission to
	// completion, and the time of the call of syncs and metadata. Unset where fio did not measure it, as with gtod_reduce.
	// +optional
	Latency *Latency `json:"latency,omitempty"`

	// completionLatency is the distribution of latencies: fio's clat of reads, writes and trims, from the kernel's acceptance to
	// completion, and the time of the call of syncs and metadata. Unset where fio kept no percentiles.
	// +optional
	CompletionLatency *LatencyDistribution `json:"completionLatency,omitempty"`
}

// ClientSpread is how the clients that measured together differ.
type ClientSpread struct {
	// minMilliIOPS is the operations per second of the slowest client, in thousandths.
	// +required
	MinMilliIOPS int64 `json:"minMilliIOPS"`
	// maxMilliIOPS is the operations per second of the fastest client, in thousandths.
	// +required
	MaxMilliIOPS int64 `json:"maxMilliIOPS"`
	// coefficientOfVariation is the standard deviation of the clients' IOPS as a share of their mean, such as 0.013.
	// +required
	// +kubebuilder:validation:MaxLength=16
	CoefficientOfVariation string `json:"coefficientOfVariation"`
}

// Latency is the mean latency and its spread.
type Latency struct {
	// meanNanoseconds is the mean.
	// +required
	MeanNanoseconds int64 `json:"meanNanoseconds"`
	// stddevNanoseconds is the standard deviation. Unset where fio does not give it.
	// +optional
	StddevNanoseconds int64 `json:"stddevNanoseconds,omitempty"`
	// submissionNanoseconds is how long it took on average to hand an I/O to the kernel (fio's slat), a part of the mean. Unset of
	// synchronous engines, which hand over and wait in one call, and where it is less than 5 % of one job's time.
	// +optional
	SubmissionNanoseconds int64 `json:"submissionNanoseconds,omitempty"`
}

// BeyondHistogramNanoseconds is what a percentile is that lies beyond 17.1 s: fio's histogram ends there, and its last bucket
// takes all that is longer (stat.h of fio: 29 groups of 64 buckets). Only maxNanoseconds can be longer.
const BeyondHistogramNanoseconds int64 = 17_112_760_320

// IsBeyondHistogram says of a percentile whether it is longer than fio's histogram can tell.
func IsBeyondHistogram(nanoseconds int64) bool { return nanoseconds >= BeyondHistogramNanoseconds }

// IsMedianBeyondHistogram says whether the median of percentiles is beyond fio's histogram, and so unknown. Of an even number
// of percentiles it is so if one of the two in the middle is.
func IsMedianBeyondHistogram(percentiles []int64) bool {
	if len(percentiles) == 0 {
		return false
	}
	sorted := slices.Sorted(slices.Values(percentiles))
	return IsBeyondHistogram(sorted[len(sorted)/2])
}

// LatencyDistribution is the distribution of a latency. Percentiles are those of fio's histogram, whose
// buckets are at most 1.6 % wide. It ends at 17.1 s: a percentile of 17112760320 is beyond that.
type LatencyDistribution struct {
	// minNanoseconds is the smallest.
	// +required
	MinNanoseconds int64 `json:"minNanoseconds"`
	// p50Nanoseconds is the 50th percentile, the median.
	// +required
	P50Nanoseconds int64 `json:"p50Nanoseconds"`
	// p90Nanoseconds is the 90th percentile.
	// +required
	P90Nanoseconds int64 `json:"p90Nanoseconds"`
	// p95Nanoseconds is the 95th percentile.
	// +required
	P95Nanoseconds int64 `json:"p95Nanoseconds"`
	// p99Nanoseconds is the 99th percentile.
	// +required
	P99Nanoseconds int64 `json:"p99Nanoseconds"`
	// p999Nanoseconds is the 99.9th percentile.
	// +required
	P999Nanoseconds int64 `json:"p999Nanoseconds"`
	// p9999Nanoseconds is the 99.99th percentile.
	// +required
	P9999Nanoseconds int64 `json:"p9999Nanoseconds"`
	// maxNanoseconds is the largest.
	// +required
	MaxNanoseconds int64 `json:"maxNanoseconds"`
	// bucketPercent is how wide the buckets are that the percentiles were read from, in percent of the latency, rounded up:
	// 4, 7, 13, 25, 50 or 100. A percentile is off by half of that at most. Set where several clients had so many
	// results that their histograms had to be made coarser than fio's. Unset: fio's own buckets, of 1.6 % at most.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	BucketPercent int32 `json:"bucketPercent,omitempty"`
}

// CPUResult is CPU time as a share of the time that fio's jobs ran, in percent of one CPU per job.
type CPUResult struct {
	// userPercent is the time in user mode.
	// +required
	UserPercent int32 `json:"userPercent"`
	// systemPercent is the time in the kernel.
	// +required
	SystemPercent int32 `json:"systemPercent"`
	// throttledPercent is the share of the kernel's scheduling periods (of 100 ms) in which the container's CPU limit
	// held its processes back, in percent. Unset without a limit, and where the kernel does not tell.
	// +optional
	ThrottledPercent *int32 `json:"throttledPercent,omitempty"`
}
