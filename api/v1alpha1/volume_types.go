package v1alpha1

// VolumeStatistics is what EBS itself counted of a run's volumes, from just before fio began until it had ended. aws-ebs-csi-driver has it as
// metrics (https://docs.aws.amazon.com/ebs/latest/userguide/nvme-detailed-performance-stats.html).
type VolumeStatistics struct {
	// operations are the reads and the writes. A kind without any is left out.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=2
	Operations []VolumeOperations `json:"operations,omitempty"`
}

// VolumeOperations is what EBS counted of one kind of operations. With several volumes, count and bytes are sums, and
// the percentiles are those of the slowest volume.
type VolumeOperations struct {
	// name is the kind of operation.
	// +required
	// +kubebuilder:validation:Enum=read;write
	Name string `json:"name"`

	// count is the number of operations. It is more than the I/Os of fio where these were split, or where a file system adds
	// its own, and less where they were merged.
	// +optional
	Count int64 `json:"count,omitempty"`

	// bytes is how many bytes they moved.
	// +optional
	Bytes int64 `json:"bytes,omitempty"`

	// meanMicroseconds is how long an operation took on average.
	// +optional
	MeanMicroseconds int64 `json:"meanMicroseconds,omitempty"`

	// p50Microseconds is what half of the operations took at most: the end of a bucket of EBS's histogram. Unset if it is
	// not known.
	// +optional
	P50Microseconds int64 `json:"p50Microseconds,omitempty"`

	// p99Microseconds is what 99 % of the operations took at most: the end of a bucket of EBS's histogram. Unset if it is
	// not known.
	// +optional
	P99Microseconds int64 `json:"p99Microseconds,omitempty"`
}

// Of returns what was counted of a kind of operation, nil if there was none.
func (v *VolumeStatistics) Of(name string) *VolumeOperations {
	if v == nil {
		return nil
	}
	for i := range v.Operations {
		if v.Operations[i].Name == name {
			return &v.Operations[i]
		}
	}
	return nil
}
