package fio

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// maxOptionValue and maxOwnOptions bound the values and the number of v1alpha1.FioParameters.Options.
const (
	maxOptionValue = 256
	maxOwnOptions  = 64
)

// Parameters returns the parameters of which FromParameters makes a job that does the same as the file's only one. The
// error says what parameters cannot say, so that it has to stay a job file; that is no fault of the file. The file has
// passed Validate.
func (f *JobFile) Parameters() (*v1alpha1.FioParameters, error) {
	jobs := f.jobs()
	if len(jobs) != 1 {
		return nil, fmt.Errorf("there are %d jobs", len(jobs))
	}
	j, p := jobs[0], &v1alpha1.FioParameters{}
	for _, name := range slices.Sorted(maps.Keys(j.options)) {
		if err := j.setParameter(p, name); err != nil {
			return nil, fmt.Errorf("%s %w", humanize.Excerpt(j.options[name].String()), err)
		}
	}
	j.setDefaults(p)
	switch {
	case p.Size == nil && ptr.Deref(p.RuntimeSeconds, 0) == 0:
		return nil, fmt.Errorf("there is neither size nor runtime")
	case len(p.Options) > maxOwnOptions:
		return nil, fmt.Errorf("%d options have no field of their own, and there is room for %d",
			len(p.Options), maxOwnOptions)
	}
	return p, nil
}

// setDefaults sets fields to what fio takes for options that the job does not have, where spec.fio has another default.
func (j *job) setDefaults(p *v1alpha1.FioParameters) {
	if p.RW == "" {
		p.RW = "read"
	}
	switch {
	case !j.timeBased:
		p.TimeBased = new(false)
	case p.RuntimeSeconds != nil:
		p.TimeBased = nil // implied
	}
	if j.engine.isMetadata() {
		return
	}
	if p.IOEngine == nil {
		p.IOEngine = new(string(j.engine))
	}
	if p.IODepth == nil && j.queues {
		p.IODepth = new(int32(1))
	}
	if p.Direct == nil && !j.has("buffered") {
		p.Direct = new(false)
	}
}

// setParameter sets the field of an option of the job.
func (j *job) setParameter(p *v1alpha1.FioParameters, name string) error {
	value := j.text(name, "")
	if set, typed := fieldSetters[name]; typed {
		return set(j, p, value)
	}
	if !j.options[name].HasValue {
		value = "1"
	}
	if len(value) > maxOptionValue {
		return fmt.Errorf("is longer than %d bytes", maxOptionValue)
	}
	if p.Options == nil {
		p.Options = map[string]v1alpha1.FioOptionValue{}
	}
	p.Options[name] = v1alpha1.FioOptionValue(value)
	return nil
}

// fieldSetters set the fields of options that have one.
var fieldSetters = map[string]func(j *job, p *v1alpha1.FioParameters, value string) error{
	"rw": func(_ *job, p *v1alpha1.FioParameters, value string) error {
		p.RW = value
		if strings.Contains(value, ":") {
			return fmt.Errorf("is more than a type of I/O")
		}
		return nil
	},
	"rwmixread": func(j *job, p *v1alpha1.FioParameters, value string) error {
		if !j.isMixed() {
			return nil // fio ignores it
		}
		return setNumber(&p.RWMixRead, value)
	},
	"rwmixwrite": func(j *job, p *v1alpha1.FioParameters, value string) error {
		if !j.isMixed() {
			return nil // fio ignores it
		}
		if err := setNumber(&p.RWMixRead, value); err != nil {
			return err
		}
		*p.RWMixRead = 100 - *p.RWMixRead
		return nil
	},
	"rate_iops": func(j *job, p *v1alpha1.FioParameters, value string) error {
		value = withFirst(value)
		switch {
		case strings.HasPrefix(value, "-"):
			return fmt.Errorf("is negative")
		case !j.isLimited(j.rateIOPS):
			return nil // no limit
		case !fieldRates.MatchString(value) || len(value) > maxFieldRates:
			return fmt.Errorf("is no rate that a field can have")
		}
		p.RateIOPS = new(intstr.FromString(value))
		if n, err := strconv.ParseInt(value, 10, 32); err == nil {
			p.RateIOPS = new(intstr.FromInt32(int32(n)))
		}
		return nil
	},
	"ioengine": func(_ *job, p *v1alpha1.FioParameters, value string) error {
		p.IOEngine = &value
		return nil
	},
	"sync": func(_ *job, p *v1alpha1.FioParameters, value string) error {
		names := map[string]string{"0": "none", "1": "sync"}
		if name, isNumber := names[value]; isNumber {
			value = name
		}
		p.Sync = &value
		return nil
	},
	"bs": func(j *job, p *v1alpha1.FioParameters, value string) error {
		return j.setBytes(&p.BS, value, fieldBytes)
	},
	"rate": func(j *job, p *v1alpha1.FioParameters, value string) error {
		if !j.isLimited(j.rate) {
			return nil // no limit
		}
		return j.setBytes(&p.Rate, withFirst(value), fieldBytes)
	},
	"size": func(j *job, p *v1alpha1.FioParameters, value string) error {
		return j.setBytes(&p.Size, value, fieldSize)
	},
	"iodepth":   func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.IODepth, value) },
	"nrfiles":   func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.NrFiles, value) },
	"numjobs":   func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.NumJobs, value) },
	"fsync":     func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.Fsync, value) },
	"fdatasync": func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.Fdatasync, value) },
	"loops":     func(_ *job, p *v1alpha1.FioParameters, value string) error { return setNumber(&p.Loops, value) },
	"runtime": func(_ *job, p *v1alpha1.FioParameters, value string) error {
		return setSeconds(&p.RuntimeSeconds, value, 604_800)
	},
	"ramp_time": func(_ *job, p *v1alpha1.FioParameters, value string) error {
		var seconds *int32
		if err := setSeconds(&seconds, value, 86_400); err != nil || seconds == nil {
			return err
		}
		p.RampTimeSeconds = new(intstr.FromInt32(*seconds))
		return nil
	},
	"direct":    func(j *job, p *v1alpha1.FioParameters, _ string) error { return j.setFlag(&p.Direct, "direct") },
	"end_fsync": func(j *job, p *v1alpha1.FioParameters, _ string) error { return j.setFlag(&p.EndFsync, "end_fsync") },
	"invalidate": func(j *job, p *v1alpha1.FioParameters, _ string) error {
		return j.setFlag(&p.Invalidate, "invalidate")
	},
	"time_based": func(j *job, p *v1alpha1.FioParameters, _ string) error { return j.setFlag(&p.TimeBased, "time_based") },
	"norandommap": func(j *job, p *v1alpha1.FioParameters, _ string) error {
		return j.setFlag(&p.NoRandomMap, "norandommap")
	},
	// The jobs of parameters are always reported together.
	"group_reporting": func(*job, *v1alpha1.FioParameters, string) error { return nil },
}

