package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// maxName is the most characters of the name of a target or of a workload.
const maxName = 32

// validateShape refuses that of what the API server refuses without which there is no plan: a plan can be made
// without a server.
func validateShape(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec) field.ErrorList {
	var targets, workloads []string
	for i := range spec.Targets {
		targets = append(targets, spec.Targets[i].Name)
	}
	for i := range spec.Workloads {
		workloads = append(workloads, spec.Workloads[i].Name)
	}
	problems := append(validateNames(path.Child("targets"), targets), validateNames(path.Child("workloads"), workloads)...)
	for i := range spec.Targets {
		if t := &spec.Targets[i]; storage.Kinds(t) != 1 {
			problems = append(problems, field.Invalid(path.Child("targets").Index(i), t.Name, "set exactly one of storageClassName, ebs, efs, s3 and claimName"))
		}
	}
	for i := range spec.Workloads {
		problems = append(problems, validateKind(path.Child("workloads").Index(i), &spec.Workloads[i])...)
		problems = append(problems, validateWorkloadClients(path.Child("workloads").Index(i).Child("clients"), spec.Workloads[i].Clients)...)
	}
	problems = append(problems, validateClients(path.Child("clients"), spec.Clients)...)
	if spec.Baseline != nil && !slices.Contains(targets, *spec.Baseline) {
		problems = append(problems, field.NotSupported(path.Child("baseline"), *spec.Baseline, targets))
	}
	return problems
}

// validateNames refuses lists of which the names of runs would not be unique, or no names.
func validateNames(path *field.Path, names []string) field.ErrorList {
	if len(names) == 0 {
		return field.ErrorList{field.Required(path, "give at least one")}
	}
	var problems field.ErrorList
	for i, name := range names {
		at := path.Index(i).Child("name")
		for _, message := range validation.IsDNS1123Label(name) {
			problems = append(problems, field.Invalid(at, name, message))
		}
		if len(name) > maxName {
			problems = append(problems, field.TooLong(at, name, maxName))
		}
		if slices.Contains(names[:i], name) {
			problems = append(problems, field.Duplicate(at, name))
		}
	}
	return problems
}

// validateKind refuses a workload that does not say what it does, says it twice, or says what its preset says.
func validateKind(path *field.Path, w *v1alpha1.Workload) field.ErrorList {
	kinds := 0
	for _, set := range []bool{w.Preset != nil, w.Fio != nil, w.JobFile != nil} {
		if set {
			kinds++
		}
	}
	var problems field.ErrorList
	if kinds != 1 {
		problems = append(problems, field.Invalid(path, w.Name, "set exactly one of preset (a workload that has a name), fio (parameters) and jobFile (a whole fio job file)"))
	}
	if w.Scale != nil && w.Preset == nil {
		problems = append(problems, field.Forbidden(path.Child("scale"), "it is for presets: set size and runtimeSeconds in fio, or in jobFile"))
	}
	if w.Search != nil && w.Preset != nil && w.Search.Vary != v1alpha1.VaryClients {
		problems = append(problems, field.Invalid(path.Child("search", "vary"), w.Search.Vary,
			"a preset sets what is measured, so that its results are comparable: vary clients; or set fio to vary what it does"))
	}
	if w.Preset != nil && len(w.Matrix) > 0 {
		problems = append(problems, field.Forbidden(path.Child("matrix"),
			"a preset sets what is measured, so that its results are comparable: remove matrix, or set fio to vary options; clients can vary"))
	}
	return problems
}

// giveClients is what to do about something that is no number of clients.
var giveClients = fmt.Sprintf("give a number of clients from 1 to %d, such as 4", v1alpha1.MaxClients)

// validateClients refuses a number of clients that the API server refuses too.
func validateClients(path *field.Path, clients *int32) field.ErrorList {
	if clients == nil || (*clients >= 1 && *clients <= v1alpha1.MaxClients) {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *clients, giveClients)}
}

// validateWorkloadClients refuses what the API server refuses too.
func validateWorkloadClients(path *field.Path, clients []int32) field.ErrorList {
	var problems field.ErrorList
	for i, n := range clients {
		problems = append(problems, validateClients(path.Index(i), &n)...)
		if slices.Contains(clients[:i], n) {
			problems = append(problems, field.Duplicate(path.Index(i), n))
		}
	}
	return problems
}

// maxTexts bounds the job files of a benchmark together, of which the API has the same rule: operators keep all benchmarks
// in memory, as they are written.
const maxTexts = 128 << 10

// validateTexts refuses job files that are too long together.
func validateTexts(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec) *field.Error {
	all := 0
	for i := range spec.Workloads {
		all += utf8.RuneCountInString(ptr.Deref(spec.Workloads[i].JobFile, ""))
	}
	if all <= maxTexts {
		return nil
	}
	return field.Invalid(path.Child("workloads"), len(spec.Workloads),
		fmt.Sprintf("all jobFiles together have %d characters, and may have %d: give what differs in matrix, or split the benchmark", all, maxTexts))
}

// maxPods bounds, in bytes of text, what a benchmark says of its pods. Each pod and Job has all of it, and the API server takes a processor a second for
// each write of an object of 1 MiB. What people write has some KiB; the names of all nodes of a large cluster have 10.
const maxPods = 64 << 10

// ValidatePods refuses placement and pod that are too large together: the API bounds what each list, map and text in them has, and these multiply.
func ValidatePods(path *field.Path, spec *v1alpha1.StorageBenchmarkSpec) *field.Error {
	text, err := json.Marshal(v1alpha1.StorageBenchmarkSpec{Placement: spec.Placement, Pod: spec.Pod})
	if err == nil && len(text) <= maxPods {
		return nil
	}
	return field.Invalid(path.Child("placement"), fmt.Sprintf("%d KiB", len(text)>>10),
		fmt.Sprintf("placement and pod together may have %d KiB as text, because each pod has all of it: select nodes by labels that they share", maxPods>>10))
}
