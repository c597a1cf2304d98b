package v1alpha1

// NodeLoad is how busy the node was while fio measured. With several clients, each figure is the
// highest of theirs.
type NodeLoad struct {
	// busyPercent is the share of the node's CPU time in which its CPUs were not idle.
	// +optional
	BusyPercent int32 `json:"busyPercent,omitempty"`

	// othersPercent is the share of the node's CPU time that others than fio used: other pods, and the node itself.
	// +optional
	OthersPercent int32 `json:"othersPercent,omitempty"`

	// waitedPercent is the share of their time in which fio's jobs could have run, and waited for a CPU. Unset also in
	// runs of less than 2 s.
	// +optional
	WaitedPercent int32 `json:"waitedPercent,omitempty"`

	// cpuPressurePercent is the share of the time in which at least one task of the node waited for a CPU (some in
	// /proc/pressure/cpu). Unset also where the kernel does not count it.
	// +optional
	CPUPressurePercent int32 `json:"cpuPressurePercent,omitempty"`

	// ioPressurePercent is the share of the time in which at least one task of the node waited for I/O (some in
	// /proc/pressure/io). fio's own jobs count.
	// +optional
	IOPressurePercent int32 `json:"ioPressurePercent,omitempty"`
}
