package fio

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

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

// TestRulesOfBothPlaces: the API server refuses an option that is set by its field and in options, whatever it is called there.
func TestRulesOfBothPlaces(t *testing.T) {
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(text, crd); err != nil {
		t.Fatal(err)
	}
	workload := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["workloads"].Items.Schema
	rules := workload.Properties["fio"].XValidations
	for _, o := range fieldsInOrder() {
		var conditions, places []string
		for _, name := range o.names() {
			conditions, places = append(conditions, fmt.Sprintf("'%s' in self.options", name)), append(places, "options["+name+"]")
		}
		rule := fmt.Sprintf("!has(self.%s) || !has(self.options) || !(%s)", o.field, strings.Join(conditions, " || "))
		message := fmt.Sprintf("%s and %s say the same: set only one of them", o.field, strings.Join(places, " or "))
		if !slices.ContainsFunc(rules, func(r apiextensionsv1.ValidationRule) bool { return r.Rule == rule && r.Message == message }) {
			t.Errorf("there is no rule %q with message %q", rule, message)
		}
	}
}
