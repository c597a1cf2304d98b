package owned

import (
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/test/builder"
)

// All Jobs that may have been made are those of each attempt and client of each run, and those that remove files. Each is the benchmark's with what is written on it.
func TestMadeJobs(t *testing.T) {
	sb := builder.OneRun("ns", "sb").With(func(sb *v1alpha1.StorageBenchmark) { sb.UID, sb.Spec.Clients = "u", new(int32(2)) }).Build()
	sb.Status.Runs = []v1alpha1.Run{{Name: "a", Target: "fast", Attempts: 2, Clients: 2}, {Name: "b", Target: "fast"}}
	var names []string
	for made := range MadeJobs(sb) {
		names = append(names, made.Name)
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: made.Name, Labels: made.Labels, Annotations: made.Annotations, OwnerReferences: []metav1.OwnerReference{builder.OwnedBy(sb)}}}
		if !Job(sb, j) {
			t.Errorf("%s is not the benchmark's", made.Name)
		}
	}
	want := []string{
		childmeta.RunName(sb, "a", 1, 0), childmeta.RunName(sb, "a", 1, 1), childmeta.RunName(sb, "a", 2, 0), childmeta.RunName(sb, "a", 2, 1),
		childmeta.CleanUpName(sb, "fast", 0), childmeta.CleanUpName(sb, "fast", 1),
	}
	if !slices.Equal(names, want) {
		t.Errorf("got  %q\nwant %q", names, want)
	}
}

// What lacks is what is missing or has another value, in order.
func TestLacking(t *testing.T) {
	has := map[string]string{"a": "1", "b": "other", "more": "x"}
	if got := Lacking(has, map[string]string{"a": "1", "c": "3", "b": "2"}); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("lacking are %q", got)
	}
	if got := Lacking(has, nil); len(got) > 0 {
		t.Errorf("of nothing, lacking are %q", got)
	}
}
