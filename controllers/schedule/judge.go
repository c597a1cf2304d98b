package schedule

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/history"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// template is where a schedule has the spec of its StorageBenchmarks.
var template = field.NewPath("spec", "template")

// judge says what is wrong with the template, as the operator would of each StorageBenchmark that is made from it. It
// looks at each generation once: the most hostile spec takes the better part of a second.
func judge(p *pass) field.ErrorList {
	if p.memory.judged != p.schedule.Generation {
		p.memory.problems, p.memory.judged = problems(p), p.schedule.Generation
	}
	return p.memory.problems
}

func problems(p *pass) field.ErrorList {
	spec := p.schedule.Spec.Template.Spec.DeepCopy()
	if problems := beyondReach(p, spec); len(problems) > 0 {
		return problems
	}
	if problems := metadataProblems(p); len(problems) > 0 {
		return problems
	}
	if problem := plan.ValidatePods(template.Child("spec"), spec); problem != nil {
		return field.ErrorList{problem}
	}
	spec.Pod, spec.Placement = nil, nil // which have no part in a plan, and can be large
	runs, problems := plan.Runs(spec, nil)
	if len(problems) > 0 {
		return below(problems)
	}
	if err := history.Fits(history.CasesOf(runs), p.historyLimit()); err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "historyLimit"), p.historyLimit(), err.Error())}
	}
	return nil
}

// metadataProblems returns what the API server has against the template's labels and annotations. It would refuse each
// StorageBenchmark for it.
func metadataProblems(p *pass) field.ErrorList {
	metadata, path := &p.schedule.Spec.Template.Metadata, template.Child("metadata")
	return append(
		metav1validation.ValidateLabels(metadata.Labels, path.Child("labels")),
		validation.ValidateAnnotations(metadata.Annotations, path.Child("annotations"))...,
	)
}

// below has problems name the fields of the template, where those of a StorageBenchmark begin with spec.
func below(problems field.ErrorList) field.ErrorList {
	for _, problem := range problems {
		problem.Field = template.String() + "." + problem.Field
	}
	return problems
}

// beyondReach returns an error for each target whose storage takes objects without a namespace, which an operator
// cannot make that is confined to namespaces.
func beyondReach(p *pass, spec *v1alpha1.StorageBenchmarkSpec) field.ErrorList {
	var problems field.ErrorList
	for i := range spec.Targets {
		if len(p.Namespaces) == 0 || storage.Driver(&spec.Targets[i]) == "" {
			continue
		}
		problems = append(problems, field.Forbidden(template.Child("spec", "targets").Index(i),
			"this operator is confined to "+strings.Join(p.Namespaces, ", ")+
				", and has no right to make the StorageClass or PersistentVolume that this needs; "+
				"name an existing StorageClass in storageClassName, or an existing claim in claimName"))
	}
	return problems
}
