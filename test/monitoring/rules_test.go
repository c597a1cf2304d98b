package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"
)

const chart = "../../charts/storagebench"

// rules returns the alerts that the chart gives, as Prometheus reads them.
func rules(t *testing.T) []byte {
	t.Helper()
	helm := exec.CommandContext(t.Context(), "../../hack/helm.sh", "template", "storagebench", chart,
		"--set", "metrics.enabled=true,prometheusRule.enabled=true", "--show-only", "templates/prometheusrule.yaml")
	helm.Stderr = t.Output()
	out, err := helm.Output()
	if err != nil {
		t.Fatal(err)
	}
	var rule struct {
		Spec map[string]any `json:"spec"`
	}
	if err := yaml.Unmarshal(out, &rule); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(rule.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// program returns the path of a program of Debian's package prometheus.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("this test needs %s; make test-unit installs it", name)
	}
	return path
}

// Each alert fires when it should, in the words that it should have, and ends.
func TestAlerts(t *testing.T) {
	promtool, directory := program(t, "promtool"), t.TempDir()
	tests, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"rules.yaml": rules(t), "tests.yaml": tests} {
		if err := os.WriteFile(filepath.Join(directory, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"check", "rules", "--lint-fatal", "rules.yaml"}, {"test", "rules", "tests.yaml"}} {
		check := exec.CommandContext(t.Context(), promtool, args...)
		check.Dir = directory
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
}
