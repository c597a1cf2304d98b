package v1alpha1

// Types of conditions.
const (
	// ConditionSucceeded is Unknown while the benchmark is active and True or False at its end. Its reason
	// is the step that the benchmark is at, or the outcome.
	ConditionSucceeded = "Succeeded"
	// ConditionMeasured says how the runs ended: True if each has a result. It is set before clean-up.
	ConditionMeasured = "Measured"
	// ConditionCleanedUp says whether volumes and test files were removed.
	ConditionCleanedUp = "CleanedUp"
	// ConditionExpectationsMet says whether the results are what spec.expectations and presets ask for: Unknown where nothing
	// misses and something is undecided. It is set when the runs have ended, and absent where nothing is expected.
	ConditionExpectationsMet = "ExpectationsMet"
	// ConditionRetrying is True while errors keep the operator from going on, since its last transition. It is
	// absent otherwise. Errors that last for spec.deadlines.podStartSeconds end the benchmark.
	ConditionRetrying = "Retrying"
	// ConditionFinished is True once the benchmark has ended, however it ended, and absent until then. Condition
	// Succeeded says how. It is for whoever waits: kubectl wait --for=condition=Finished.
	ConditionFinished = "Finished"
	// ConditionReconciling is True while the operator works on the benchmark, and absent otherwise. Tools that follow
	// kstatus, such as Flux, go by it.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when the benchmark has failed, and absent otherwise. Tools that follow kstatus go by it.
	ConditionStalled = "Stalled"
)

// Reasons of condition Succeeded while the benchmark is active: the step that it is at.
const (
	// ReasonPending: the operator has seen the benchmark and has not begun.
	ReasonPending = "Pending"
	// ReasonSuspended: spec.suspend is true.
	ReasonSuspended = "Suspended"
	// ReasonProvisioning: a volume is being made.
	ReasonProvisioning = "Provisioning"
	// ReasonWaitingForNode: the node is one that another benchmark measures on.
	ReasonWaitingForNode = "WaitingForNode"
	// ReasonPreparing: a run's pod is being scheduled and started, or lays out files.
	ReasonPreparing = "Preparing"
	// ReasonMeasuring: fio measures.
	ReasonMeasuring = "Measuring"
	// ReasonCleaningUp: volumes and test files are being removed.
	ReasonCleaningUp = "CleaningUp"
)

// Reasons of conditions Succeeded and Measured at the end: the outcome.
const (
	// ReasonCompleted: each run has a result.
	ReasonCompleted = "Completed"
	// ReasonInvalidSpec: the spec asks for what cannot be; nothing was provisioned.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonProvisioningFailed: a volume could not be made.
	ReasonProvisioningFailed = "ProvisioningFailed"
	// ReasonRunFailed: at least one run ended without a result.
	ReasonRunFailed = "RunFailed"
	// ReasonDeadlineExceeded: a step took longer than its deadline.
	ReasonDeadlineExceeded = "DeadlineExceeded"
	// ReasonCancelled: spec.cancel is true, and the benchmark had not ended before.
	ReasonCancelled = "Cancelled"
	// ReasonDeleted: the benchmark was deleted before it ended.
	ReasonDeleted = "Deleted"
	// ReasonInterrupted: the user interrupted a benchmark on a plain machine. Runs that had ended keep their results.
	ReasonInterrupted = "Interrupted"
)

// Reasons of condition CleanedUp.
const (
	// ReasonNothingLeft: all that was made for the benchmark is gone.
	ReasonNothingLeft = "NothingLeft"
	// ReasonClaimsGone: all that the operator may see of what was made for the benchmark is gone. Confined to namespaces, it
	// sees claims, and not their volumes.
	ReasonClaimsGone = "ClaimsGone"
	// ReasonRetained: spec.cleanupPolicy is Retain.
	ReasonRetained = "Retained"
	// ReasonLeftBehind: something could not be removed in time; the message names it.
	ReasonLeftBehind = "LeftBehind"
)

// Reasons of condition ExpectationsMet.
const (
	// ReasonAllMet: every expectation is met.
	ReasonAllMet = "AllMet"
	// ReasonNotMet: at least one expectation is not met; the message says which, and by how much.
	ReasonNotMet = "NotMet"
	// ReasonNotMeasured: nothing misses its expectation, and at least one is undecided: it has no results, not those of all repetitions, or too
	// few I/Os for its percentile.
	ReasonNotMeasured = "NotMeasured"
)

// Types of conditions of a StorageBenchmarkSchedule, which has condition Stalled too.
const (
	// ConditionScheduled is True while StorageBenchmarks are made as the schedule says, and False while none can be made.
	ConditionScheduled = "Scheduled"
	// ConditionHistoryKept is False while the point of a StorageBenchmark that has ended cannot be kept. Such a one is not deleted.
	ConditionHistoryKept = "HistoryKept"
	// ConditionRegressed is True while results have become worse for good, and nobody has acknowledged it. Its message says when something was
	// measured last.
	ConditionRegressed = "Regressed"
)

// Reasons of condition Scheduled.
const (
	// ReasonWaiting: the next start is not due yet.
	ReasonWaiting = "Waiting"
	// ReasonActive: a StorageBenchmark of the schedule is not over.
	ReasonActive = "Active"
	// ReasonStartRefused: the API server has refused a StorageBenchmark, or another one has its name.
	ReasonStartRefused = "StartRefused"
	// ReasonStartFailed: a start that is due could not be made for a minute, for another error than a refusal; the message has it.
	ReasonStartFailed = "StartFailed"
	// ReasonTooManyBenchmarks: so many StorageBenchmarks of the schedule are there that no other one is made.
	ReasonTooManyBenchmarks = "TooManyBenchmarks"
)

// Reasons of condition Regressed.
const (
	// ReasonSlower: a figure is worse since a benchmark that the message names, and has stayed so.
	ReasonSlower = "Slower"
	// ReasonNotSlower: no figure was found to be worse than before, but for what is acknowledged. Small changes take many runs to be found.
	// Targets with too few runs are named in the message.
	ReasonNotSlower = "NotSlower"
	// ReasonTooFewRuns: too few benchmarks of the last one's baseline have ended for a change to be found, or the history never keeps enough. What was worse on another baseline is
	// not told meanwhile.
	ReasonTooFewRuns = "TooFewRuns"
	// ReasonInvalidAnnotation: an annotation of the schedule is no time, or one that has not come yet.
	ReasonInvalidAnnotation = "InvalidAnnotation"
)

// Reasons of condition HistoryKept.
const (
	// ReasonKept: the history has a point of each StorageBenchmark that has ended and measured something.
	ReasonKept = "Kept"
	// ReasonNotKept: a point could not be written; the message says why.
	ReasonNotKept = "NotKept"
)

// ReasonError is the reason of condition Retrying; its message is the error.
const ReasonError = "Error"
