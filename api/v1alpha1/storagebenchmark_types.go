package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageBenchmark measures storage with fio. It names the storage to measure (targets) and what
// to measure there (workloads). The operator provisions the volumes, runs fio in pods, writes the
// parsed results into the status and removes what it made.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sb
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Succeeded")].reason`,description="The step that the benchmark is at, or how it ended"
// +kubebuilder:printcolumn:name="Runs",type=string,JSONPath=`.status.progress`,description="Finished and planned runs"
// +kubebuilder:printcolumn:name="Best",type=string,JSONPath=`.status.best`,description="The target that did most I/Os per second. With a single target, what it did"
// +kubebuilder:printcolumn:name="Expected",type=string,JSONPath=`.status.expected`,description="Whether the results are as expected"
// +kubebuilder:printcolumn:name="Warn",type=integer,JSONPath=`.status.warningCount`,description="Number of warnings about the results"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Summary",type=string,priority=1,JSONPath=`.status.summary`,description="The results in one line"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 63",message="the name may have at most 63 characters, because it becomes the value of a label; choose a shorter one",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.status) || !has(oldSelf.status.startTime) || (self.spec.targets == oldSelf.spec.targets && self.spec.workloads == oldSelf.spec.workloads && (has(self.spec.pod) ? has(oldSelf.spec.pod) && self.spec.pod == oldSelf.spec.pod : !has(oldSelf.spec.pod)) && (has(self.spec.placement) ? has(oldSelf.spec.placement) && self.spec.placement == oldSelf.spec.placement : !has(oldSelf.spec.placement)) && (has(self.spec.fio) ? has(oldSelf.spec.fio) && self.spec.fio == oldSelf.spec.fio : !has(oldSelf.spec.fio)) && (has(self.spec.repetitions) ? has(oldSelf.spec.repetitions) && self.spec.repetitions == oldSelf.spec.repetitions : !has(oldSelf.spec.repetitions)) && (has(self.spec.clients) ? has(oldSelf.spec.clients) && self.spec.clients == oldSelf.spec.clients : !has(oldSelf.spec.clients)) && (has(self.spec.order) ? has(oldSelf.spec.order) && self.spec.order == oldSelf.spec.order : !has(oldSelf.spec.order)) && (has(self.spec.baseline) ? has(oldSelf.spec.baseline) && self.spec.baseline == oldSelf.spec.baseline : !has(oldSelf.spec.baseline)) && (has(self.spec.expectations) ? has(oldSelf.spec.expectations) && self.spec.expectations == oldSelf.spec.expectations : !has(oldSelf.spec.expectations)))",message="targets, workloads, fio, placement, pod, repetitions, clients, order, baseline and expectations cannot change after the benchmark has started; create another StorageBenchmark",reason=FieldValueForbidden,fieldPath=".spec"
type StorageBenchmark struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard metadata of objects.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says what to measure, where and how.
	// +required
	Spec StorageBenchmarkSpec `json:"spec"`

	// status says what was provisioned and measured. The operator writes it.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status StorageBenchmarkStatus `json:"status,omitzero"`
}

// StorageBenchmarkList is a list of StorageBenchmarks.
//
// +kubebuilder:object:root=true
type StorageBenchmarkList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard metadata of lists.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// items are the StorageBenchmarks.
	// +required
	Items []StorageBenchmark `json:"items"`
}

