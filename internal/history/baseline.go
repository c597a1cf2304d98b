package history

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// BaselineOf returns what tells baselines apart: a hash of the storage and of the workloads in the spec, of the versions of presets, of fio
// and of the types of the instances. How often is measured, what is expected, deadlines and labels are not in it.
func BaselineOf(sb *v1alpha1.StorageBenchmark, fioVersion, instanceType string) string {
	spec := &sb.Spec
	what := struct {
		Targets      []v1alpha1.Target
		Workloads    []v1alpha1.Workload
		Presets      []v1alpha1.PresetVersion
		Clients      int32
		Spread       v1alpha1.Spread
		Resources    corev1.ResourceRequirements
		Fio          string
		InstanceType string
	}{Targets: spec.Targets, Workloads: spec.Workloads, Presets: sb.Status.Presets, Clients: 1, Fio: fioVersion, InstanceType: instanceType}
	if spec.Clients != nil {
		what.Clients = *spec.Clients
	}
	if spec.Placement != nil && spec.Placement.Spread != v1alpha1.SpreadNode {
		what.Spread = spec.Placement.Spread
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

// hashOf returns 16 characters.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
