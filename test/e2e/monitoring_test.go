//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/prometheus"
)

// TestRegressionIsTold: a schedule measures storage that becomes slower. A real Prometheus that scrapes the installed operator says so by the chart's
// alert, and no more when somebody has acknowledged it.
func TestRegressionIsTold(t *testing.T) {
	sideBySide(t, ownOperator("metrics.enabled=true"), load(figures), budget(5*time.Minute))
	server := prometheus.Start(t, throughAPIServer(t, "own-storagebench-metrics:metrics"), chartAlerts(t))
	const fast, slow = "2000", "400"
	class := paced(t, namespaceOf(t), fast)
	s := &v1alpha1.StorageBenchmarkSchedule{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: "minutely"},
		Spec: v1alpha1.StorageBenchmarkScheduleSpec{Schedule: "* * * * *", Template: v1alpha1.StorageBenchmarkTemplate{
			Spec: benchmark(t, "", lasting(1), func(sb *v1alpha1.StorageBenchmark) { sb.Spec.Targets[0].StorageClassName = &class }).Spec,
		}},
	}
	if err := k8s.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	removeSchedule(t, s)
	measureTimes(t, s, 5) // beside those that it makes by itself
	measureTimes(t, s, 5)
	isRegressed := fmt.Sprintf(`ALERTS{alertname="StorageBenchmarkRegressed", alertstate="firing", namespace=%q, schedule=%q}`, s.Namespace, s.Name)
	if told, err := server.Now(t.Context(), isRegressed); err != nil || len(told) > 0 {
		t.Fatalf("before anything has become slower there is %v, error %v", told, err)
	}

	server.Gives(t, `abs(storagebench_clock_offset_seconds) < 2`) // nodes of the local cluster have one clock

	deleteClass(t, class)
	paced(t, class, slow)
	measureTimes(t, s, 4)
	untilRegressed(t, s, metav1.ConditionTrue)
	server.Gives(t, isRegressed)
	acknowledge(t, s)
	untilRegressed(t, s, metav1.ConditionFalse)
	server.Gives(t, fmt.Sprintf(`absent(%s) and on () storagebench_regressed{namespace=%q, schedule=%q} == 0`, isRegressed, s.Namespace, s.Name))
	server.Gives(t, fmt.Sprintf(`storagebench_result_operations_per_second{namespace=%q, schedule=%q, target="volume", case="randwrite", operation="write"} < 600`, s.Namespace, s.Name))
}

// throughAPIServer is the way to a Service's metrics for somebody outside of the cluster: the API server asks who comes.
func throughAPIServer(t *testing.T, service string) *prometheus.Target {
	t.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	file := func(name, path string, content []byte) string {
		if len(content) == 0 {
			return path
		}
		path = filepath.Join(directory, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return &prometheus.Target{
		Address: server.Host, Path: "/api/v1/namespaces/" + namespaceOf(t) + "/services/" + service + "/proxy/metrics",
		CA: file("ca", config.CAFile, config.CAData), Certificate: file("certificate", config.CertFile, config.CertData), Key: file("key", config.KeyFile, config.KeyData),
	}
}

// chartAlerts are those of the chart.
func chartAlerts(t *testing.T) []byte {
	t.Helper()
	alerts, err := os.ReadFile("../../charts/storagebench/files/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return alerts
}

// paced makes a StorageClass whose volumes do so many I/Os a second, and returns its name.
func paced(t *testing.T, name, iops string) string {
	t.Helper()
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Provisioner: "loop.csi.storagebench.dev",
		Parameters: map[string]string{"iops": iops, "throughput": "125"}, VolumeBindingMode: new(storagev1.VolumeBindingWaitForFirstConsumer),
	}
	if err := k8s.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, class)
	return name
}

// deleteClass deletes a StorageClass: the next one of its name makes other volumes, as when somebody has changed it.
func deleteClass(t *testing.T, name string) {
	t.Helper()
	if err := k8s.Delete(t.Context(), &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// measureTimes has a schedule measure so many times, all at once, until nothing measures any more.
func measureTimes(t *testing.T, s *v1alpha1.StorageBenchmarkSchedule, n int) {
	t.Helper()
	current := s.DeepCopy()
	if err := k8s.Get(t.Context(), client.ObjectKeyFromObject(s), current); err != nil {
		t.Fatal(err)
	}
	want := current.Status.History.Points + int32(n)
	for range n {
		if err := k8s.Create(t.Context(), schedule.Requested(current)); err != nil {
			t.Fatal(err)
		}
	}
	// Each of them needs a node to itself, as those of other tests do at the same time.
	within(t.Context(), t, 2*patience, fmt.Sprintf("%d points", want), func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, client.ObjectKeyFromObject(s), current)
		return current.Status.History.Points >= want && current.Status.ActiveBenchmarks == 0, err
	})
}

func untilRegressed(t *testing.T, s *v1alpha1.StorageBenchmarkSchedule, status metav1.ConditionStatus) {
	t.Helper()
	var last []metav1.Condition
	defer func() { t.Logf("conditions are %+v", last) }()
	eventually(t.Context(), t, "condition Regressed to be "+string(status), func(ctx context.Context) (bool, error) {
		current := &v1alpha1.StorageBenchmarkSchedule{}
		err := k8s.Get(ctx, client.ObjectKeyFromObject(s), current)
		last = current.Status.Conditions
		return meta.IsStatusConditionPresentAndEqual(last, v1alpha1.ConditionRegressed, status), err
	})
}

// acknowledge says of a schedule that what has become slower so far is known.
func acknowledge(t *testing.T, s *v1alpha1.StorageBenchmarkSchedule) {
	t.Helper()
	changed := s.DeepCopy()
	metav1.SetMetaDataAnnotation(&changed.ObjectMeta, v1alpha1.AnnotationAcknowledged, time.Now().UTC().Format(time.RFC3339))
	if err := k8s.Patch(t.Context(), changed, client.MergeFrom(s)); err != nil {
		t.Fatal(err)
	}
}
