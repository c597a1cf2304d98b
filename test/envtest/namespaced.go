package envtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
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

// newer are resources without a namespace that the oldest API server which the operator is for does not have.
var newer = []string{"storage.k8s.io/volumeattributesclasses"} // Kubernetes 1.34

// NamespacedRules returns what is left of rules without the resources that have no namespace, as the API server has it.
func NamespacedRules(config *rest.Config, rules []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) {
	namespaced, err := servedResources(config)
	if err != nil {
		return nil, err
	}
	var left []rbacv1.PolicyRule
	for _, rule := range rules {
		if len(rule.APIGroups) != 1 {
			return nil, fmt.Errorf("a rule about %v is of groups %q: teach this function to take several", rule.Resources, rule.APIGroups)
		}
		var resources []string
		for _, resource := range rule.Resources {
			// Finalizers are no resource that is served, and belong to one that is.
			served, _ := strings.CutSuffix(rule.APIGroups[0]+"/"+resource, "/finalizers")
			within, known := namespaced[served]
			if !known && !slices.Contains(newer, served) {
				return nil, fmt.Errorf("the API server does not know %s", served)
			}
			if within {
				resources = append(resources, resource)
			}
		}
		if len(resources) > 0 {
			rule.Resources = resources
			left = append(left, rule)
		}
	}
	return left, nil
}

// servedResources returns whether each resource of an API server, by its group and name, has a namespace.
func servedResources(config *rest.Config) (map[string]bool, error) {
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	_, lists, err := d.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	namespaced := map[string]bool{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for i := range list.APIResources {
			namespaced[version.Group+"/"+list.APIResources[i].Name] = list.APIResources[i].Namespaced
		}
	}
	return namespaced, nil
}

// NamespacedOperatorConfig returns the way to the API server for an operator that has the rights of its Role in the
// namespaces, and none elsewhere. The test fails if the API server forbids it anything.
func NamespacedOperatorConfig(t testing.TB, namespaces ...string) *rest.Config {
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
	for _, namespace := range namespaces {
		awaitRights(t, c, user, namespace)
	}
	config.Impersonate.UserName = user
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &forbidden{TB: t, next: next} })
	return config
}

// awaitRights waits until the API server has heard of a user's role, which it does a moment after it has stored it.
func awaitRights(t testing.TB, c client.Client, user, namespace string) {
	t.Helper()
	rights := await.Wait{For: fmt.Sprintf("the rights of %s in namespace %s", user, namespace)}
	err := rights.Until(t.Context(), await.Condition(func(ctx context.Context) (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               user,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Group: v1alpha1.GroupVersion.Group, Resource: "storagebenchmarks"},
		}}
		err := c.Create(ctx, review)
		return review.Status.Allowed, err
	}))
	if err != nil {
		t.Fatal(err)
	}
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
