package fio

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// maxValueBytes bounds values; fio reads lines of 4 KiB.
	maxValueBytes = 1024
	// maxErrors bounds the errors that Validate returns.
	maxErrors = 16
)

// notInSections are what names of sections must not have.
var notInSections = regexp.MustCompile(`[^A-Za-z0-9_.,=+@() -]+`)

// SectionName returns the name that a section can have and is most like another one.
func SectionName(name string) string {
	const most = 64
	fit := notInSections.ReplaceAllString(name, "_")
	if fit = strings.TrimLeft(fit, " .,=+@()-"); len(fit) > most {
		fit = fit[:most]
	}
	if sectionName.MatchString(name) || !sectionName.MatchString(fit) || strings.HasPrefix(fit, globalName) {
		return name
	}
	return fit
}

// Validate refuses what a job file must not do on a volume of the given mode: run commands, leave the
// volume, change the shape of fio's report, write although readOnly, or what fio would refuse or
// misunderstand. Only options that are known to be harmless pass. workload is the field of the workload that
// the file was made of; each error names the field, the value and the remedy. At most 16 errors are returned.
func Validate(workload *field.Path, f *JobFile, mode corev1.PersistentVolumeMode, readOnly bool) field.ErrorList {
	g := newGuard(workload, f)
	g.block, g.readOnly = mode == corev1.PersistentVolumeBlock, readOnly
	if err := f.sections.check(); err != nil {
		return field.ErrorList{field.Forbidden(g.path, err.Error())}
	}
	g.metadata = f.hasMetadata()
	g.checkSections(f)
	g.checkOptions(f)
	if len(g.errs) == 0 {
		g.checkShared(f)
		g.report(jobProblems(f, g.block, g.readOnly))
		g.report(resultProblems(f))
		g.checkText(f)
	}
	return g.result()
}

// ValidateOnObjectStore refuses what passes Validate, and fails or never ends on a mount of Mountpoint for Amazon S3.
// Jobs can read files that are laid out before, to write new files from the first byte to the last, each by one
// writer, and to create, look up and delete files. The errors are like those of Validate; each says why, and what to do
// instead.
func ValidateOnObjectStore(workload *field.Path, f *JobFile) field.ErrorList {
	g := newGuard(workload, f)
	g.report(objectProblems(f))
	return g.result()
}

// ValidateOnOthersSpace refuses what passes Validate and would take all space of a volume that was there before, or of
// a file system that grows without end: others need the space, and somebody pays for it. Percentages of the space need
// no rule here: Validate lets them pass on raw devices only, and those that existed before are only read.
func ValidateOnOthersSpace(workload *field.Path, f *JobFile) field.ErrorList {
	return refuseAll(workload, f, rule{option: "fill_device", why: "fio would write until the storage is full, and " +
		"the storage " +
		"is not a new volume: remove it and set size, or measure a new volume (storageClassName or ebs)"})
}

// ValidateOnContent refuses what passes Validate, and would tell of the data on a volume that has somebody's: results
// and logs are read by more people than that data. fio prints bytes that it finds only where it verifies.
func ValidateOnContent(workload *field.Path, f *JobFile) field.ErrorList {
	return refuseAll(workload, f, rule{option: "verify", why: "fio prints bytes that are not as it expects, and the " +
		"volume has " +
		"somebody's data: remove it, or measure a volume that is new and empty"})
}

// refuseAll refuses what breaks rules.
func refuseAll(workload *field.Path, f *JobFile, rules ...rule) field.ErrorList {
	g := newGuard(workload, f)
	for _, j := range f.jobs() {
		g.report(broken(rules, j))
	}
	return g.result()
}

// guard collects the errors of a job file.
type guard struct {
	// path is the field of the job file or of the parameters, matrix that of the matrix.
	path, matrix    *field.Path
	block, readOnly bool
	// metadata reports that a job is about files themselves, which need a file system: metadataProblems refuse it on a
	// device, where to remove an option would not help it.
	metadata bool
	errs     field.ErrorList
}

