package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageBenchmarkSchedule makes a StorageBenchmark again and again, as a CronJob makes Jobs. It keeps what each measured as a
// point of its history, which outlives the StorageBenchmarks.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=sbs
// +kubebuilder:printcolumn:name="Schedule",type=string,JSONPath=`.spec.schedule`,description="When StorageBenchmarks are made"
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Scheduled")].reason`,description="Whether StorageBenchmarks are made, and why not"
// +kubebuilder:printcolumn:name="Active",type=integer,JSONPath=`.status.activeBenchmarks`,description="StorageBenchmarks that have not ended"
// +kubebuilder:printcolumn:name="Last",type=date,JSONPath=`.status.lastScheduleTime`,description="How long ago the last start was due that was made"
// +kubebuilder:printcolumn:name="Success",type=date,JSONPath=`.status.lastSuccessfulTime`,description="How long ago the last StorageBenchmark ended that has succeeded"
// +kubebuilder:printcolumn:name="Result",type=string,JSONPath=`.status.lastResult.reason`,description="How the last StorageBenchmark ended"
// +kubebuilder:printcolumn:name="Points",type=integer,JSONPath=`.status.history.points`,description="Points that the history has"
// +kubebuilder:printcolumn:name="Regressed",type=string,JSONPath=`.status.conditions[?(@.type=="Regressed")].status`,description="Whether results have become worse for good"
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Time zone",type=string,priority=1,JSONPath=`.spec.timeZone`,description="The time zone of the schedule"
// +kubebuilder:printcolumn:name="Next",type=string,priority=1,JSONPath=`.status.nextScheduleTime`,description="When the next start is due"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 48",message="the name may have at most 48 characters, because the names of its StorageBenchmarks have 15 more; choose a shorter one",reason=FieldValueInvalid
type StorageBenchmarkSchedule struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard metadata of objects.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// spec says when to make a StorageBenchmark, and which.
	// +required
	Spec StorageBenchmarkScheduleSpec `json:"spec"`

	// status says what was made, and when the next start is due. The operator writes it.
	// +optional
	// +kubebuilder:default={"observedGeneration":-1}
	Status StorageBenchmarkScheduleStatus `json:"status,omitzero"`
}

// StorageBenchmarkScheduleList is a list of StorageBenchmarkSchedules.
//
// +kubebuilder:object:root=true
type StorageBenchmarkScheduleList struct {
	metav1.TypeMeta `json:",inline"`
	// metadata is the standard metadata of lists.
	// +optional
	metav1.ListMeta `json:"metadata,omitempty"`
	// items are the StorageBenchmarkSchedules.
	// +required
	Items []StorageBenchmarkSchedule `json:"items"`
}

