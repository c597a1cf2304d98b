package v1alpha1

// CounterSource says what the kernel has counted.
//
// +kubebuilder:validation:Enum=BlockDevice;NFS
type CounterSource string

const (
	// CountersOfBlockDevice are those of a block device, in /proc/diskstats (https://docs.kernel.org/admin-guide/iostats.html).
	CountersOfBlockDevice CounterSource = "BlockDevice"
	// CountersOfNFS are those of an NFS mount, such as one of EFS, in /proc/self/mountstats.
	CountersOfNFS CounterSource = "NFS"
)

// StorageCounters are what the nodes' kernels counted of the storage while a run went on: from just before fio began, with its ramp_time and all
// that others did there, until it had ended. They are those of all clients together.
type StorageCounters struct {
	// source says what was counted.
	// +required
	Source CounterSource `json:"source"`

	// reads is the number of reads that the storage completed. Where fio had more, the page cache answered them, or the kernel made fewer and
	// larger ones of them. Where it had fewer, large ones were split, or somebody else reads there.
	// +optional
	Reads int64 `json:"reads,omitempty"`

	// readBytes is how many bytes were read.
	// +optional
	ReadBytes int64 `json:"readBytes,omitempty"`

	// writes is the number of writes that the storage completed. Those of the file system's own data count as well.
	// +optional
	Writes int64 `json:"writes,omitempty"`

	// writeBytes is how many bytes were written.
	// +optional
	WriteBytes int64 `json:"writeBytes,omitempty"`

	// others is the number of other operations: discards and flushes of a block device, all but READ and WRITE of NFS.
	// +optional
	Others int64 `json:"others,omitempty"`

	// merges is the number of reads and writes of a block device that the kernel made part of another one.
	// +optional
	Merges int64 `json:"merges,omitempty"`

	// busyMilliseconds is for how long a block device had something to do, those of several clients added up.
	// +optional
	BusyMilliseconds int64 `json:"busyMilliseconds,omitempty"`

	// queueMilliseconds is for how long all operations were there, added up. Divided by the time of the run it is how many there were on average.
	// +optional
	QueueMilliseconds int64 `json:"queueMilliseconds,omitempty"`

	// retransmissions is the number of operations of NFS that were sent again, because no answer came.
	// +optional
	Retransmissions int64 `json:"retransmissions,omitempty"`
}

// ExceededLimits is for how long demand exceeded what EBS volumes may do, and what their instances may, as EBS itself counts it. aws-ebs-csi-driver has
// it as metrics (https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/v1.64.0/docs/metrics.md). Of several volumes the times are added up.
type ExceededLimits struct {
	// volumeIOPSMilliseconds is for how long more IOPS were asked for than the volume may do.
	// +optional
	VolumeIOPSMilliseconds int64 `json:"volumeIOPSMilliseconds,omitempty"`

	// volumeThroughputMilliseconds is for how long more throughput was asked for than the volume may do.
	// +optional
	VolumeThroughputMilliseconds int64 `json:"volumeThroughputMilliseconds,omitempty"`

	// instanceIOPSMilliseconds is for how long the volume asked for more IOPS than its instance may do.
	// +optional
	InstanceIOPSMilliseconds int64 `json:"instanceIOPSMilliseconds,omitempty"`

	// instanceThroughputMilliseconds is for how long the volume asked for more throughput than its instance may do.
	// +optional
	InstanceThroughputMilliseconds int64 `json:"instanceThroughputMilliseconds,omitempty"`
}
