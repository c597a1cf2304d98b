package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageBenchmarkStatus says how far the benchmark is, what was provisioned and what was measured.
type StorageBenchmarkStatus struct {
	// observedGeneration is the generation of the spec that this status is about. It is -1 until the operator has seen the
	// benchmark.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions of the benchmark. Succeeded is Unknown while the benchmark is active, and True or False at its end;
	// its reason is the step or the outcome. Measured tells how the runs ended. CleanedUp tells whether all was removed.
	// Finished is True at the end, however it ended. Reconciling and Stalled are for tools that follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// startTime is when the benchmark began to provision. From then on its targets and workloads cannot change.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// stepStartTime is when the step began that the reason of condition Succeeded names. Unset when the benchmark has
	// ended.
	// +optional
	StepStartTime *metav1.Time `json:"stepStartTime,omitempty"`

	// completionTime is when the benchmark ended, clean-up included. Unset until then.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// plannedRuns is the number of runs that the spec asks for. Searches are counted with the most runs that they may
	// take, and when one ends with those that it took.
	// +optional
	PlannedRuns int32 `json:"plannedRuns,omitempty"`

	// finishedRuns is the number of runs that have ended, successful or not.
	// +optional
	FinishedRuns int32 `json:"finishedRuns,omitempty"`

	// progress shows finished and planned runs to people, such as 3/4.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	Progress string `json:"progress,omitempty"`

	// best is the target that did most I/Os per second: "gp3 3048 IOPS", or of several comparisons "gp3 in 3 of 4". It
	// names none if the difference can be chance. With a single target it is what that target did.
	// +optional
	// +kubebuilder:validation:MaxLength=27
	Best string `json:"best,omitempty"`

	// expected tells whether the results are as expected, in a few words: Met, "2 of 5 missed" or "1 of 5 undecided". Unset
	// until the runs have ended, and where nothing is expected.
	// +optional
	// +kubebuilder:validation:MaxLength=24
	Expected string `json:"expected,omitempty"`

	// warningCount is the number of warnings. Unset if there is none.
	// +optional
	WarningCount int32 `json:"warningCount,omitempty"`

	// summary is the results in one line.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Summary string `json:"summary,omitempty"`

	// targets say what was provisioned or found for each target.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	Targets []TargetStatus `json:"targets,omitempty"`

	// presets are the versions of presets that the workloads have, such as etcd.v1.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Presets []PresetVersion `json:"presets,omitempty"`

	// anchors are pods that hold a node for the whole benchmark, with all volumes mounted. There is one for each
	// client. A benchmark of one run by one client has none, unless its claim has to be bound before its pod is made.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Anchors []Anchor `json:"anchors,omitempty"`

	// runs are in the order in which they are made.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Runs []Run `json:"runs,omitempty"`

	// abandonedAttempts are the last attempts that ended without a result and after which the run went on: disrupted
	// from outside, ended by suspend, or late for a common start. No result has what they measured.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	AbandonedAttempts []AbandonedAttempt `json:"abandonedAttempts,omitempty"`

	// comparisons put the targets beside each other, for each workload and each choice of its matrix.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=200
	Comparisons []Comparison `json:"comparisons,omitempty"`

	// searches say of each search what load the target carries within the latency budget. Repetitions are one.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=40
	Searches []SearchResult `json:"searches,omitempty"`

	// warnings say what may mislead readers of the results, and what to do about it, the most misleading ones first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=48
	Warnings []WarningSummary `json:"warnings,omitempty"`
}

// PresetVersion is a version of a preset, such as etcd.v1.
//
// +kubebuilder:validation:MaxLength=40
type PresetVersion string

