package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageBenchmarkStatus says how far the benchmark is, what was provisioned and what was measured.
type StorageBenchmarkStatus struct {
	// Generation of the spec that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Succeeded is Unknown while the benchmark is active and True or False at its end; its reason is the
	// step or the outcome. Measured says how the runs ended, CleanedUp whether all was removed.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// When the benchmark began to provision. From then on its targets and workloads cannot change.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// When the benchmark ended, clean-up included.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// Number of runs that the spec asks for.
	// +optional
	PlannedRuns int32 `json:"plannedRuns,omitempty"`

	// Seconds that a run may take where spec.deadlines.runSeconds is unset. Unset if 86400 are enough.
	// +optional
	RunDeadlineSeconds int32 `json:"runDeadlineSeconds,omitempty"`

	// Number of runs that have ended, well or not.
	// +optional
	FinishedRuns int32 `json:"finishedRuns,omitempty"`

	// Finished and planned runs for people, such as 3/4.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Progress string `json:"progress,omitempty"`

	// The target that did most I/Os per second, such as "gp3 3048 IOPS", or "gp3 in 3 of 4" comparisons. Of a single
	// target it is what that did.
	// +optional
	// +kubebuilder:validation:MaxLength=27
	Best string `json:"best,omitempty"`

	// The results in one line.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Summary string `json:"summary,omitempty"`

	// What was provisioned or found for each target.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Targets []TargetStatus `json:"targets,omitempty"`

	// Pods that hold a node for the whole benchmark, with all volumes mounted: one for each client. A benchmark of
	// one run by one client has none.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Anchors []Anchor `json:"anchors,omitempty"`

	// Since when the benchmark wants a node that other benchmarks measure on, also if one was free meanwhile and another
	// benchmark was faster. Unset when it has its nodes.
	// +optional
	WaitingForNodeSince *metav1.Time `json:"waitingForNodeSince,omitempty"`

	// Since when the nodes are free that the benchmark waited for, from when on its pods have their time to start. Unset
	// while other benchmarks hold them, and when it has its nodes.
	// +optional
	NodeFreeSince *metav1.Time `json:"nodeFreeSince,omitempty"`

	// Since when a quota or an admission policy does not let storage of the benchmark be made. Unset when all of it is there,
	// and while the benchmark is suspended.
	// +optional
	StorageRefusedSince *metav1.Time `json:"storageRefusedSince,omitempty"`

	// The runs in the order in which they are made.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Runs []Run `json:"runs,omitempty"`

	// The last attempts of runs that were ended without a result and are not the run's last word: disrupted from outside,
	// ended by suspend, or late for a common start. What they had measured by then is not part of any result.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	AbandonedAttempts []AbandonedAttempt `json:"abandonedAttempts,omitempty"`

	// The targets beside each other, for each workload and each choice of its matrix.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=200
	Comparisons []Comparison `json:"comparisons,omitempty"`

	// What may mislead whoever reads the results, and what to do about it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Warnings []WarningSummary `json:"warnings,omitempty"`
}

