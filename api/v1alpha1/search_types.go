package v1alpha1

// LoadSearch is what is varied to find the highest load within a latency budget, between which bounds, and the budget.
//
// +kubebuilder:validation:XValidation:rule="!has(self.min) || self.min <= self.max",message="min is more than max: lower min, or raise max",fieldPath=".min",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="self.max <= {'iodepth': 65536, 'numjobs': 1024, 'clients': 128, 'rateIOPS': 2147483647}[self.vary]",message="iodepth can be at most 65536, numjobs 1024, clients 128 and rateIOPS 2147483647: lower max",fieldPath=".max",reason=FieldValueInvalid
type LoadSearch struct {
	// vary is what makes the load: iodepth (I/Os in flight of each job, which needs an engine that can have more than one),
	// numjobs (jobs of each client), rateIOPS (I/Os per second of each job and direction, which needs an iodepth or numjobs that
	// can do so many) or clients (pods that measure together). It takes the place of what fio, jobFile and spec.clients say,
	// and cannot be in matrix.
	// +required
	// +kubebuilder:validation:Enum=iodepth;numjobs;rateIOPS;clients
	Vary string `json:"vary"`

	// min is the lowest load, with which the search begins. 1 to max. Unset: 1, of rateIOPS a 64th of max.
	// +optional
	// +kubebuilder:validation:Minimum=1
	Min *int32 `json:"min,omitempty"`

	// max is the highest load that is tried. 1 to 2147483647, of iodepth 65536, of numjobs 1024, of clients 128. At most so many
	// runs are made as it takes to double min until it is max, and 11 more.
	// +required
	// +kubebuilder:validation:Minimum=1
	Max int32 `json:"max"`

	// objective is the latency budget.
	// +required
	Objective SearchObjective `json:"objective"`
}

// SearchObjective is the most that a latency may be.
type SearchObjective struct {
	// metric is the latency that is looked at, by the names that expectations use: read.p99 is the 99th percentile of
	// completion latency of reads, write.mean the mean latency (fio's lat) of writes, sync the latency of fsync and fdatasync.
	// +required
	// +kubebuilder:validation:Enum=read.mean;read.p50;read.p90;read.p95;read.p99;read.p999;read.p9999;read.max;write.mean;write.p50;write.p90;write.p95;write.p99;write.p999;write.p9999;write.max;trim.mean;trim.p50;trim.p90;trim.p95;trim.p99;trim.p999;trim.p9999;trim.max;sync.mean;sync.p50;sync.p90;sync.p95;sync.p99;sync.p999;sync.p9999;sync.max;metadata.mean;metadata.p50;metadata.p90;metadata.p95;metadata.p99;metadata.p999;metadata.p9999;metadata.max
	Metric string `json:"metric"`

	// max is the longest that the latency may be, with its unit: ns, us, ms or s, such as 5ms.
	// +required
	// +kubebuilder:validation:MinLength=2
	// +kubebuilder:validation:MaxLength=16
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(ns|us|ms|s)$')",message="max must be a latency with its unit: ns, us, ms or s, such as 5ms",reason=FieldValueInvalid
	Max string `json:"max"`
}

// SearchVerdict says what a run of a search was found to be.
//
// +kubebuilder:validation:Enum=Within;Beyond;Answer
type SearchVerdict string

const (
	// SearchWithin is the verdict on a run that kept the budget.
	SearchWithin SearchVerdict = "Within"
	// SearchBeyond is the verdict on a run that did not, or that fell behind the rate that it was told.
	SearchBeyond SearchVerdict = "Beyond"
	// SearchAnswer is the verdict on the run that stands for its search: the last one that kept the budget at the highest load.
	SearchAnswer SearchVerdict = "Answer"
)

// RunSearch is what a run is to its search.
type RunSearch struct {
	// step is the number of the run in its search, from 1.
	// +required
	Step int32 `json:"step"`

	// vary is what is varied.
	// +required
	// +kubebuilder:validation:MaxLength=16
	Vary string `json:"vary"`

	// value is what it is in this run. It is chosen by what the runs before have measured, just before the run begins. Unset until
	// then.
	// +optional
	Value int32 `json:"value,omitempty"`

	// verdict says whether the run kept the budget. Unset until it has a result.
	// +optional
	Verdict SearchVerdict `json:"verdict,omitempty"`
}