// Anchor is a pod that holds a node and the volumes mounted there, so that all runs measure from the same
// node and volumes are attached once.
type Anchor struct {
	// pod is the name of the pod.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Pod string `json:"pod,omitempty"`

	// node is the one that the pod holds. Unset until it has one.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// instanceType is the type of the node, such as m6i.large: its label node.kubernetes.io/instance-type.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	InstanceType string `json:"instanceType,omitempty"`

	// attempts is how often a node was looked for. It is more than 1 after a node was lost, or after suspend.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`

	// disruptions is the number of nodes, or pods on them, that were lost. At most 8 are replaced.
	// +optional
	Disruptions int32 `json:"disruptions,omitempty"`

	// startTime is when the last attempt began. If it waited for other benchmarks, it is when the node was free.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// message says why the last one was lost.
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
	// name of the run, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Name string `json:"name"`

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

	// repetition is the number of the repetition, from 1.
	// +optional
	Repetition int32 `json:"repetition,omitempty"`

	// clients is the number of clients that measure together. Unset if there is one.
	// +optional
	Clients int32 `json:"clients,omitempty"`

	// search says what the run is to a search for the highest load within a latency budget. Unset if it is of none. The load
	// is in parameters, too.
	// +optional
	// +structType=atomic
	Search *RunSearch `json:"search,omitempty"`

	// state says how far the run is.
	// +required
	State RunState `json:"state"`

	// attempts is how often the run was started. It is more than 1 after a disruption, such as the eviction of its
	// pod, or after suspend. The result has only what the last attempt measured.
	// +optional
	Attempts int32 `json:"attempts,omitempty"`

	// disruptions is the number of attempts that were ended from outside, such as by the eviction of the pod or the
	// loss of its node. At most 3 are repeated.
	// +optional
	Disruptions int32 `json:"disruptions,omitempty"`

	// job is the name of the last attempt's Job; of several clients, the first one's. Jobs are deleted before the
	// volumes, because their pods hold these.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Job string `json:"job,omitempty"`

	// logConfigMap is the name of the ConfigMap with the log of the last attempt. Key fio.log.gz has fio's full
	// output, gzipped. Key series.json.gz has what the run did over its time, as gzipped JSON in columns, if there is a series. With several clients it has the logs of the first few, each under a key such as
	// fio.client-1.log.gz. Kept for the first 128 runs, until the StorageBenchmark is deleted. To read it: kubectl get
	// configmap NAME -o jsonpath='{.binaryData.fio\.log\.gz}' | base64 -d | gunzip
	// +optional
	// +kubebuilder:validation:MaxLength=253
	LogConfigMap string `json:"logConfigMap,omitempty"`

	// clientsConfigMap is the name of the ConfigMap with what each of several clients measured. Key clients.json.gz
	// has it as gzipped JSON, with latency histograms. Kept for the first runs, up to 8,192 clients in all, until the
	// StorageBenchmark is deleted.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	ClientsConfigMap string `json:"clientsConfigMap,omitempty"`

	// agreedStart is the instant at which the clients of the last attempt were told to begin. It is agreed when all of
	// them wait for it.
	// +optional
	AgreedStart *metav1.MicroTime `json:"agreedStart,omitempty"`

	// startTime is when the last attempt was started.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the run ended. Unset until then.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// message says why the run failed or was repeated, in the words of fio or Kubernetes.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`

	// result is what was measured. Unset if the job file gives several results: see sections.
	// +optional
	// +structType=atomic
	Result *Result `json:"result,omitempty"`

	// counters are what the kernel counted of the storage during the run. Unset where it counts nothing, as of S3, and where clients of one node share
	// the storage.
	// +optional
	// +structType=atomic
	Counters *StorageCounters `json:"counters,omitempty"`

	// exceeded is for how long limits were exceeded during the run, as EBS itself says. Unset where it was not asked, which is the default, or did not answer.
	// +optional
	// +structType=atomic
	Exceeded *ExceededLimits `json:"exceeded,omitempty"`

	// volumeStatistics are what EBS itself counted of operations during the run. Unset as exceeded is, and for versions of the driver without them.
	// +optional
	// +structType=atomic
	VolumeStatistics *VolumeStatistics `json:"volumeStatistics,omitempty"`

	// nodeLoad is how busy the node was while fio measured. Unset where that is not known.
	// +optional
	// +structType=atomic
	NodeLoad *NodeLoad `json:"nodeLoad,omitempty"`

	// limitedBy says what held the result back.
	// +optional
	// +structType=atomic
	LimitedBy *LimitedBy `json:"limitedBy,omitempty"`

	// warnings say what may mislead readers of the result, the most misleading ones first. status.warnings says what to do about it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Warnings []Warning `json:"warnings,omitempty"`

	// sections are what each section of a job file measured, or each group of sections that ran together. Unset if
	// there is one result.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Sections []SectionResult `json:"sections,omitempty"`

	// probe is what was measured after the result, with twice the I/Os in flight. Unset if the workload has no probe, in all
	// repetitions but the last, and where the probe failed.
	// +optional
	Probe *ProbeResult `json:"probe,omitempty"`
}

// AbandonReason says why an attempt of a run was ended without a result.
//
// +kubebuilder:validation:Enum=Disrupted;Late;Suspended
type AbandonReason string

const (
	// AbandonDisrupted is the reason of an attempt that was ended from outside, such as by the eviction of its pod.
	AbandonDisrupted AbandonReason = "Disrupted"
	// AbandonLate is the reason of an attempt in which a client heard of the common start too late.
	AbandonLate AbandonReason = "Late"
	// AbandonSuspended is the reason of an attempt that was ended by spec.suspend.
	AbandonSuspended AbandonReason = "Suspended"
)

// AbandonedAttempt is an attempt of a run that was ended without a result.
type AbandonedAttempt struct {
	// run is the name of the run.
	// +required
	// +kubebuilder:validation:MaxLength=128
	Run string `json:"run"`

	// attempt is the number of the attempt, from 1.
	// +required
	Attempt int32 `json:"attempt"`

	// reason says why it was ended.
	// +required
	Reason AbandonReason `json:"reason"`

	// node that it measured from; of several clients, the first one's.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Node string `json:"node,omitempty"`

	// startTime is when it was started.
	// +optional
	StartTime *metav1.Time `json:"startTime,omitempty"`

	// completionTime is when the operator knew of its end.
	// +optional
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// message says why it was ended, in the words of Kubernetes.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}
