package chart

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/envtest"
)

// one is the values of an operator of one namespace, teamA, as its admin installs it.
const (
	one   = chart + "/ci/one-namespace.yaml"
	teamA = "team-a"
	// tenant has all rights in teamA that Kubernetes' own role admin gives, and no rights elsewhere.
	tenant = "tenant"
)

// TestNamespacedObjects: an operator that watches namespaces comes with nothing that has no namespace.
func TestNamespacedObjects(t *testing.T) {
	got := []string{}
	for key, object := range render(t, "--values", one) {
		got = append(got, key+" in "+object.GetNamespace())
	}
	want := []string{
		"Deployment storagebench-operator in " + namespace,
		"Role storagebench-leader-election in " + namespace,
		"Role storagebench-operator in " + teamA,
		"RoleBinding storagebench-leader-election in " + namespace,
		"RoleBinding storagebench-operator in " + teamA,
		"ServiceAccount storagebench-operator in " + namespace,
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestSeveralNamespaces: there is a Role in each of them, for the one account of the operator.
func TestSeveralNamespaces(t *testing.T) {
	out, err := run(t, helm, "template", release, chart, "--namespace", namespace, "--set", "watchNamespaces={a,b}", "--show-only", "templates/namespaced-rbac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for document := range strings.SplitSeq("\n"+out, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatal(err)
		}
		if len(u.Object) == 0 {
			continue
		}
		got = append(got, u.GetKind()+" in "+u.GetNamespace())
		if subjects, found, _ := unstructured.NestedSlice(u.Object, "subjects"); found {
			want := []any{map[string]any{"kind": "ServiceAccount", "name": "storagebench-operator", "namespace": namespace}}
			if diff := cmp.Diff(want, subjects); diff != "" {
				t.Errorf("subjects (-want +got):\n%s", diff)
			}
		}
	}
	want := []string{"Role in a", "RoleBinding in a", "Role in b", "RoleBinding in b"}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestNamespaceValues has what the values say to the operator.
func TestNamespaceValues(t *testing.T) {
	for name, test := range map[string]struct {
		set  string
		want []string
	}{
		"watched":                    {"watchNamespaces={a,b}", []string{"--watch-namespaces=a,b"}},
		"excluded":                   {"excludeNamespaces={a,b}", []string{"--exclude-namespaces=a,b"}},
		"patience with API server":   {"leaderElection.leaseDurationSeconds=137,leaderElection.renewDeadlineSeconds=107,leaderElection.retryPeriodSeconds=26", []string{"--leader-elect-lease-duration=137s", "--leader-elect-renew-deadline=107s", "--leader-elect-retry-period=26s"}},
		"no patience to be asked of": {"leaderElection.enabled=false,leaderElection.leaseDurationSeconds=3", []string{"--leader-elect=false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, container := manager(t, render(t, "--set", test.set, "--show-only", "templates/deployment.yaml"))
			for _, argument := range test.want {
				if !slices.Contains(container.Args, argument) {
					t.Errorf("no argument %s in %q", argument, container.Args)
				}
			}
			if test.set == "leaderElection.enabled=false,leaderElection.leaseDurationSeconds=3" && strings.Contains(strings.Join(container.Args, " "), "leader-elect-") {
				t.Errorf("durations without an election: %q", container.Args)
			}
		})
	}
}

// TestNamespaceRefusals has values that must not install, and a part of what the user is told.
func TestNamespaceRefusals(t *testing.T) {
	refuses(t, map[string]refusal{
		"both watched and excluded":              {"watchNamespaces={a},excludeNamespaces={b}", "remove it, or watchNamespaces"},
		"a name that no namespace has":           {"watchNamespaces={A_B}", "watchNamespaces"},
		"a namespace twice":                      {"watchNamespaces={a,a}", "watchNamespaces"},
		"a lease that ends before it is renewed": {"leaderElection.leaseDurationSeconds=45", "leaseDurationSeconds is 45, and must be more than renewDeadlineSeconds, 45"},
		"a deadline without a second try":        {"leaderElection.renewDeadlineSeconds=6", "renewDeadlineSeconds is 6, and must be more than 1.2 times retryPeriodSeconds, 5"},
		"no time between tries":                  {"leaderElection.retryPeriodSeconds=0", "retryPeriodSeconds"},
	})
}

// TestNamespacedRelease: who is admin of a namespace can install an operator there, once somebody who is admin of the
// cluster has installed the definition and let them. Its Role has what has a namespace of the ClusterRole's rules, by what
// the API server says, and nothing else.
func TestNamespacedRelease(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	c.createAll(t, c.helm(t, "template", release, chart, "--set", "rbac.installerRole=true",
		"--show-only", "templates/crd.yaml", "--show-only", "templates/user-roles.yaml", "--show-only", "templates/installer-role.yaml"))
	c.awaitDefinition(t)
	c.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: teamA}})
	// What Kubernetes' role admin is made of, by a controller that does not run here.
	for _, role := range []string{"system:aggregate-to-admin", "system:aggregate-to-edit", "system:aggregate-to-view", "storagebench-editor"} {
		c.bind(t, role)
	}
	install := []string{"upgrade", "--install", "mine", chart, "--namespace", teamA, "--kubeconfig", c.kubeconfig, "--kube-as-user", tenant, "--values", one}

	if _, err := run(t, helm, install...); err == nil || !strings.Contains(err.Error(), "attempting to grant RBAC permissions not currently held") {
		t.Errorf("without role installer: %v", err)
	}
	c.bind(t, "storagebench-installer")
	if _, err := run(t, helm, install...); err != nil {
		t.Fatalf("with role installer: %v", err)
	}
	if !c.exists(t, &appsv1.Deployment{}, teamA, "mine-storagebench-operator") {
		t.Error("the operator is missing")
	}

	role := &rbacv1.Role{}
	if !c.exists(t, role, teamA, "mine-storagebench-operator") {
		t.Fatal("the Role is missing")
	}
	all, err := envtest.OperatorRules()
	if err != nil {
		t.Fatal(err)
	}
	want, err := envtest.NamespacedRules(c.config, all)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, role.Rules); diff != "" {
		t.Errorf("rules (-with a namespace +chart):\n%s", diff)
	}

	if _, err := run(t, helm, "uninstall", "mine", "--namespace", teamA, "--kubeconfig", c.kubeconfig, "--kube-as-user", tenant); err != nil {
		t.Errorf("uninstall: %v", err)
	}
	if c.exists(t, role, teamA, "mine-storagebench-operator") {
		t.Error("the Role is left")
	}
}

// createAll creates what manifests say.
func (c *cluster) createAll(t *testing.T, manifests string) {
	t.Helper()
	for key, object := range parse(t, manifests) {
		if err := c.Create(context.WithoutCancel(t.Context()), object); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
}

func (c *cluster) create(t *testing.T, object *corev1.Namespace) {
	t.Helper()
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

// bind gives the tenant the rights of a ClusterRole in teamA.
func (c *cluster) bind(t *testing.T, role string) {
	t.Helper()
	err := c.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: teamA, Name: strings.ReplaceAll(role, ":", "-")},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: tenant}},
	})
	if err != nil {
		t.Fatal(err)
	}
}
