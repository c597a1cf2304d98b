package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/schedule"
	"github.com/storagebench/storagebench/test/docs/console"
)

// TestManifests finds StorageBenchmarks in pages that have fields that there are not, that cannot be planned, and that differ from the
// sample of that name.
func TestManifests(t *testing.T) {
	samples := samples(t)
	found := 0
	for _, page := range markdown(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := console.Blocks(string(text))
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, block := range blocks {
			if block.Language != "yaml" || !strings.Contains(block.Text, "kind: StorageBenchmark\n") {
				continue
			}
			found++
			sb := benchmark(t, page, block.Text)
			if _, problems := plan.Runs(sb.Spec.DeepCopy().Default(), nil); len(problems) > 0 {
				t.Errorf("%s, line %d: %v", page, block.Line, problems.ToAggregate())
			}
			if sample, ok := samples[sb.Name]; ok && cmp.Diff(sample.Spec, sb.Spec) != "" {
				t.Errorf("%s, line %d is not config/samples' %s (-sample +page):\n%s", page, block.Line, sb.Name, cmp.Diff(sample.Spec, sb.Spec))
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d StorageBenchmarks were found", found)
	}
}

// TestScheduleManifests does the same for schedules.
func TestScheduleManifests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "config/samples/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for _, page := range markdown(t) {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		blocks, err := console.Blocks(string(text))
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		for _, block := range blocks {
			if block.Language == "yaml" {
				texts[fmt.Sprintf("%s, line %d", page, block.Line)] = block.Text
			}
		}
	}
	found := 0
	for where, text := range texts {
		if strings.Contains(text, "kind: StorageBenchmarkSchedule\n") {
			found++
			checkSchedule(t, where, text)
		}
	}
	if found < 2 {
		t.Errorf("only %d schedules were found", found)
	}
}

// checkSchedule reads a schedule without fields that there are not, and plans its template.
func checkSchedule(t *testing.T, where, text string) {
	t.Helper()
	s := &v1alpha1.StorageBenchmarkSchedule{}
	if err := yaml.UnmarshalStrict([]byte(text), s); err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, text)
	}
	if _, problem := schedule.Parse(&s.Spec, time.Now()); problem != nil {
		t.Errorf("%s: %v", where, problem)
	}
	if _, problems := plan.Runs(s.Spec.Template.Spec.Default(), nil); len(problems) > 0 {
		t.Errorf("%s: %v", where, problems.ToAggregate())
	}
}

// samples returns the StorageBenchmarks of config/samples by their names.
func samples(t *testing.T) map[string]*v1alpha1.StorageBenchmark {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "config/samples/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*v1alpha1.StorageBenchmark{}
	for _, file := range files {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "kind: StorageBenchmark\n") {
			sb := benchmark(t, file, string(text))
			all[sb.Name] = sb
		}
	}
	return all
}

// benchmark reads a StorageBenchmark without fields that there are not.
func benchmark(t *testing.T, where, text string) *v1alpha1.StorageBenchmark {
	t.Helper()
	sb := &v1alpha1.StorageBenchmark{}
	if err := yaml.UnmarshalStrict([]byte(text), sb); err != nil {
		t.Fatalf("%s: %v in\n%s", where, err, text)
	}
	return sb
}
