// Package fioimport makes StorageBenchmarks of what people have: fio command lines and job files. What it returns does the same
// I/O as fio would have done, on the volumes of targets; what it had to change or leave out it says.
package fioimport

import (
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
)

const (
	// maxName is the most bytes of the name of a workload, maxJobFile of a job file in one.
	maxName    = 32
	maxJobFile = 16 << 10
)

// Import is what a fio command line or job file became.
type Import struct {
	// Workload is what fio did, as parameters if there was one job that they can say, else as a job file.
	Workload v1alpha1.Workload
	// Block says that fio worked on a device, so that targets have to have volumeMode Block.
	Block bool
	// Notes are sentences about what is other than it was written, and why.
	Notes []string
}

// CommandLine imports fio's arguments, with or without fio itself as the first. The error has all problems, each in a line.
func (o Options) CommandLine(args []string) (*Import, error) {
	r := &report{}
	sections := parseCommandLine(args, r)
	if slices.ContainsFunc(sections, isJob) {
		return o.importJobs(r, sections, "")
	}
	if len(r.problems) == 0 {
		r.problem("there is no job: give it a name, such as --name=randwrite, before its options")
	}
	return nil, r.err()
}

// JobFile imports the text of a job file, with arguments that stood before it on fio's command line: what these say holds for all
// jobs that do not say otherwise. The error has all problems, each in a line.
func (o Options) JobFile(text string, args ...string) (*Import, error) {
	file, err := fio.Parse(text)
	if err != nil {
		return nil, err
	}
	r := &report{}
	before := parseCommandLine(args, r)
	if slices.ContainsFunc(before, isJob) {
		r.problem("a job in addition to the job file: leave out --name and what follows it, or import the job by itself")
		return nil, r.err()
	}
	return o.importJobs(r, append(before, file.Sections()...), text)
}

// importJobs imports what was read, which has a job; text is what it was read of if that was a job file, else "".
func (o Options) importJobs(r *report, sections fio.Sections, text string) (*Import, error) {
	c := cleaner{report: r, Options: o}
	cleaned := c.clean((&rewriter{report: r, Options: o}).rewrite(sections))
	if !c.block {
		c.resolveShares(cleaned)
	}
	file := cleaned.File()
	r.validate(file, c.block)
	if err := r.err(); err != nil {
		return nil, err
	}
	imported := &Import{Block: c.block}
	imported.Workload = r.workload(file, text, c.block)
	imported.Notes = r.allNotes()
	if err := r.err(); err != nil {
		return nil, err
	}
	return imported, nil
}

// validate adds what the operator would refuse, in the words of the job file.
func (r *report) validate(f *fio.JobFile, block bool) {
	mode := corev1.PersistentVolumeFilesystem
	if block {
		mode = corev1.PersistentVolumeBlock
	}
	for _, problem := range fio.Validate(field.NewPath("job"), f, mode, false) {
		if problem.Type == field.ErrorTypeInvalid {
			r.problem("%v: %s", problem.BadValue, problem.Detail)
			continue
		}
		r.problem("%s%s", problem.Detail, groupHint(f, problem.Detail))
	}
}

// workload returns a valid job file as a workload.
func (r *report) workload(f *fio.JobFile, text string, block bool) v1alpha1.Workload {
	jobs := slices.DeleteFunc(f.Sections(), fio.Section.IsGlobal)
	w := v1alpha1.Workload{Name: Label(jobs[0].Name)}
	if len(jobs) == 1 {
		p, err := withSize(alone(f.Sections()), block).File().Parameters()
		if err == nil {
			r.noteTogether(p, f)
			w.Fio = p
			return w
		}
		r.note("kept as a job file, because parameters cannot say it: %v", err)
	} else {
		r.noteSeveral(f, len(jobs))
	}
	kept := editedText(text, f)
	if len(kept) > maxJobFile {
		r.problem("the job file has %d bytes, and a workload has room for %d: split it", len(kept), maxJobFile)
	}
	w.JobFile = &kept
	return w
}

// alone removes from the sections of one job what tells jobs of each other, and returns them.
func alone(sections fio.Sections) fio.Sections {
	for i := range sections {
		sections[i].Options = slices.DeleteFunc(sections[i].Options, func(o fio.Option) bool {
			return slices.Contains([]string{"stonewall", "new_group"}, fio.Canonical(o.Name))
		})
	}
	return sections
}

// withSize returns sections in which a job on a device that has no size has all of the device for its size, as fio takes it.
func withSize(sections fio.Sections, block bool) fio.Sections {
	if !block {
		return sections
	}
	for _, section := range sections {
		if slices.ContainsFunc(section.Options, func(o fio.Option) bool { return fio.Canonical(o.Name) == "size" }) {
			return sections
		}
	}
	job := &sections[slices.IndexFunc(sections, isJob)]
	job.Options = append(job.Options, fio.Option{Name: "size", Value: "100%", HasValue: true})
	return sections
}

// noteTogether tells that the clones of a job are reported together, if they were not before.
func (r *report) noteTogether(p *v1alpha1.FioParameters, f *fio.JobFile) {
	if p.NumJobs == nil || *p.NumJobs <= 1 {
		return
	}
	for _, section := range f.Sections() {
		if slices.ContainsFunc(section.Options, func(o fio.Option) bool { return o.Name == "group_reporting" }) {
			return
		}
	}
	r.note("the %d jobs of numjobs are reported together, as with group_reporting", *p.NumJobs)
}

// noteSeveral tells how several jobs are kept.
func (r *report) noteSeveral(f *fio.JobFile, jobs int) {
	how := "some of them at the same time"
	switch len(f.Stages()) {
	case 1:
		how = "all at the same time"
	case jobs:
		how = "one after the other"
	}
	results := f.Groups()
	r.note("%d jobs, %s, are one fio run: they stay together as a job file, which gives %d results (%s)", jobs, how, len(results), strings.Join(results, ", "))
}

// editedText returns the text of a job file with its comments, from which lines are gone or changed as f says; or f itself if there
// is no text, or none that can be shown.
func editedText(text string, f *fio.JobFile) string {
	if text == "" {
		return f.String()
	}
	byLine := map[int]fio.Option{}
	for _, section := range f.Sections() {
		for _, o := range section.Options {
			byLine[o.Line] = o
		}
	}
	var kept []string
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.ReplaceAll(line, "\t", " "))
		if !isPrintable(line) {
			return f.String()
		}
		content, _, _ := strings.Cut(strings.ReplaceAll(line, ";", "#"), "#")
		content = strings.TrimSpace(content)
		o, isOption := byLine[i+1]
		switch {
		case content == "" || content[0] == '[':
			kept = append(kept, line)
		case isOption:
			kept = append(kept, o.String()+line[len(content):])
		}
	}
	edited := strings.Trim(strings.Join(kept, "\n"), "\n") + "\n"
	if again, err := fio.Parse(edited); len(edited) > maxJobFile || err != nil || again.String() != f.String() {
		return f.String()
	}
	return edited
}

func isJob(s fio.Section) bool { return !s.IsGlobal() }

var notLabel = regexp.MustCompile(`[^a-z0-9]+`)

// Label returns the label of at most 32 characters that is most like a name: that of a workload or target.
func Label(name string) string {
	label := strings.Trim(notLabel.ReplaceAllString(strings.ToLower(name), "-"), "-")
	label = strings.TrimRight(label[:min(len(label), maxName)], "-")
	if label == "" {
		return "job"
	}
	return label
}