// StorageBenchmarkScheduleSpec says when to make a StorageBenchmark, and which.
type StorageBenchmarkScheduleSpec struct {
	// schedule says when a StorageBenchmark is made, as in a CronJob: five fields, such as "0 3 * * *", or @hourly, @daily, @weekly,
	// @monthly, @yearly, or @every and a duration of at least a minute, such as "@every 36h".
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:XValidation:rule="!self.contains('TZ')",message="TZ and CRON_TZ cannot be part of the schedule; set timeZone",reason=FieldValueInvalid
	// +kubebuilder:validation:XValidation:rule="self.contains('TZ') || self.matches('^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|@every [0-9a-z.]+|[0-9A-Za-z*/,?-]+( +[0-9A-Za-z*/,?-]+){4})$')",message="schedule must have five fields (minute, hour, day, month, weekday), such as '0 3 * * *', or be @hourly, @daily, @weekly, @monthly, @yearly, or @every and a duration",reason=FieldValueInvalid
	Schedule string `json:"schedule"`

	// timeZone is the time zone of the schedule, by its name in the tz database, such as Asia/Tokyo. Unset: UTC.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*$') && self != 'Local'",message="timeZone must be the name of a time zone of the tz database, such as Asia/Tokyo or Etc/UTC",reason=FieldValueInvalid
	TimeZone *string `json:"timeZone,omitempty"`

	// startingDeadlineSeconds is how many seconds late a StorageBenchmark may be made, where the operator was away or another
	// one was not over. A start that is later is missed. 10 to 31536000. Unset: however late. Of several starts that are due at
	// once only the last one is made.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=31536000
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty"`

	// concurrencyPolicy says what becomes of a start while a StorageBenchmark of the schedule is not over. Allow makes it all
	// the same. Forbid waits for the end, and then makes the last start that is due. Replace deletes the one that is not over,
	// with its results, and makes another one. One that somebody has started by hand is not deleted, and Forbid waits for it.
	// +optional
	// +kubebuilder:default=Allow
	ConcurrencyPolicy ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`

	// suspend has no StorageBenchmarks made as long as it is true. Those that are there go on, and get into the history. Starts
	// that are due meanwhile count as late: startingDeadlineSeconds says whether the last of them is made afterwards.
	// +optional
	// +kubebuilder:default=false
	Suspend *bool `json:"suspend,omitempty"`

	// historyLimit is how many points the history has at most. The oldest go first. 1 to 1000.
	// +optional
	// +kubebuilder:default=90
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000
	HistoryLimit *int32 `json:"historyLimit,omitempty"`

	// successfulBenchmarksHistoryLimit is how many StorageBenchmarks are kept that have succeeded. The oldest are deleted first, and
	// none before the history has its point. 0 to 32.
	// +optional
	// +kubebuilder:default=3
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=32
	SuccessfulBenchmarksHistoryLimit *int32 `json:"successfulBenchmarksHistoryLimit,omitempty"`

	// failedBenchmarksHistoryLimit is how many StorageBenchmarks are kept that have failed. 0 to 32.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=32
	FailedBenchmarksHistoryLimit *int32 `json:"failedBenchmarksHistoryLimit,omitempty"`

	// template is the StorageBenchmark that is made. A change holds for those that are made from then on.
	// +required
	Template StorageBenchmarkTemplate `json:"template"`
}

// StorageBenchmarkTemplate is what StorageBenchmarks of a schedule are made from.
//
// +kubebuilder:validation:XValidation:rule="!has(self.spec.ttlSecondsAfterFinished)",message="a schedule's limits say how many StorageBenchmarks are kept; remove ttlSecondsAfterFinished, and set successfulBenchmarksHistoryLimit and failedBenchmarksHistoryLimit",fieldPath=".spec.ttlSecondsAfterFinished",reason=FieldValueForbidden
type StorageBenchmarkTemplate struct {
	// metadata has labels and annotations of the StorageBenchmarks. Unset: the operator's own alone.
	// +optional
	Metadata TemplateMetadata `json:"metadata,omitzero"`

	// spec says what to measure, where and how, as in a StorageBenchmark.
	// +required
	Spec StorageBenchmarkSpec `json:"spec"`
}

// TemplateMetadata has labels and annotations of StorageBenchmarks that are made from a template.
type TemplateMetadata struct {
	// labels are put on the StorageBenchmarks, in addition to the operator's own.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/'))",message="labels below storagebench.dev/ are set by the operator; use another prefix",reason=FieldValueForbidden
	Labels map[string]string `json:"labels,omitempty"`

	// annotations are put on the StorageBenchmarks, in addition to the operator's own. A value may have 4,096 characters.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="!self.exists(k, k.startsWith('storagebench.dev/'))",message="annotations below storagebench.dev/ are set by the operator; use another prefix",reason=FieldValueForbidden
	Annotations map[string]string `json:"annotations,omitempty"`
}

// ConcurrencyPolicy says what becomes of a start while a StorageBenchmark of the schedule is not over.
//
// +kubebuilder:validation:Enum=Allow;Forbid;Replace
type ConcurrencyPolicy string

const (
	// ConcurrencyAllow makes another StorageBenchmark while it runs.
	ConcurrencyAllow ConcurrencyPolicy = "Allow"
	// ConcurrencyForbid waits for its end.
	ConcurrencyForbid ConcurrencyPolicy = "Forbid"
	// ConcurrencyReplace deletes it.
	ConcurrencyReplace ConcurrencyPolicy = "Replace"
)

// StorageBenchmarkScheduleStatus says what was made, and when the next start is due.
type StorageBenchmarkScheduleStatus struct {
	// observedGeneration is the generation of the spec that this status is about. It is -1 until the operator has seen the
	// schedule.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions of the schedule. Scheduled says whether StorageBenchmarks are made. HistoryKept says whether the history has a
	// point of each that has ended. Regressed says whether results have become worse for good. Stalled is for tools that follow kstatus.
	// +optional
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=8
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// lastScheduleTime is when the last start was due that was made.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`

	// lastSuccessfulTime is when the last StorageBenchmark ended that has succeeded.
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty"`

	// lastResult tells how the last StorageBenchmark ended. Unset until one has ended.
	// +optional
	LastResult *ScheduleResult `json:"lastResult,omitempty"`

	// waitingSince is since when a result is waited for: the last one came then, or the schedule was created. It is later by as long as
	// the schedule was suspended since.
	// +optional
	WaitingSince *metav1.Time `json:"waitingSince,omitempty"`

	// suspendedSince is when the operator saw first that the schedule is suspended. Unset while it is not.
	// +optional
	SuspendedSince *metav1.Time `json:"suspendedSince,omitempty"`

	// nextScheduleTime is when the next start is due. Unset while none will be made.
	// +optional
	NextScheduleTime *metav1.Time `json:"nextScheduleTime,omitempty"`

	// missedStarts is how many starts were due and not made, because the operator was away, another StorageBenchmark was not over,
	// or none could be made. It stops at 1000000.
	// +optional
	MissedStarts int32 `json:"missedStarts,omitempty"`

	// active are the names of the StorageBenchmarks that have not ended, the oldest first, at most 32.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:items:MaxLength=253
	Active []string `json:"active,omitempty"`

	// activeBenchmarks is the number of StorageBenchmarks that have not ended.
	// +optional
	ActiveBenchmarks int32 `json:"activeBenchmarks"`

	// history says where the points are.
	// +optional
	History ScheduleHistory `json:"history,omitzero"`
}

// ScheduleResult tells how a StorageBenchmark of a schedule ended.
type ScheduleResult struct {
	// benchmark is the name of the StorageBenchmark.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Benchmark string `json:"benchmark"`

	// completionTime is when it ended.
	// +required
	CompletionTime metav1.Time `json:"completionTime"`

	// reason is that of its condition Succeeded, such as Completed or InvalidSpec.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// message tells why it failed. Unset if it succeeded.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	Message string `json:"message,omitempty"`
}

// ScheduleHistory says where the points of a schedule are.
type ScheduleHistory struct {
	// configMaps are the names of the ConfigMaps that have the points.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MaxLength=253
	ConfigMaps []string `json:"configMaps,omitempty"`

	// points is the number of points.
	// +optional
	Points int32 `json:"points"`
}
