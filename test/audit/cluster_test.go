//go:build e2e

package audit

import (
	"os"
	"slices"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
)

const (
	// namespace is where "make deploy" installs the operator.
	namespace = "storagebench-system"
	// logVariable names the API server's audit log, sinceVariable when the tests began, in RFC 3339: "make test-e2e" sets both.
	logVariable   = "STORAGEBENCH_AUDIT_LOG"
	sinceVariable = "STORAGEBENCH_AUDIT_SINCE"
)

// unseen are rights that no request shows, each with what shows that it is needed.
var unseen = map[string]string{
	"update storagebenchmarks.storagebench.dev/finalizers": "admission plugin OwnerReferencesPermissionEnforcement asks for it when an object with an owner is made, and the local cluster runs it: without the right every test fails",
	"patch events.events.k8s.io":                           "an event that is told again within six minutes is counted, which is a patch; TestUndecodableBenchmark in test/hostile has that",
}

// The operator may do what it does, and nothing else. It is run after all end-to-end tests, which have it do all it can.
func TestOperatorUsesItsRights(t *testing.T) {
	clientset := newClientset(t)
	account := operatorAccount(t, clientset)
	grants := grantsOf(t, clientset, account)
	requests := logged(t, "system:serviceaccount:"+namespace+":"+account)
	t.Logf("service account %s has %d rights, and has made %d requests", account, len(grants), len(requests))
	if len(grants) == 0 || len(requests) == 0 {
		t.Fatal("there is nothing to compare: are these the cluster and the log of the tests?")
	}
	for _, g := range Unused(grants, requests) {
		if unseen[g.Verb+" "+resourceName(g.Group, g.Resource, g.Subresource)] == "" {
			t.Errorf("not used: %s; take it from the marker in controllers/reconciler.go or the role in config/rbac, or have a test use it", g)
		}
	}
	for _, r := range Denied(grants, requests) {
		t.Errorf("denied: %s; add it to the markers in controllers/reconciler.go, or do not ask", r.String())
	}
}

func newClientset(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return clientset
}

func operatorAccount(t *testing.T, clientset *kubernetes.Clientset) string {
	t.Helper()
	deployments, err := clientset.AppsV1().Deployments(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil || len(deployments.Items) != 1 {
		t.Fatalf("Deployments in %s: %v, error %v", namespace, deployments, err)
	}
	return deployments.Items[0].Spec.Template.Spec.ServiceAccountName
}

// grantsOf returns the rights of a service account by the roles that are bound to it by its name.
func grantsOf(t *testing.T, clientset *kubernetes.Clientset, account string) []Grant {
	t.Helper()
	isMine := func(s rbacv1.Subject) bool {
		return s.Kind == rbacv1.ServiceAccountKind && s.Namespace == namespace && s.Name == account
	}
	rbac := clientset.RbacV1()
	everywhere, err := rbac.ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	local, err := rbac.RoleBindings(metav1.NamespaceAll).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var grants []Grant
	for _, binding := range everywhere.Items {
		if slices.ContainsFunc(binding.Subjects, isMine) {
			grants = append(grants, Expand(binding.RoleRef.Kind+" "+binding.RoleRef.Name, "", rulesOf(t, clientset, "", binding.RoleRef))...)
		}
	}
	for _, binding := range local.Items {
		if slices.ContainsFunc(binding.Subjects, isMine) {
			grants = append(grants, Expand(binding.RoleRef.Kind+" "+binding.RoleRef.Name, binding.Namespace, rulesOf(t, clientset, binding.Namespace, binding.RoleRef))...)
		}
	}
	return grants
}

func rulesOf(t *testing.T, clientset *kubernetes.Clientset, namespace string, ref rbacv1.RoleRef) []rbacv1.PolicyRule {
	t.Helper()
	if ref.Kind == "Role" {
		role, err := clientset.RbacV1().Roles(namespace).Get(t.Context(), ref.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return role.Rules
	}
	role, err := clientset.RbacV1().ClusterRoles().Get(t.Context(), ref.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return role.Rules
}

// logged returns what a user has asked of the API server since the tests began.
func logged(t *testing.T, user string) []Request {
	t.Helper()
	since, err := time.Parse(time.RFC3339, os.Getenv(sinceVariable))
	if err != nil {
		t.Fatalf("%s: %v", sinceVariable, err)
	}
	files, err := Files(os.Getenv(logVariable))
	if err != nil {
		t.Fatalf("%s: %v; make test-e2e sets it", logVariable, err)
	}
	var requests []Request
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		some, err := Read(file, user, since)
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		requests = append(requests, some...)
	}
	return requests
}