// StorageBenchmarkSpec says what to measure, where and how. Every workload is measured on every
// target, one run after the other.
//
// +kubebuilder:validation:XValidation:rule="self.targets.size() * self.workloads.size() * (has(self.repetitions) ? self.repetitions : 1) <= 200",message="every workload is measured on every target as often as repetitions says, and a benchmark holds at most 200 such runs; split it",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.baseline) || self.targets.exists(t, t.name == self.baseline)",message="baseline must be the name of one of the targets",fieldPath=".baseline",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.expectations) || self.expectations.all(e, (!has(e.target) || self.targets.exists(t, t.name == e.target)) && (!has(e.workload) || self.workloads.exists(w, w.name == e.workload)))",message="target and workload of an expectation must be names of one of the targets and one of the workloads",fieldPath=".expectations",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.expectations) || self.expectations.all(e, !(has(e.maxRatioToBaseline) || has(e.minRatioToBaseline)) || (has(e.target) ? e.target != (has(self.baseline) ? self.baseline : self.targets[0].name) : self.targets.size() > 1))",message="a ratio is one to the baseline, which has none to itself: add or name another target, or set max or min",fieldPath=".expectations",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="self.workloads.all(w, !has(w.fio) || has(w.fio.rw) || self.?fio.?rw.hasValue() || has(w.matrix) && ('rw' in w.matrix || 'readwrite' in w.matrix))",message="set rw of each workload's fio to the type of I/O, such as randread",fieldPath=".workloads",reason=FieldValueRequired
type StorageBenchmarkSpec struct {
	// targets are the storage to measure.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Targets []Target `json:"targets"`

	// workloads are what fio does on each target.
	// +required
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:XValidation:rule="self.map(w, has(w.jobFile) ? w.jobFile.size() : 0).sum() <= 131072",message="all jobFiles together may have 131072 characters: give what differs in matrix, or split the benchmark",reason=FieldValueInvalid
	Workloads []Workload `json:"workloads"`

	// fio is what all workloads of fio have that do not set it themselves, like [global] of a job file. A workload inherits
	// nothing that contradicts what it sets itself: an engine that waits for each I/O has no iodepth, a job that ends when it
	// has done its work no runtimeSeconds, and one with fsync or fdatasync neither ioengine, iodepth nor direct, because
	// asynchronous engines do not wait for the writes before a sync. A workload that sets bs, size or direct does not inherit
	// the options that take its place (bsrange and bssplit, filesize and fill_device, buffered), and a rate of 0 undoes an
	// inherited one. Writes to s3 end by size. Presets and job files inherit nothing. By default, storage is measured and not
	// memory: ioengine libaio, iodepth 16, direct true, size 1G and runtimeSeconds 30.
	// +optional
	// +kubebuilder:default={ioengine: libaio, iodepth: 16, direct: true, size: "1G", runtimeSeconds: 30}
	Fio *FioParameters `json:"fio,omitempty"`

	// baseline is the name of the target that the others are compared with. Unset: the first one.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	Baseline *string `json:"baseline,omitempty"`

	// expectations are what the results have to be. Condition ExpectationsMet says whether they are. Succeeded does not
	// depend on it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Expectations []Expectation `json:"expectations,omitempty"`

	// repetitions is how often each workload is measured on each target. 1 to 64. From 4 on, comparisons have a
	// verdict. From 6 on, figures have a confidence interval.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=64
	Repetitions *int32 `json:"repetitions,omitempty"`

	// clients is the number of pods that run each workload together. 1 to 128. They begin at the same instant, each on
	// a node of its own (placement.spread). Their figures are added up and their latencies merged. Storage that many
	// nodes can mount (ReadWriteMany) is shared; otherwise each client has a volume of its own. The clients of a workload
	// take the place of this.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=128
	Clients *int32 `json:"clients,omitempty"`

	// order of the runs. Interleaved measures a workload on all targets before the next workload, and all workloads
	// before their next repetition. Every second repetition has the targets backwards, and each pair of repetitions
	// begins with the next target. So what changes with time (a busy neighbour, burst credits) meets all targets
	// alike. ByTarget makes all runs of one target before the next target: what changes with time then looks like a
	// difference between targets. Random offsets differ between repetitions, and not between targets.
	// +optional
	// +kubebuilder:default=Interleaved
	Order Order `json:"order,omitempty"`

	// placement says where the pods that run fio may be scheduled. placement and pod together may have 64 KiB as text.
	// Unset: on any node, each with a node to itself.
	// +optional
	Placement *Placement `json:"placement,omitempty"`

	// pod has settings of the pods that run fio.
	// +optional
	Pod *PodSettings `json:"pod,omitempty"`

	// deadlines say how long each step may take. A step that takes longer ends the benchmark and says what it waited
	// for.
	// +optional
	// +kubebuilder:default={}
	Deadlines Deadlines `json:"deadlines,omitzero"`

	// suspend holds the benchmark. Setting it to true during a run ends that run. The run is repeated after suspend is
	// set to false again. Finished runs and provisioned volumes are kept.
	// +optional
	// +kubebuilder:default=false
	Suspend *bool `json:"suspend,omitempty"`

	// cancel ends the benchmark for good. The run under way is ended, results of earlier runs are kept, and volumes and test
	// files are handled by cleanupPolicy. It cannot be set back to false.
	// +optional
	// +kubebuilder:default=false
	// +kubebuilder:validation:XValidation:rule="self || !oldSelf",message="a cancelled benchmark stays cancelled; create another one, such as with kubectl storagebench rerun",reason=FieldValueForbidden
	Cancel *bool `json:"cancel,omitempty"`

	// cleanupPolicy says what happens to volumes and test files at the end. Delete removes them as soon as the last
	// run has ended. Retain ends what still runs, and keeps them for inspection until the StorageBenchmark is deleted.
	// +optional
	// +kubebuilder:default=Delete
	CleanupPolicy CleanupPolicy `json:"cleanupPolicy,omitempty"`

	// ttlSecondsAfterFinished is how many seconds after its end the StorageBenchmark deletes itself, together with its
	// results. 0 to 31536000. Unset: never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=31536000
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished,omitempty"`
}

// Order is the order of runs.
//
// +kubebuilder:validation:Enum=Interleaved;ByTarget
type Order string

const (
	// OrderInterleaved goes through the targets first, in turn, then through workloads, then through repetitions.
	OrderInterleaved Order = "Interleaved"
	// OrderByTarget goes through workloads first, then through repetitions, then through targets.
	OrderByTarget Order = "ByTarget"
)

// CleanupPolicy says what happens to volumes and test files when a benchmark has ended.
//
// +kubebuilder:validation:Enum=Delete;Retain
type CleanupPolicy string

const (
	// CleanupDelete removes volumes and test files as soon as the last run has ended.
	CleanupDelete CleanupPolicy = "Delete"
	// CleanupRetain keeps volumes and test files until the StorageBenchmark is deleted.
	CleanupRetain CleanupPolicy = "Retain"
)
