package v1alpha1_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

// definition returns the CRD of StorageBenchmarks.
func definition(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return definitionOf(t, "storagebenchmarks")
}

func definitionOf(t *testing.T, resource string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	text, err := os.ReadFile("../../config/crd/bases/storagebench.dev_" + resource + ".yaml")
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

// TestScheduleColumns: a schedule whose benchmarks all fail makes them as it should, and has no new points. The last result and the time of the last success show it.
func TestScheduleColumns(t *testing.T) {
	var columns []string
	for _, c := range definitionOf(t, "storagebenchmarkschedules").Spec.Versions[0].AdditionalPrinterColumns {
		if c.Priority == 0 {
			columns = append(columns, c.Name)
		}
	}
	if want := []string{"Schedule", "Status", "Active", "Last", "Success", "Result", "Points", "Regressed", "Age"}; !slices.Equal(columns, want) {
		t.Errorf("columns are %q, want %q", columns, want)
	}
}

// TestColumns: what kubectl get prints by default is bounded, with the longest that people will see.
func TestColumns(t *testing.T) {
	const (
		width = 128
		age   = "9y364d"
	)
	c := envtest.Client(t)
	sb := builder.OneRun(envtest.Namespace(t, c), "gp3-vs-efs-nightly-x7k2p-29384").Build()
	if err := c.Create(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	sb.Status = v1alpha1.StorageBenchmarkStatus{
		Progress: "200/200", Best: "a-target-w.. 123456789 IOPS", Expected: "120 of 200 missed", WarningCount: 12, Summary: strings.Repeat("s", 240),
		Conditions: []metav1.Condition{{
			Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonProvisioningFailed, LastTransitionTime: metav1.Now(),
		}},
	}
	if err := c.Status().Update(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	table := tableOf(t, sb)
	at := slices.IndexFunc(table.ColumnDefinitions, func(d metav1.TableColumnDefinition) bool { return d.Name == "Age" })
	if at < 0 {
		t.Fatalf("there is no age: %v", table.ColumnDefinitions)
	}
	table.Rows[0].Cells[at] = age
	lines := printed(t, table, printers.PrintOptions{})
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if got, want := strings.Fields(lines[0]), []string{"NAME", "STATUS", "RUNS", "BEST", "EXPECTED", "WARN", "AGE"}; !slices.Equal(got, want) {
		t.Errorf("columns are %q, want %q", got, want)
	}
	if got, want := strings.Fields(lines[1]), []string{sb.Name, "ProvisioningFailed", "200/200", "a-target-w..", "123456789", "IOPS", "120", "of", "200", "missed", "12", age}; !slices.Equal(got, want) {
		t.Errorf("cells are %q, want %q", got, want)
	}
	if wide := printed(t, table, printers.PrintOptions{Wide: true}); !strings.HasSuffix(wide[0], "SUMMARY") || !strings.Contains(wide[1], sb.Status.Summary) {
		t.Errorf("-o wide has no summary: %q", wide)
	}
}

// tableOf returns what the API server makes of a benchmark for kubectl.
func tableOf(t *testing.T, sb *v1alpha1.StorageBenchmark) *metav1.Table {
	t.Helper()
	config := rest.CopyConfig(envtest.Config(t))
	config.APIPath, config.GroupVersion, config.NegotiatedSerializer = "/apis", &v1alpha1.GroupVersion, scheme.Codecs.WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.Get().Namespace(sb.Namespace).Resource("storagebenchmarks").Name(sb.Name).
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	table := &metav1.Table{}
	if err := json.Unmarshal(text, table); err != nil {
		t.Fatal(err)
	}
	return table
}

// printed returns the lines that kubectl prints of a table, without blanks at their ends.
func printed(t *testing.T, table *metav1.Table, options printers.PrintOptions) []string {
	t.Helper()
	var out bytes.Buffer
	if err := printers.NewTablePrinter(options).PrintObj(table.DeepCopy(), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), out.String())
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}
