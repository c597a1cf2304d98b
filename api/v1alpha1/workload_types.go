package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// Workload is what fio does: typed parameters, or a whole job file.
//
// +kubebuilder:validation:XValidation:rule="[has(self.fio), has(self.jobFile)].filter(x, x).size() == 1",message="set exactly one of fio (parameters) and jobFile (a whole fio job file)",reason=FieldValueInvalid
type Workload struct {
	// Name of the workload in results. A DNS label of at most 32 characters, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit, such as rand-write",reason=FieldValueInvalid
	Name string `json:"name"`

	// Parameters of one fio job, under fio's own names. The jobs of numjobs are reported together.
	// +optional
	Fio *FioParameters `json:"fio,omitempty"`

	// A fio job file. Each section, or each group of sections that run together, gives one result; at most
	// 16. Options that run commands or name files outside of the volume are refused; directory, and on raw
	// block volumes filename, are set by the operator.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16384
	JobFile *string `json:"jobFile,omitempty"`

	// fio options by their names with the values that each takes, such as {bs: [4k, 64k], iodepth: [1, 16]}, and
	// clients with the numbers of pods that measure together, such as {clients: [1, 2, 4]}.
	// Every combination is measured. A value takes the place of what fio or jobFile says, in a job file in
	// all sections.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Matrix map[string]MatrixValues `json:"matrix,omitempty"`
}

// MatrixValues are the values that a fio option takes one after the other.
//
// +listType=atomic
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:MaxItems=64
type MatrixValues []intstr.IntOrString

