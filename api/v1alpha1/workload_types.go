package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// Workload is what fio does: a preset, typed parameters, or a whole job file.
//
// +kubebuilder:validation:XValidation:rule="[has(self.preset), has(self.fio), has(self.jobFile)].filter(x, x).size() == 1",message="set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)",reason=FieldValueInvalid
// +kubebuilder:validation:XValidation:rule="!has(self.probe) || self.probe == 'None' || has(self.fio)",message="probe is for workloads of fio: remove it, or set fio instead of preset or jobFile",fieldPath=".probe",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="has(self.preset) || !has(self.scale)",message="scale is for presets: set size and runtimeSeconds in fio, or in jobFile",fieldPath=".scale",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.until) || has(self.fio) && !(has(self.fio.runtimeSeconds) || has(self.fio.timeBased) || has(self.fio.rampTimeSeconds))",message="until is for workloads of fio, and says for how long it runs: remove until, or set fio without runtimeSeconds, timeBased and rampTimeSeconds; a job file can have fio's own steadystate",fieldPath=".until",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="!has(self.preset) || !has(self.matrix)",message="a preset sets what is measured, so that its results are comparable: remove matrix, or set fio to vary options; clients can vary",fieldPath=".matrix",reason=FieldValueForbidden
type Workload struct {
	// name of the workload in results. A DNS label of at most 32 characters, unique in the benchmark.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",message="name must be a DNS label: lower case letters, digits and -, beginning and ending with a letter or digit, such as rand-write",reason=FieldValueInvalid
	Name string `json:"name"`

	// preset is a workload that has a name, such as etcd or postgres-wal, or one version of it, such as etcd.v1. Without
	// a version it is the newest; status.presets says which that was. "kubectl storagebench presets" prints all. What
	// its application asks for in public is an expectation.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=40
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.]v[1-9][0-9]{0,2})?$')",message="preset must be the name of a preset such as etcd, or of a version of it such as etcd.v1",reason=FieldValueInvalid
	Preset *string `json:"preset,omitempty"`

	// scale is how much the preset does. Unset: as much as the preset says itself.
	// +optional
	Scale *PresetScale `json:"scale,omitempty"`

	// fio has the parameters of one fio job, under fio's own names. It inherits from spec.fio what it does not set. The jobs
	// of numjobs are reported together.
	// +optional
	Fio *FioParameters `json:"fio,omitempty"`

	// jobFile is a whole fio job file. Each section, or each group of sections that run together, gives one result; at
	// most 16. Options that run commands or name files outside of the volume are refused. The operator sets directory,
	// and on raw block volumes filename.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=16384
	JobFile *string `json:"jobFile,omitempty"`

	// matrix has fio options with the values that each takes, such as {bs: [4k, 64k], iodepth: [1, 16]}. Options go by
	// fio's names or by those of the fields of fio. Values are text or whole numbers, of what is on or off 1 and 0, such as
	// {direct: [1, 0]}. Every combination is measured. A value has at most 256 characters. It takes the place of what fio or
	// jobFile says, in a job file in all sections.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	Matrix map[string]MatrixValues `json:"matrix,omitempty"`

	// clients are numbers of pods that measure the workload together, such as [1, 2, 4]. Each is measured, with every
	// combination of matrix. 1 to 128. Unset: spec.clients.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:Minimum=1
	// +kubebuilder:validation:items:Maximum=128
	Clients []int32 `json:"clients,omitempty"`

	// probe says after which repetitions fio runs once more, for 10 s at most, with twice the I/Os in flight: twice the
	// iodepth, or with an engine that waits for each I/O twice the numjobs. LastRepetition: after the last one. None: after
	// none, which is the default. If the probe gets no more done, the result is a limit, also where none is known. If it gets
	// more done, latency held the result back. The workload needs fio with direct and a runtime, no rate of its own, one
	// client, and targets other than s3. Twice the jobs take twice the memory.
	// +optional
	Probe ProbePolicy `json:"probe,omitempty"`

	// until has fio run the workload until it is steady, and measure then. It is for workloads of fio, and takes the place of
	// runtimeSeconds, timeBased and rampTimeSeconds there. Unset: fio measures from the start, for as long as its options say.
	// +optional
	Until *Until `json:"until,omitempty"`

	// search has the highest load looked for that the storage carries within a latency budget. The workload is measured at
	// several loads, one run after the other: more and more at first, then between those that keep the budget and those that
	// do not. Each target, choice of matrix and repetition has a search of its own. The workload needs one result, and no
	// probe; of a preset only clients can vary.
	// +optional
	Search *LoadSearch `json:"search,omitempty"`
}

