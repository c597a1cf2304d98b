package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// BaselineOf returns what tells baselines of all targets apart: a hash of the workloads in the spec, of the versions of presets, of fio
// and of the types of the instances; and of what placement and order say about which nodes measure, and beside what. How often is measured, what is expected, deadlines and labels are not in it.
func BaselineOf(sb *v1alpha1.StorageBenchmark, fioVersion, instanceType string) string {
	spec := &sb.Spec
	what := struct {
		Workloads    []v1alpha1.Workload
		Presets      []v1alpha1.PresetVersion
		Clients      int32
		Spread       v1alpha1.Spread
		Resources    corev1.ResourceRequirements
		Fio          string
		InstanceType string
		// What is not set is left out: so a history keeps its baseline with an operator that knows of more.
		Isolation    v1alpha1.Isolation      `json:",omitempty"`
		NodeSelector map[string]string       `json:",omitempty"`
		Affinity     *corev1.Affinity        `json:",omitempty"`
		Order        v1alpha1.Order          `json:",omitempty"`
		Global       *v1alpha1.FioParameters `json:",omitempty"`
	}{Workloads: spec.Workloads, Global: spec.Fio, Presets: sb.Status.Presets, Clients: 1, Fio: fioVersion, InstanceType: instanceType}
	if spec.Clients != nil {
		what.Clients = *spec.Clients
	}
	if spec.Order != v1alpha1.OrderInterleaved {
		what.Order = spec.Order
	}
	if place := spec.Placement; place != nil {
		what.NodeSelector, what.Affinity = place.NodeSelector, place.Affinity
		if place.Spread != v1alpha1.SpreadNode {
			what.Spread = place.Spread
		}
		if place.Isolation != v1alpha1.IsolationNode {
			what.Isolation = place.Isolation
		}
	}
	if spec.Pod != nil {
		what.Resources = spec.Pod.Resources
	}
	text, err := json.Marshal(what)
	if err != nil {
		panic(err) // the types of the API can be marshalled
	}
	return hashOf(string(text))
}

// targetsOf returns what tells baselines of each target apart. Who changes the storage of one leaves the others theirs.
func targetsOf(spec *v1alpha1.StorageBenchmarkSpec) []TargetBaseline {
	var all []TargetBaseline
	for i := range spec.Targets {
		text, err := json.Marshal(&spec.Targets[i])
		if err != nil {
			panic(err) // as above
		}
		all = append(all, TargetBaseline{Target: name(spec.Targets[i].Name), Baseline: hashOf(string(text))})
	}
	slices.SortFunc(all, func(a, b TargetBaseline) int { return cmp.Compare(a.Target, b.Target) })
	return all
}

// hashOf returns 16 characters.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
