package local

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// What needs a cluster is refused in one sentence each, which names the remedy.
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*v1alpha1.StorageBenchmarkSpec)
		want   string
	}{
		"clients":         {func(s *v1alpha1.StorageBenchmarkSpec) { s.Clients = new(int32(2)) }, "clients: 2 clients measure from 2 nodes"},
		"a workload's":    {func(s *v1alpha1.StorageBenchmarkSpec) { s.Workloads[0].Clients = []int32{1, 3} }, "clients: 3 clients"},
		"a class":         {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets[1].StorageClassName = new("gp3") }, "add --target b=DIRECTORY"},
		"a raw volume":    {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock) }, "target a: volumeMode is Block"},
		"precondition":    {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets[0].Precondition = &v1alpha1.Precondition{} }, "target a: precondition"},
		"an unknown name": {func(s *v1alpha1.StorageBenchmarkSpec) { s.Targets[0].Name = "c" }, "--target a: the StorageBenchmark has no such target: it has c, b"},
	} {
		spec := &v1alpha1.StorageBenchmarkSpec{
			Targets: []v1alpha1.Target{{Name: "a"}, {Name: "b"}}, Workloads: []v1alpha1.Workload{{Name: "w"}},
		}
		test.change(spec)
		if _, err := measurable(spec, map[string]string{"a": "/a"}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", name, err, test.want)
		}
	}
}

// Deadlines are those that an API server would set.
func TestDeadlinesAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	var want, got v1alpha1.Deadlines
	fields := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["deadlines"].Properties
	for name, into := range map[string]**int32{"ioProgressSeconds": &want.IOProgressSeconds, "cleanUpSeconds": &want.CleanUpSeconds} {
		if err := yaml.Unmarshal(fields[name].Default.Raw, into); err != nil {
			t.Fatal(err)
		}
	}
	setDeadlines(&got)
	if *got.IOProgressSeconds != *want.IOProgressSeconds || *got.CleanUpSeconds != *want.CleanUpSeconds {
		t.Errorf("deadlines are %d and %d, want %d and %d",
			*got.IOProgressSeconds, *got.CleanUpSeconds, *want.IOProgressSeconds, *want.CleanUpSeconds)
	}
}
