package wording

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/preset"
)

// Expanded returns a workload that says itself what its preset does, the same if that is not known.
func Expanded(w *v1alpha1.Workload) *v1alpha1.Workload {
	if expanded, err := preset.Expand(w); err == nil {
		return expanded
	}
	return w
}

// Fields returns the parameters of a workload that are set, by their names in the API; options that have none by theirs.
func Fields(p *v1alpha1.FioParameters) map[string]string {
	fields := map[string]string{}
	encoded, err := json.Marshal(p)
	if err != nil {
		return fields // Which cannot be: it came out of JSON.
	}
	var all map[string]any
	if err := json.Unmarshal(encoded, &all); err != nil {
		return fields
	}
	for name, value := range all {
		if options, ok := value.(map[string]any); ok {
			for option, value := range options {
				fields[fio.FieldName(option)] = fmt.Sprint(value)
			}
			continue
		}
		fields[name] = fmt.Sprint(value)
	}
	return fields
}

// Parameters prints the choice of a matrix as fio's command line does, such as bs=16k numjobs=2.
func Parameters(choice map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(choice)) {
		parts = append(parts, name+"="+choice[name])
	}
	return strings.Join(parts, " ")
}

// JobFile returns what fio is given for a workload, with comments on the choices of its matrix and on what runs before it is
// measured.
func JobFile(w *v1alpha1.Workload) string {
	out := Expanded(w)
	switch {
	case out.JobFile != nil:
		return strings.TrimSpace(*out.JobFile) + "\n"
	case out.Fio == nil:
		return ""
	}
	var text strings.Builder
	fmt.Fprintln(&text, strings.TrimSpace(fio.FromParameters(out.Name, out.Fio).String()))
	for _, name := range slices.Sorted(maps.Keys(out.Matrix)) {
		var values []string
		for _, value := range out.Matrix[name] {
			values = append(values, value.String())
		}
		fmt.Fprintf(&text, "; %s is one after the other %s\n", name, strings.Join(values, ", "))
	}
	switch {
	case out.Until != nil:
		fmt.Fprintln(&text, "; runs until it is steady, and is measured then (until)")
	case fio.RampsAuto(out.Fio):
		fmt.Fprintln(&text, "; runs until it is warm, and is measured then (rampTimeSeconds: auto)")
	}
	return text.String()
}

// Pattern tells in a few words what a workload does, such as "random writes".
func Pattern(w *v1alpha1.Workload) string {
	out := Expanded(w)
	switch {
	case w.Preset != nil && out.Preset == nil:
		return "preset " + *w.Preset + ": " + Pattern(out)
	case w.Preset != nil:
		return "preset " + *w.Preset
	case w.Fio == nil:
		return "a fio job file"
	}
	set := Fields(w.Fio)
	if fio.IsMetadata(set["ioengine"]) {
		return "operations on files and directories"
	}
	rw := cmp.Or(set["rw"], set["readwrite"])
	kind, _, _ := strings.Cut(rw, ":")
	return cmp.Or(kinds[kind], rw)
}

// kinds are fio's values of rw in words.
var kinds = map[string]string{
	"read": "sequential reads", "write": "sequential writes", "trim": "sequential trims", "randread": "random reads", "randwrite": "random writes",
	"randtrim": "random trims", "rw": "sequential reads and writes", "readwrite": "sequential reads and writes", "randrw": "random reads and writes",
	"trimwrite": "sequential trims, each followed by a write", "randtrimwrite": "random trims, each followed by a write",
}

// operations are what fio's engines of metadata do.
var operations = map[string]string{
	"filecreate": "creation of %s", "filestat": "look-up of %s", "filedelete": "deletion of %s",
	"dircreate": "creation of %s", "dirstat": "look-up of %s", "dirdelete": "deletion of %s",
}

// operationsInWords says what an engine of metadata did, such as "creation of 1000 files by each of 4 jobs (filecreate)"; "" of another.
func operationsInWords(set map[string]string) string {
	engine := set["ioengine"]
	if operations[engine] == "" {
		return ""
	}
	one, many := "1 file", " files"
	if strings.HasPrefix(engine, "dir") {
		one, many = "1 directory", " directories"
	}
	what := one
	if count := cmp.Or(set["nrfiles"], "1"); count != "1" {
		what = count + many
	}
	words := fmt.Sprintf(operations[engine], what)
	if jobs := cmp.Or(set["numjobs"], "1"); jobs != "1" {
		words += " by each of " + jobs + " jobs"
	}
	return words + " (" + engine + ")"
}

// Workload says what fio did, such as "random writes in blocks of 16k by 16 jobs (psync), past the page cache". The choice of
// the matrix prevails over what the workload says.
func Workload(w *v1alpha1.Workload, section string, choice map[string]string) string {
	switch w = Expanded(w); {
	case w.Preset != nil:
		return "preset " + *w.Preset + ", which this version does not know"
	case w.Fio == nil:
		return jobFileInWords(w, section, choice)
	}
	set := Fields(w.Fio)
	for name, value := range choice {
		set[fio.FieldName(name)] = value
	}
	if words := operationsInWords(set); words != "" {
		return words
	}
	kind, _, _ := strings.Cut(set["rw"], ":")
	words := kinds[kind]
	if words == "" {
		words = "I/O"
	}
	if mix := set["rwmixread"]; mix != "" && strings.Contains(words, "reads and writes") {
		words += fmt.Sprintf(" (%s %% reads)", mix)
	}
	words += " in blocks of " + strings.ReplaceAll(cmp.Or(set["bs"], "4k"), ",", " and ")
	jobs := cmp.Or(set["numjobs"], "1")
	words += " by " + jobs + " job"
	if jobs != "1" {
		words += "s"
	}
	words += " (" + engineInWords(set) + ")"
	switch set["direct"] {
	case "true", "1":
		words += ", past the page cache"
	default:
		words += ", through the page cache"
	}
	switch sync := set["sync"]; sync {
	case "", "none", "0":
	case "1":
		words += ", each write synchronous (sync)"
	default:
		words += ", each write synchronous (" + sync + ")"
	}
	return words
}

// engineInWords says how I/O is issued, and how much of it each job keeps in flight if it has an iodepth of more than 1: that is one where the engine
// waits for each.
func engineInWords(set map[string]string) string {
	engine, depth := cmp.Or(set["ioengine"], "psync"), cmp.Or(set["iodepth"], "1")
	switch {
	case depth == "1":
		return engine
	case !fio.Queues(engine, set["io_submit_mode"]):
		return engine + " with 1 I/O in flight each, whatever iodepth " + depth + " says"
	default:
		return engine + " with " + depth + " I/Os in flight each"
	}
}

// jobFileInWords says which part of a job file it was.
func jobFileInWords(w *v1alpha1.Workload, section string, choice map[string]string) string {
	words := "the job file of workload " + w.Name
	if section != "" {
		words = "section " + section + " of " + words
	}
	if len(choice) > 0 {
		words += " with " + Parameters(choice)
	}
	return words
}
