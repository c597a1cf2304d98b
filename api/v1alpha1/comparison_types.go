package v1alpha1

// Verdict says how a target does beside the baseline.
//
// +kubebuilder:validation:Enum=Faster;Slower;Same;TooFewRuns
type Verdict string

const (
	// VerdictFaster is a target's that is better than the baseline: a difference of more than 1 %, which
	// chance alone gives in less than 5 % of cases.
	VerdictFaster Verdict = "Faster"
	// VerdictSlower is a target's that is worse than the baseline, by the same measure.
	VerdictSlower Verdict = "Slower"
	// VerdictSame is a target's that is neither: it differs by 1 % at most, or by what can be chance.
	VerdictSame Verdict = "Same"
	// VerdictTooFewRuns is a target's that cannot be judged: below 4 runs of each of the two, even the
	// clearest order of results comes about by chance in 5 % of cases or more.
	VerdictTooFewRuns Verdict = "TooFewRuns"
)

// Comparison is a workload, with one choice of the parameters of its matrix, on all targets.
type Comparison struct {
	// Name of the workload.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload"`

	// Values of the workload's matrix.
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=8
	Parameters map[string]string `json:"parameters,omitempty"`

	// Name of the section of a job file with several.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	Section string `json:"section,omitempty"`

	// The targets that have results, in the order of the spec.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Targets []TargetComparison `json:"targets,omitempty"`
}

// TargetComparison is what a target's repetitions measured, and how that is beside the baseline. The
// baseline itself has neither ratios nor verdicts.
type TargetComparison struct {
	// Name of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Name string `json:"name"`

	// Number of runs that have a result.
	// +optional
	Runs int32 `json:"runs,omitempty"`

	// Reads and writes (and trims) added up, of a workload that has more than one of them.
	// +optional
	Total *TotalComparison `json:"total,omitempty"`

	// Reads.
	// +optional
	Read *IOComparison `json:"read,omitempty"`

	// Writes.
	// +optional
	Write *IOComparison `json:"write,omitempty"`

	// Trims.
	// +optional
	Trim *IOComparison `json:"trim,omitempty"`

	// What may mislead whoever reads these figures, such as a large spread between repetitions.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Warnings []Warning `json:"warnings,omitempty"`
}

// TotalComparison is about the directions of I/O together.
type TotalComparison struct {
	// I/Os per second.
	IOPS Statistic `json:"iops"`

	// Bytes per second.
	BytesPerSecond Statistic `json:"bytesPerSecond"`

	// Median IOPS as a multiple of the baseline's, such as 0.51.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	IOPSRatio string `json:"iopsRatio,omitempty"`

	// Median bandwidth as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	BytesPerSecondRatio string `json:"bytesPerSecondRatio,omitempty"`

	// The verdict on IOPS.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// IOComparison is about one direction of I/O. Latencies are unset where fio did not take them.
type IOComparison struct {
	// I/Os per second.
	IOPS Statistic `json:"iops"`

	// Bytes per second.
	BytesPerSecond Statistic `json:"bytesPerSecond"`

	// Mean latency from submission to completion (fio's lat).
	// +optional
	MeanNanoseconds *Statistic `json:"meanNanoseconds,omitempty"`

	// Median completion latency (fio's clat).
	// +optional
	P50Nanoseconds *Statistic `json:"p50Nanoseconds,omitempty"`

	// 90th percentile of completion latency.
	// +optional
	P90Nanoseconds *Statistic `json:"p90Nanoseconds,omitempty"`

	// 99th percentile of completion latency.
	// +optional
	P99Nanoseconds *Statistic `json:"p99Nanoseconds,omitempty"`

	// Median IOPS as a multiple of the baseline's, such as 0.51.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	IOPSRatio string `json:"iopsRatio,omitempty"`

	// Median bandwidth as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	BytesPerSecondRatio string `json:"bytesPerSecondRatio,omitempty"`

	// Mean latency as a multiple of the baseline's: more than 1 is slower.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	MeanRatio string `json:"meanRatio,omitempty"`

	// 50th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P50Ratio string `json:"p50Ratio,omitempty"`

	// 90th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P90Ratio string `json:"p90Ratio,omitempty"`

	// 99th percentile as a multiple of the baseline's.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	P99Ratio string `json:"p99Ratio,omitempty"`

	// The verdict on IOPS. Each statistic has its own as well.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}

// Statistic is a figure over the repetitions of a run.
type Statistic struct {
	// Median.
	Median int64 `json:"median"`

	// Smallest.
	Min int64 `json:"min"`

	// Largest.
	Max int64 `json:"max"`

	// Lower end of the median's confidence interval of at least 95 %. Needs 6 runs.
	// +optional
	ConfidenceLow *int64 `json:"confidenceLow,omitempty"`

	// Upper end of that interval.
	// +optional
	ConfidenceHigh *int64 `json:"confidenceHigh,omitempty"`

	// Probability that chance alone makes a difference to the baseline as large as this one: the p-value of
	// a two-sided Mann-Whitney U test, such as 0.029. Needs 4 runs of each.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	PValue string `json:"pValue,omitempty"`

	// How this figure is beside the baseline's. Unset if that has too few runs.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}
