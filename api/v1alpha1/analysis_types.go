package v1alpha1

// LimitScope says what limits belong to. LimitedBy names them after it.
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

// Limits are what storage can do at most, by its documentation or settings. Limits for reads or for writes take the
// place of the limit for both.
type Limits struct {
	// scope is what the limits belong to: Volume or FileSystem, in clientLimits Client or Instance. Unset: what fits
	// the target.
	// +optional
	Scope LimitScope `json:"scope,omitempty"`

	// iops is the most I/Os per second, reads and writes together. At least 1. Unset: no limit is known.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	IOPS *int64 `json:"iops,omitempty"`

	// readIOPS is the most reads per second. At least 1. Unset: iops holds for reads.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ReadIOPS *int64 `json:"readIOPS,omitempty"`

	// writeIOPS is the most writes per second. At least 1. Unset: iops holds for writes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	WriteIOPS *int64 `json:"writeIOPS,omitempty"`

	// bytesPerSecond is the most bytes per second, reads and writes together: 125 MiB/s are 131072000. At least 1.
	// Unset: no limit is known.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BytesPerSecond *int64 `json:"bytesPerSecond,omitempty"`

	// readBytesPerSecond is the most bytes read per second. At least 1. Unset: bytesPerSecond holds for reads.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ReadBytesPerSecond *int64 `json:"readBytesPerSecond,omitempty"`

	// writeBytesPerSecond is the most bytes written per second. At least 1. Unset: bytesPerSecond holds for writes.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	WriteBytesPerSecond *int64 `json:"writeBytesPerSecond,omitempty"`

	// burst says what remains of the limits when burst credits are used up. Unset: the limits need no credits.
	// +optional
	Burst *Burst `json:"burst,omitempty"`
}

// Burst says that limits hold only as long as there are credits, as with a gp2 volume, and what remains after that.
type Burst struct {
	// baselineIOPS is the I/Os per second that are possible without credits. At least 1. Unset: I/Os per second do not
	// depend on credits, as far as is known.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BaselineIOPS *int64 `json:"baselineIOPS,omitempty"`

	// baselineBytesPerSecond is the bytes per second that are possible without credits. At least 1. Unset: bytes per
	// second do not depend on credits, as far as is known.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	BaselineBytesPerSecond *int64 `json:"baselineBytesPerSecond,omitempty"`

	// ioCredits is how many I/Os full credits allow beyond the baseline. At least 1. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	IOCredits *int64 `json:"ioCredits,omitempty"`

	// byteCredits is how many bytes full credits allow beyond the baseline. At least 1. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	ByteCredits *int64 `json:"byteCredits,omitempty"`
}

// IOCounting says how storage counts I/Os against its limits.
//
// +kubebuilder:validation:Enum=RandomOnly;MergesSequential;Shared
type IOCounting string

const (
	// CountsRandom is for limits of I/Os that hold for random I/O only: sequential I/Os become few large ones, as on magnetic disks and in S3.
	CountsRandom IOCounting = "RandomOnly"
	// CountsMerged is for storage that may count several sequential I/Os of 32 KiB and more as one, as EBS does on SSD volumes.
	CountsMerged IOCounting = "MergesSequential"
	// CountsShared is for reads and writes that share what readIOPS and writeIOPS give to each alone, as on EFS.
	CountsShared IOCounting = "Shared"
)

// LimitPrecision says what a figure of documentation is, if not a limit.
//
// +kubebuilder:validation:Enum=Range;AtLeast
type LimitPrecision string

const (
	// PrecisionRange is for the end of a range, or of what is usual: storage may do less, and no result can be judged by it.
	PrecisionRange LimitPrecision = "Range"
	// PrecisionAtLeast is for what storage does at least.
	PrecisionAtLeast LimitPrecision = "AtLeast"
)

