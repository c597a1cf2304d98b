package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/plan"
)

// TestRules: what the chart grants is what config/rbac grants, for the operator from markers in the code.
func TestRules(t *testing.T) {
	all := render(t, "--set", "rbac.installerRole=true")
	for key, path := range map[string]string{
		"ClusterRole storagebench-operator":  "rbac/role.yaml",
		"ClusterRole storagebench-editor":    "rbac/storagebenchmark_editor_role.yaml",
		"ClusterRole storagebench-viewer":    "rbac/storagebenchmark_viewer_role.yaml",
		"ClusterRole storagebench-installer": "rbac/storagebenchmark_installer_role.yaml",
		"Role storagebench-leader-election":  "rbac/leader_election_role.yaml",
	} {
		// Roles and ClusterRoles have their rules at the same place.
		got := as[rbacv1.Role](t, all, key)
		want := file[rbacv1.Role](t, path)
		if len(want.Rules) == 0 {
			t.Errorf("%s has no rules", path)
		}
		if diff := cmp.Diff(want.Rules, got.Rules); diff != "" {
			t.Errorf("rules of %s (-config/%s +chart):\n%s", key, path, diff)
		}
	}
}

// TestNoWildcards: a rule with * grants what nobody looked at.
func TestNoWildcards(t *testing.T) {
	for _, rule := range file[rbacv1.ClusterRole](t, "rbac/role.yaml").Rules {
		for _, granted := range slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs) {
			if strings.Contains(granted, "*") {
				t.Errorf("rbac/role.yaml grants %q in %v", granted, rule)
			}
		}
	}
}

// TestDefinition: the chart adds labels and an annotation to the CustomResourceDefinitions, and changes nothing, down
// to how numbers are written.
func TestDefinition(t *testing.T) {
	out, err := run(t, helm, "template", release, chart, "--show-only", "templates/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(config, "crd/bases/*.yaml"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("definitions are %v, %v", paths, err)
	}
	got := map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		plural := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "storagebench.dev_"), ".yaml")
		if !strings.Contains(out, "\n  name: "+plural+".storagebench.dev\n") {
			t.Errorf("the chart has no definition of %s", plural)
		}
		for line := range strings.Lines(string(content)) {
			got[line] = true
		}
	}
	added := []string{}
	for line := range strings.Lines(out) {
		if !got[line] {
			added = append(added, strings.TrimSpace(line))
		}
	}
	const chartLines = 8 // of each: "# Source: ...", "labels:" and five labels, an annotation
	if len(added) > chartLines*len(paths) || !slices.Contains(added, "helm.sh/resource-policy: keep") {
		t.Errorf("the chart's definitions have more lines than labels and the annotation:\n%s", strings.Join(added, "\n"))
	}
}

// TestSamples: each sample is a StorageBenchmark without a misspelt field, short enough to be read at a glance, which can be
// carried out, and is in the kustomization under a name of its own.
func TestSamples(t *testing.T) {
	const maxLines = 40
	files := []string{}
	names := map[string]bool{}
	for _, path := range samplePaths(t) {
		files = append(files, filepath.Base(path))
		path, err := filepath.Rel(config, path)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(config, path))
		if lines := strings.Count(string(content), "\n"); err != nil || lines > maxLines {
			t.Errorf("%s has %d lines, error %v", path, lines, err)
		}
		if strings.Contains(string(content), "kind: StorageBenchmarkSchedule\n") {
			checkScheduleSample(t, path, names)
			continue
		}
		sample := file[v1alpha1.StorageBenchmark](t, path)
		if sample.APIVersion != v1alpha1.GroupVersion.String() || sample.Kind != "StorageBenchmark" || names[sample.Name] {
			t.Errorf("%s is a %s %s named %s", path, sample.APIVersion, sample.Kind, sample.Name)
		}
		names[sample.Name] = true
		if runs, problems := plan.Runs(sample.Spec.Default(), nil); len(problems) > 0 || len(runs) == 0 {
			t.Errorf("%s: %d runs, problems %v", path, len(runs), problems)
		}
	}
	kustomization := file[struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Resources  []string `json:"resources"`
	}](t, "samples/kustomization.yaml")
	if diff := cmp.Diff(files, kustomization.Resources); diff != "" {
		t.Errorf("samples (-files +kustomization):\n%s", diff)
	}
}

// checkScheduleSample does the same for a schedule.
func checkScheduleSample(t *testing.T, path string, names map[string]bool) {
	t.Helper()
	sample := file[v1alpha1.StorageBenchmarkSchedule](t, path)
	if sample.APIVersion != v1alpha1.GroupVersion.String() || names[sample.Name] {
		t.Errorf("%s is a %s named %s", path, sample.APIVersion, sample.Name)
	}
	names[sample.Name] = true
	if runs, problems := plan.Runs(sample.Spec.Template.Spec.Default(), nil); len(problems) > 0 || len(runs) == 0 {
		t.Errorf("%s: %d runs, problems %v", path, len(runs), problems)
	}
}

// experiments are the samples of published measurements, by their label.
var experiments = map[string]struct {
	// runs and seconds are what was measured there; 0 seconds: by size.
	runs    int
	seconds int64
	// local is the same on the local cluster.
	local int64
}{
	"e1": {4, 4 * 60, 4 * 5},
	"e2": {48, 0, 48},
	"e3": {12, 12 * 60, 12 * 3},
	"e4": {48, 48 * 30, 16 * 3},
	"e5": {9, 0, 0},
}

// TestExperiments: the samples of the published experiments ask for what was measured there, and those of the local
// cluster are the same, only smaller.
func TestExperiments(t *testing.T) {
	for directory, local := range map[string]bool{"samples": false, "samples-local": true} {
		out, err := run(t, kubectl, "kustomize", filepath.Join(config, directory))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for key, object := range parse(t, out) {
			want, ok := experiments[object.GetLabels()["experiment"]]
			if !ok {
				continue
			}
			found++
			var sample v1alpha1.StorageBenchmark
			if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, &sample, true); err != nil {
				t.Fatalf("%s in %s: %v", key, directory, err)
			}
			runs, problems := plan.Runs(sample.Spec.Default(), nil)
			total := int64(0)
			for _, run := range runs {
				seconds, _ := run.Job.RuntimeSeconds()
				total += seconds
			}
			seconds := want.seconds
			if local {
				seconds = want.local
			}
			if len(problems) > 0 || (len(runs) != want.runs && !local) || total != seconds {
				t.Errorf("%s in %s: %d runs of %d s, want %d of %d s; problems %v", key, directory, len(runs), total, want.runs, seconds, problems)
			}
		}
		if found != len(experiments) {
			t.Errorf("%s has %d of %d experiments", directory, found, len(experiments))
		}
	}
}

// samplePaths returns the paths of all samples, in the order of their names.
func samplePaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(config, "samples/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == "kustomization.yaml" })
}
