package plan

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

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