// KnownLimits are the limits that results are judged by.
type KnownLimits struct {
	Limits `json:",inline"`

	// counting says how I/Os count against iops, readIOPS and writeIOPS. RandomOnly: only random I/Os count. MergesSequential: several
	// sequential I/Os may count as one. Shared: reads and writes count against the same limit. Unset: each I/O counts as one.
	// +optional
	Counting IOCounting `json:"counting,omitempty"`

	// precision says what the figures are if the documentation gives no limits: the end of a range (Range), or what storage does at least (AtLeast).
	// Results are not judged by such figures, but compared with them. Unset: they are limits.
	// +optional
	Precision LimitPrecision `json:"precision,omitempty"`

	// loweredIOPS is the I/Os per second that the volume has if its driver lowered iops, which no object tells. aws-ebs-csi-driver gives gp3
	// volumes at most 16000 where EC2 does not let it look up the region's maximum. A result near it is not judged. Unset: the driver lowers nothing.
	// +optional
	// +kubebuilder:validation:Minimum=1
	LoweredIOPS *int64 `json:"loweredIOPS,omitempty"`

	// loweredBytesPerSecond is the bytes per second that the node has if its instance gives bandwidth to the other side, by
	// bandwidth weighting vpc-1 or ebs-1, which no object tells. A result near it is not judged. Unset: it cannot.
	// +optional
	// +kubebuilder:validation:Minimum=1
	LoweredBytesPerSecond *int64 `json:"loweredBytesPerSecond,omitempty"`

	// typicalReadMicroseconds is about how long a read of up to 256 KiB takes that waits for no other one, as the
	// documentation says. Latency holds a result back only where its mean is of that size. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	TypicalReadMicroseconds *int64 `json:"typicalReadMicroseconds,omitempty"`

	// typicalWriteMicroseconds is about how long a write of up to 256 KiB takes that waits for no other one, as the
	// documentation says. Unset: unknown.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=9007199254740991
	TypicalWriteMicroseconds *int64 `json:"typicalWriteMicroseconds,omitempty"`

	// source says where the limits are known from.
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
	// BoundWorkloadRate: the rate that the workload itself is held to, by fio's rate, rate_iops or thinktime.
	BoundWorkloadRate = "WorkloadRate"
	// BoundClientCPU: the CPU that fio had.
	BoundClientCPU = "ClientCPU"
	// BoundNodeCPU: the CPUs of the node, which others than fio used.
	BoundNodeCPU = "NodeCPU"
	// BoundStorage: an unknown limit of the storage, or of the way to it: with more I/Os in flight it did no more.
	BoundStorage = "Storage"
	// BoundQueue: I/Os wait for each other somewhere on the way to the storage, for several times as long as the storage
	// is known to take, though no known limit is reached.
	BoundQueue = "Queue"
	// BoundLatency: the time that an I/O takes, together with how many the workload keeps in flight. It has the size that the
	// storage is known for.
	BoundLatency = "Latency"
	// BoundUnknown: none of these, as far as is known.
	BoundUnknown = "Unknown"
)

// Evidence is what a verdict rests on, where it is about the storage.
//
// +kubebuilder:validation:Enum=Documentation;Settings;Probe;Volume
type Evidence string

const (
	// EvidenceDocumentation is for limits that are documented, or that follow from what is documented of the volume or the node.
	EvidenceDocumentation Evidence = "Documentation"
	// EvidenceSettings is for limits that the spec says.
	EvidenceSettings Evidence = "Settings"
	// EvidenceProbe is for what the probe has shown, or a matrix over numjobs, iodepth or clients. It outweighs those above.
	EvidenceProbe Evidence = "Probe"
	// EvidenceVolume is for what EBS itself says: for how long limits of the volume and of its instance were exceeded. It outweighs the others.
	EvidenceVolume Evidence = "Volume"
)

// LimitedBy says what held a result back.
type LimitedBy struct {
	// reason is what held the result back. If it is a known limit, the field limit… with its unit has the figure.
	// Results that an earlier version has written may have no reason.
	// +optional
	// +kubebuilder:validation:Enum=VolumeIOPS;VolumeThroughput;FileSystemIOPS;FileSystemThroughput;ClientIOPS;ClientThroughput;InstanceIOPS;InstanceThroughput;WorkloadRate;ClientCPU;NodeCPU;Storage;Queue;Latency;Unknown
	Reason string `json:"reason,omitempty"`

	// limitIOPS is the limit in I/Os per second. Unset for limits of another unit.
	// +optional
	LimitIOPS *int64 `json:"limitIOPS,omitempty"`

	// limitBytesPerSecond is the limit in bytes per second. Unset for limits of another unit.
	// +optional
	LimitBytesPerSecond *int64 `json:"limitBytesPerSecond,omitempty"`

	// limitCPUPercent is the CPU that fio may use, in percent: 100 for each CPU. Unset for limits of another unit.
	// +optional
	LimitCPUPercent *int64 `json:"limitCPUPercent,omitempty"`

	// limitInFlight is the number of I/Os that the workload keeps in flight. Unset for limits of another unit.
	// +optional
	LimitInFlight *int64 `json:"limitInFlight,omitempty"`

	// usedPercent is how much of the limit the result used, in percent. Unset if that is unknown.
	// +optional
	UsedPercent *int32 `json:"usedPercent,omitempty"`

	// evidence is what the reason rests on. Unset where it rests on what fio and the node said alone.
	// +optional
	Evidence Evidence `json:"evidence,omitempty"`

	// message explains the reason in one sentence.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`
}

