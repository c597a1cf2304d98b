//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// tenant is a user who is admin of one namespace and has no rights elsewhere.
const tenant = "storagebench-e2e-tenant"

// An operator of one namespace, which somebody installs who is admin there and nowhere else, runs benchmarks with its Role
// alone, beside an operator of the whole cluster that leaves the namespace to it.
func TestNamespacedOperator(t *testing.T) {
	name := newName()
	leaveAlone(t, name)
	sideBySide(t, load(2))
	ns := newNamespaceWithName(t, name)
	letInstall(t, ns.Name)
	deployment := operator(t.Context(), t)
	image, runner := deployment.Spec.Template.Spec.Containers[0].Image, runnerImage(t)
	helmAs(t, "upgrade", "--install", "own", "../../charts/storagebench", "--namespace", ns.Name, "--wait", "--timeout", "90s", "--hide-notes",
		"--values", "../../charts/storagebench/ci/one-namespace.yaml", "--set", "watchNamespaces={"+ns.Name+"}",
		"--set", "operator.image.tag="+tagOf(image), "--set", "runner.image.tag="+tagOf(runner))
	t.Cleanup(func() { helmAs(t, "uninstall", "own", "--namespace", ns.Name, "--wait") })

	as := clientOf(t, tenant)
	sb := benchmark(t, "namespaced", in(ns), sweep("4k", "16k"))
	if err := as.Create(t.Context(), sb); err != nil {
		t.Fatalf("create a benchmark: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			dump(t, sb)
			t.Logf("log of the operator:\n%s", podLog(context.WithoutCancel(t.Context()), t, podIn(t, ns.Name), "manager"))
		}
		remove(t, sb)
	})
	done := until(t, sb, "the benchmark's end", ended)
	if c := succeeded(done); c.Reason != v1alpha1.ReasonCompleted {
		t.Fatalf("Succeeded = %s %s: %s", c.Status, c.Reason, c.Message)
	}
	checkMadeOnce(t, done)
	target := done.Status.Targets[0]
	if len(target.Volumes) != 1 || target.Volumes[0].Node == "" || target.Volumes[0].Handle != "" || target.Volumes[0].InstanceType != "" || target.Driver == "" {
		t.Errorf("target = %+v: an operator without a ClusterRole knows the node's name and the claim's driver, and no more", target)
	}
	cleaned := meta.FindStatusCondition(done.Status.Conditions, v1alpha1.ConditionCleanedUp)
	if cleaned == nil || cleaned.Reason != v1alpha1.ReasonClaimsGone || !strings.Contains(cleaned.Message, target.Volumes[0].Name) {
		t.Errorf("CleanedUp = %+v", cleaned)
	}
	eventually(t.Context(), t, "the volume to go with its claim", func(ctx context.Context) (bool, error) {
		err := k8s.Get(ctx, clientKey(target.Volumes[0].Name), &corev1.PersistentVolume{})
		return err != nil, client.IgnoreNotFound(err)
	})

	inline := benchmark(t, "inline", in(ns), func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].StorageClassName, sb.Spec.Targets[0].EBS = nil, &v1alpha1.EBSVolume{Type: "gp3"}
	})
	create(t, inline)
	fails(t, inline, v1alpha1.ReasonInvalidSpec, "spec.targets[0].ebs: Forbidden: this operator is confined to namespace "+ns.Name, "name an existing StorageClass in storageClassName")

	if log := podLog(t.Context(), t, podIn(t, ns.Name), "manager"); strings.Contains(log, "forbidden") {
		t.Errorf("the operator tried what it may not:\n%s", log)
	}
	checkReporters(t, ns.Name)
}

// checkReporters checks that all that was said of benchmarks in a namespace was said by the operator there.
func checkReporters(t *testing.T, ns string) {
	t.Helper()
	var events eventsv1.EventList
	if err := k8s.List(t.Context(), &events, client.InNamespace(ns)); err != nil {
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
		}
	}
	if said == 0 {
		t.Error("nobody said anything of the benchmarks")
	}
}

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

// leaveAlone has the operator of the whole cluster leave a namespace to others until all tests end. It restarts, so that no
// other test may have begun.
func leaveAlone(t *testing.T, ns string) {
	t.Helper()
	flag := "--exclude-namespaces=" + ns
	change := func(ctx context.Context, change func([]string) []string) error {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			d, err := findOperator(ctx)
			if err != nil {
				return err
			}
			c := &d.Spec.Template.Spec.Containers[0]
			c.Args = change(c.Args)
			return k8s.Update(ctx, d)
		})
	}
	atEnd(func(ctx context.Context) error {
		return change(ctx, func(args []string) []string {
			return slices.DeleteFunc(args, func(arg string) bool { return arg == flag })
		})
	})
	if err := change(t.Context(), func(args []string) []string { return append(args, flag) }); err != nil {
		t.Fatalf("change the operator's arguments: %v", err)
	}
	awaitOperator(t.Context(), t)
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

// clientOf returns a client with the rights of a user.
func clientOf(t *testing.T, user string) client.Client {
	t.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = user
	c, err := client.New(config, client.Options{Scheme: k8s.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
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

func tagOf(image string) string { return image[strings.LastIndex(image, ":")+1:] }
