package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// TestPermissions holds the table of the operator's rights in docs/security.md to its role.
func TestPermissions(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "config/rbac/role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		t.Fatal(err)
	}
	granted := map[string][]string{}
	for _, rule := range role.Rules {
		for _, resource := range rule.Resources {
			granted[resource] = append(granted[resource], rule.Verbs...)
			slices.Sort(granted[resource])
		}
	}
	if difference := cmp.Diff(granted, documented(t)); difference != "" {
		t.Errorf("docs/security.md does not say what config/rbac/role.yaml grants (-granted +documented):\n%s", difference)
	}
}

// documented returns the verbs of each resource that the section about the operator's rights names.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	verbs := map[string][]string{}
	inside := false
	for _, line := range prose(t, filepath.Join(root, "docs/security.md")) {
		if strings.HasPrefix(line, "#") {
			inside = line == "## What the operator may do"
		}
		cells := strings.Split(line, "|")
		if inside && len(cells) > 3 && strings.HasPrefix(cells[1], " `") {
			resource := strings.Trim(cells[1], " `")
			verbs[resource] = strings.Fields(cells[2])
			slices.Sort(verbs[resource])
		}
	}
	return verbs
}
