package v1alpha1

// Verdict says how a target compares with the baseline.
//
// +kubebuilder:validation:Enum=Faster;Slower;Same;NotShown;TooFewRuns
type Verdict string

const (
	// VerdictFaster says that a target is better than the baseline. The medians differ by more than 1 %, or by two buckets of
	// fio's histogram (3.1 %) where they are percentiles. adjustedPValue is below 0.05.
	VerdictFaster Verdict = "Faster"
	// VerdictSlower says that a target is worse than the baseline, by the same measure.
	VerdictSlower Verdict = "Slower"
	// VerdictSame says that no difference matters: the interval from ratioLow to ratioHigh lies within 5 %, from 0.952 to 1.05.
	VerdictSame Verdict = "Same"
	// VerdictNotShown says that the runs show neither a difference nor that there is none. detectablePercent is how large a
	// difference would have been found.
	VerdictNotShown Verdict = "NotShown"
	// VerdictTooFewRuns says that a target cannot be judged. Below 4 runs of either target too little is known of how much
	// its figures vary.
	VerdictTooFewRuns Verdict = "TooFewRuns"
)

// JudgedBy is the latency that a verdict on I/O is on.
//
// +kubebuilder:validation:Enum=P99;Mean
type JudgedBy string

const (
	// JudgedByP99 says that a verdict is on the 99th percentile of latency.
	JudgedByP99 JudgedBy = "P99"
	// JudgedByMean says that a verdict is on the mean latency, because there are no percentiles.
	JudgedByMean JudgedBy = "Mean"
)

// Comparison puts all targets beside each other, for a workload and one choice of its matrix.
type Comparison struct {
	// workload is the name of the workload.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload"`

	// parameters are the values of the workload's matrix. Unset if it has none.
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=8
	Parameters map[string]string `json:"parameters,omitempty"`

	// section is the name of the section of a job file. Unset if the job file gives one result.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Section string `json:"section,omitempty"`

	// targets are those that have results, in the order of the spec.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Targets []TargetComparison `json:"targets,omitempty"`
}

// TargetComparison is what a target's repetitions measured, and how that compares with the baseline. The
// baseline itself has neither ratios nor verdicts.
type TargetComparison struct {
	// name is that of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// runs is the number of runs that have a result.
	// +optional
	Runs int32 `json:"runs,omitempty"`

	// total adds up reads, writes and trims. Unset if the workload has only one of them.
	// +optional
	Total *TotalComparison `json:"total,omitempty"`

	// read is about reads. Unset if there were none.
	// +optional
	Read *IOComparison `json:"read,omitempty"`

	// write is about writes. Unset if there were none.
	// +optional
	Write *IOComparison `json:"write,omitempty"`

	// trim is about trims. Unset if there were none.
	// +optional
	Trim *IOComparison `json:"trim,omitempty"`

	// sync is about fsync, fdatasync and sync_file_range together. Unset unless all results have some.
	// +optional
	Sync *SyncComparison `json:"sync,omitempty"`

	// metadata is about operations on files or directories themselves. Unset unless all results have some.
	// +optional
	Metadata *MetadataComparison `json:"metadata,omitempty"`

	// warnings say what may mislead readers of these figures, such as a large spread between repetitions.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Warnings []Warning `json:"warnings,omitempty"`
}