// withFirst returns a list of limits with one for reads, which is none where it is empty.
func withFirst(limits string) string {
	if strings.HasPrefix(limits, ",") {
		return "0" + limits
	}
	return limits
}

// setNumber sets a field that is a number, which the guard has held to the same bounds as the API does.
func setNumber(to **int32, value string) error {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("is no single whole number")
	}
	*to = new(int32(n))
	return nil
}

// setSeconds sets a field that is a number of seconds, at most so many; 0 is none.
func setSeconds(to **int32, value string, most int64) error {
	us, ok := parseMicroseconds(value)
	if !ok || us%second != 0 || us/second > most {
		return fmt.Errorf("is no number of whole seconds up to %d", most)
	}
	if us > 0 {
		*to = new(int32(us / second))
	}
	return nil
}

func (j *job) setFlag(to **bool, name string) error {
	*to = new(j.on(name))
	return nil
}

// Forms of the fields that are bytes, as the API has them.
var (
	fieldBytes = form(`[0-9]+(?:[kKmMgG]i?)?(?:,(?:[0-9]+(?:[kKmMgG]i?)?)?){0,2}`)
	fieldSize  = form(`[0-9]+(?:[kKmMgGtTpP]i?)?|[1-9][0-9]?%|100%`)
)

// fieldRates is the form of the field that is I/Os per second, and maxFieldRates the most characters of it, as the API
// has them.
var fieldRates = form(`[0-9]+(?:,[0-9]*){0,2}`)

const maxFieldRates = 64

// maxFieldBytes is the most characters of fields that are bytes: that of size, the shortest.
const maxFieldBytes = 32

// setBytes sets a field that is bytes, in numbers where it does not know the unit.
func (j *job) setBytes(to **string, value string, known *regexp.Regexp) error {
	if !known.MatchString(value) {
		value = quantity.ReplaceAllStringFunc(value, func(text string) string {
			short, isBinary := strings.TrimRight(text, "bB"), strings.HasSuffix(strings.ToLower(text), "ib")
			if known.MatchString(short) && !isBinary {
				return short
			}
			bytes, _ := parseBytes(text, j.kilo)
			return strconv.FormatInt(bytes, 10)
		})
	}
	if !known.MatchString(value) || len(value) > maxFieldBytes {
		return fmt.Errorf("is no size that a field can have")
	}
	*to = &value
	return nil
}

var binaryQuantity = regexp.MustCompile(`[0-9]+(?i:[kmgtp]ib)\b`)

// InBytes returns an option with the units KiB, MiB and so on, which mean something else to fio than to everyone,
// written as bytes; false if it has none.
func (o Option) InBytes(kiloBase int64) (Option, bool) {
	if !isAboutBytes(o.Name) || !binaryQuantity.MatchString(o.Value) {
		return o, false
	}
	o.Value = binaryQuantity.ReplaceAllStringFunc(o.Value, func(text string) string {
		bytes, ok := parseBytes(text, kiloBase)
		if !ok {
			return text
		}
		return strconv.FormatInt(bytes, 10)
	})
	return o, true
}

// InDigits returns an option that is a whole number with a unit, such as verify_backlog=1m, written without; false if
// it is none.
func (o Option) InDigits(kiloBase int64) (Option, bool) {
	known, ok := byName[o.Name]
	if !ok || !known.value.number {
		return o, false
	}
	n, ok := parseBytes(o.Value, kiloBase)
	digits := strconv.FormatInt(n, 10)
	if !ok || strings.TrimLeft(o.Value, "0123456789") == "" {
		return o, false
	}
	o.Value = digits
	return o, true
}

// IsWellFormed reports whether the guard knows the option, and values of this form.
func (o Option) IsWellFormed() bool {
	known, ok := byName[o.Name]
	return ok && o.Value != "" && known.value.form.MatchString(o.Value)
}

// HasUnit reports whether the option is about bytes and has a unit in which kb_base counts.
func (o Option) HasUnit() bool {
	return isAboutBytes(o.Name) && countedUnit.MatchString(o.Value)
}

var countedUnit = regexp.MustCompile(`[0-9](?i:[kmgtp]i?b?)(?:[^a-zA-Z]|\z)`)