// Reasons of warnings, those first that mislead most: of figures that are not of the storage, or cannot last, before those of figures that are less exact.
const (
	// WarningNodeChanged: runs of a target were made from different nodes, such as after the first one was lost.
	WarningNodeChanged = "NodeChanged"
	// WarningProbeFailed: the probe after the result failed.
	WarningProbeFailed = "ProbeFailed"
	// WarningUnsyncedWrites: buffered writes that nothing forces to the storage, so that they measure memory.
	WarningUnsyncedWrites = "UnsyncedWrites"
	// WarningFilesFitInMemory: buffered I/O on files that the node's page cache can hold.
	WarningFilesFitInMemory = "FilesFitInMemory"
	// WarningLatencyOfMemory: buffered writes that only a sync at the end forces to the storage, so that their latencies are memory's.
	WarningLatencyOfMemory = "LatencyOfMemory"
	// WarningOtherFilesSynced: jobs with several files, whose syncs are of another file than the one that was just written.
	WarningOtherFilesSynced = "OtherFilesSynced"
	// WarningMetadataFromMemory: lookups of files or directories that the node's memory answered.
	WarningMetadataFromMemory = "MetadataFromMemory"
	// WarningSparseReads: blocks were read that nobody had written.
	WarningSparseReads = "SparseReads"
	// WarningFirstAccess: a volume that was made from a snapshot or a claim, whose blocks may be loaded when they are first
	// used.
	WarningFirstAccess = "FirstAccess"
	// WarningFasterThanDocumented: storage did more than its limits or its documentation say, as from a cache.
	WarningFasterThanDocumented = "FasterThanDocumented"
	// WarningFilesReadAgain: small files on storage without known limits, which a cache below them can hold, were read many times.
	WarningFilesReadAgain = "FilesReadAgain"
	// WarningBurstCredits: what was measured holds only as long as there are burst credits.
	WarningBurstCredits = "BurstCredits"
	// WarningNotSteady: what was to be measured when it is steady, or warm, was measured when its time was over.
	WarningNotSteady = "NotSteady"
	// WarningRateFell: the rate fell during the run and stayed lower, so that one figure stands for two.
	WarningRateFell = "RateFell"
	// WarningWarmUp: the rate was lower at first, as of storage that has to warm up, and that time is in the result.
	WarningWarmUp = "WarmUp"
	// WarningAlikeData: data that is easy to compress, or often the same, by an option of the workload.
	WarningAlikeData = "AlikeData"
	// WarningShortIOs: I/Os that were completed in part, or never issued.
	WarningShortIOs = "ShortIOs"
	// WarningOmittedWaits: I/Os began later than the workload's rate has them, and fio does not count that as latency.
	WarningOmittedWaits = "OmittedWaits"
	// WarningOrderByTarget: all runs of a target were made before those of the next one, so that drift looks like a difference.
	WarningOrderByTarget = "OrderByTarget"
	// WarningCPUThrottled: the container's CPU limit held fio back.
	WarningCPUThrottled = "CPUThrottled"
	// WarningCPUSteal: the hypervisor kept CPU time from the node, as it does when CPU credits are used up.
	WarningCPUSteal = "CPUSteal"
	// WarningNodeBusy: others used the node's CPUs, so that fio, or what serves the storage, waited for them.
	WarningNodeBusy = "NodeBusy"
	// WarningNearlyFull: the file system had little space left, or few inodes.
	WarningNearlyFull = "NearlyFull"
	// WarningIODepthIgnored: an iodepth with an engine that waits for each I/O.
	WarningIODepthIgnored = "IODepthIgnored"
	// WarningBufferedAsync: libaio through the page cache, which waits for each I/O.
	WarningBufferedAsync = "BufferedAsync"
	// WarningUnevenJobs: one of several jobs that are told to do the same did most of the I/O.
	WarningUnevenJobs = "UnevenJobs"
	// WarningStartSkew: clients did not begin together, or the clocks of their nodes differ.
	WarningStartSkew = "StartSkew"
	// WarningShortOverlap: some clients measured while others did not yet, or no longer.
	WarningShortOverlap = "ShortOverlap"
	// WarningSpread: repetitions differ by more than 10 %.
	WarningSpread = "Spread"
	// WarningDependentRuns: repetitions are like the ones before them, as beside a neighbour that stays, and tell less than they are.
	WarningDependentRuns = "DependentRuns"
	// WarningOneRun: one run is far off, and without it there would be a difference.
	WarningOneRun = "OneRun"
	// WarningNotMonotone: in a search a lower load was beyond the budget than one that kept it.
	WarningNotMonotone = "NotMonotone"
	// WarningShortRuntime: measured for less than 10 s.
	WarningShortRuntime = "ShortRuntime"
	// WarningFewSamples: fewer I/Os than a percentile needs.
	WarningFewSamples = "FewSamples"
	// WarningNoLatency: fio was told not to measure latency, as by gtod_reduce.
	WarningNoLatency = "NoLatency"
)

// Warning says what may mislead readers of a result.
type Warning struct {
	// reason is the kind of warning. status.warnings says what to do about it.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// message says in one sentence what was seen. Unset where a run has more warnings than there is room for: then the last ones have their reasons
	// only.
	// +optional
	// +kubebuilder:validation:MaxLength=256
	Message string `json:"message,omitempty"`
}

// WarningSummary is a kind of warning that results have.
type WarningSummary struct {
	// reason is the kind of warning.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Reason string `json:"reason"`

	// results is the number of results with this warning.
	// +optional
	Results int32 `json:"results,omitempty"`

	// message names the first of these results, and says what was seen there.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Message string `json:"message,omitempty"`

	// remedy is what to do about it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Remedy string `json:"remedy,omitempty"`
}
