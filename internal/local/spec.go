package local

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
)

// measurable returns the spec as it is measured on this machine: each target is storage that exists, mounted at its
// directory. The error says what of the spec needs a cluster.
func measurable(
	spec *v1alpha1.StorageBenchmarkSpec, directories map[string]string,
) (*v1alpha1.StorageBenchmarkSpec, error) {
	if err := refuse(spec, directories); err != nil {
		return nil, err
	}
	spec = spec.DeepCopy()
	// What pods would get has no meaning here, and what follows must not count on it.
	spec.Pod, spec.Placement = nil, nil
	setDeadlines(&spec.Deadlines)
	for i := range spec.Targets {
		target := &spec.Targets[i]
		// As a claim: what is in the directory was there before, and nobody knows its burst credits.
		spec.Targets[i] = v1alpha1.Target{
			Name: target.Name, ClaimName: &target.Name, FreeSpaceReserve: target.FreeSpaceReserve,
			Limits: target.Limits, ClientLimits: target.ClientLimits,
		}
	}
	return spec, nil
}

// The deadlines that an API server sets where a spec has none.
const (
	defaultProgressSeconds = 300
	defaultCleanUpSeconds  = 600
)

func setDeadlines(d *v1alpha1.Deadlines) {
	if d.IOProgressSeconds == nil {
		d.IOProgressSeconds = new(int32(defaultProgressSeconds))
	}
	if d.CleanUpSeconds == nil {
		d.CleanUpSeconds = new(int32(defaultCleanUpSeconds))
	}
}

// refuse returns an error about each part of a spec that needs a cluster.
func refuse(spec *v1alpha1.StorageBenchmarkSpec, directories map[string]string) error {
	var problems []error
	if clients := spec.MostClients(); clients > 1 {
		problems = append(problems, fmt.Errorf(
			"clients: %d clients measure from %d nodes, which needs a cluster: set clients to 1", clients, clients))
	}
	problems = append(problems, outOfBounds(spec)...)
	left := maps.Clone(directories)
	for i := range spec.Targets {
		target := &spec.Targets[i]
		if why := whyNotLocal(target, left[target.Name]); why != "" {
			problems = append(problems, fmt.Errorf("target %s: %s", target.Name, why))
		}
		delete(left, target.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		problems = append(problems, fmt.Errorf("--target %s: the StorageBenchmark has no such target: it has %s",
			name, strings.Join(namesOf(spec), ", ")))
	}
	return errors.Join(problems...)
}

// outOfBounds returns an error about each value that an API server would refuse, and that decides what is filled or
// removed here.
func outOfBounds(spec *v1alpha1.StorageBenchmarkSpec) (problems []error) {
	for i := range spec.Targets {
		if reserve := spec.Targets[i].FreeSpaceReserve; reserve != nil && reserve.Sign() < 0 {
			problems = append(problems, fmt.Errorf("target %s: freeSpaceReserve is %s: write 0 or more, such as 1Gi",
				spec.Targets[i].Name, reserve))
		}
	}
	for name, seconds := range map[string]*int32{
		"ioProgressSeconds": spec.Deadlines.IOProgressSeconds, "cleanUpSeconds": spec.Deadlines.CleanUpSeconds,
		"runCompletionSeconds": spec.Deadlines.RunCompletionSeconds,
	} {
		if seconds != nil && *seconds < 1 {
			problems = append(problems, fmt.Errorf("deadlines.%s is %d: write 1 or more", name, *seconds))
		}
	}
	return problems
}

// namesOf returns the names of the targets.
func namesOf(spec *v1alpha1.StorageBenchmarkSpec) (names []string) {
	for i := range spec.Targets {
		names = append(names, spec.Targets[i].Name)
	}
	return names
}

// whyNotLocal says why a target cannot be measured in a directory, "" if it can.
func whyNotLocal(target *v1alpha1.Target, directory string) string {
	switch {
	case storage.VolumeMode(target) == corev1.PersistentVolumeBlock:
		return "volumeMode is Block, and only directories are measured without a cluster: remove it, and mount the volume"
	case target.Precondition != nil:
		return "precondition writes all of a new volume, which needs a cluster: remove it"
	case directory == "":
		return fmt.Sprintf("it has no directory, and a volume or a claim needs a cluster: "+
			"add --target %s=DIRECTORY, where such storage is mounted", target.Name)
	}
	return ""
}
