package controllers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A pod has the benchmark looked at that its label names, in its own namespace, and others none.
func TestBenchmarkOf(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"a pod of a benchmark": {map[string]string{v1alpha1.LabelBenchmark: "sb", v1alpha1.LabelRole: v1alpha1.RoleRun}, "tenant/sb"},
		"no labels":            {nil, ""},
		"other labels":         {map[string]string{"app": "db"}, ""},
		"an empty label":       {map[string]string{v1alpha1.LabelBenchmark: ""}, ""},
	} {
		got := ""
		for _, request := range benchmarkOf(t.Context(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "p", Labels: test.labels}}) {
			got += request.String()
		}
		if got != test.want {
			t.Errorf("%s has %q looked at, want %q", name, got, test.want)
		}
	}
}
