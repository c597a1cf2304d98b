package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// suite is a file of helm-unittest: what it renders, and with which values.
type suite struct {
	Templates []string       `json:"templates"`
	Set       map[string]any `json:"set"`
	Tests     []struct {
		Set     map[string]any   `json:"set"`
		Asserts []map[string]any `json:"asserts"`
	} `json:"tests"`
}

// TestEveryTemplateHasAUnitTest: "make chart-test" says nothing of templates and values that no suite is about.
func TestEveryTemplateHasAUnitTest(t *testing.T) {
	suites := unitTests(t)
	templates, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	if err != nil || len(templates) == 0 {
		t.Fatalf("%d templates, error %v", len(templates), err)
	}
	for _, path := range templates {
		name := filepath.Base(path)
		if filepath.Ext(name) == ".tpl" { // used by the others
			continue
		}
		if !slices.ContainsFunc(suites, func(s suite) bool { return slices.Contains(s.Templates, name) }) {
			t.Errorf("templates/%s has no unit test; add a suite with templates: [%s] to %s/tests", name, name, chart)
		}
	}
}

// TestEveryValueHasAUnitTest: a value that no suite sets may do nothing.
func TestEveryValueHasAUnitTest(t *testing.T) {
	set := map[string]bool{}
	for _, s := range unitTests(t) {
		collectPaths("", s.Set, set)
		for _, test := range s.Tests {
			collectPaths("", test.Set, set)
		}
	}
	content, err := os.ReadFile(filepath.Join(chart, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root valueSchema
	if err := yaml.Unmarshal(content, &root); err != nil {
		t.Fatal(err)
	}
	paths := root.paths("")
	if len(paths) == 0 {
		t.Fatal("values.schema.json has no values")
	}
	for _, path := range paths {
		if path != "global" && !set[path] {
			t.Errorf("value %s is set in no unit test of %s/tests", path, chart)
		}
	}
}

func unitTests(t *testing.T) []suite {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(chart, "tests", "*_test.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of unit tests, error %v", len(files), err)
	}
	var suites []suite
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s suite
		if err := yaml.Unmarshal(content, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, test := range s.Tests {
			if len(test.Asserts) == 0 {
				t.Errorf("%s: test %d asserts nothing", file, i+1)
			}
		}
		suites = append(suites, s)
	}
	return suites
}

// collectPaths adds the paths of values, such as operator.image.tag, and of all that is above them.
func collectPaths(prefix string, values map[string]any, paths map[string]bool) {
	for key, value := range values {
		path := strings.TrimPrefix(prefix+"."+key, ".")
		paths[path] = true
		if below, ok := value.(map[string]any); ok {
			collectPaths(path, below, paths)
		}
	}
}

type valueSchema struct {
	Properties map[string]valueSchema `json:"properties"`
	Required   []string               `json:"required"`
}

// paths returns the paths of values. Maps without a default that must be there are a value as a whole.
func (s valueSchema) paths(prefix string) []string {
	var all []string
	for key, property := range s.Properties {
		path := strings.TrimPrefix(prefix+"."+key, ".")
		if len(property.Properties) > 0 && slices.Contains(s.Required, key) {
			all = append(all, property.paths(path)...)
			continue
		}
		all = append(all, path)
	}
	return all
}
