package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"sigs.k8s.io/yaml"
)

const chart = "../../charts/storagebench"

// render returns what the chart gives for a template with all values away from their defaults.
func render(ctx context.Context, t *testing.T, template string) []byte {
	t.Helper()
	values := filepath.Join(chart, "ci", "every-value.yaml")
	helm := exec.CommandContext(ctx, "../helm.sh", "template", "storagebench", chart, "--values", values, "--show-only", "templates/"+template)
	helm.Stderr = t.Output()
	out, err := helm.Output()
	if err != nil {
		t.Fatalf("render %s: %v", template, err)
	}
	return out
}

// What the chart makes for the Prometheus operator has no field that its API does not have, and each of a type that it takes.
func TestAPIOfThePrometheusOperator(t *testing.T) {
	for template, object := range map[string]any{"servicemonitor.yaml": &monitoringv1.ServiceMonitor{}, "prometheusrule.yaml": &monitoringv1.PrometheusRule{}} {
		t.Run(template, func(t *testing.T) {
			text := render(t.Context(), t, template)
			if err := yaml.UnmarshalStrict(text, object); err != nil {
				t.Errorf("%v of\n%s", err, text)
			}
			switch o := object.(type) {
			case *monitoringv1.ServiceMonitor:
				if len(o.Spec.Endpoints) != 1 || o.Spec.Endpoints[0].Port != "metrics" || !o.Spec.Endpoints[0].HonorLabels {
					t.Errorf("endpoints are %+v", o.Spec.Endpoints)
				}
			case *monitoringv1.PrometheusRule:
				if len(o.Spec.Groups) != 1 || len(o.Spec.Groups[0].Rules) < 5 {
					t.Errorf("groups are %+v", o.Spec.Groups)
				}
			}
		})
	}
}

// The dashboard of the chart is the one that this program prints.
func TestDashboardIsGenerated(t *testing.T) {
	var want strings.Builder
	if err := write(&want); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(chart, "files", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	if want.String() != string(file) {
		t.Error("files/dashboard.json is another one; run: make generate")
	}
}
