package plan

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/storage"
)

// place is a target with what was found of its volumes.
type place struct {
	target *v1alpha1.Target
	kind   storage.Kind
	rules
}

// rules are what the validity of a workload on a target depends on.
type rules struct {
	mode     corev1.PersistentVolumeMode
	readOnly bool
	// objects reports whether files are objects of a store.
	objects bool
	// content reports whether the volume has what somebody has written.
	content bool
	// othersSpace is set if others use the space that the files take, or pay for it.
	othersSpace bool
}

func placesOf(targets []v1alpha1.Target, volumes Volumes) []place {
	places := make([]place, len(targets))
	for i := range targets {
		t, kind, readOnly := &targets[i], volumes.KindOf(&targets[i]), volumes.ReadOnly(&targets[i])
		places[i] = place{target: t, kind: kind, rules: rules{
			mode: volumes.ModeOf(t), readOnly: readOnly, objects: kind.IsObjectStore(), content: t.DataSource != nil || readOnly,
			othersSpace: !storage.IsNewVolume(t) || kind.IsPartOfService(),
		}}
	}
	return places
}

// validateJob refuses what a job cannot do on such a target.
func validateJob(path *field.Path, job *fio.JobFile, r rules) field.ErrorList {
	problems := fio.Validate(path, job, r.mode, r.readOnly)
	if len(problems) == 0 && r.objects {
		problems = fio.ValidateOnObjectStore(path, job)
	}
	if len(problems) == 0 && r.othersSpace {
		problems = fio.ValidateOnOthersSpace(path, job)
	}
	if len(problems) == 0 && r.content {
		problems = fio.ValidateOnContent(path, job)
	}
	return problems
}

// validateCases validates a workload's cases once for each kind of target, so that a problem is not reported
// again for every case and target.
func validateCases(path *field.Path, cases []testCase, places []place) field.ErrorList {
	known := map[rules]bool{}
	seen := map[string]bool{}
	var problems field.ErrorList
	for _, p := range places {
		if known[p.rules] {
			continue
		}
		known[p.rules] = true
		for _, c := range cases {
			for _, job := range c.jobs() {
				for _, problem := range validateJob(path, job, p.rules) {
					if !seen[problem.Error()] {
						seen[problem.Error()] = true
						problems = append(problems, problem)
					}
				}
			}
		}
	}
	return problems
}
