package v1alpha1

// Labels, annotations and the finalizer that the operator sets.
const (
	// LabelManagedBy is on every object that the operator makes, with value ManagedBy.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedBy is the value of LabelManagedBy and the operator's field manager in server-side apply.
	ManagedBy = "storagebench"
	// LabelBenchmark is the name of the StorageBenchmark that an object was made for.
	LabelBenchmark = "storagebench.dev/benchmark"
	// LabelTarget is the name of the target that an object was made for.
	LabelTarget = "storagebench.dev/target"
	// LabelRole says what a Job is for: RoleRun or RoleCleanUp.
	LabelRole = "storagebench.dev/role"
	// LabelAttempt is the number of the attempt that a Job makes, from 1.
	LabelAttempt = "storagebench.dev/attempt"
	// AnnotationRun is the name of the run that a Job was made for.
	AnnotationRun = "storagebench.dev/run"
	// Finalizer holds back the deletion of a StorageBenchmark until all that was made for it is gone.
	Finalizer = "storagebench.dev/cleanup"
)

// Values of LabelRole.
const (
	// RoleRun is the role of Jobs that measure.
	RoleRun = "run"
	// RoleCleanUp is the role of Jobs that remove test files.
	RoleCleanUp = "cleanup"
)
