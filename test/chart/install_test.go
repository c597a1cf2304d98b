package chart

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	testenv "github.com/storagebench/storagebench/test/envtest"
	"github.com/storagebench/storagebench/test/extent"
)

// cluster is an API server, without nodes: nothing runs, but all is validated and kept.
type cluster struct {
	client.Client
	config     *rest.Config
	kubeconfig string
	// program is the Helm that installs in it.
	program func() (string, error)
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Fatal("KUBEBUILDER_ASSETS names no kube-apiserver; make test-unit sets it")
	}
	if err := testenv.Yield(); err != nil {
		t.Fatal(err)
	}
	environment := &envtest.Environment{ControlPlaneStartTimeout: await.Patience, ControlPlaneStopTimeout: await.Patience}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	admin, err := environment.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, config)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := admin.KubeConfig()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{v1alpha1.AddToScheme, appsv1.AddToScheme, corev1.AddToScheme, rbacv1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return &cluster{Client: c, config: config, kubeconfig: path, program: helm}
}

// with returns the same cluster, seen from another Helm.
func (c *cluster) with(program func() (string, error)) *cluster {
	return &cluster{Client: c.Client, config: c.config, kubeconfig: c.kubeconfig, program: program}
}

// withHelm3 returns the same cluster, seen from Helm 3.
func (c *cluster) withHelm3(t *testing.T) *cluster {
	t.Helper()
	extent.OnlyInAll(t, "Helm 3 is built for these tests alone")
	return c.with(helm3)
}

func (c *cluster) tryHelm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return run(t, c.program, append(args, "--kubeconfig", c.kubeconfig, "--namespace", namespace)...)
}

func (c *cluster) helm(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.tryHelm(t, args...)
	if err != nil {
		t.Fatalf("helm %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (c *cluster) exists(t *testing.T, object client.Object, ns, name string) bool {
	t.Helper()
	err := c.Get(t.Context(), client.ObjectKey{Namespace: ns, Name: name}, object)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func (c *cluster) hasOperator(t *testing.T) bool {
	t.Helper()
	return c.exists(t, &appsv1.Deployment{}, namespace, "storagebench-operator")
}

func (c *cluster) hasDefinition(t *testing.T) bool {
	t.Helper()
	return c.exists(t, &apiextensionsv1.CustomResourceDefinition{}, "", definitionName)
}

// awaitDefinition waits until the API server serves what the definition defines, which it does some time after the
// definition is there.
func (c *cluster) awaitDefinition(t *testing.T) {
	t.Helper()
	await.Wait{For: "StorageBenchmarks and their schedules to be served"}.Holds(t, func() error {
		return errors.Join(c.List(t.Context(), &v1alpha1.StorageBenchmarkList{}), c.List(t.Context(), &v1alpha1.StorageBenchmarkScheduleList{}))
	})
}

// accepts has the API server validate a benchmark.
func (c *cluster) accepts(t *testing.T, manifest []byte, options ...client.CreateOption) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(manifest, &object.Object); err != nil {
		t.Fatalf("%v in:\n%s", err, manifest)
	}
	object.SetNamespace("default")
	if err := c.Create(t.Context(), object, append(options, client.FieldValidation("Strict"))...); err != nil {
		t.Error(err)
	}
}

const definitionName = "storagebenchmarks.storagebench.dev"

// TestRelease is the life of a release in a cluster, with each Helm that the chart promises to work with.
func TestRelease(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	t.Run("Helm 4", func(t *testing.T) { liveAndDie(t, c.with(helm)) })
	t.Run("Helm 3", func(t *testing.T) { liveAndDie(t, c.withHelm3(t)) })
	t.Run("Helm 4 after kustomize", func(t *testing.T) { comeAfterKustomize(t, c.with(helm), "--take-ownership", "--force-conflicts") })
	t.Run("Helm 3 after kustomize", func(t *testing.T) { comeAfterKustomize(t, c.withHelm3(t), "--take-ownership") })
	t.Run("every value", func(t *testing.T) { acceptsEveryValue(t, c) })
	t.Run("from Helm 3 to Helm 4", func(t *testing.T) {
		c.withHelm3(t).helm(t, "install", release, chart)
		c.with(helm).helm(t, "upgrade", release, newerChart(t))
		c.wantNewerDefinition(t)
		c.with(helm).helm(t, "uninstall", release)
	})
}

// ensureNamespace makes a namespace, such as that which kustomize brings and "helm --create-namespace" makes.
func (c *cluster) ensureNamespace(t *testing.T, name string) {
	t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}}
	c.apply(t, object)
}

// apply does what "kubectl apply --server-side" does.
func (c *cluster) apply(t *testing.T, object *unstructured.Unstructured) {
	t.Helper()
	applied := client.ApplyConfigurationFromUnstructured(object)
	if err := c.Apply(t.Context(), applied, client.FieldOwner("kubectl"), client.ForceOwnership); err != nil {
		t.Fatalf("apply %s %s: %v", object.GetKind(), object.GetName(), err)
	}
}

