package fio

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// FromParameters returns a job file with one job: the typed parameters in the order of their fields, then
// the options by name. group_reporting is always on, whether or not options say so. The section has the given name, or
// workload-name if fio would take the name for a global section.
func FromParameters(name string, p *v1alpha1.FioParameters) *JobFile {
	section := Section{Name: name}
	if !section.isJob() {
		section.Name = "workload-" + name
	}
	section.Options = typedOptions(p)
	if _, given := p.Options[groupReporting]; !given {
		section.Options = append(section.Options, Option{
			Name: groupReporting, Value: "1", HasValue: true, Field: groupReporting,
		})
	}
	for _, name := range slices.Sorted(maps.Keys(p.Options)) {
		section.Options = append(section.Options, Option{
			Name: name, Value: string(p.Options[name]), HasValue: true, Field: optionsField,
		})
	}
	return Sections{section}.File()
}

// rampAuto has a job run until it is warm, which is for others to find: fio knows no such ramp_time.
const rampAuto = "auto"

// RampsAuto reports whether parameters have a job run until it is warm before it is measured.
func RampsAuto(p *v1alpha1.FioParameters) bool {
	return p.RampTimeSeconds != nil && p.RampTimeSeconds.Type == intstr.String && p.RampTimeSeconds.StrVal == rampAuto
}

func typedOptions(p *v1alpha1.FioParameters) []Option {
	var t typed
	if p.RW != "" {
		t.text("rw", &p.RW)
	}
	t.number("rwmixread", p.RWMixRead)
	t.text("bs", p.BS)
	t.text("ioengine", p.IOEngine)
	t.number("iodepth", p.IODepth)
	t.flag("direct", p.Direct)
	t.text("size", p.Size)
	t.number("nrfiles", p.NrFiles)
	t.number("numjobs", p.NumJobs)
	if ptr.Deref(p.RuntimeSeconds, 0) > 0 {
		t.number("runtime", p.RuntimeSeconds)
	}
	if p.RampTimeSeconds != nil && !RampsAuto(p) {
		t.text("ramp_time", new(p.RampTimeSeconds.String()))
	}
	t.flag("time_based", timeBased(p))
	t.text("sync", p.Sync)
	t.number("fsync", p.Fsync)
	t.number("fdatasync", p.Fdatasync)
	t.flag("end_fsync", p.EndFsync)
	t.flag("norandommap", p.NoRandomMap)
	t.flag("invalidate", p.Invalidate)
	t.text("rate", p.Rate)
	if p.RateIOPS != nil {
		t.text("rate_iops", new(p.RateIOPS.String()))
	}
	t.number("loops", p.Loops)
	return t
}

// timeBased returns time_based of a job, which is on where it has a runtime, does not say otherwise, and can begin
// anew.
func timeBased(p *v1alpha1.FioParameters) *bool {
	if p.TimeBased == nil && ptr.Deref(p.RuntimeSeconds, 0) > 0 && !engine(ptr.Deref(p.IOEngine, "")).onlyOnce() {
		return new(true)
	}
	return p.TimeBased
}

// typed collects options of fields that are set.
type typed []Option

func (t *typed) text(name string, value *string) {
	if value == nil {
		return
	}
	*t = append(*t, Option{
		Name: name, Value: strings.TrimSpace(*value), HasValue: true, Field: byName[name].field,
	})
}

func (t *typed) number(name string, value *int32) {
	if value == nil {
		return
	}
	digits := strconv.Itoa(int(*value))
	t.text(name, &digits)
}

func (t *typed) flag(name string, value *bool) {
	if value == nil {
		return
	}
	digit := "0"
	if *value {
		digit = "1"
	}
	t.text(name, &digit)
}
