// Package chart tests what users install: the Helm chart, config/default and the samples.
package chart

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const (
	release   = "storagebench"
	namespace = "storagebench-system"
	chart     = "../../charts/storagebench"
	config    = "../../config"
)

// tool returns the path of a program of a module in hack/tools, built if need be. Asking go for the path and running the program
// directly saves go's own start for each of the many renderings here.
func tool(module, name string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		modfile, err := filepath.Abs(filepath.Join("../../hack/tools", module, "go.mod"))
		if err != nil {
			return "", err
		}
		out, err := exec.Command("go", "tool", "-modfile="+modfile, "-n", name).Output()
		if err != nil {
			return "", fmt.Errorf("build %s: %w", module, err)
		}
		return strings.TrimSpace(string(out)), nil
	})
}

// built returns the path of Helm 4, the one that was built for the local cluster if there is one.
func built() (string, error) { return filepath.Abs("../../hack/helm.sh") }

// kubectl returns the path of the one that goes with the API server. Its subcommand kustomize is what users have.
func kubectl() (string, error) {
	assets := os.Getenv("KUBEBUILDER_ASSETS")
	if assets == "" {
		return "", errors.New("KUBEBUILDER_ASSETS names no kubectl; make test-unit sets it")
	}
	return filepath.Join(assets, "kubectl"), nil
}

var (
	helm  = built
	helm3 = tool("helm3", "helm")
)

func run(t *testing.T, program func() (string, error), args ...string) (stdout string, err error) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut strings.Builder
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, errOut.String())
	}
	return out.String(), nil
}

// objects are rendered objects by kind and name, such as "Deployment storagebench-operator".
type objects map[string]*unstructured.Unstructured

func parse(t *testing.T, manifests string) objects {
	t.Helper()
	all := objects{}
	for document := range strings.SplitSeq("\n"+manifests, "\n---\n") {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &u.Object); err != nil {
			t.Fatalf("%v in:\n%s", err, document)
		}
		if len(u.Object) == 0 {
			continue
		}
		key := u.GetKind() + " " + u.GetName()
		if all[key] != nil {
			t.Fatalf("%s was rendered twice", key)
		}
		all[key] = u
	}
	return all
}

// render renders the chart with arguments of "helm template" such as --set.
func render(t *testing.T, args ...string) objects {
	t.Helper()
	out, err := run(t, helm, append([]string{"template", release, chart, "--namespace", namespace}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, out)
}

// as returns an object of which it is known what it is, and fails on fields that the type does not have.
func as[T any](t *testing.T, all objects, key string) *T {
	t.Helper()
	u := all[key]
	if u == nil {
		t.Fatalf("there is no %s", key)
	}
	out, err := yaml.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	object := new(T)
	if err := yaml.UnmarshalStrict(out, object); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return object
}

func file[T any](t *testing.T, path string) *T {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(config, path))
	if err != nil {
		t.Fatal(err)
	}
	object := new(T)
	if err := yaml.UnmarshalStrict(content, object); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return object
}

func manager(t *testing.T, all objects) (*appsv1.Deployment, *corev1.Container) {
	t.Helper()
	deployment := as[appsv1.Deployment](t, all, "Deployment storagebench-operator")
	return deployment, &deployment.Spec.Template.Spec.Containers[0]
}