// TotalComparison is about the directions of I/O together.
type TotalComparison struct {
	// iops is I/Os per second.
	// +required
	IOPS Statistic `json:"iops"`

	// bytesPerSecond is bytes per second.
	// +required
	BytesPerSecond Statistic `json:"bytesPerSecond"`

	// iopsRatio is the median IOPS as a multiple of the baseline's, such as 0.51.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	IOPSRatio string `json:"iopsRatio,omitempty"`

	// bytesPerSecondRatio is the median bandwidth as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	BytesPerSecondRatio string `json:"bytesPerSecondRatio,omitempty"`

	// verdict is the verdict on IOPS. Unset where those of read, write and trim are on latencies (judgedBy), which have no total.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// IOComparison is about one direction of I/O. Latencies are unset where fio did not measure them.
type IOComparison struct {
	// iops is I/Os per second.
	// +required
	IOPS Statistic `json:"iops"`

	// bytesPerSecond is bytes per second.
	// +required
	BytesPerSecond Statistic `json:"bytesPerSecond"`

	// meanNanoseconds is the mean latency from submission to completion (fio's lat).
	// +optional
	MeanNanoseconds *Statistic `json:"meanNanoseconds,omitempty"`

	// p50Nanoseconds is the median completion latency (fio's clat).
	// +optional
	P50Nanoseconds *Statistic `json:"p50Nanoseconds,omitempty"`

	// p90Nanoseconds is the 90th percentile of completion latency.
	// +optional
	P90Nanoseconds *Statistic `json:"p90Nanoseconds,omitempty"`

	// p99Nanoseconds is the 99th percentile of completion latency.
	// +optional
	P99Nanoseconds *Statistic `json:"p99Nanoseconds,omitempty"`

	// iopsRatio is the median IOPS as a multiple of the baseline's, such as 0.51.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	IOPSRatio string `json:"iopsRatio,omitempty"`

	// bytesPerSecondRatio is the median bandwidth as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	BytesPerSecondRatio string `json:"bytesPerSecondRatio,omitempty"`

	// meanRatio is the mean latency as a multiple of the baseline's: more than 1 is slower.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MeanRatio string `json:"meanRatio,omitempty"`

	// p50Ratio is the 50th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P50Ratio string `json:"p50Ratio,omitempty"`

	// p90Ratio is the 90th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P90Ratio string `json:"p90Ratio,omitempty"`

	// p99Ratio is the 99th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P99Ratio string `json:"p99Ratio,omitempty"`

	// verdict is the verdict on IOPS, or on what judgedBy says. Each statistic has its own as well.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`

	// judgedBy is the latency that the verdict is on. It is set where most runs of the target and of the baseline did the rate that
	// the workload asks for (limitedBy.reason WorkloadRate): their IOPS are those of the workload. Unset where the verdict is on
	// IOPS, also of writes that wait for syncs: the verdict of sync is the one on latency.
	// +optional
	JudgedBy JudgedBy `json:"judgedBy,omitempty"`
}

// SyncComparison is about the time that syncs took. Percentiles are unset where fio did not keep them.
type SyncComparison struct {
	// meanNanoseconds is the mean, in nanoseconds.
	// +required
	MeanNanoseconds Statistic `json:"meanNanoseconds"`

	// p50Nanoseconds is the median, in nanoseconds.
	// +optional
	P50Nanoseconds *Statistic `json:"p50Nanoseconds,omitempty"`

	// p90Nanoseconds is the 90th percentile, in nanoseconds.
	// +optional
	P90Nanoseconds *Statistic `json:"p90Nanoseconds,omitempty"`

	// p99Nanoseconds is the 99th percentile, in nanoseconds.
	// +optional
	P99Nanoseconds *Statistic `json:"p99Nanoseconds,omitempty"`

	// meanRatio is the mean as a multiple of the baseline's, such as 1.51: more than 1 is slower.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MeanRatio string `json:"meanRatio,omitempty"`

	// p50Ratio is the 50th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P50Ratio string `json:"p50Ratio,omitempty"`

	// p90Ratio is the 90th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P90Ratio string `json:"p90Ratio,omitempty"`

	// p99Ratio is the 99th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P99Ratio string `json:"p99Ratio,omitempty"`

	// prevails says that in most runs jobs waited more than ten times as long for syncs as for the writes between them: memory
	// took these. Unset otherwise.
	// +optional
	Prevails *bool `json:"prevails,omitempty"`

	// verdict is the verdict on the 99th percentile, or on the mean where there are no percentiles. Each statistic has
	// its own as well.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// MetadataComparison is about operations on files or directories themselves. Percentiles are unset where fio did not keep
// them.
type MetadataComparison struct {
	// iops is operations per second.
	// +required
	IOPS Statistic `json:"iops"`

	// meanNanoseconds is the mean time of an operation, in nanoseconds.
	// +required
	MeanNanoseconds Statistic `json:"meanNanoseconds"`

	// p50Nanoseconds is the median, in nanoseconds.
	// +optional
	P50Nanoseconds *Statistic `json:"p50Nanoseconds,omitempty"`

	// p90Nanoseconds is the 90th percentile, in nanoseconds.
	// +optional
	P90Nanoseconds *Statistic `json:"p90Nanoseconds,omitempty"`

	// p99Nanoseconds is the 99th percentile, in nanoseconds.
	// +optional
	P99Nanoseconds *Statistic `json:"p99Nanoseconds,omitempty"`

	// iopsRatio is the median operations per second as a multiple of the baseline's, such as 0.51.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	IOPSRatio string `json:"iopsRatio,omitempty"`

	// meanRatio is the mean as a multiple of the baseline's, such as 1.51: more than 1 is slower.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MeanRatio string `json:"meanRatio,omitempty"`

	// p50Ratio is the 50th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P50Ratio string `json:"p50Ratio,omitempty"`

	// p90Ratio is the 90th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P90Ratio string `json:"p90Ratio,omitempty"`

	// p99Ratio is the 99th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P99Ratio string `json:"p99Ratio,omitempty"`

	// verdict is the verdict on operations per second. Each statistic has its own as well.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// Statistic is a figure over the repetitions of a run.
type Statistic struct {
	// median of the repetitions.
	// +required
	Median int64 `json:"median"`

	// min is the smallest of the repetitions.
	// +required
	Min int64 `json:"min"`

	// max is the largest of the repetitions.
	// +required
	Max int64 `json:"max"`

	// confidenceLow is the lower end of the median's confidence interval of at least 95 %. Unset below 6 runs.
	// +optional
	ConfidenceLow *int64 `json:"confidenceLow,omitempty"`

	// confidenceHigh is the upper end of that interval. Unset below 6 runs.
	// +optional
	ConfidenceHigh *int64 `json:"confidenceHigh,omitempty"`

	// ratioLow is the lower end of the interval of 95 % of this figure as a multiple of the baseline's, such as 0.498. It is
	// that of the geometric means, by Welch's t-test on logarithms. Unset below 4 runs of either target, and where a run has 0
	// or a percentile beyond fio's histogram.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	RatioLow string `json:"ratioLow,omitempty"`

	// ratioHigh is the upper end of that interval. Unset where ratioLow is.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	RatioHigh string `json:"ratioHigh,omitempty"`

	// pValue is the probability that chance alone makes a difference to the baseline as large as this one, such as
	// 0.029. It is that of this figure alone, by a two-sided Welch's t-test on logarithms. Where a run has 0 or a percentile
	// beyond fio's histogram it is that of a Mann-Whitney U test. Unset below 4 runs of either target.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	PValue string `json:"pValue,omitempty"`

	// adjustedPValue is pValue corrected by the method of Benjamini and Hochberg for how many there are in the benchmark: of
	// figures that the verdicts of read, write, trim, total and sync are on, or of all others. Verdicts go by it. Unset
	// where pValue is.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	AdjustedPValue string `json:"adjustedPValue,omitempty"`

	// detectablePercent is the smallest difference, in percent, that would have been found in 80 % of such benchmarks. Set
	// for verdict NotShown. Unset where ratioLow is. At most 100000, which stands for all that is more.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	DetectablePercent int32 `json:"detectablePercent,omitempty"`

	// verdict compares this figure with the baseline's. Unset if there are too few runs.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}
