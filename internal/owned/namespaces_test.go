package owned

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/storage"
	"github.com/storagebench/storagebench/test/builder"
)

// inline is a benchmark of which the first target needs objects without a namespace, and the second does not.
func inline() *v1alpha1.StorageBenchmark {
	bucket := v1alpha1.Target{Name: "bucket", S3: &v1alpha1.S3Bucket{Bucket: "b"}}
	return builder.NewBenchmark("ns", "sb").Target(bucket).Target(builder.NewTarget("fast")).Build()
}

// Users are told to which namespaces the operator is confined. One that is not says nothing, and nothing is beyond its reach.
func TestWords(t *testing.T) {
	for want, n := range map[string]Namespaces{"this operator is confined to namespace a": {"a"}, "this operator is confined to namespaces a, b": {"a", "b"}} {
		if got := n.Words(); got != want || !n.AreSet() {
			t.Errorf("it says %q, want %q", got, want)
		}
		if limits := n.UnknownLimits(); !strings.Contains(limits, want) {
			t.Errorf("of limits it says %q", limits)
		}
		problems := n.BeyondReach(inline().Spec.Targets)
		if len(problems) != 1 || problems[0].Field != "spec.targets[0].s3" || !strings.Contains(problems[0].Detail, want) {
			t.Errorf("beyond its reach are %v", problems)
		}
	}
	var whole Namespaces
	if words := whole.UnknownLimits(); whole.AreSet() || words != "" || len(whole.BeyondReach(inline().Spec.Targets)) > 0 {
		t.Errorf("one that is not confined says %q", words)
	}
}

// The driver of a StorageClass that cannot be read is what its claim says. What is known stays.
func TestLearnDrivers(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{ProvisionerAnnotation: "csi.fake"}}}
	for name, test := range map[string]struct {
		n      Namespaces
		target v1alpha1.TargetStatus
		want   string
	}{
		"of its claim":    {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []v1alpha1.ClaimStatus{{Name: "c"}}}, "csi.fake"},
		"known":           {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []v1alpha1.ClaimStatus{{Name: "c"}}, Driver: storage.EBSDriver}, storage.EBSDriver},
		"no claim yet":    {Namespaces{"ns"}, v1alpha1.TargetStatus{Claims: []v1alpha1.ClaimStatus{{Name: "d"}}}, ""},
		"it was resolved": {nil, v1alpha1.TargetStatus{Claims: []v1alpha1.ClaimStatus{{Name: "c"}}}, ""},
	} {
		targets := []v1alpha1.TargetStatus{test.target}
		test.n.LearnDrivers(targets, Claims{"c": claim})
		if got := targets[0].Driver; got != test.want {
			t.Errorf("%s: driver %q, want %q", name, got, test.want)
		}
	}
}
