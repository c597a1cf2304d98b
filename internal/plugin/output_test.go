package plugin

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// notFacts are the commands that print no facts: they print what fio printed, files, or pages.
var notFacts = []string{"logs", "artifacts", "import", "ui", "cancel", "run", "rerun", "watch"}

// TestFactsForPrograms: each command that prints facts prints them as JSON and YAML too.
func TestFactsForPrograms(t *testing.T) {
	for _, cmd := range newCommand("dev").Commands() {
		output := cmd.Flags().Lookup("output")
		if slices.Contains(notFacts, cmd.Name()) {
			continue
		}
		if output == nil || !strings.Contains(output.Usage, "json") || !strings.Contains(output.Usage, "yaml") {
			t.Errorf("%s: it has no -o json and -o yaml", cmd.Name())
		}
	}
}

// TestDocuments: what a command prints for programs is the same as JSON and as YAML, and can be read.
func TestDocuments(t *testing.T) {
	spec := write(t, "spec.yaml", []byte(`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: sb}
spec: {targets: [{name: gp3, storageClassName: gp3}], workloads: [{name: w, fio: {rw: randread, bs: 4k}}]}
`))
	content, err := os.ReadFile("../fiooutput/testdata/fio-3.40.json")
	if err != nil {
		t.Fatal(err)
	}
	fio, other := write(t, "fio.json", content), write(t, "other.json", content)
	for name, args := range map[string][]string{
		"plan": {"plan", "-f", spec}, "presets": {"presets"}, "explain": {"explain-result", fio}, "report": {"report", fio},
		"compare": {"compare", fio, other}, "check": {"check", fio, "--expect", "write.iops=1"},
		"version": {"version", "--client"},
	} {
		var all [2]any
		for i, format := range []string{"json", "yaml"} {
			out := execute(t, "", append(args, "-o", format)...)
			if out.Failed {
				t.Errorf("%s -o %s: %s", name, format, out.Err)
			}
			if err := yaml.Unmarshal([]byte(out.Out), &all[i]); err != nil || all[i] == nil {
				t.Errorf("%s -o %s: %v: %s", name, format, err, out.Out)
			}
		}
		first, _ := json.Marshal(all[0])
		if second, _ := json.Marshal(all[1]); !bytes.Equal(first, second) {
			t.Errorf("%s: JSON is %s, YAML %s", name, first, second)
		}
	}
}
