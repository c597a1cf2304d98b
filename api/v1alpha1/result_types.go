package v1alpha1

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

	// read is about reads. Unset if there were none.
	// +optional
	Read *IOResult `json:"read,omitempty"`

	// write is about writes. Unset if there were none.
	// +optional
	Write *IOResult `json:"write,omitempty"`

	// trim is about trims (discards). Unset if there were none.
	// +optional
	Trim *IOResult `json:"trim,omitempty"`

	// sync is about the calls that have written data reach the storage: fsync, fdatasync and sync_file_range. Unset if
	// there were none, and where fio did not measure their latency, as with gtod_reduce.
	// +optional
	Sync *SyncResult `json:"sync,omitempty"`

	// cpu is the CPU time of fio's jobs as a share of the time that they ran.
	// +optional
	CPU *CPUResult `json:"cpu,omitempty"`
}

// IOResult is what fio measured in one direction.
type IOResult struct {
	// ios is the number of I/Os completed.
	// +required
	IOs int64 `json:"ios"`

	// bytes is the number of bytes moved.
	// +required
	Bytes int64 `json:"bytes"`

	// iops is I/Os per second, rounded.
	// +required
	IOPS int64 `json:"iops"`

	// bytesPerSecond is bytes per second.
	// +required
	BytesPerSecond int64 `json:"bytesPerSecond"`

	// perClient says how the clients differ. Unset if there is one.
	// +optional
	PerClient *ClientSpread `json:"perClient,omitempty"`

	// latency from submission to completion as seen by the application (fio's lat). Unset where fio did not measure it,
	// as with gtod_reduce.
	// +optional
	Latency *Latency `json:"latency,omitempty"`

	// completionLatency is the latency from the kernel's acceptance of an I/O to its completion (fio's clat). Unset
	// where fio did not measure it.
	// +optional
	CompletionLatency *LatencyDistribution `json:"completionLatency,omitempty"`
}

// SyncResult is what fio measured of fsync, fdatasync and sync_file_range together. fio does not tell them apart. The
// writes before them are in write.
type SyncResult struct {
	// count is the number of syncs of all clients together, at least 1 (fio's sync.lat_ns.N).
	// +required
	Count int64 `json:"count"`

	// meanNanoseconds is the mean time that a sync took (fio's sync.lat_ns.mean).
	// +required
	MeanNanoseconds int64 `json:"meanNanoseconds"`

	// latency is the distribution of these times (fio's sync.lat_ns). Unset where fio kept no percentiles.
	// +optional
	Latency *LatencyDistribution `json:"latency,omitempty"`
}

// ClientSpread is how the clients that measured together differ.
type ClientSpread struct {
	// minIOPS is the I/Os per second of the slowest client.
	// +required
	MinIOPS int64 `json:"minIOPS"`
	// maxIOPS is the I/Os per second of the fastest client.
	// +required
	MaxIOPS int64 `json:"maxIOPS"`
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
	// stddevNanoseconds is the standard deviation.
	// +required
	StddevNanoseconds int64 `json:"stddevNanoseconds"`
}

// LatencyDistribution is the distribution of a latency. Percentiles are those of fio's histogram, whose
// buckets are at most 1.6 % wide.
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