// SearchOutcome says how a search ended.
//
// +kubebuilder:validation:Enum=Searching;Found;MaxWithin;MinBeyond;Mixed;Failed
type SearchOutcome string

const (
	// SearchSearching is the outcome while no search of it has ended.
	SearchSearching SearchOutcome = "Searching"
	// SearchFound is the outcome where there is a highest load within the budget, and a higher one that is beyond it.
	SearchFound SearchOutcome = "Found"
	// SearchMaxWithin is the outcome where max is within the budget.
	SearchMaxWithin SearchOutcome = "MaxWithin"
	// SearchMinBeyond is the outcome where min is beyond the budget.
	SearchMinBeyond SearchOutcome = "MinBeyond"
	// SearchMixed is the outcome where the repetitions ended in different ways.
	SearchMixed SearchOutcome = "Mixed"
	// SearchFailed is the outcome where a run of it failed, or had nothing of the objective, or the benchmark ended before the search did.
	SearchFailed SearchOutcome = "Failed"
)

// SearchResult is the highest load that a target carries within the budget of a workload, with one choice of its matrix.
// Figures are those of the repetitions.
type SearchResult struct {
	// target is the name of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Target string `json:"target"`

	// workload is the name of the workload.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload"`

	// parameters are the values of the workload's matrix. Unset if it has none.
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=8
	Parameters map[string]string `json:"parameters,omitempty"`

	// vary is what is varied.
	// +required
	// +kubebuilder:validation:MaxLength=16
	Vary string `json:"vary"`

	// objective is the latency that the budget is about, such as read.p99.
	// +required
	// +kubebuilder:validation:MaxLength=16
	Objective string `json:"objective"`

	// budgetNanoseconds is the most that it may be.
	// +required
	BudgetNanoseconds int64 `json:"budgetNanoseconds"`

	// outcome says how the search ended: Found, MaxWithin (raise max), MinBeyond (not even min keeps the budget), Failed, of
	// repetitions that ended in different ways Mixed, or Searching until the first of them has ended.
	// +required
	Outcome SearchOutcome `json:"outcome"`

	// searches is the number of repetitions that have ended with an answer: all but MinBeyond and Failed.
	// +optional
	Searches int32 `json:"searches,omitempty"`

	// answer is the highest load within the budget. Unset if there is none.
	// +optional
	Answer *SearchFigures `json:"answer,omitempty"`

	// saturation is the run that moved most, whatever its latency. Unset if a load above search.max may move more: the highest load
	// that was tried moved at least 5 % more than half of it did.
	// +optional
	Saturation *SearchFigures `json:"saturation,omitempty"`

	// message is all this in a sentence, and what to do where there is something to do.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// SearchFigures are figures of one load, or of the answers of the repetitions.
type SearchFigures struct {
	// value is what is varied.
	// +required
	Value Range `json:"value"`

	// milliIOPS is operations per second, in thousandths: reads, writes and trims together, or operations on files.
	// +required
	MilliIOPS Range `json:"milliIOPS"`

	// bytesPerSecond are those of reads, writes and trims together.
	// +required
	BytesPerSecond Range `json:"bytesPerSecond"`

	// objectiveNanoseconds is the latency that the budget is about.
	// +required
	ObjectiveNanoseconds Range `json:"objectiveNanoseconds"`
}

// Range is the median of a figure of repetitions, and between what they lie. With one repetition it has the median alone.
type Range struct {
	// median of the repetitions.
	// +required
	Median int64 `json:"median"`

	// min is the smallest of the repetitions. Unset with one repetition.
	// +optional
	Min *int64 `json:"min,omitempty"`

	// max is the largest of the repetitions. Unset with one repetition.
	// +optional
	Max *int64 `json:"max,omitempty"`
}
