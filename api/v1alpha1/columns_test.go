package v1alpha1_test

import (
	"os"
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definition returns the CRD.
func definition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// TestNotAmongAll: kubectl delete all --all must not delete results.
func TestNotAmongAll(t *testing.T) {
	if names := definition(t).Spec.Names; slices.Contains(names.Categories, "all") {
		t.Errorf("categories are %q", names.Categories)
	}
}