// acceptsEveryValue has the API server validate what the chart makes of the values files in ci, but for the ServiceMonitor and the PrometheusRule, whose
// definitions it does not have (hack/monitoring holds them to their API), and the definition, which is there already.
func acceptsEveryValue(t *testing.T, c *cluster) {
	files, err := filepath.Glob(filepath.Join(chart, "ci", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d values files, error %v", len(files), err)
	}
	for _, file := range files {
		for key, object := range render(t, "--values", file) {
			if slices.Contains([]string{"ServiceMonitor", "PrometheusRule", "CustomResourceDefinition"}, object.GetKind()) {
				continue
			}
			if object.GetNamespace() != "" {
				c.ensureNamespace(t, object.GetNamespace())
			}
			if err := c.Create(t.Context(), object, client.DryRunAll, client.FieldValidation("Strict")); err != nil {
				t.Errorf("%s with %s: %v", key, filepath.Base(file), err)
			}
		}
	}
}

func liveAndDie(t *testing.T, c *cluster) {
	notes := c.helm(t, "install", release, chart, "--create-namespace")
	if !c.hasOperator(t) || !c.hasDefinition(t) {
		t.Fatal("the operator or the definition is missing after the installation")
	}

	c.awaitDefinition(t)

	t.Run("accepts the samples", func(t *testing.T) {
		for _, path := range samplePaths(t) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				c.accepts(t, content, client.DryRunAll)
			})
		}
	})

	t.Run("accepts what its notes say", func(t *testing.T) {
		document := regexp.MustCompile(`(?s)<<YAML\n(.*)\n  YAML\n`).FindStringSubmatch(notes)
		if document == nil {
			t.Fatalf("the notes have no benchmark:\n%s", notes)
		}
		c.accepts(t, []byte(strings.ReplaceAll("\n"+document[1], "\n  ", "\n")))
	})

	t.Run("upgrades the definition", func(t *testing.T) {
		c.helm(t, "upgrade", release, newerChart(t))
		c.wantNewerDefinition(t)
	})

	t.Run("keeps benchmarks when it goes", func(t *testing.T) {
		c.helm(t, "uninstall", release)
		if c.hasOperator(t) {
			t.Error("the operator is still there")
		}
		if !c.exists(t, &v1alpha1.StorageBenchmark{}, "default", "first") {
			t.Error("the benchmark is gone")
		}
	})

	t.Run("takes the definition over when it comes back", func(t *testing.T) {
		c.helm(t, "install", release, chart)
		if !c.hasOperator(t) {
			t.Error("the operator is missing")
		}
		c.helm(t, "uninstall", release)
	})

	// What README.md of the chart says about it.
	t.Run("takes the definition of another release over when told to", func(t *testing.T) {
		_, err := c.tryHelm(t, "install", "other", chart)
		if err == nil || !strings.Contains(err.Error(), "invalid ownership metadata") || !strings.Contains(err.Error(), definitionName) {
			t.Errorf("error is %v, want one about the owner of %s", err, definitionName)
		}
		c.helm(t, "install", "other", chart, "--take-ownership")
		if !c.exists(t, &v1alpha1.StorageBenchmark{}, "default", "first") {
			t.Error("the benchmark is gone")
		}
		c.helm(t, "upgrade", "other", newerChart(t))
		c.wantNewerDefinition(t)
		c.helm(t, "uninstall", "other")
		c.helm(t, "install", release, chart, "--take-ownership")
	})

	t.Run("removes the definition when told to", func(t *testing.T) {
		c.helm(t, "upgrade", release, chart, "--set", "crds.keep=false")
		c.helm(t, "uninstall", release, "--wait")
		if c.hasDefinition(t) {
			t.Error("the definition is still there")
		}
	})
}

// comeAfterKustomize has Helm take over what "kubectl apply -k" made, with the arguments that README.md of the chart names.
func comeAfterKustomize(t *testing.T, c *cluster, arguments ...string) {
	c.ensureNamespace(t, namespace)
	for _, object := range kustomized(t) {
		c.apply(t, object)
	}
	install := []string{"install", release, chart, "--set", "operator.image.tag=newer"}
	if _, err := c.tryHelm(t, install...); err == nil || !strings.Contains(err.Error(), "invalid ownership metadata") {
		t.Errorf("error is %v, want one about the owner", err)
	}
	c.helm(t, append(install, arguments...)...)
	deployment := &appsv1.Deployment{}
	if !c.exists(t, deployment, namespace, "storagebench-operator") || !strings.HasSuffix(deployment.Spec.Template.Spec.Containers[0].Image, ":newer") {
		t.Errorf("containers of the operator are %+v", deployment.Spec.Template.Spec.Containers)
	}
	c.helm(t, "uninstall", release)
	if c.hasOperator(t) || !c.hasDefinition(t) {
		t.Error("after Helm went, the operator is there or the definition is not")
	}
}

const summaryBefore, summaryAfter = "The results in one line", "All results in one line"

// newerChart returns a copy of the chart in which the definition has another word.
func newerChart(t *testing.T) string {
	t.Helper()
	newer := t.TempDir()
	if err := os.CopyFS(newer, os.DirFS(chart)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(newer, "files", "crds", "storagebench.dev_storagebenchmarks.yaml")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(content), summaryBefore, summaryAfter)), 0o600); err != nil {
		t.Fatal(err)
	}
	return newer
}

func (c *cluster) wantNewerDefinition(t *testing.T) {
	t.Helper()
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if !c.exists(t, definition, "", definitionName) {
		t.Fatal("the definition is gone")
	}
	found := false
	for _, column := range definition.Spec.Versions[0].AdditionalPrinterColumns {
		if column.Name == "Summary" {
			found = true
			if column.Description != summaryAfter {
				t.Errorf("column Summary still says %q", column.Description)
			}
		}
	}
	if !found {
		t.Error("the definition has no column Summary")
	}
}
