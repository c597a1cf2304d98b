package chart

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// TestRules: what the chart grants is what config/rbac grants, for the operator from markers in the code.
func TestRules(t *testing.T) {
	all := render(t)
	for key, path := range map[string]string{
		"ClusterRole storagebench-operator": "rbac/role.yaml",
		"ClusterRole storagebench-editor":   "rbac/storagebenchmark_editor_role.yaml",
		"ClusterRole storagebench-viewer":   "rbac/storagebenchmark_viewer_role.yaml",
		"Role storagebench-leader-election": "rbac/leader_election_role.yaml",
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

// TestDefinition: the chart adds labels and an annotation to the CustomResourceDefinition, and changes nothing, down
// to how numbers are written.
func TestDefinition(t *testing.T) {
	out, err := run(t, helm, "template", release, chart, "--show-only", "templates/crd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(config, "crd/bases/storagebench.dev_storagebenchmarks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	added := []string{}
	for line := range strings.Lines(string(content)) {
		got[line] = true
	}
	for line := range strings.Lines(out) {
		if !got[line] {
			added = append(added, strings.TrimSpace(line))
		}
	}
	const chartLines = 8 // "# Source: ...", "labels:" and five labels, an annotation
	if len(added) > chartLines || !slices.Contains(added, "helm.sh/resource-policy: keep") {
		t.Errorf("the chart's definition has more lines than labels and the annotation:\n%s", strings.Join(added, "\n"))
	}

	key := "CustomResourceDefinition " + definitionName
	if diff := cmp.Diff(parse(t, string(content))[key].Object["spec"], parse(t, out)[key].Object["spec"]); diff != "" {
		t.Errorf("spec (-config +chart):\n%s", diff)
	}
}

// TestKustomize: config/default installs what the chart installs by default. Beside it, config/default has a Namespace,
// which Helm makes itself, and the chart has labels and an annotation of Helm.
func TestKustomize(t *testing.T) {
	out, err := run(t, kustomize, "build", filepath.Join(config, "default"))
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, out)
	delete(want, "Namespace "+namespace)
	got := render(t)
	for _, u := range got {
		labels := u.GetLabels()
		for _, label := range []string{"app.kubernetes.io/managed-by", "app.kubernetes.io/version", "helm.sh/chart"} {
			delete(labels, label)
		}
		u.SetLabels(labels)
		if annotations := u.GetAnnotations(); annotations != nil {
			delete(annotations, "helm.sh/resource-policy")
			u.SetAnnotations(annotations)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-config/default +chart):\n%s", diff)
	}
}

// TestSamples: each sample is a StorageBenchmark without a misspelt field, and is in the kustomization.
func TestSamples(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(config, "samples/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if name == "kustomization.yaml" {
			continue
		}
		names = append(names, name)
		sample := file[v1alpha1.StorageBenchmark](t, "samples/"+name)
		if sample.APIVersion != v1alpha1.GroupVersion.String() || sample.Kind != "StorageBenchmark" || len(sample.Spec.Targets) == 0 {
			t.Errorf("%s is a %s %s with %d targets", name, sample.APIVersion, sample.Kind, len(sample.Spec.Targets))
		}
	}
	content, err := os.ReadFile(filepath.Join(config, "samples/kustomization.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var kustomization struct {
		Resources []string `json:"resources"`
	}
	if err := yaml.Unmarshal(content, &kustomization); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(names, kustomization.Resources); diff != "" {
		t.Errorf("samples (-files +kustomization):\n%s", diff)
	}
}
