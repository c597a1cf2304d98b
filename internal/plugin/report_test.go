package plugin

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/builder"
)

// newServer serves benchmarks as the API server does.
func newServer(t *testing.T, benchmarks ...*v1alpha1.StorageBenchmark) string {
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
	}
	lists := map[string]*v1alpha1.StorageBenchmarkList{}
	for _, sb := range benchmarks {
		path := group + "/namespaces/" + sb.Namespace + "/storagebenchmarks"
		if lists[path] == nil {
			lists[path] = &v1alpha1.StorageBenchmarkList{TypeMeta: metav1.TypeMeta{APIVersion: benchmarkType.APIVersion, Kind: "StorageBenchmarkList"}}
		}
		lists[path].Items = append(lists[path].Items, *sb)
		answers[path], answers[path+"/"+sb.Name] = lists[path], sb
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer, ok := answers[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{
				TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
				Status:   metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Message: "not found", Code: http.StatusNotFound,
				Details: &metav1.StatusDetails{Name: path.Base(r.URL.Path)},
			}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// measured returns a benchmark with one result on a target.
func measured(namespace, name, target string, iops int64) *v1alpha1.StorageBenchmark {
	statistic := v1alpha1.Statistic{Median: iops}
	io := &v1alpha1.Figures{MilliIOPS: 1000 * iops, BytesPerSecond: iops}
	return &v1alpha1.StorageBenchmark{
		TypeMeta:   benchmarkType,
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1alpha1.StorageBenchmarkSpec{
			Targets: []v1alpha1.Target{{Name: target}}, Workloads: []v1alpha1.Workload{{Name: "w", Fio: &v1alpha1.FioParameters{RW: "read"}}},
		},
		Status: v1alpha1.StorageBenchmarkStatus{
			Runs: []v1alpha1.Run{{Name: "w." + target, Workload: "w", Target: target, State: v1alpha1.RunSucceeded, Result: &v1alpha1.Result{Figures: v1alpha1.ListOf(io.As(v1alpha1.OperationRead))}}},
			Comparisons: []v1alpha1.Comparison{{
				Workload: "w", Targets: []v1alpha1.TargetComparison{{Name: target, Runs: 1, Figures: []v1alpha1.FiguresComparison{{Name: v1alpha1.OperationRead, MilliIOPS: builder.Milli(statistic), BytesPerSecond: new(statistic)}}}},
			}},
		},
	}
}

// on returns the arguments with those that name a server and namespace ns.
func on(server string, args ...string) []string {
	return append(args, "--server", server, "--namespace", "ns")
}

func TestReport(t *testing.T) {
	server := newServer(t, measured("ns", "first", "gp3", 100))
	t.Setenv("KUBECONFIG", "/dev/null")
	table := "WORKLOAD  TARGET  I/O   IOPS  BANDWIDTH  MEAN  P50  P90  P99\nw         gp3     read   100    100 B/s     -    -    -    -\n"
	for name, test := range map[string]struct {
		args []string
		want execution
	}{
		"table":       {[]string{"report", "first"}, execution{Out: table}},
		"named table": {[]string{"report", "first", "--output", "table", "--no-color"}, execution{Out: table}},
		"missing":     {[]string{"report", "second"}, execution{Err: "Error: not found\n", Failed: true}},
		"an unknown format": {
			[]string{"report", "second", "-o", "xml"},
			execution{Err: "Error: --output \"xml\" is not known: use " + formatNames(reportFormats) + "\n", Failed: true},
		},
		"series of another format": {
			[]string{"report", "second", "-o", "json", "--series"},
			execution{Err: "Error: --series is about -o csv, and the format is json: leave it out, or use -o csv; html and openmetrics have series without it\n", Failed: true},
		},
		"no series": {
			[]string{"report", "first", "-o", "openmetrics"},
			execution{Err: "Error: no run of first has a series: they are kept of runs that have ended and have a result\n", Failed: true},
		},
		"completion of formats": {
			[]string{cobra.ShellCompNoDescRequestCmd, "report", "first", "-o", ""},
			execution{Out: "table\nwide\nmarkdown\ncsv\njunit\njson\nyaml\nhtml\nopenmetrics\n:4\n", Err: "Completion ended with directive: ShellCompDirectiveNoFileComp\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := test.args
			if args[0] == "report" {
				args = on(server, args...)
			}
			if diff := cmp.Diff(test.want, execute(t, "", args...)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestReportFormats: each format is what its name says.
func TestReportFormats(t *testing.T) {
	server := newServer(t, measured("ns", "first", "gp3", 100))
	t.Setenv("KUBECONFIG", "/dev/null")
	for name, begin := range map[string]string{
		"table": "WORKLOAD  TARGET  I/O ", "wide": "WORKLOAD  TARGET  I/O   RUNS ", "markdown": "# first\n", "csv": "namespace,benchmark,", "json": "{\n  \"benchmark\": {",
		"html": "<!doctype html>",
	} {
		got := execute(t, "", on(server, "report", "first", "-o", name)...)
		if got.Failed || !strings.HasPrefix(got.Out, begin) {
			t.Errorf("%s is %+v", name, got)
		}
	}
}
