package v1alpha1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/docs/console"
	"github.com/storagebench/storagebench/test/envtest"
)

// The API server admits what users copy from pages and samples. test/docs reads and plans the same manifests, but does not know the CRD's rules.
func TestManifestsOfPages(t *testing.T) {
	c := envtest.Client(t)
	found := 0
	for where, text := range publishedManifests(t) {
		object := &unstructured.Unstructured{}
		text = strings.ReplaceAll(text, "COMMIT", "3f2c1ab") // as the steps of docs/pipelines.md do
		if err := yaml.Unmarshal([]byte(text), object); err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		found++
		object.SetNamespace("default")
		if err := c.Create(t.Context(), object, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	if found < 20 {
		t.Errorf("only %d manifests were found", found)
	}
}

// publishedManifests returns the manifests of our kinds in pages and samples, by where they are.
func publishedManifests(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "config/samples/*.yaml"} {
		files, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks := []console.Block{{Line: 1, Language: "yaml", Text: string(text)}}
			if filepath.Ext(file) == ".md" {
				if blocks, err = console.Blocks(string(text)); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			for _, block := range blocks {
				if block.Language == "yaml" && strings.Contains(block.Text, "apiVersion: "+v1alpha1.GroupVersion.String()+"\n") {
					all[fmt.Sprintf("%s, line %d", file, block.Line)] = block.Text
				}
			}
		}
	}
	return all
}
