package crd_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/crd"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/builder"
	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

const (
	benchmarks = "storagebenchmarks.storagebench.dev"
	definition = "../../config/crd/bases/storagebench.dev_storagebenchmarks.yaml"
)

// schemaOf returns the schema of the only version of a CustomResourceDefinition.
func schemaOf(t *testing.T, definition map[string]any) map[string]any {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(definition, "spec", "versions")
	if err != nil || len(versions) != 1 {
		t.Fatalf("%d versions, %v", len(versions), err)
	}
	schema, _, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// documentOf returns an OpenAPI document with the schema of StorageBenchmarks.
func documentOf(t *testing.T, schema map[string]any) []byte {
	t.Helper()
	document, err := json.Marshal(map[string]any{"components": map[string]any{"schemas": map[string]any{
		"dev.storagebench.v1alpha1.StorageBenchmark": schema,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestMissingFields(t *testing.T) {
	text, err := os.ReadFile(definition)
	if err != nil {
		t.Fatal(err)
	}
	for name, without := range map[string][]string{
		"nothing":              nil,
		"status":               {"status"},
		"status.runs":          {"status", "runs"},
		"status.runs.job":      {"status", "runs", "items", "job"},
		"spec.targets.ebs":     {"spec", "targets", "items", "ebs"},
		"spec.workloads.fio":   {"spec", "workloads", "items", "fio"},
		"status.anchors.node":  {"status", "anchors", "items", "node"},
		"status.startTime":     {"status", "startTime"},
		"status.targets.stray": {"status", "targets", "items", "stray"},
	} {
		t.Run(name, func(t *testing.T) {
			var read map[string]any
			if err := yaml.Unmarshal(text, &read); err != nil {
				t.Fatal(err)
			}
			schema := schemaOf(t, read)
			removed := without != nil && remove(schema, without)
			missing, err := crd.MissingFields(documentOf(t, schema))
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if removed {
				want = "StorageBenchmark." + name
			}
			if got := strings.Join(missing, " "); got != want {
				t.Errorf("missing is %q, want %q", got, want)
			}
		})
	}
}

// remove removes a property from a schema, and reports whether it was there.
func remove(schema map[string]any, path []string) bool {
	for {
		if path[0] == "items" {
			schema, path = schema["items"].(map[string]any), path[1:]
			continue
		}
		properties := schema["properties"].(map[string]any)
		if len(path) == 1 {
			_, found := properties[path[0]]
			delete(properties, path[0])
			return found
		}
		schema, path = properties[path[0]].(map[string]any), path[1:]
	}
}

// A real API server refuses a strict write of a field that its definition lacks, and stores nothing of it. The operator
// is not ready there.
func TestOlderDefinition(t *testing.T) {
	c := envtest.Client(t)
	sb := builder.OneRun(envtest.Namespace(t, c), "sb").Build()
	if err := c.Create(t.Context(), sb); err != nil {
		t.Fatal(err)
	}
	current := newCheck(t)
	await.Wait{}.Holds(t, func() error { return current.Ready(httptest.NewRequest(http.MethodGet, "/readyz", nil)) })

	forget := func(definition *unstructured.Unstructured) {
		versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
		schema, _, _ := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
		if !remove(schema, []string{"status", "runs", "items", "job"}) {
			t.Fatal("the definition has no status.runs[].job")
		}
		versions[0].(map[string]any)["schema"] = map[string]any{"openAPIV3Schema": schema}
		definition.Object["spec"].(map[string]any)["versions"] = versions
	}
	update(t, c, forget)
	await.Wait{}.Holds(t, func() error {
		err := newCheck(t).Ready(httptest.NewRequest(http.MethodGet, "/readyz", nil))
		if err == nil || !strings.Contains(err.Error(), "does not know StorageBenchmark.status.runs.job: ") {
			return fmt.Errorf("the check returns %q", fmt.Sprint(err))
		}
		return nil
	})

	before := sb.DeepCopy()
	sb.Status.Progress = "0/1"
	sb.Status.Runs = []v1alpha1.Run{{Name: "reads.fast", Target: "fast", State: v1alpha1.RunRunning, Job: "job"}}
	err := crd.Explain(crd.RefuseUnknown(c).Status().Patch(t.Context(), sb, client.MergeFrom(before)))
	if err == nil || !strings.Contains(err.Error(), `strict decoding error: unknown field "status.runs[0].job"`) ||
		!strings.Contains(err.Error(), "the CustomResourceDefinition is older than this operator") {
		t.Fatalf("the error is %v", err)
	}
	stored := &v1alpha1.StorageBenchmark{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(sb), stored); err != nil {
		t.Fatal(err)
	}
	if stored.Status.Progress != "" || stored.ResourceVersion != before.ResourceVersion {
		t.Errorf("a part of the status was stored: %+v", stored.Status)
	}
}

func newCheck(t *testing.T) *crd.Check {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(envtest.OperatorConfig(t))
	if err != nil {
		t.Fatal(err)
	}
	return &crd.Check{OpenAPI: clientset.Discovery().OpenAPIV3()}
}

// update changes the CustomResourceDefinition of StorageBenchmarks.
func update(t *testing.T, c client.Client, change func(*unstructured.Unstructured)) {
	t.Helper()
	await.Wait{}.Holds(t, func() error {
		found := &unstructured.Unstructured{}
		found.SetAPIVersion("apiextensions.k8s.io/v1")
		found.SetKind("CustomResourceDefinition")
		if err := c.Get(t.Context(), client.ObjectKey{Name: benchmarks}, found); err != nil {
			return err
		}
		change(found)
		return c.Update(t.Context(), found)
	})
}