// FioParameters are the parameters of one fio job. Each is the fio option of the same name, or of the
// name that its description gives; what is unset is left to fio. See fio(1).
//
// +kubebuilder:validation:XValidation:rule="has(self.size) || has(self.runtimeSeconds)",message="set size (bytes per job, for example 1G), runtimeSeconds, or both: without them fio does not know when to end",reason=FieldValueRequired
// +kubebuilder:validation:XValidation:rule="!has(self.timeBased) || !self.timeBased || has(self.runtimeSeconds)",message="timeBased needs runtimeSeconds: set how long the job runs",fieldPath=".timeBased",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.rwmixread) || self.rw in ['rw', 'readwrite', 'randrw']",message="rwmixread is for mixed workloads; set rw to rw, readwrite or randrw, or remove rwmixread",fieldPath=".rwmixread",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.options) || !self.options.exists(k, k in ['rw', 'readwrite', 'rwmixread', 'bs', 'blocksize', 'ioengine', 'iodepth', 'direct', 'size', 'nrfiles', 'nr_files', 'numjobs', 'runtime', 'timeout', 'ramp_time', 'time_based', 'sync', 'fsync', 'fdatasync', 'end_fsync', 'norandommap', 'invalidate', 'rate', 'rate_iops', 'loops', 'group_reporting'])",message="an option that has a field of its own belongs there: move it out of options (runtime is runtimeSeconds, ramp_time rampTimeSeconds, time_based timeBased, end_fsync endFsync, rate_iops rateIOPS; group_reporting is always on)",fieldPath=".options",reason=FieldValueForbidden
type FioParameters struct {
	// Type of I/O: sequential (read, write, trim, rw or readwrite, trimwrite) or random (randread, randwrite, randtrim, randrw, randtrimwrite).
	// +required
	// +kubebuilder:validation:Enum=read;write;trim;randread;randwrite;randtrim;rw;readwrite;randrw;trimwrite;randtrimwrite
	RW string `json:"rw"`

	// Percentage of reads in a mixed workload. fio's default: 50.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RWMixRead *int32 `json:"rwmixread,omitempty"`

	// Block size, such as 4k, or for reads and writes apart 8k,32k. fio's default: 4k.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([kKmMgG]i?)?(,([0-9]+([kKmMgG]i?)?)?){0,2}$')",message="bs must be a number of bytes such as 512, 4k or 1m (1024-based, without B), or up to three of them (reads, writes, trims) with commas",reason=FieldValueInvalid
	BS *string `json:"bs,omitempty"`

	// How fio issues I/O. Synchronous engines have one I/O in flight per job; libaio and io_uring have up to
	// iodepth. The container runtime's default seccomp profile blocks io_uring. fio's default: psync.
	// +optional
	// +kubebuilder:validation:Enum=psync;sync;vsync;pvsync;pvsync2;libaio;io_uring;posixaio;mmap
	IOEngine *string `json:"ioengine,omitempty"`

	// I/Os that each job keeps in flight; only asynchronous engines can have more than 1. fio's default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	IODepth *int32 `json:"iodepth,omitempty"`

	// Whether to bypass the page cache (O_DIRECT). Without it, reads can come from the node's memory.
	// fio's default: false.
	// +optional
	Direct *bool `json:"direct,omitempty"`

	// Bytes of each job's files (with numjobs 16 and 1G: 16G in all), such as 512M or 10G, or a percentage
	// of a raw block device, such as 100%.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([kKmMgGtTpP]i?)?|[1-9][0-9]?%|100%)$')",message="size must be a number of bytes such as 512M or 10G (1024-based, without B), or a percentage from 1% to 100%",reason=FieldValueInvalid
	Size *string `json:"size,omitempty"`

	// Files of each job, among which size is divided. fio's default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	NrFiles *int32 `json:"nrfiles,omitempty"`

	// Clones of the job that run at the same time, each with files of its own. fio's default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	NumJobs *int32 `json:"numjobs,omitempty"`

	// Seconds after which fio ends the job (fio's runtime), even if it has not done all of size.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	RuntimeSeconds *int32 `json:"runtimeSeconds,omitempty"`

	// Seconds that the job runs before it is measured (fio's ramp_time).
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=86400
	RampTimeSeconds *int32 `json:"rampTimeSeconds,omitempty"`

	// Whether the job runs for all of runtimeSeconds, beginning again when size is done (fio's time_based).
	// fio's default: false.
	// +optional
	TimeBased *bool `json:"timeBased,omitempty"`

	// Synchronous writes: sync opens files with O_SYNC, dsync with O_DSYNC. fio's default: none.
	// +optional
	// +kubebuilder:validation:Enum=none;sync;dsync
	Sync *string `json:"sync,omitempty"`

	// Writes after which the job calls fsync. fio's default: 0, never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Fsync *int32 `json:"fsync,omitempty"`

	// Writes after which the job calls fdatasync. fio's default: 0, never.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Fdatasync *int32 `json:"fdatasync,omitempty"`

	// Whether the job calls fsync when it has written all (fio's end_fsync). fio's default: false.
	// +optional
	EndFsync *bool `json:"endFsync,omitempty"`

	// Whether random I/O may hit a block again before all blocks were hit. fio's default: false.
	// +optional
	NoRandomMap *bool `json:"norandommap,omitempty"`

	// Whether to drop the files' pages from the page cache before the job. fio's default: true.
	// +optional
	Invalidate *bool `json:"invalidate,omitempty"`

	// Limit of each job's bandwidth in bytes per second, such as 10m, or for reads and writes apart 10m,5m.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([kKmMgG]i?)?(,([0-9]+([kKmMgG]i?)?)?){0,2}$')",message="rate must be bytes per second such as 10m (1024-based, without B), or up to three of them (reads, writes, trims) with commas",reason=FieldValueInvalid
	Rate *string `json:"rate,omitempty"`

	// Limit of each job's I/Os per second (fio's rate_iops).
	// +optional
	// +kubebuilder:validation:Minimum=1
	RateIOPS *int32 `json:"rateIOPS,omitempty"`

	// How often the job repeats its I/O. fio's default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Loops *int32 `json:"loops,omitempty"`

	// Any other fio option by its name, such as {"rwmixwrite": "30", "thinktime": "100"}. Options that run
	// commands or name files outside of the volume are refused.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	Options map[string]FioOptionValue `json:"options,omitempty"`
}

// FioOptionValue is the value of a fio option as in a job file; a flag such as norandommap has "1".
//
// +kubebuilder:validation:MaxLength=256
type FioOptionValue string
