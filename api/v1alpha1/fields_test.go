package v1alpha1_test

import (
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// maxStatusFields is how many fields the status may have, each place that a type is used in counted. A new kind of result is one
// more entry of a list, and needs none.
const maxStatusFields = 455

func TestStatusStaysSmall(t *testing.T) {
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		t.Fatal(err)
	}
	status := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"]
	if n := countFields(&status); n < 100 || n > maxStatusFields {
		t.Errorf("the status has %d fields, want at most %d", n, maxStatusFields)
	}
}

func countFields(schema *apiextensionsv1.JSONSchemaProps) int {
	n := 0
	for _, field := range schema.Properties {
		n += 1 + countFields(&field)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		n += countFields(schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		n += countFields(schema.AdditionalProperties.Schema)
	}
	return n
}
