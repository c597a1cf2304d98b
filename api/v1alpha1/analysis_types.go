package v1alpha1

// LimitScope says what limits belong to, and so what a verdict calls them.
//
// +kubebuilder:validation:Enum=Volume;FileSystem;Client;Instance
type LimitScope string

const (
	// ScopeVolume is for limits of one volume, such as those of an EBS volume.
	ScopeVolume LimitScope = "Volume"
	// ScopeFileSystem is for limits of a file system that many share, such as those of EFS.
	ScopeFileSystem LimitScope = "FileSystem"
	// ScopeClient is for limits of one client of storage that many share, such as those of an EFS mount.
	ScopeClient LimitScope = "Client"
	// ScopeInstance is for limits of the instance that is the node, such as its EBS bandwidth.
	ScopeInstance LimitScope = "Instance"
)

// Limits are what storage can do at most, by its documentation or settings. Where reads and writes have
// limits of their own, these take the place of the limit for both.
type Limits struct {
	// What the limits belong to: Volume or FileSystem, of clientLimits Client or Instance. Default: what fits
	// the target.
	// +optional
	Scope LimitScope `json:"scope,omitempty"`

	// I/Os per second, reads and writes together.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	IOPS *int64 `json:"iops,omitempty"`

	// Reads per second.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ReadIOPS *int64 `json:"readIOPS,omitempty"`

	// Writes per second.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	WriteIOPS *int64 `json:"writeIOPS,omitempty"`

	// Bytes per second, reads and writes together: 125 MiB/s are 131072000.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BytesPerSecond *int64 `json:"bytesPerSecond,omitempty"`

	// Bytes read per second.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ReadBytesPerSecond *int64 `json:"readBytesPerSecond,omitempty"`

	// Bytes written per second.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	WriteBytesPerSecond *int64 `json:"writeBytesPerSecond,omitempty"`

	// What remains when credits are used up, of limits that hold only as long as there are credits.
	// +optional
	Burst *Burst `json:"burst,omitempty"`
}

// Burst says that limits hold only as long as there are credits, such as those of a gp2 volume, and what remains
// after that.
type Burst struct {
	// I/Os per second without credits.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BaselineIOPS *int64 `json:"baselineIOPS,omitempty"`

	// Bytes per second without credits.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BaselineBytesPerSecond *int64 `json:"baselineBytesPerSecond,omitempty"`

	// Most credits for I/Os: I/Os that can be done beyond the baseline. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	IOCredits *int64 `json:"ioCredits,omitempty"`

	// Most credits for bytes: bytes that can be moved beyond the baseline. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ByteCredits *int64 `json:"byteCredits,omitempty"`
}

// KnownLimits are the limits that results are judged by.
type KnownLimits struct {
	Limits `json:",inline"`

	// Where the limits are known from.
	// +optional
	// +kubebuilder:validation:MaxLength=192
	Source string `json:"source,omitempty"`
}

// Reasons of LimitedBy: what can hold a result back.
const (
	// BoundVolumeIOPS: the I/Os per second that the volume can do.
	BoundVolumeIOPS = "VolumeIOPS"
	// BoundVolumeThroughput: the bytes per second that the volume can do.
	BoundVolumeThroughput = "VolumeThroughput"
	// BoundFileSystemIOPS: the I/Os per second that the file system can do.
	BoundFileSystemIOPS = "FileSystemIOPS"
	// BoundFileSystemThroughput: the bytes per second that the file system can do.
	BoundFileSystemThroughput = "FileSystemThroughput"
	// BoundClientIOPS: the I/Os per second that one client of the storage can do.
	BoundClientIOPS = "ClientIOPS"
	// BoundClientThroughput: the bytes per second that one client of the storage can do.
	BoundClientThroughput = "ClientThroughput"
	// BoundInstanceIOPS: the I/Os per second that the node's instance can do.
	BoundInstanceIOPS = "InstanceIOPS"
	// BoundInstanceThroughput: the bytes per second that the node's instance can do.
	BoundInstanceThroughput = "InstanceThroughput"
	// BoundWorkloadRate: the rate that the workload itself is held to, by fio's rate or rate_iops.
	BoundWorkloadRate = "WorkloadRate"
	// BoundClientCPU: the CPU that fio had.
	BoundClientCPU = "ClientCPU"
	// BoundLatency: the time that an I/O takes, together with how many the workload keeps in flight.
	BoundLatency = "Latency"
	// BoundUnknown: none of these, as far as is known.
	BoundUnknown = "Unknown"
)