// Until is until when fio runs a workload before it measures.
//
// +kubebuilder:validation:XValidation:rule="2 * (has(self.steadyState.windowSeconds) ? self.steadyState.windowSeconds : 60) <= (has(self.maxSeconds) ? self.maxSeconds : 3600)",message="maxSeconds must be at least twice steadyState.windowSeconds: fio finds a window to be steady, and measures the next one",fieldPath=".maxSeconds",reason=FieldValueInvalid
type Until struct {
	// steadyState is what counts as steady. It is the rule of SNIA's Performance Test Specification: of five rounds in a window
	// the slowest and the fastest are not too far apart, and the line that fits them best does not rise or fall too much.
	// +required
	SteadyState SteadyStateRule `json:"steadyState"` //nolint:kubeapilinter // {} is written as it was read: it has defaults, and says what is waited for.

	// maxSeconds is for how long fio runs the workload at most, with the window that it measures. 10 to 604800, and at least twice
	// windowSeconds. When it is over the last window is measured, and a warning says that it was not steady. Several clients run
	// so long in any case: none knows of the others. Unset: 3600.
	// +optional
	// +kubebuilder:validation:Minimum=10
	// +kubebuilder:validation:Maximum=604800
	MaxSeconds *int32 `json:"maxSeconds,omitempty"`
}

// SteadyStateRule says what counts as steady.
type SteadyStateRule struct {
	// metric is what has to be steady, all directions together, by fio's name: iops (I/Os per second) or bw (bytes per
	// second). Unset: iops.
	// +optional
	// +kubebuilder:validation:Enum=iops;bw
	Metric *string `json:"metric,omitempty"`

	// windowSeconds is for how long it has to be steady, and for how long fio measures then: the result is that of such a window.
	// 5 to 86400. Unset: 60.
	// +optional
	// +kubebuilder:validation:Minimum=5
	// +kubebuilder:validation:Maximum=86400
	WindowSeconds *int32 `json:"windowSeconds,omitempty"`

	// slopePercent is by how much the line that fits the window best may rise or fall from its first round to its last, in
	// percent of the mean. 1 to 100. Unset: 10.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	SlopePercent *int32 `json:"slopePercent,omitempty"`

	// rangePercent is how far the slowest and the fastest round of the window may be apart, in percent of the mean. 1 to 100.
	// Unset: 20.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	RangePercent *int32 `json:"rangePercent,omitempty"`
}

// PresetScale is how much a preset does. Results of different scales are not quite comparable: small files fit into
// caches, and short runs show bursts.
//
// +kubebuilder:validation:MinProperties=1
type PresetScale struct {
	// size is the number of bytes of each job's files, such as 512M or 10G.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([kKmMgGtT]i?)?$')",message="size must be a number of bytes such as 512M or 10G (1024-based, without B)",reason=FieldValueInvalid
	Size *string `json:"size,omitempty"`

	// runtimeSeconds is how long each run measures. 1 to 604800. Presets that run for a time measure exactly so long,
	// those that end by size at most so long.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=604800
	RuntimeSeconds *int32 `json:"runtimeSeconds,omitempty"`
}

// MatrixValues are the values that a fio option takes one after the other.
//
// +listType=atomic
// +kubebuilder:validation:MinItems=1
// +kubebuilder:validation:MaxItems=64
// +kubebuilder:validation:XValidation:rule="self.all(v, type(v) != int || (v >= -2147483648 && v <= 2147483647))",message="a number of more than 2147483647 has to be written as text, such as \"5000000000\"",reason=FieldValueInvalid
type MatrixValues []intstr.IntOrString

