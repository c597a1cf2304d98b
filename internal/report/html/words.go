package html

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/preset"
)

// bounds are names of what held results back, in words for the middle of a sentence.
var bounds = map[string]string{
	v1alpha1.BoundVolumeIOPS:           "volume's IOPS",
	v1alpha1.BoundVolumeThroughput:     "volume's throughput",
	v1alpha1.BoundFileSystemIOPS:       "file system's IOPS",
	v1alpha1.BoundFileSystemThroughput: "file system's throughput",
	v1alpha1.BoundClientIOPS:           "client's IOPS",
	v1alpha1.BoundClientThroughput:     "client's throughput",
	v1alpha1.BoundInstanceIOPS:         "instance's IOPS",
	v1alpha1.BoundInstanceThroughput:   "instance's throughput",
	v1alpha1.BoundWorkloadRate:         "workload's own rate",
	v1alpha1.BoundClientCPU:            "client's CPU",
	v1alpha1.BoundNodeCPU:              "node's CPUs",
	v1alpha1.BoundStorage:              "storage",
	v1alpha1.BoundQueue:                "queue",
	v1alpha1.BoundLatency:              "latency",
	v1alpha1.BoundUnknown:              "unknown",
}

// boundWords returns the words for what held a result back, or its name if there are none.
func boundWords(name string) string {
	return cmp.Or(bounds[name], name)
}

// patterns are fio's types of I/O in words.
var patterns = map[string]string{
	"read": "sequential reads", "write": "sequential writes", "trim": "sequential trims",
	"rw": "mixed sequential reads and writes", "readwrite": "mixed sequential reads and writes", "trimwrite": "sequential trims, each followed by a write",
	"randread": "random reads", "randwrite": "random writes", "randtrim": "random trims",
	"randrw": "mixed random reads and writes", "randtrimwrite": "random trims, each followed by a write",
}

// pattern says in words what a workload does.
func pattern(w *v1alpha1.Workload) string {
	if expanded, err := preset.Expand(w); err == nil && w.Preset != nil {
		return "preset " + *w.Preset + ": " + pattern(expanded)
	}
	switch {
	case w.Preset != nil:
		return "preset " + *w.Preset
	case w.Fio == nil:
		return "a fio job file"
	}
	if engine := cmp.Or(ptr.Deref(w.Fio.IOEngine, ""), string(w.Fio.Options["ioengine"])); fio.IsMetadata(engine) {
		return "operations on files and directories"
	}
	rw := cmp.Or(w.Fio.RW, string(w.Fio.Options["rw"]), string(w.Fio.Options["readwrite"]))
	kind, _, _ := strings.Cut(rw, ":")
	return cmp.Or(patterns[kind], rw)
}

// jobFile returns what fio is given, before the choices of the matrix, and says if it runs that before it measures.
func jobFile(w *v1alpha1.Workload) string {
	if expanded, err := preset.Expand(w); err == nil {
		w = expanded
	}
	switch {
	case w.Fio != nil:
		text := strings.TrimSpace(fio.FromParameters(w.Name, w.Fio).String())
		switch {
		case w.Until != nil:
			text += "\n# runs until it is steady, and is measured then (until)"
		case fio.RampsAuto(w.Fio):
			text += "\n# runs until it is warm, and is measured then (rampTimeSeconds: auto)"
		}
		return text
	case w.JobFile != nil:
		return strings.TrimSpace(*w.JobFile)
	default:
		return ""
	}
}

// sentence returns a text that begins with a capital letter.
func sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 || first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