// LimitedBy says what held a result back.
type LimitedBy struct {
	// What it was. A limit that is known stands in the one of the fields limit… that has its unit. Results that an
	// earlier version has written may have none.
	// +optional
	// +kubebuilder:validation:Enum=VolumeIOPS;VolumeThroughput;FileSystemIOPS;FileSystemThroughput;ClientIOPS;ClientThroughput;InstanceIOPS;InstanceThroughput;WorkloadRate;ClientCPU;Latency;Unknown
	Reason string `json:"reason,omitempty"`

	// I/Os per second that the limit allows.
	// +optional
	LimitIOPS *int64 `json:"limitIOPS,omitempty"`

	// Bytes per second that the limit allows.
	// +optional
	LimitBytesPerSecond *int64 `json:"limitBytesPerSecond,omitempty"`

	// CPU that fio may use, in percent: 100 for each CPU.
	// +optional
	LimitCPUPercent *int64 `json:"limitCPUPercent,omitempty"`

	// I/Os that the workload keeps in flight.
	// +optional
	LimitInFlight *int64 `json:"limitInFlight,omitempty"`

	// How much of the limit the result used.
	// +optional
	UsedPercent *int32 `json:"usedPercent,omitempty"`

	// Why, in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Reasons of warnings.
const (
	// WarningVolumeReplaced: a claim was deleted and made again, and runs on one target were made on different volumes.
	WarningVolumeReplaced = "VolumeReplaced"
	// WarningFilesFitInMemory: buffered I/O on files that the node's page cache can hold.
	WarningFilesFitInMemory = "FilesFitInMemory"
	// WarningCPUThrottled: the container's CPU limit held fio back.
	WarningCPUThrottled = "CPUThrottled"
	// WarningFewSamples: fewer I/Os than a percentile needs.
	WarningFewSamples = "FewSamples"
	// WarningStartSkew: clients did not begin together, or the clocks of their nodes differ.
	WarningStartSkew = "StartSkew"
	// WarningShortOverlap: some clients measured while others did not yet, or no longer.
	WarningShortOverlap = "ShortOverlap"
	// WarningShortRuntime: measured for less than 10 s.
	WarningShortRuntime = "ShortRuntime"
	// WarningSpread: repetitions differ by more than 10 %.
	WarningSpread = "Spread"
	// WarningNoLatency: fio was told not to take latencies, as by gtod_reduce.
	WarningNoLatency = "NoLatency"
	// WarningShortIOs: I/Os that were completed in part, or never issued.
	WarningShortIOs = "ShortIOs"
	// WarningSparseReads: blocks were read that nobody had written.
	WarningSparseReads = "SparseReads"
	// WarningBurstCredits: what was measured holds only as long as there are burst credits.
	WarningBurstCredits = "BurstCredits"
)

// Warning says what may mislead whoever reads a result.
type Warning struct {
	// Kind of the warning. status.warnings tells what to do about it.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// What was seen, in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// WarningSummary is a kind of warning that results have.
type WarningSummary struct {
	// Kind of the warning.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// Number of results that have it.
	// +optional
	Results int32 `json:"results,omitempty"`

	// What the first of them says, after its name.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// What to do about it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Remedy string `json:"remedy,omitempty"`
}