// newGuard returns a guard of a job file in a file system, whose errors name fields of the workload.
func newGuard(workload *field.Path, f *JobFile) *guard {
	g := &guard{path: workload.Child("jobFile"), matrix: workload.Child(matrixField)}
	if f.isTyped() {
		g.path = workload.Child("fio")
	}
	return g
}

// result returns the errors, not more than people read.
func (g *guard) result() field.ErrorList { return g.errs[:min(len(g.errs), maxErrors)] }

func (g *guard) checkSections(f *JobFile) {
	seen := map[string]bool{}
	for _, section := range f.sections {
		name := section.Name
		switch {
		case name == globalName:
		case !section.isJob():
			g.refuse("section [%s]: fio takes names that begin with global for [global]; rename the section",
				humanize.Excerpt(name))
		case !sectionName.MatchString(name):
			g.refuse("section [%s]: fio names files after it; write up to 64 letters, digits, blanks and _.,=+@()- that "+
				"begin with a letter or digit", humanize.Excerpt(name))
		case seen[name]:
			g.refuse("section [%s] occurs twice: results are known by the section's name; rename one", humanize.Excerpt(name))
		}
		seen[name] = true
	}
}

func (g *guard) checkOptions(f *JobFile) {
	for _, section := range f.sections {
		seen := map[string]Option{}
		for _, o := range section.Options {
			if len(g.errs) >= maxErrors {
				return
			}
			name := Canonical(o.Name)
			first, twice := seen[name]
			if twice && o.Name != "filename" && first.Field == "" && first.Value == o.Value && first.HasValue == o.HasValue {
				continue
			}
			if twice && (o.Field != optionsField || fieldOf(name) == "") {
				g.refuseTwice(section.Name, first, o)
				continue
			}
			seen[name] = o
			g.checkOption(section.Name, o)
		}
	}
}

// refuseTwice refuses an option that a section has twice.
func (g *guard) refuseTwice(section string, first, again Option) {
	if again.Name == "filename" {
		g.refuseOption(section, again, "it is given twice, first as %s, and fio uses both: write one list "+
			"with colons", humanize.Excerpt(first.String()))
		return
	}
	g.refuseOption(section, again, "it is given twice, first as %s: remove one", humanize.Excerpt(first.String()))
}

// checkOption checks an option by itself.
func (g *guard) checkOption(section string, o Option) {
	known, ok := byName[o.Name]
	switch {
	case !ok:
		reason, remedy := whyRefused(o.Name)
		g.refuseOption(section, o, "%s: %s", reason, remedy)
	case o.Field == optionsField && fieldOf(known.name) != "":
		g.refuseOption(section, o, "it has a field of its own: set %s", fieldOf(known.name))
	case o.Field == optionsField && known.name == groupReporting && o.Value == "0":
		g.refuseOption(section, o, "the clones of a job of parameters are always reported together: remove it, or write "+
			"a jobFile")
	case o.Field == matrixField && shapesReport[known.name]:
		g.refuseOption(section, o, "it decides what makes one result, which has to be the same in all cases: remove it")
	case !o.HasValue && !known.value.flag:
		g.refuseOption(section, o, "it has no value: write %s=, then %s", known.name, known.value.example)
	case len(o.Value) > maxValueBytes:
		g.refuseOption(section, o, "it has %d bytes: shorten it to %d", len(o.Value), maxValueBytes)
	case o.HasValue && (o.Value == "" || !known.value.form.MatchString(o.Value)):
		g.refuseValue(section, o, known)
	case known.value.number && !known.contains(o.Value):
		g.refuseOption(section, o, "write a whole number from %d to %d", known.least, known.most)
	case known.value.measure != nil && !known.value.measures(o.Value):
		g.refuseOption(section, o, "it is too large: write less")
	case g.block && known.filesOnly && !g.metadata:
		g.refuseOption(section, o, "it is about files, and the volume is a raw block device: remove it%s",
			blockRemedy[known.name])
	}
}

