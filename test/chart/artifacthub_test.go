package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// TestArtifactHub: what Artifact Hub would show of the chart is what the chart is.
func TestArtifactHub(t *testing.T) {
	metadata := chartMetadata(t)

	t.Run("images", func(t *testing.T) {
		var images []struct {
			Name, Image string
			Platforms   []string
		}
		annotation(t, metadata, "images", &images)
		_, container := manager(t, render(t))
		want := []string{container.Image}
		for _, argument := range container.Args {
			if runner, ok := strings.CutPrefix(argument, "--runner-image="); ok {
				want = append(want, runner)
			}
		}
		got := []string{}
		for _, image := range images {
			got = append(got, image.Image)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("images (-chart +annotation):\n%s", diff)
		}
	})

	t.Run("definition", func(t *testing.T) {
		var definitions []struct{ Kind, Version, Name, DisplayName, Description string }
		annotation(t, metadata, "crds", &definitions)
		if len(definitions) != 2 {
			t.Fatalf("definitions are %+v", definitions)
		}
		for _, got := range definitions {
			want := as[apiextensionsv1.CustomResourceDefinition](t, render(t), "CustomResourceDefinition "+got.Name)
			if got.Kind != want.Spec.Names.Kind || got.Version != want.Spec.Versions[0].Name || got.Description == "" {
				t.Errorf("definition is %+v", got)
			}
		}
	})

	t.Run("examples can be carried out", func(t *testing.T) {
		var examples []v1alpha1.StorageBenchmark
		annotation(t, metadata, "crdsExamples", &examples)
		if len(examples) == 0 {
			t.Error("there are none")
		}
		for _, example := range examples {
			if runs, problems := plan.Runs(example.Spec.Default(), nil); len(problems) > 0 || len(runs) == 0 {
				t.Errorf("%s: %d runs, problems %v", example.Name, len(runs), problems)
			}
		}
	})

	t.Run("changes", func(t *testing.T) {
		var changes []struct{ Kind, Description string }
		annotation(t, metadata, "changes", &changes)
		kinds := []string{"added", "changed", "deprecated", "removed", "fixed", "security"}
		for _, change := range changes {
			if !slices.Contains(kinds, change.Kind) || change.Description == "" {
				t.Errorf("change is %+v, and kinds are %v", change, kinds)
			}
		}
	})

	t.Run("links lead to files", func(t *testing.T) {
		var links []struct{ Name, URL string }
		annotation(t, metadata, "links", &links)
		for _, link := range links {
			path, ok := strings.CutPrefix(link.URL, metadata.Home+"/blob/main/")
			if _, err := os.Stat(filepath.Join("../..", path)); !ok || err != nil {
				t.Errorf("link %s: %s is no file of this repository: %v", link.Name, link.URL, err)
			}
		}
	})
}

// metadata is a part of Chart.yaml.
type metadata struct {
	AppVersion  string            `json:"appVersion"`
	Home        string            `json:"home"`
	Annotations map[string]string `json:"annotations"`
}

func chartMetadata(t *testing.T) *metadata {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var m metadata
	if err := yaml.Unmarshal(content, &m); err != nil {
		t.Fatal(err)
	}
	return &m
}

// annotation reads an annotation of Artifact Hub, whose value is YAML, and refuses fields that are misspelt.
func annotation(t *testing.T, m *metadata, name string, into any) {
	t.Helper()
	text := m.Annotations["artifacthub.io/"+name]
	if text == "" {
		t.Fatalf("Chart.yaml has no annotation artifacthub.io/%s", name)
	}
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("artifacthub.io/%s: %v", name, err)
	}
}
