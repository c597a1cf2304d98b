package children

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/test/builder"
)

// inline is a benchmark of which the first target needs objects without a namespace, and the second does not.
func inline() *v1alpha1.StorageBenchmark {
	bucket := v1alpha1.Target{Name: "bucket", S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	return builder.NewBenchmark("ns", "sb").Target(bucket).Target(builder.NewTarget("fast")).Build()
}

// What it can neither see nor remove is named, and not waited for.
func TestLeftClusterObjects(t *testing.T) {
	left := LeftClusterObjects(owned.Namespaces{"ns"}, inline())
	if len(left) != 1 || !left[0].Abandoned || !strings.HasPrefix(left[0].Command, "kubectl delete pv ") || !strings.Contains(left[0].What, "confined to namespace ns") {
		t.Errorf("left are %+v", left)
	}
	if waits := cleanup.WithoutAbandoned(left); len(waits) > 0 {
		t.Errorf("it waits for %+v", waits)
	}
	if words := VolumesUnknown(nil, inline()); words != "" {
		t.Errorf("an operator that is not confined reports %q", words)
	}
}