func TestDefaultObjects(t *testing.T) {
	got := []string{}
	for key := range render(t) {
		got = append(got, key)
	}
	want := []string{
		"ClusterRole storagebench-editor",
		"ClusterRole storagebench-operator",
		"ClusterRole storagebench-viewer",
		"ClusterRoleBinding storagebench-operator",
		"CustomResourceDefinition storagebenchmarks.storagebench.dev",
		"CustomResourceDefinition storagebenchmarkschedules.storagebench.dev",
		"Deployment storagebench-operator",
		"Role storagebench-leader-election",
		"RoleBinding storagebench-leader-election",
		"ServiceAccount storagebench-operator",
		"ValidatingAdmissionPolicy storagebench-user-permissions",
		"ValidatingAdmissionPolicyBinding storagebench-user-permissions",
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// TestRestricted holds the operator's pod against the Pod Security Standard "restricted", and a little more.
func TestRestricted(t *testing.T) {
	deployment, container := manager(t, render(t))
	wantPod := &corev1.PodSecurityContext{
		RunAsNonRoot:   new(true),
		RunAsUser:      new(int64(65532)),
		RunAsGroup:     new(int64(65532)),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	if diff := cmp.Diff(wantPod, deployment.Spec.Template.Spec.SecurityContext); diff != "" {
		t.Errorf("pod (-want +got):\n%s", diff)
	}
	wantContainer := &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false),
		ReadOnlyRootFilesystem:   new(true),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	if diff := cmp.Diff(wantContainer, container.SecurityContext); diff != "" {
		t.Errorf("container (-want +got):\n%s", diff)
	}
	if len(deployment.Spec.Template.Spec.Volumes) != 0 {
		t.Errorf("the operator needs no volumes, and has %v", deployment.Spec.Template.Spec.Volumes)
	}
}

// TestValues has a row for each value that changes what is installed.
func TestValues(t *testing.T) {
	const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	hasArgument := func(argument string) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			if _, container := manager(t, all); !slices.Contains(container.Args, argument) {
				t.Errorf("no argument %s in %q", argument, container.Args)
			}
		}
	}
	hasImage := func(image string) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			if _, container := manager(t, all); container.Image != image {
				t.Errorf("image is %s, want %s", container.Image, image)
			}
		}
	}
	hasNo := func(keys ...string) func(*testing.T, objects) {
		return func(t *testing.T, all objects) {
			for _, key := range keys {
				if all[key] != nil {
					t.Errorf("there is a %s", key)
				}
			}
		}
	}
	const (
		crd          = "CustomResourceDefinition storagebenchmarks.storagebench.dev"
		crdSchedules = "CustomResourceDefinition storagebenchmarkschedules.storagebench.dev"
	)

	for name, test := range map[string]struct {
		set   []string
		check func(*testing.T, objects)
	}{
		"tag of the operator":        {[]string{"operator.image.tag=dev-1"}, hasImage("ghcr.io/storagebench/operator:dev-1")},
		"digest of the operator":     {[]string{"operator.image.tag=dev-1", "operator.image.digest=" + digest}, hasImage("ghcr.io/storagebench/operator@" + digest)},
		"repository of the operator": {[]string{"operator.image.repository=registry.example:5000/op"}, hasImage("registry.example:5000/op:" + chartMetadata(t).AppVersion)},
		"tag of the runner":          {[]string{"runner.image.tag=dev-1"}, hasArgument("--runner-image=ghcr.io/storagebench/runner:dev-1")},
		"digest of the runner":       {[]string{"runner.image.digest=" + digest}, hasArgument("--runner-image=ghcr.io/storagebench/runner@" + digest)},
		"pull policy of the runner":  {[]string{"runner.image.pullPolicy=Never"}, hasArgument("--runner-image-pull-policy=Never")},
		"metrics of EBS":             {[]string{"runner.ebsMetricsURL=http://ebs-csi-node.kube-system.svc:3302/metrics"}, hasArgument("--ebs-metrics-url=http://ebs-csi-node.kube-system.svc:3302/metrics")},
		"log level as a number":      {[]string{"log.level=3"}, hasArgument("--zap-log-level=3")},
		"log format":                 {[]string{"log.format=console"}, hasArgument("--zap-encoder=console")},
		"extra arguments":            {[]string{"extraArgs={--a=b}"}, hasArgument("--a=b")},
		"pull policy of the operator": {[]string{"operator.image.pullPolicy=Always"}, func(t *testing.T, all objects) {
			if _, container := manager(t, all); container.ImagePullPolicy != corev1.PullAlways {
				t.Errorf("pull policy is %s", container.ImagePullPolicy)
			}
		}},
		"extra environment": {[]string{"extraEnv[0].name=A", "extraEnv[0].value=b"}, func(t *testing.T, all objects) {
			_, container := manager(t, all)
			if diff := cmp.Diff([]corev1.EnvVar{{Name: "A", Value: "b"}}, container.Env[2:]); diff != "" {
				t.Error(diff)
			}
		}},
		"where the operator runs": {
			[]string{"nodeSelector.disk=ssd", "tolerations[0].operator=Exists", "priorityClassName=high", "imagePullSecrets[0].name=registry"},
			func(t *testing.T, all objects) {
				deployment, _ := manager(t, all)
				pod := deployment.Spec.Template.Spec
				if pod.NodeSelector["disk"] != "ssd" || len(pod.Tolerations) != 1 || pod.PriorityClassName != "high" || pod.ImagePullSecrets[0].Name != "registry" {
					t.Errorf("pod is %+v", pod)
				}
			},
		},
		"labels of pods do not replace the chart's": {[]string{`podLabels.app\.kubernetes\.io/name=x`, "podLabels.a=b"}, func(t *testing.T, all objects) {
			deployment, _ := manager(t, all)
			labels := deployment.Spec.Template.Labels
			if labels["a"] != "b" || labels["app.kubernetes.io/name"] != "storagebench" {
				t.Errorf("labels are %v", labels)
			}
		}},
		"no metrics by default": {nil, hasNo("Service storagebench-metrics")},
		"metrics": {[]string{"metrics.enabled=true", "metrics.port=9090"}, func(t *testing.T, all objects) {
			hasArgument("--metrics-bind-address=:9090")(t, all)
			deployment, _ := manager(t, all)
			service := as[corev1.Service](t, all, "Service storagebench-metrics")
			if diff := cmp.Diff(deployment.Spec.Selector.MatchLabels, service.Spec.Selector); diff != "" {
				t.Errorf("the Service selects other pods than the Deployment (-want +got):\n%s", diff)
			}
		}},
		"without election, two operators never run at the same time": {[]string{"leaderElection.enabled=false"}, func(t *testing.T, all objects) {
			hasArgument("--leader-elect=false")(t, all)
			hasNo("Role storagebench-leader-election", "RoleBinding storagebench-leader-election")(t, all)
			if deployment, _ := manager(t, all); deployment.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
				t.Errorf("strategy is %q", deployment.Spec.Strategy.Type)
			}
		}},
		"no admission policy":        {[]string{"admissionPolicy.enabled=false"}, hasNo("ValidatingAdmissionPolicy storagebench-user-permissions", "ValidatingAdmissionPolicyBinding storagebench-user-permissions")},
		"definitions from elsewhere": {[]string{"crds.install=false"}, hasNo(crd, crdSchedules)},
		"definitions go with the release": {[]string{"crds.keep=false"}, func(t *testing.T, all objects) {
			for _, key := range []string{crd, crdSchedules} {
				if _, kept := all[key].GetAnnotations()["helm.sh/resource-policy"]; kept || all[key] == nil {
					t.Errorf("%s has a resource policy, or is missing", key)
				}
			}
		}},
		"given service account": {[]string{"serviceAccount.create=false", "serviceAccount.name=given"}, func(t *testing.T, all objects) {
			hasNo("ServiceAccount storagebench-operator", "ServiceAccount given")(t, all)
			deployment, _ := manager(t, all)
			subjects := as[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding storagebench-operator").Subjects
			want := []rbacv1.Subject{{Kind: "ServiceAccount", Name: "given", Namespace: namespace}}
			if diff := cmp.Diff(want, subjects); diff != "" || deployment.Spec.Template.Spec.ServiceAccountName != "given" {
				t.Errorf("account of the pod is %s, of the binding (-want +got):\n%s", deployment.Spec.Template.Spec.ServiceAccountName, diff)
			}
		}},
		"roles of users stand alone": {[]string{"rbac.aggregateToUserRoles=false"}, func(t *testing.T, all objects) {
			for _, key := range []string{"ClusterRole storagebench-editor", "ClusterRole storagebench-viewer"} {
				for label := range all[key].GetLabels() {
					if strings.HasPrefix(label, "rbac.authorization.k8s.io/") {
						t.Errorf("%s has label %s", key, label)
					}
				}
			}
		}},
		"no roles of users": {[]string{"rbac.userRoles=false"}, hasNo("ClusterRole storagebench-editor", "ClusterRole storagebench-viewer")},
		"names": {[]string{"fullnameOverride=measuring"}, func(t *testing.T, all objects) {
			as[appsv1.Deployment](t, all, "Deployment measuring-operator")
			as[rbacv1.ClusterRole](t, all, "ClusterRole measuring-operator")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var args []string
			for _, value := range test.set {
				args = append(args, "--set", value)
			}
			test.check(t, render(t, args...))
		})
	}
}