// Anchor is a pod that holds a node and the volumes mounted there, so that all runs measure from the same
// node and volumes are attached once.
type Anchor struct {
	// Name of the pod.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Pod string `json:"pod,omitempty"`

	// Node that it holds.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// Type of the node (its label node.kubernetes.io/instance-type), such as m6i.large.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	InstanceType string `json:"instanceType,omitempty"`

	// Number of times that a node was looked for: more than 1 after one was lost, or after suspend.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`

	// Number of nodes, or pods on them, that were lost. At most 8 are replaced.
	// +optional
	Disruptions int32 `json:"disruptions,omitempty"`

	// When the last attempt began; when the node was free, if it waited for other benchmarks.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// Why the last one was lost.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// RunState says how far a run is.
//
// +kubebuilder:validation:Enum=Pending;Running;Succeeded;Failed
type RunState string

const (
	// RunPending is the state of a run that waits for its turn.
	RunPending RunState = "Pending"
	// RunRunning is the state of a run whose Job exists.
	RunRunning RunState = "Running"
	// RunSucceeded is the state of a run that has a result.
	RunSucceeded RunState = "Succeeded"
	// RunFailed is the state of a run that ended without a result.
	RunFailed RunState = "Failed"
)

// Run is one measurement: a workload, with one choice of its matrix, on a target.
type Run struct {
	// Name of the run, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name"`

	// Name of the target.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Target string `json:"target"`

	// Name of the workload.
	// +required
	// +kubebuilder:validation:MaxLength=32
	Workload string `json:"workload"`

	// Values of the workload's matrix.
	// +optional
	// +mapType=atomic
	// +kubebuilder:validation:MaxProperties=8
	Parameters map[string]string `json:"parameters,omitempty"`

	// Which repetition it is, from 1.
	// +optional
	Repetition int32 `json:"repetition,omitempty"`

	// Number of clients that measure together, if more than one.
	// +optional
	Clients int32 `json:"clients,omitempty"`

	// How far the run is.
	// +required
	State RunState `json:"state"`

	// Number of times that the run was started. More than 1 after a disruption such as the eviction of its
	// pod, or after suspend; what was measured before is not part of the result.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`

	// Number of attempts that were ended from outside, such as by the eviction of the pod or the loss of its
	// node. At most 3 are repeated.
	// +optional
	Disruptions int32 `json:"disruptions,omitempty"`

	// Name of the Job of the last attempt; of several clients, the first one's. Jobs are deleted before the volumes,
	// because their pods hold these.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Job string `json:"job,omitempty"`

	// Name of the ConfigMap that holds the log of the last attempt, with fio's full output, gzipped in key
	// fio.log.gz: kubectl get configmap NAME -o jsonpath='{.binaryData.fio\.log\.gz}' | base64 -d | gunzip
	// Of several clients, those of the first few, each under a key such as fio.client-1.log.gz.
	// Kept for the first 128 runs, until the StorageBenchmark is deleted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	LogConfigMap string `json:"logConfigMap,omitempty"`

	// Name of the ConfigMap that holds what each of several clients measured, with its latency histograms, as gzipped
	// JSON in key clients.json.gz. Kept for as many runs as have 8,192 clients in all, until the StorageBenchmark is
	// deleted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClientsConfigMap string `json:"clientsConfigMap,omitempty"`

	// The instant at which the clients of the last attempt were told to begin. It is agreed when all of them wait
	// for it.
	// +optional
	AgreedStart *metav1.MicroTime `json:"agreedStart,omitempty"`

	// How far ahead the instant was set, so that every client hears of it in time.
	// +optional
	StartLeadMilliseconds int64 `json:"startLeadMilliseconds,omitempty"`

	// How long before the instant the last client had heard of it.
	// +optional
	StartMarginMilliseconds int64 `json:"startMarginMilliseconds,omitempty"`

	// When the last attempt was started.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// When the run ended.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// Why the run failed or was repeated, in the words of fio or Kubernetes.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// What was measured, if the job has one group of sections.
	// +optional
	// +structType=atomic
	Result *Result `json:"result,omitempty"`

	// What held the result back.
	// +optional
	// +structType=atomic
	LimitedBy *LimitedBy `json:"limitedBy,omitempty"`

	// What may mislead whoever reads the result. status.warnings tells what to do about it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=10
	Warnings []Warning `json:"warnings,omitempty"`

	// What was measured by each section, or group of sections that ran together, of a job file with several.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Sections []SectionResult `json:"sections,omitempty"`
}

// AbandonReason says why an attempt of a run was ended without a result.
//
// +kubebuilder:validation:Enum=Disrupted;Late;Suspended
type AbandonReason string

const (
	// AbandonDisrupted is the reason of an attempt that was ended from outside, such as by the eviction of its pod.
	AbandonDisrupted AbandonReason = "Disrupted"
	// AbandonLate is the reason of an attempt of which a client heard of the common start when it had passed.
	AbandonLate AbandonReason = "Late"
	// AbandonSuspended is the reason of an attempt that was ended by spec.suspend.
	AbandonSuspended AbandonReason = "Suspended"
)

// AbandonedAttempt is an attempt of a run that was ended without a result.
type AbandonedAttempt struct {
	// Name of the run.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Run string `json:"run"`

	// Which attempt of the run it was, from 1.
	// +required
	Attempt int32 `json:"attempt"`

	// Why it was ended.
	// +required
	Reason AbandonReason `json:"reason"`

	// Node that it measured from; of several clients, the first one's.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// When it was started.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// When the operator knew of its end.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// Why it was ended, in the words of Kubernetes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// SectionResult is what one section of a job file, or a group of sections that ran together, measured.
type SectionResult struct {
	// Name of the section; of the first one of a group.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Name string `json:"name"`

	Result `json:",inline"`

	// What held the result back.
	// +optional
	LimitedBy *LimitedBy `json:"limitedBy,omitempty"`
}

// Result is what fio measured.
type Result struct {
	// Version of fio.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	FioVersion string `json:"fioVersion,omitempty"`

	// Time during which I/O was measured: the longest of the jobs that are reported together.
	// +optional
	ElapsedMilliseconds int64 `json:"elapsedMilliseconds,omitempty"`

	// Number of clients that measured together, if more than one. I/Os and rates are added up, and latencies are
	// those of all I/Os of all clients.
	// +optional
	Clients int32 `json:"clients,omitempty"`

	// How far apart the clients began, by the clocks of their nodes. Unset if fio does not tell.
	// +optional
	StartSkewMilliseconds *int64 `json:"startSkewMilliseconds,omitempty"`

	// Time during which all clients measured. Rates are those of this time, if each client's was steady.
	// +optional
	CommonMilliseconds int64 `json:"commonMilliseconds,omitempty"`

	// Reads.
	// +optional
	Read *IOResult `json:"read,omitempty"`

	// Writes.
	// +optional
	Write *IOResult `json:"write,omitempty"`

	// Trims (discards).
	// +optional
	Trim *IOResult `json:"trim,omitempty"`

	// CPU time of fio's jobs, as a share of the time that they ran.
	// +optional
	CPU *CPUResult `json:"cpu,omitempty"`
}

// IOResult is what fio measured in one direction.
type IOResult struct {
	// I/Os completed.
	IOs int64 `json:"ios"`

	// Bytes moved.
	Bytes int64 `json:"bytes"`

	// I/Os per second, rounded.
	IOPS int64 `json:"iops"`

	// Bytes per second.
	BytesPerSecond int64 `json:"bytesPerSecond"`

	// How the clients differ, if there are several.
	// +optional
	PerClient *ClientSpread `json:"perClient,omitempty"`

	// Latency from submission to completion as seen by the application (fio's lat). Unset where fio did not
	// take it, as with gtod_reduce.
	// +optional
	Latency *Latency `json:"latency,omitempty"`

	// Latency from the kernel's acceptance of an I/O to its completion (fio's clat).
	// +optional
	CompletionLatency *LatencyDistribution `json:"completionLatency,omitempty"`
}

// ClientSpread is how the clients that measured together differ.
type ClientSpread struct {
	// I/Os per second of the slowest client.
	MinIOPS int64 `json:"minIOPS"`
	// I/Os per second of the fastest client.
	MaxIOPS int64 `json:"maxIOPS"`
	// Standard deviation of the clients' IOPS as a share of their mean, such as 0.013.
	// +kubebuilder:validation:MaxLength=16
	CoefficientOfVariation string `json:"coefficientOfVariation"`
}

// Latency is the mean latency and its spread.
type Latency struct {
	// Mean.
	MeanNanoseconds int64 `json:"meanNanoseconds"`
	// Standard deviation.
	StddevNanoseconds int64 `json:"stddevNanoseconds"`
}

// LatencyDistribution is the distribution of a latency. Percentiles are those of fio's histogram, whose
// buckets are at most 1.6 % wide.
type LatencyDistribution struct {
	// Smallest.
	MinNanoseconds int64 `json:"minNanoseconds"`
	// 50th percentile, the median.
	P50Nanoseconds int64 `json:"p50Nanoseconds"`
	// 90th percentile.
	P90Nanoseconds int64 `json:"p90Nanoseconds"`
	// 95th percentile.
	P95Nanoseconds int64 `json:"p95Nanoseconds"`
	// 99th percentile.
	P99Nanoseconds int64 `json:"p99Nanoseconds"`
	// 99.9th percentile.
	P999Nanoseconds int64 `json:"p999Nanoseconds"`
	// 99.99th percentile.
	P9999Nanoseconds int64 `json:"p9999Nanoseconds"`
	// Largest.
	MaxNanoseconds int64 `json:"maxNanoseconds"`
}

// CPUResult is CPU time as a share of the time that fio's jobs ran, in percent of one CPU per job.
type CPUResult struct {
	// Time in user mode.
	UserPercent int32 `json:"userPercent"`
	// Time in the kernel.
	SystemPercent int32 `json:"systemPercent"`
	// Share of the kernel's scheduling periods (of 100 ms) in which the container's CPU limit held its
	// processes back, in percent. Unset without a limit, and where the kernel does not tell.
	// +optional
	ThrottledPercent *int32 `json:"throttledPercent,omitempty"`
}
