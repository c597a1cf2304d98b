package fio

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// names are all that fio calls an option.
func (o *option) names() []string { return append([]string{o.name}, o.aliases...) }

// fieldsInOrder returns the options that have a field of the API, in the order of the fields.
func fieldsInOrder() []*option {
	var all []*option
	for f := range reflect.TypeFor[v1alpha1.FioParameters]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if known, ok := byField[name]; ok {
			all = append(all, known)
		}
	}
	return all
}

// TestReference holds the table of fio's names and ours, in the reference and in its template, to what the guard knows.
func TestReference(t *testing.T) {
	table := "| Option of fio | Field of `fio` |\n|---|---|\n"
	for _, o := range fieldsInOrder() {
		table += "| `" + strings.Join(o.names(), "`, `") + "` | `" + o.field + "` |\n"
	}
	if rows := strings.Count(table, "\n"); rows < 20 {
		t.Errorf("only %d rows", rows)
	}
	for _, path := range []string{"../../docs/reference.md", "../../hack/tools/crd-ref-docs/templates/reference.tpl"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), table) {
			t.Errorf("%s lacks the table\n%s", path, table)
		}
	}
}

// TestOptionsWithAField: the API server refuses in options what has a field, under all names that fio has for it, and names the field.
func TestOptionsWithAField(t *testing.T) {
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		t.Fatal(err)
	}
	spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	want := map[string]string{"rwmixwrite": "rwmixread"}
	for _, o := range fieldsInOrder() {
		for _, name := range o.names() {
			want[name] = o.field
		}
	}
	for path, parameters := range map[string]apiextensionsv1.JSONSchemaProps{
		"spec.fio": spec.Properties["fio"], "spec.workloads[].fio": spec.Properties["workloads"].Items.Schema.Properties["fio"],
	} {
		rules := parameters.Properties["options"].XValidations
		if len(rules) != 1 {
			t.Fatalf("%s.options has %d rules, want one", path, len(rules))
		}
		fields := map[string]string{}
		for _, pair := range regexp.MustCompile(`option (\w+) has a field of its own: set (\w+)`).FindAllStringSubmatch(rules[0].MessageExpression, -1) {
			fields[pair[1]] = pair[2]
		}
		if diff := cmp.Diff(want, fields); diff != "" {
			t.Errorf("fields that the rule of %s.options names (-want +got):\n%s", path, diff)
		}
		var refused []string
		for _, name := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(rules[0].Rule, -1) {
			refused = append(refused, name[1])
		}
		slices.Sort(refused)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), refused); diff != "" {
			t.Errorf("options that the rule of %s.options refuses (-want +got):\n%s", path, diff)
		}
	}
}
