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

	// figures are those of each kind of operation that the target has results of, those of sync and metadata only if all
	// results have some. Behind them total adds up reads, writes and trims, if the target has more than one of these.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=8
	Figures []FiguresComparison `json:"figures,omitempty"`

	// warnings say what may mislead readers of these figures, such as a large spread between repetitions.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=6
	Warnings []Warning `json:"warnings,omitempty"`
}

// FiguresComparison is about one kind of operation. Statistics are unset of what was not measured: syncs have no rate,
// metadata moves no bytes, and latencies have no total.
type FiguresComparison struct {
	// name is the kind of operation, as in the figures of results, or total.
	// +required
	// +kubebuilder:validation:Enum=read;write;trim;sync;metadata;total
	Name string `json:"name"`

	// milliIOPS is operations per second, in thousandths.
	// +optional
	MilliIOPS *Statistic `json:"milliIOPS,omitempty"`

	// bytesPerSecond is bytes per second.
	// +optional
	BytesPerSecond *Statistic `json:"bytesPerSecond,omitempty"`

	// meanNanoseconds is the mean latency: latency in the figures of results.
	// +optional
	MeanNanoseconds *Statistic `json:"meanNanoseconds,omitempty"`

	// p50Nanoseconds is the median latency: completionLatency in the figures of results.
	// +optional
	P50Nanoseconds *Statistic `json:"p50Nanoseconds,omitempty"`

	// p90Nanoseconds is the 90th percentile of that latency.
	// +optional
	P90Nanoseconds *Statistic `json:"p90Nanoseconds,omitempty"`

	// p99Nanoseconds is the 99th percentile of that latency.
	// +optional
	P99Nanoseconds *Statistic `json:"p99Nanoseconds,omitempty"`

	// judgedBy is the latency whose verdict counts. It is set where most runs of the target and of the baseline did the rate
	// that the workload asks for (limitedBy.reason WorkloadRate): their IOPS are those of the workload, and a total has no
	// verdict. Unset where the verdict on milliIOPS counts, also of writes that wait for syncs, and for sync: there it is the
	// verdict on p99Nanoseconds, or on meanNanoseconds if there are no percentiles.
	// +optional
	JudgedBy JudgedBy `json:"judgedBy,omitempty"`

	// prevails is set for sync: in most runs jobs waited more than ten times as long for syncs as for the writes between them,
	// because memory took these. Unset otherwise.
	// +optional
	Prevails *bool `json:"prevails,omitempty"`
}

// Statistic is a figure over the repetitions of a run, compared with the same figure of the baseline. With one repetition it
// has the median alone.
type Statistic struct {
	// median of the repetitions.
	// +required
	Median int64 `json:"median"`

	// min is the smallest of the repetitions. Unset with one repetition.
	// +optional
	Min *int64 `json:"min,omitempty"`

	// max is the largest of the repetitions. Unset with one repetition.
	// +optional
	Max *int64 `json:"max,omitempty"`

	// confidenceLow is the lower end of the median's confidence interval of at least 95 %. Unset below 6 runs.
	// +optional
	ConfidenceLow *int64 `json:"confidenceLow,omitempty"`

	// confidenceHigh is the upper end of that interval. Unset below 6 runs.
	// +optional
	ConfidenceHigh *int64 `json:"confidenceHigh,omitempty"`

	// ratio is the median as a multiple of the baseline's, such as 0.51. Unset for the baseline itself, and where a median is 0
	// or a percentile beyond fio's histogram.
	// +optional
	// +kubebuilder:validation:MaxLength=16
	Ratio string `json:"ratio,omitempty"`

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
	// figures whose verdicts count (see judgedBy), or of all others. Verdicts go by it. Unset
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

	// verdict compares this figure with the baseline's. With too few runs only the figure has one whose verdict counts.
	// +optional
	Verdict Verdict `json:"verdict,omitempty"`
}
