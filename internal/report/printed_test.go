package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/internal/report/export"
)

// What JSON printed has the resource with its kind, and without managed fields.
func TestPrinted(t *testing.T) {
	sb := exported()
	sb.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}
	var out bytes.Buffer
	if err := export.JSON(&out, sb); err != nil {
		t.Fatal(err)
	}
	var printed export.Printed
	if err := json.Unmarshal(out.Bytes(), &printed); err != nil {
		t.Fatal(err)
	}
	if err := printed.Check(); err != nil || !printed.IsOurs() {
		t.Fatalf("it is not read back: %v", err)
	}
	want, err := json.Marshal(export.ResourceOf(sb))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(printed.Resource)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" || printed.Resource.ManagedFields != nil || printed.Resource.Kind == "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(sb.ManagedFields) != 1 {
		t.Error("the benchmark itself has changed")
	}
}
