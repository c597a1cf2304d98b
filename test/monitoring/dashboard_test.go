package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/prometheus"
)

// panel is what a dashboard's file says of a panel.
type panel struct {
	Type, Title, Description string
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct{ Expr, LegendFormat string }
}

// TestRealPrometheus has a real Prometheus scrape a real operator. Each query of the dashboard gives data, each panel says in which unit, and each alert fires
// that can within the test.
func TestRealPrometheus(t *testing.T) {
	promtool := program(t, "promtool")
	program(t, "prometheus")
	w := newWorld(t)
	server := prometheus.Start(t, &prometheus.Target{Address: w.address}, rules(t)) // before anything is counted
	s := w.schedule()
	w.regress(s)
	w.leaveBehind()
	w.getStuck()
	w.obstruct()
	w.neglect()
	w.mistake()

	for _, alert := range []string{"StorageBenchmarkNoResult", "StorageBenchmarkRegressed", "StorageBenchmarkExpectationMissed", "StorageBenchmarkScheduleInvalid", "StorageBenchmarkOverdue", "StorageBenchmarkLeftBehind"} {
		server.Gives(t, fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, alert))
	}
	d := readDashboard(t)
	for _, p := range d.shown(t) {
		t.Run(p.Title, func(t *testing.T) { p.check(t, server) })
	}
	d.checkVariables(t, server)
	for alert, expression := range alerts(t) {
		switch alert {
		case "StorageBenchmarkErrors", "StorageBenchmarkSecondOperator", "StorageBenchmarkClockOffset": // there are none
			expression, _, _ = strings.Cut(expression, " > ")
		}
		server.Gives(t, expression)
	}
	checkNames(t, promtool, w.address)

	if err := w.Client.Delete(w.Context(), s); err != nil {
		t.Fatal(err)
	}
	await.Holds(t, func() error {
		left, err := server.Now(t.Context(), `{schedule="nightly", __name__=~"storagebench_.*"}`)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("of a schedule that is gone there are %v", left)
		}
		return err
	})
}

// dashboard is what the chart's file says of the dashboard.
type dashboard struct {
	Panels     []panel
	Templating struct {
		List []struct{ Type, Name, Query string }
	}
}

func readDashboard(t *testing.T) *dashboard {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(chart, "files", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	d := &dashboard{}
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d
}

// shown returns the panels that show something.
func (d *dashboard) shown(t *testing.T) []panel {
	t.Helper()
	shown := slices.DeleteFunc(d.Panels, func(p panel) bool { return p.Type == "row" })
	if len(shown) < 15 {
		t.Fatalf("the dashboard has %d panels", len(shown))
	}
	return shown
}

// labelValues is how Grafana asks for the values of a label.
var labelValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)

// checkVariables checks that each variable has values to choose from.
func (d *dashboard) checkVariables(t *testing.T, server *prometheus.Server) {
	t.Helper()
	asked := 0
	for _, variable := range d.Templating.List {
		if variable.Type != "query" {
			continue
		}
		parts := labelValues.FindStringSubmatch(choices.Replace(variable.Query))
		if parts == nil {
			t.Fatalf("variable %s asks for %s", variable.Name, variable.Query)
		}
		asked++
		server.Gives(t, fmt.Sprintf("count by (%s) (%s) unless on (%[1]s) vector(1)", parts[2], parts[1])) // vector(1) has no label
	}
	if asked < 2 {
		t.Errorf("the dashboard asks for %d variables", asked)
	}
}

// units are those of panels, and what the names of their metrics end in. What is counted may have any name.
var units = map[string]string{"short": "", "bool_yes_no": "", "iops": "operations_per_second", "Bps": "bytes_per_second", "bytes": "bytes", "s": "seconds"}

// choices are what Grafana puts in the place of a dashboard's variables.
var choices = strings.NewReplacer("$namespace", ".*", "$schedule", ".*", "$__rate_interval", "1m")

// check checks that a panel is explained, has a unit that its metrics are in, and data.
func (p *panel) check(t *testing.T, server *prometheus.Server) {
	t.Helper()
	unit, known := units[p.FieldConfig.Defaults.Unit]
	if !known || p.Description == "" || len(p.Targets) == 0 {
		t.Errorf("unit %q, description %q, %d queries", p.FieldConfig.Defaults.Unit, p.Description, len(p.Targets))
	}
	for _, target := range p.Targets {
		if !strings.Contains(target.Expr, unit) {
			t.Errorf("%s is not in %s", target.Expr, unit)
		}
		expression := choices.Replace(target.Expr)
		if strings.Contains(expression, "$") {
			t.Errorf("a variable is unknown in %s", expression)
		}
		server.Gives(t, expression)
		checkLegend(t, server, expression, target.LegendFormat)
	}
}

// checkLegend checks that series can be told apart by what they are called.
func checkLegend(t *testing.T, server *prometheus.Server, expression, legend string) {
	t.Helper()
	found, err := server.Now(t.Context(), expression)
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, sample := range found {
		name := legend
		for label, value := range sample.Metric {
			name = strings.ReplaceAll(name, "{{"+string(label)+"}}", string(value))
		}
		if called[name] {
			t.Errorf("two series are called %q: %v", name, found)
		}
		called[name] = true
	}
}

// alerts returns the expressions of the chart's alerts.
func alerts(t *testing.T) map[string]string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal(rules(t), &file); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			all[rule.Alert] = rule.Expr
		}
	}
	if len(all) < 5 {
		t.Fatalf("alerts are %v", all)
	}
	return all
}

// checkNames holds the operator's own metrics to Prometheus' conventions.
func checkNames(t *testing.T, promtool, address string) {
	t.Helper()
	response, err := http.Get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	check := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	check.Stdin = response.Body
	out, _ := check.CombinedOutput() // it also has something to say of names that are not ours
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "storagebench_") {
			t.Error(line)
		}
	}
}
