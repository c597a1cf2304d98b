package envtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// OperatorRules returns the rules of the operator's ClusterRole.
func OperatorRules() ([]rbacv1.PolicyRule, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	path := filepath.Join(root, "config", "rbac", "role.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, role); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return role.Rules, nil
}

// NamespacedRules returns what is left of rules without the resources that have no namespace, as the API server has it.
func NamespacedRules(config *rest.Config, rules []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) {
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	global, known := sets.New[string](), sets.New[string]()
	for _, list := range lists {
		group, _, found := strings.Cut(list.GroupVersion, "/")
		if !found {
			group = ""
		}
		for i := range list.APIResources {
			name := group + "/" + list.APIResources[i].Name
			known.Insert(name)
			if !list.APIResources[i].Namespaced {
				global.Insert(name)
			}
		}
	}
	var namespaced []rbacv1.PolicyRule
	for _, rule := range rules {
		var resources []string
		for _, resource := range rule.Resources {
			for _, group := range rule.APIGroups {
				name := group + "/" + resource
				// Finalizers are no resource that is served, and belong to one that is.
				if served, _ := strings.CutSuffix(name, "/finalizers"); !known.Has(served) {
					return nil, fmt.Errorf("the API server does not know %s", name)
				}
				if !global.Has(name) {
					resources = append(resources, resource)
				}
			}
		}
		if len(resources) > 0 {
			rule.Resources = resources
			namespaced = append(namespaced, rule)
		}
	}
	return namespaced, nil
}

// ConfinedOperatorConfig returns the way to the API server for an operator that has the rights of its Role in the
// namespaces, and none elsewhere. The test fails if the API server forbids it anything.
func ConfinedOperatorConfig(t testing.TB, namespaces ...string) *rest.Config {
	t.Helper()
	config := Config(t)
	all, err := OperatorRules()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := NamespacedRules(config, all)
	if err != nil {
		t.Fatal(err)
	}
	user := operator + "-of-" + strings.Join(namespaces, "-")
	c := Client(t)
	for _, namespace := range namespaces {
		role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user}, Rules: rules}
		binding := &rbacv1.RoleBinding{
			ObjectMeta: role.ObjectMeta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		}
		for _, object := range []client.Object{role, binding} {
			if err := c.Create(context.WithoutCancel(t.Context()), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	config.Impersonate.UserName = user
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &forbidden{TB: t, next: next} })
	return config
}

// forbidden fails the test when a call is forbidden.
type forbidden struct {
	testing.TB

	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (f *forbidden) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := f.next.RoundTrip(request)
	if err == nil && response.StatusCode == http.StatusForbidden {
		f.Errorf("forbidden: %s %s", request.Method, request.URL)
	}
	return response, err
}