// refusal is a setting that must not install, and a part of what the user is told.
type refusal struct{ set, want string }

func refuses(t *testing.T, refusals map[string]refusal) {
	t.Helper()
	for name, test := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := run(t, helm, "template", release, chart, "--set", test.set)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestRefused has values that must not install, and a part of what the user is told.
func TestRefused(t *testing.T) {
	refuses(t, map[string]refusal{
		"a value that does not exist":  {"replica=2", "replica"},
		"a misspelt value below":       {"operator.image.tags=v1", "tags"},
		"pull policy":                  {"runner.image.pullPolicy=Sometimes", "/runner/image/pullPolicy"},
		"digest":                       {"operator.image.digest=sha256:12", "/operator/image/digest"},
		"tag within the repository":    {"operator.image.repository=a@b", "/operator/image/repository"},
		"no repository":                {"operator.image.repository=", "/operator/image/repository"},
		"log level":                    {"log.level=loud", "/log/level"},
		"port of the probes":           {"metrics.port=8081", "/metrics/port"},
		"replicas as text":             {"replicas=many", "/replicas"},
		"replicas without election":    {"replicas=2,leaderElection.enabled=false", "need leaderElection.enabled"},
		"pull secret without a name":   {"imagePullSecrets[0].nme=x", "/imagePullSecrets/0"},
		"resources":                    {"resources.limit.memory=1Gi", "/resources"},
		"an option that is taken away": {"metrics.port=null", "/metrics"},
		"name":                         {"fullnameOverride=Not_A_Name", "/fullnameOverride"},
	})
}

func TestNames(t *testing.T) {
	long := strings.Repeat("long-", 10) + "x" // 51 characters; Helm allows 53
	out, err := run(t, helm, "template", long, chart)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range parse(t, out) {
		if len(u.GetName()) > 63 {
			t.Errorf("%s %s has %d characters", u.GetKind(), u.GetName(), len(u.GetName()))
		}
	}
	out, err = run(t, helm, "template", "mine", chart)
	if err != nil {
		t.Fatal(err)
	}
	as[appsv1.Deployment](t, parse(t, out), "Deployment mine-storagebench-operator")
}
