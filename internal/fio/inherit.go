package fio

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// Inherit returns a spec whose workloads have what they inherit from spec.fio, which it no longer has. A workload
// inherits nothing that contradicts what it sets itself, as v1alpha1.StorageBenchmarkSpec.Fio says.
func Inherit(spec *v1alpha1.StorageBenchmarkSpec) *v1alpha1.StorageBenchmarkSpec {
	inherited := *spec
	inherited.Fio, inherited.Workloads = nil, slices.Clone(spec.Workloads)
	for i := range inherited.Workloads {
		w := &inherited.Workloads[i]
		if w.Fio == nil {
			continue
		}
		w.Fio = w.Fio.DeepCopy()
		if spec.Fio != nil {
			w.Fio.Inherit(heritage(spec, w))
			undoRates(w.Fio, spec.Fio)
		}
		if w.Fio.TimeBased == nil && writesObjects(spec, w, w.Fio.RW) {
			w.Fio.TimeBased = new(false)
		}
	}
	return &inherited
}

// heritage returns what a workload inherits.
func heritage(spec *v1alpha1.StorageBenchmarkSpec, w *v1alpha1.Workload) *v1alpha1.FioParameters {
	from, all := spec.Fio.DeepCopy(), w.Fio.DeepCopy()
	all.Inherit(from)
	engines := choices(w, "ioengine", ptr.Deref(all.IOEngine, "psync"))
	if slices.ContainsFunc(engines, IsMetadata) {
		return &v1alpha1.FioParameters{IOEngine: from.IOEngine, NrFiles: from.NrFiles, NumJobs: from.NumJobs}
	}
	queues := func(engine string) bool { return Queues(engine, string(all.Options["io_submit_mode"])) }
	if syncs(w, all) {
		from.IOEngine, from.IODepth, from.Direct = nil, nil, nil
	} else if !slices.ContainsFunc(engines, queues) {
		from.IODepth = nil
	}
	if gives(w, insteadOf["direct"]...) || slices.Contains(engines, "mmap") {
		from.Direct = nil
	}
	if gives(w, insteadOf["bs"]...) {
		from.BS = nil
	}
	if gives(w, insteadOf["size"]...) {
		from.Size = nil
	}
	maps.DeleteFunc(from.Options, func(name string, _ v1alpha1.FioOptionValue) bool {
		return contradicts(w, engines, name)
	})
	if len(from.Options) == 0 {
		from.Options = nil
	}
	if !slices.ContainsFunc(choices(w, "rw", all.RW), IsMixed) {
		from.RWMixRead = nil
	}
	if w.Fio.Rate != nil || w.Fio.RateIOPS != nil || varies(w, "rate", "rate_iops") {
		from.Rate, from.RateIOPS = nil, nil
	}
	switch {
	case endsItself(w) || writesObjects(spec, w, all.RW):
		from.RuntimeSeconds, from.TimeBased = nil, nil
	case ends(from) && ptr.Deref(from.RuntimeSeconds, 0) == *v1alpha1.DefaultFio().RuntimeSeconds:
		from.RuntimeSeconds = nil // the default is for jobs that do not say how much they do
	}
	if w.Until != nil {
		from.RuntimeSeconds, from.TimeBased, from.RampTimeSeconds = nil, nil, nil
	}
	return from
}

// insteadOf has the options that take the place of a field's.
var insteadOf = map[string][]string{
	"bs": {"bsrange", "bssplit"}, "size": {"filesize", "fill_device"}, "direct": {"buffered"},
}

// contradicts reports whether an option of spec.fio would take the place of a field that the workload sets, or is for
// engines that the workload does not have.
func contradicts(w *v1alpha1.Workload, engines []string, name string) bool {
	option := Canonical(name)
	isSet := map[string]bool{"bs": w.Fio.BS != nil, "size": w.Fio.Size != nil, "direct": w.Fio.Direct != nil}
	for field, others := range insteadOf {
		if (isSet[field] || varies(w, field)) && slices.Contains(others, option) {
			return true
		}
	}
	known, ok := byName[option]
	isKnown := func(engine string) bool { return slices.Contains(known.engines, engine) }
	return ok && known.engines != nil && !slices.ContainsFunc(engines, isKnown)
}

// undoRates removes rates of 0 from parameters, where they stand to undo a rate of spec.fio.
func undoRates(p, inherited *v1alpha1.FioParameters) {
	const digits = "123456789"
	if inherited.Rate == nil && inherited.RateIOPS == nil {
		return
	}
	if p.Rate != nil && !strings.ContainsAny(*p.Rate, digits) {
		p.Rate = nil
	}
	if p.RateIOPS != nil && !strings.ContainsAny(p.RateIOPS.String(), digits) {
		p.RateIOPS = nil
	}
}

// endsItself reports whether a workload says itself how much it does.
func endsItself(w *v1alpha1.Workload) bool {
	return w.Fio.RuntimeSeconds == nil && (ends(w.Fio) || varies(w, "loops", "io_size", "number_ios", "time_based"))
}

// ends reports whether parameters say how much a job does, and not for how long it does it.
func ends(p *v1alpha1.FioParameters) bool {
	return !ptr.Deref(p.TimeBased, true) || p.Loops != nil || setsAny(p, "io_size", "number_ios")
}

// syncs reports whether a workload waits for syncs, as a log does. fio's asynchronous engines do not wait for the
// writes before a sync, so that its latency would be too low.
func syncs(w *v1alpha1.Workload, all *v1alpha1.FioParameters) bool {
	isSet := ptr.Deref(all.Fsync, 0) > 0 || ptr.Deref(all.Fdatasync, 0) > 0
	return isSet || setsAny(all, "sync_file_range") || varies(w, "fsync", "fdatasync", "sync_file_range")
}

// varies reports whether the matrix has values of one of the options.
func varies(w *v1alpha1.Workload, options ...string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return choices(w, option, "")[0] != "" })
}

// writesObjects reports whether a workload writes to an object store, where each file is written once.
func writesObjects(spec *v1alpha1.StorageBenchmarkSpec, w *v1alpha1.Workload, rw string) bool {
	isObjectStore := func(t v1alpha1.Target) bool { return t.S3 != nil }
	writes := func(rw string) bool { return strings.Contains(rw, "w") }
	return slices.ContainsFunc(spec.Targets, isObjectStore) && slices.ContainsFunc(choices(w, "rw", rw), writes)
}

// choices returns the values that an option takes: those of the matrix, or the one that the workload has.
func choices(w *v1alpha1.Workload, option, value string) []string {
	for name, values := range w.Matrix {
		if Canonical(OptionName(name)) != option {
			continue
		}
		texts := make([]string, len(values))
		for i, v := range values {
			texts[i] = v.String()
		}
		return texts
	}
	return []string{value}
}

// gives reports whether a workload has one of the options that have no field, in its parameters or in its matrix.
func gives(w *v1alpha1.Workload, names ...string) bool {
	return setsAny(w.Fio, names...) || varies(w, names...)
}

// setsAny reports whether parameters have one of the options that have no field.
func setsAny(p *v1alpha1.FioParameters, names ...string) bool {
	for name := range p.Options {
		if slices.Contains(names, Canonical(name)) {
			return true
		}
	}
	return false
}
