package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// newServer serves one benchmark as the API server does.
func newServer(t *testing.T, sb *v1alpha1.StorageBenchmark) string {
	t.Helper()
	group := "/apis/" + v1alpha1.GroupVersion.String()
	version := metav1.GroupVersionForDiscovery{GroupVersion: v1alpha1.GroupVersion.String(), Version: v1alpha1.GroupVersion.Version}
	answers := map[string]any{
		"/api": metav1.APIVersions{},
		"/apis": metav1.APIGroupList{Groups: []metav1.APIGroup{
			{Name: v1alpha1.GroupVersion.Group, Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version},
		}},
		group: metav1.APIResourceList{GroupVersion: v1alpha1.GroupVersion.String(), APIResources: []metav1.APIResource{
			{Name: "storagebenchmarks", Kind: "StorageBenchmark", Namespaced: true},
		}},
		group + "/namespaces/" + sb.Namespace + "/storagebenchmarks/" + sb.Name: sb,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status:   metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Message: "not found", Code: http.StatusNotFound,
			}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestReport(t *testing.T) {
	statistic := v1alpha1.Statistic{Median: 100, Min: 100, Max: 100}
	sb := &v1alpha1.StorageBenchmark{
		TypeMeta:   ours,
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "first"},
		Spec:       v1alpha1.StorageBenchmarkSpec{Targets: []v1alpha1.Target{{Name: "gp3"}}},
		Status: v1alpha1.StorageBenchmarkStatus{Comparisons: []v1alpha1.Comparison{{
			Workload: "w", Targets: []v1alpha1.TargetComparison{{Name: "gp3", Runs: 1, Read: &v1alpha1.IOComparison{IOPS: statistic, BytesPerSecond: statistic}}},
		}}},
	}
	server := newServer(t, sb)
	t.Setenv("KUBECONFIG", "/dev/null")
	want := execution{Out: "WORKLOAD  TARGET  I/O   IOPS  BANDWIDTH  MEAN  P50  P90  P99\nw         gp3     read   100    100 B/s     -    -    -    -\n"}
	if diff := cmp.Diff(want, execute(t, "", "report", "first", "--server", server, "--namespace", "ns")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want = execution{Err: "Error: not found\n", Failed: true}
	if diff := cmp.Diff(want, execute(t, "", "report", "second", "--server", server, "--namespace", "ns")); diff != "" {
		t.Errorf("a benchmark that is missing (-want +got):\n%s", diff)
	}
}