// refuseValue refuses a value for its form, with the reason if there is more to say.
func (g *guard) refuseValue(section string, o Option, known *option) {
	if reason := whyValue(known.name, o.Value); reason != "" {
		g.refuseOption(section, o, "%s: write %s", reason, known.value.example)
		return
	}
	g.refuseOption(section, o, "write %s", known.value.example)
}

// shapesReport has the options that decide which jobs make one result.
var shapesReport = map[string]bool{"group_reporting": true, "stonewall": true, "new_group": true}

// blockRemedy says more about options that do not go with a raw block device.
var blockRemedy = map[string]string{
	"filename": "; the operator sets it to the device",
	"filesize": "; size takes its place",
}

// contains reports whether a number is within the option's bounds.
func (o *option) contains(value string) bool {
	n, err := parseInteger(value)
	return err == nil && o.least <= n && n <= o.most
}

// checkShared refuses options of a section that fio would mix with those of a [global] section above.
func (g *guard) checkShared(f *JobFile) {
	shared := map[string]bool{}
	for _, section := range f.sections {
		for _, o := range section.Options {
			name := Canonical(o.Name)
			switch {
			case !shared[name]:
			case name == "filename":
				g.refuseOption(section.Name, o, "a [global] section above names files, and fio would use both: keep one")
			case strings.HasPrefix(o.Value, ","):
				g.refuseOption(section.Name, o, "a [global] section above sets it too, and fio would take the first value "+
					"from there: write all values here")
			}
			shared[name] = shared[name] || !section.isJob()
		}
	}
}

// checkText refuses a job file that no container could be given.
func (g *guard) checkText(f *JobFile) {
	if n := len(f.String()); n > maxJobBytes {
		g.refuse("the job file takes %d bytes, and a container can be given %d: use fewer or shorter options", n, maxJobBytes)
	}
}

// report adds an error for each problem.
func (g *guard) report(problems []problem) {
	for _, p := range problems {
		if p.job == nil {
			g.refuse("%s", p.why)
			continue
		}
		o, given := p.job.options[p.option]
		switch {
		case given:
			g.refuseOption(p.job.name, *o, "%s", p.why)
		case p.isRequired && p.job.isTyped():
			g.errs = append(g.errs, field.Required(g.path.Child(byName[p.option].field), p.why))
		case p.isRequired:
			g.errs = append(g.errs, field.Required(g.path, fmt.Sprintf("section [%s]: %s", p.job.name, p.why)))
		default:
			g.refuse("section [%s], %s: %s", p.job.name, p.option, p.why)
		}
	}
}

// refuseOption adds an error about an option in a section.
func (g *guard) refuseOption(section string, o Option, format string, args ...any) {
	why, value := fmt.Sprintf(format, args...), humanize.Excerpt(o.Value)
	switch o.Field {
	case "":
		line := ""
		if o.Line > 0 {
			line = fmt.Sprintf("line %d, ", o.Line)
		}
		g.errs = append(g.errs, field.Invalid(g.path, humanize.Excerpt(o.String()),
			fmt.Sprintf("%ssection [%s]: %s", line, humanize.Excerpt(section), why)))
	case matrixField:
		g.errs = append(g.errs, field.Invalid(g.matrix.Key(humanize.Excerpt(cmp.Or(o.Key, o.Name))), value, why))
	case optionsField:
		g.errs = append(g.errs, field.Invalid(g.path.Child(optionsField).Key(humanize.Excerpt(o.Name)), value, why))
	default:
		g.errs = append(g.errs, field.Invalid(g.path.Child(o.Field), value, why))
	}
}

// refuse adds an error about the job file as a whole.
func (g *guard) refuse(format string, args ...any) {
	g.errs = append(g.errs, field.Forbidden(g.path, fmt.Sprintf(format, args...)))
}
