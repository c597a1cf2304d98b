package v1alpha1

// Labels, annotations and the finalizer that the operator sets.
const (
	// LabelManagedBy is on every object that the operator makes, with value ManagedBy.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedBy is the value of LabelManagedBy and the operator's field manager in server-side apply.
	ManagedBy = "storagebench"
	// LabelBenchmark is the name of the StorageBenchmark that an object was made for.
	LabelBenchmark = "storagebench.dev/benchmark"
	// LabelNamespace is the namespace of the StorageBenchmark that an object without a namespace was made for.
	LabelNamespace = "storagebench.dev/namespace"
	// LabelUID is the UID of that StorageBenchmark. It is also on the pods that hold nodes.
	LabelUID = "storagebench.dev/uid"
	// LabelTarget is the name of the target that an object was made for.
	LabelTarget = "storagebench.dev/target"
	// LabelRole says what a Job or pod is for: RoleRun, RoleAnchor or RoleCleanUp.
	LabelRole = "storagebench.dev/role"
	// LabelAttempt is the number of the attempt that a Job or an anchor makes, from 1.
	LabelAttempt = "storagebench.dev/attempt"
	// LabelClient is the number of the client that a Job or pod is of, from 0.
	LabelClient = "storagebench.dev/client"
	// AnnotationStartTime is the instant at which a run's pod is to begin, in RFC 3339, of a run with several clients.
	AnnotationStartTime = "storagebench.dev/start-time"
	// AnnotationNudged is when a pod that waits for its volumes was last changed, in RFC 3339, so that their driver looks at it again.
	AnnotationNudged = "storagebench.dev/nudged"
	// AnnotationRun is the name of the run that a Job was made for.
	AnnotationRun = "storagebench.dev/run"
	// LabelHoldsNode is on the pod by which a benchmark holds its node. Pods of benchmarks that want a node
	// for themselves do not go where one with this label is.
	LabelHoldsNode = "storagebench.dev/holds-node"
	// LabelSchedule is the name of the StorageBenchmarkSchedule that a StorageBenchmark or a ConfigMap was made for.
	LabelSchedule = "storagebench.dev/schedule"
	// AnnotationScheduledTime is when the start was due by which a schedule made a StorageBenchmark, in RFC 3339.
	AnnotationScheduledTime = "storagebench.dev/scheduled-time"
	// AnnotationRequested is on a StorageBenchmark that somebody has made from a schedule by hand.
	AnnotationRequested = "storagebench.dev/requested"
	// AnnotationHistoryKept, with its own UID, is on a StorageBenchmark of a schedule that has left its point in the history, or has none to leave. It leaves no
	// other, also when the point was dropped.
	AnnotationHistoryKept = "storagebench.dev/history-kept"
	// AnnotationAcknowledged is on a StorageBenchmarkSchedule whose regressions somebody has seen: when, in RFC 3339. What could not be seen by then is
	// told all the same. A time more than 5 minutes ahead is refused.
	AnnotationAcknowledged = "storagebench.dev/acknowledged"
	// AnnotationBaselineFrom is on a StorageBenchmarkSchedule that begins a new baseline: from when, in RFC 3339.
	AnnotationBaselineFrom = "storagebench.dev/baseline-from"
	// AnnotationResultMetrics, with value true, is on a StorageBenchmark whose results are among the operator's metrics when it has ended.
	AnnotationResultMetrics = "storagebench.dev/result-metrics"
	// HistoryKey is the key of a ConfigMap's binaryData that has points of a schedule's history.
	HistoryKey = "history"
	// Finalizer holds back the deletion of a StorageBenchmark until all that was made for it is gone.
	Finalizer = "storagebench.dev/cleanup"
)

// Values of LabelRole.
const (
	// RoleRun is the role of Jobs that measure.
	RoleRun = "run"
	// RoleAnchor is the role of pods that hold a node.
	RoleAnchor = "anchor"
	// RoleCleanUp is the role of Jobs that remove test files.
	RoleCleanUp = "cleanup"
)
