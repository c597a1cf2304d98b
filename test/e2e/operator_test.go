//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/test/await"
)

// tenant is a user who is admin of some namespaces and has no rights elsewhere.
const tenant = "storagebench-e2e-tenant"

// changeOperator changes the Deployment of the operator of the whole cluster. It does not wait until that has rolled out.
func changeOperator(ctx context.Context, change func(*appsv1.Deployment)) error {
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		d, err := findOperator(ctx)
		if err != nil {
			return err
		}
		change(d)
		return k8s.Update(ctx, d)
	})
	if err != nil {
		return fmt.Errorf("change the operator: %w", err)
	}
	return nil
}

// argsOf returns the arguments of an operator, to be changed.
func argsOf(d *appsv1.Deployment) *[]string { return &d.Spec.Template.Spec.Containers[0].Args }

// rolledOut waits until the operator's Deployment has rolled out and no pod of an older one is left.
func rolledOut(ctx context.Context) error {
	wait := await.Wait{For: "the operator to roll out", Patience: patience, Interval: pollInterval}
	return wait.Until(ctx, await.Condition(func(ctx context.Context) (bool, error) {
		d, err := findOperator(ctx)
		if err != nil {
			return false, err
		}
		s := d.Status
		if s.ObservedGeneration < d.Generation || s.UpdatedReplicas != *d.Spec.Replicas || s.AvailableReplicas != *d.Spec.Replicas {
			return false, nil
		}
		var pods corev1.PodList
		err = k8s.List(ctx, &pods, client.InNamespace(d.Namespace), client.MatchingLabels(d.Spec.Selector.MatchLabels))
		return len(pods.Items) == int(*d.Spec.Replicas), err
	}))
}

// awaitOperator is rolledOut for a test.
func awaitOperator(ctx context.Context, t *testing.T) {
	t.Helper()
	ctx, cancel := bind(ctx, t)
	defer cancel()
	if err := rolledOut(ctx); err != nil {
		t.Fatal(err)
	}
}

// leftToOthers are the namespaces that the operator of the whole cluster leaves to operators of tests, until all tests end.
var leftToOthers exclusion

type exclusion struct {
	mu         sync.Mutex
	namespaces []string
	// flag is what the operator was told last, "" before that, and err what went wrong then.
	flag string
	err  error
}

// add adds a namespace. Tests do so before any of them begins.
func (e *exclusion) add(namespace string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.namespaces = append(e.namespaces, namespace)
}

// restart has the operator leave the namespaces to others. It restarts for that, so all tests call this before they begin, and it
// restarts once for all of them.
func (e *exclusion) restart(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	flag := "--exclude-namespaces=" + strings.Join(e.namespaces, ",")
	if len(e.namespaces) == 0 || e.flag == flag {
		return e.err
	}
	if e.flag == "" {
		atEnd(func(ctx context.Context) error { return changeOperator(ctx, e.forget) })
	}
	e.err = changeOperator(ctx, func(d *appsv1.Deployment) {
		e.forget(d)
		*argsOf(d) = append(*argsOf(d), flag)
	})
	if e.err == nil {
		e.err = rolledOut(ctx)
	}
	e.flag = flag
	return e.err
}

// forget takes away what the operator was told last.
func (e *exclusion) forget(d *appsv1.Deployment) {
	*argsOf(d) = slices.DeleteFunc(*argsOf(d), func(arg string) bool { return arg == e.flag })
}

// installOperator installs a test's own operator with the rights of the tenant, and removes it when the test ends. Nobody else may
// have served the test's benchmarks then.
func installOperator(t *testing.T, values []string) {
	t.Helper()
	ns := namespaceOf(t)
	letInstall(t, ns)
	args := []string{
		"upgrade", "--install", "own", "../../charts/storagebench", "--namespace", ns, "--wait", "--timeout", "90s", "--hide-notes",
		"--values", "../../charts/storagebench/ci/one-namespace.yaml", "--set", "watchNamespaces={" + ns + "}",
		"--set", "operator.image.tag=" + tagOf(operator(t.Context(), t).Spec.Template.Spec.Containers[0].Image),
		"--set", "runner.image.tag=" + tagOf(runnerImage(t)),
	}
	for _, value := range values {
		args = append(args, "--set", value)
	}
	helmAs(t, args...)
	t.Cleanup(func() { helmAs(t, "uninstall", "own", "--namespace", ns, "--wait") })
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the test's operator:\n%s", podLog(context.WithoutCancel(t.Context()), t, podIn(t, ns), "manager"))
		}
		checkReporters(t, ns)
	})
}

func tagOf(image string) string { return image[strings.LastIndex(image, ":")+1:] }

// podIn returns the operator's pod in a namespace.
func podIn(t *testing.T, ns string) *corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	labels := client.MatchingLabels{"app.kubernetes.io/component": "operator"}
	if err := k8s.List(context.WithoutCancel(t.Context()), &pods, client.InNamespace(ns), labels); err != nil || len(pods.Items) != 1 {
		t.Fatalf("operators in %s: %d (%v)", ns, len(pods.Items), err)
	}
	return &pods.Items[0]
}

// checkReporters checks that all that was said of benchmarks in a namespace was said by the operator there.
func checkReporters(t *testing.T, ns string) {
	t.Helper()
	var events eventsv1.EventList
	if err := k8s.List(context.WithoutCancel(t.Context()), &events, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	own, said := podIn(t, ns).Name, 0
	for i := range events.Items {
		e := &events.Items[i]
		if e.Regarding.Kind != "StorageBenchmark" {
			continue
		}
		said++
		if !strings.Contains(e.ReportingInstance, own) {
			t.Errorf("%s said %s: %s", e.ReportingInstance, e.Reason, e.Note)
			return
		}
	}
	if said == 0 {
		t.Error("nobody said anything of the benchmarks")
	}
}

// letInstall lets the tenant install in a namespace: Kubernetes' own role admin, and the role installer of the chart.
func letInstall(t *testing.T, ns string) {
	t.Helper()
	text, err := os.ReadFile("../../config/rbac/storagebenchmark_installer_role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	installer := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, installer); err != nil {
		t.Fatal(err)
	}
	installer.Name, installer.GenerateName = "", "storagebench-e2e-installer-"
	if err := k8s.Create(t.Context(), installer); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k8s.Delete(context.WithoutCancel(t.Context()), installer) })
	for _, role := range []string{"admin", installer.Name} {
		err := k8s.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "tenant-" + role},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: tenant}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// helmAs runs helm with the rights of the tenant.
func helmAs(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"--kube-as-user", tenant}, args...)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	defer cancel()
	if out, err := exec.CommandContext(ctx, "../../hack/helm.sh", args...).CombinedOutput(); err != nil {
		t.Fatalf("helm: %v\n%s", err, out)
	}
}