// FioParameters are the parameters of one fio job. Each is the fio option of the same name, or of the name that its
// description gives. A workload inherits what it leaves unset from spec.fio. What is unset there too is left to fio, whose
// default the description gives. See fio(1).
type FioParameters struct {
	// rw is the type of I/O: sequential (read, write, trim, rw or readwrite, trimwrite) or random (randread,
	// randwrite, randtrim, randrw, randtrimwrite). Required, here, in spec.fio or in matrix.
	// +optional
	// +kubebuilder:validation:Enum=read;write;trim;randread;randwrite;randtrim;rw;readwrite;randrw;trimwrite;randtrimwrite
	RW string `json:"rw,omitempty"`

	// rwmixread is the percentage of reads in a mixed workload. 0 to 100. Unset: fio's default, 50.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RWMixRead *int32 `json:"rwmixread,omitempty"`

	// bs is the block size, such as 4k. Reads and writes can have their own: 8k,32k. Unset: fio's default, 4k.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([kKmMgG]i?)?(,([0-9]+([kKmMgG]i?)?)?){0,2}$')",message="bs must be a number of bytes such as 512, 4k or 1m (1024-based, without B), or up to three of them (reads, writes, trims) with commas",reason=FieldValueInvalid
	BS *string `json:"bs,omitempty"`

	// ioengine is how fio issues I/O. Synchronous engines have one I/O in flight per job. libaio and io_uring have up
	// to iodepth. The container runtime's default seccomp profile blocks io_uring. filecreate, filestat, filedelete,
	// dircreate, dirstat and dirdelete move no data: they create, look up or delete each of nrfiles files or directories
	// once, and need a file system. Unset: that of spec.fio, which is libaio by default; with fsync or fdatasync psync.
	// +optional
	// +kubebuilder:validation:Enum=psync;sync;vsync;pvsync;pvsync2;libaio;io_uring;posixaio;mmap;filecreate;filestat;filedelete;dircreate;dirstat;dirdelete
	IOEngine *string `json:"ioengine,omitempty"`

	// iodepth is the number of I/Os that each job keeps in flight. 1 to 65536. Only asynchronous engines can have more
	// than 1. Unset: that of spec.fio, which is 16 by default; with fsync or fdatasync 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65536
	IODepth *int32 `json:"iodepth,omitempty"`

	// direct bypasses the page cache (O_DIRECT). Without it, reads can come from the node's memory.
	// Unset: that of spec.fio, which is true by default; with fsync or fdatasync false.
	// +optional
	Direct *bool `json:"direct,omitempty"`

	// size is the bytes of each job's files, such as 512M or 10G. With numjobs 16 and 1G that is 16G in all. On a raw
	// block device it can be a percentage, such as 100%: jobs on a device share it. Unset: that of spec.fio, which is 1G by
	// default.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+([kKmMgGtTpP]i?)?|[1-9][0-9]?%|100%)$')",message="size must be a number of bytes such as 512M or 10G (1024-based, without B), or a percentage from 1% to 100%",reason=FieldValueInvalid
	Size *string `json:"size,omitempty"`

	// nrfiles is the number of files of each job, among which size is divided. 1 to 100000. Unset: fio's default, 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100000
	NrFiles *int32 `json:"nrfiles,omitempty"`

	// numjobs is the number of clones of the job that run at the same time, each with files of its own. 1 to 1024.
	// Unset: fio's default, 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1024
	NumJobs *int32 `json:"numjobs,omitempty"`

	// runtimeSeconds is the number of seconds that the job runs (fio's runtime with time_based). It begins again when size
	// is done. With timeBased: false it is the longest that the job runs. 0 to 604800; 0: the job ends when size is done.
	// Unset: that of spec.fio, which is 30 by default, unless the job says how much it does (timeBased: false, loops).
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=604800
	RuntimeSeconds *int32 `json:"runtimeSeconds,omitempty"`

	// rampTimeSeconds is the number of seconds that the job runs before it is measured (fio's ramp_time). 0 to 86400, or auto: until
	// it is warm, which is when its IOPS of the last 10 s are steady by the rule of until; for as long as runtimeSeconds at most, but not
	// less than 30 s and not more than 3600. If it is not steady then, it is measured, and a warning says so. Several clients run so long
	// in any case: none knows of the others. auto needs runtimeSeconds, and cannot be in a matrix. Unset: 0.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=8
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 86400 : self == 'auto'",message="rampTimeSeconds must be a number of seconds from 0 to 86400, or auto",reason=FieldValueInvalid
	RampTimeSeconds *intstr.IntOrString `json:"rampTimeSeconds,omitempty"`

	// timeBased is false for a job that ends when size is done (fio's time_based). A workload that sets it to false inherits no
	// runtimeSeconds. Unset: true if runtimeSeconds is set.
	// +optional
	TimeBased *bool `json:"timeBased,omitempty"`

	// sync makes writes synchronous: sync opens files with O_SYNC, dsync with O_DSYNC. Unset: fio's default, none.
	// +optional
	// +kubebuilder:validation:Enum=none;sync;dsync
	Sync *string `json:"sync,omitempty"`

	// fsync is the number of writes after which the job calls fsync. 0: never. Unset: fio's default, 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Fsync *int32 `json:"fsync,omitempty"`

	// fdatasync is the number of writes after which the job calls fdatasync. 0: never. Unset: fio's default, 0.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=2147483647
	Fdatasync *int32 `json:"fdatasync,omitempty"`

	// endFsync has the job call fsync when it has written all (fio's end_fsync). Unset: fio's default,
	// false.
	// +optional
	EndFsync *bool `json:"endFsync,omitempty"`

	// norandommap lets random I/O hit a block again before it has hit all. Unset: fio's default, false.
	// +optional
	NoRandomMap *bool `json:"norandommap,omitempty"`

	// invalidate drops the files' pages from the page cache before the job. Unset: fio's default, true.
	// +optional
	Invalidate *bool `json:"invalidate,omitempty"`

	// rate is the limit of each job's bandwidth in bytes per second, such as 10m. Reads and writes can have their own:
	// 10m,5m. A 0 among them is no limit. 0 alone undoes a rate or rateIOPS that the workload inherits. Unset: no limit.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([kKmMgG]i?)?(,([0-9]+([kKmMgG]i?)?)?){0,2}$')",message="rate must be bytes per second such as 10m (1024-based, without B), or up to three of them (reads, writes, trims) with commas; or 0, which undoes the rate of spec.fio",reason=FieldValueInvalid
	Rate *string `json:"rate,omitempty"`

	// rateIOPS is the limit of each job's I/Os per second, such as 500 (fio's rate_iops). Reads and writes can have
	// their own: 500,200. A 0 among them is no limit. 0 alone undoes a rate or rateIOPS that the workload inherits. Unset: no
	// limit.
	// +optional
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[0-9]+(,([0-9]+)?){0,2}$`
	// +kubebuilder:validation:XValidation:rule="type(self) != int || (self >= 0 && self <= 2147483647)",message="rateIOPS must be I/Os per second from 1 to 2147483647, or 0, which undoes the rate of spec.fio, or up to three of them (reads, writes, trims) with commas, such as 500,200",reason=FieldValueInvalid
	RateIOPS *intstr.IntOrString `json:"rateIOPS,omitempty"`

	// loops is how often the job does its I/O. 1 to 1000000. Unset: fio's default, 1.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Loops *int32 `json:"loops,omitempty"`

	// options are fio options that have no field above, by fio's own names, such as {"thinktime": "100"}. A value has at
	// most 256 characters. An option that has a field, or means the same as one, is refused. So are options that run
	// commands or name files outside of the volume. A workload inherits the options of spec.fio that it does not have.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="['rw', 'readwrite', 'rwmixread', 'rwmixwrite', 'bs', 'blocksize', 'ioengine', 'iodepth', 'direct', 'size', 'nrfiles', 'nr_files', 'numjobs', 'runtime', 'timeout', 'ramp_time', 'time_based', 'sync', 'fsync', 'fdatasync', 'end_fsync', 'norandommap', 'invalidate', 'rate', 'rate_iops', 'loops'].all(o, !(o in self))",message="an option that has a field of its own is set there",messageExpression="'rw' in self ? 'option rw has a field of its own: set rw' : 'readwrite' in self ? 'option readwrite has a field of its own: set rw' : 'rwmixread' in self ? 'option rwmixread has a field of its own: set rwmixread' : 'rwmixwrite' in self ? 'option rwmixwrite has a field of its own: set rwmixread' : 'bs' in self ? 'option bs has a field of its own: set bs' : 'blocksize' in self ? 'option blocksize has a field of its own: set bs' : 'ioengine' in self ? 'option ioengine has a field of its own: set ioengine' : 'iodepth' in self ? 'option iodepth has a field of its own: set iodepth' : 'direct' in self ? 'option direct has a field of its own: set direct' : 'size' in self ? 'option size has a field of its own: set size' : 'nrfiles' in self ? 'option nrfiles has a field of its own: set nrfiles' : 'nr_files' in self ? 'option nr_files has a field of its own: set nrfiles' : 'numjobs' in self ? 'option numjobs has a field of its own: set numjobs' : 'runtime' in self ? 'option runtime has a field of its own: set runtimeSeconds' : 'timeout' in self ? 'option timeout has a field of its own: set runtimeSeconds' : 'ramp_time' in self ? 'option ramp_time has a field of its own: set rampTimeSeconds' : 'time_based' in self ? 'option time_based has a field of its own: set timeBased' : 'sync' in self ? 'option sync has a field of its own: set sync' : 'fsync' in self ? 'option fsync has a field of its own: set fsync' : 'fdatasync' in self ? 'option fdatasync has a field of its own: set fdatasync' : 'end_fsync' in self ? 'option end_fsync has a field of its own: set endFsync' : 'norandommap' in self ? 'option norandommap has a field of its own: set norandommap' : 'invalidate' in self ? 'option invalidate has a field of its own: set invalidate' : 'rate' in self ? 'option rate has a field of its own: set rate' : 'rate_iops' in self ? 'option rate_iops has a field of its own: set rateIOPS' : 'option loops has a field of its own: set loops'",reason=FieldValueForbidden
	Options map[string]FioOptionValue `json:"options,omitempty"`
}

// FioOptionValue is the value of a fio option as in a job file; a flag such as norandommap has "1".
//
// +kubebuilder:validation:MaxLength=256
type FioOptionValue string

// ProbePolicy says after which repetitions a workload is probed.
//
// +kubebuilder:validation:Enum=None;LastRepetition
type ProbePolicy string

const (
	// ProbeNone probes after no repetition.
	ProbeNone ProbePolicy = "None"
	// ProbeLastRepetition probes after the last repetition.
	ProbeLastRepetition ProbePolicy = "LastRepetition"
)

// Probes reports whether the workload is probed.
func (w *Workload) Probes() bool { return w.Probe == ProbeLastRepetition }
