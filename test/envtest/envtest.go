// Package envtest runs the tests of a package against a real etcd and kube-apiserver, which know the CRD and
// have the operator's user.
package envtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/yaml"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
)

const (
	// assetsVariable names the directory with etcd and kube-apiserver.
	assetsVariable = "KUBEBUILDER_ASSETS"
	// kubeconfigVariable gives the tests the way to the API server.
	kubeconfigVariable = "STORAGEBENCH_ENVTEST_KUBECONFIG"
	// verboseVariable has the operator's log printed, if it is set.
	verboseVariable = "STORAGEBENCH_ENVTEST_VERBOSE"
)

// startPatience is how long an API server may take to start.
const startPatience = 2 * time.Minute

// Change changes an environment before it is started.
type Change func(*envtest.Environment)

// WithManyLargeObjects is for tests that have many large objects, and change them again and again: etcd takes 8 GiB, beyond which it
// advises nobody to go, instead of 2 GiB, and has versions that have been replaced for half a minute instead of five. A request may take ten minutes
// instead of one: an object of 1 MiB takes a processor three seconds, and several may wait for it.
func WithManyLargeObjects(e *envtest.Environment) {
	e.ControlPlane.Etcd = &envtest.Etcd{}
	e.ControlPlane.Etcd.Configure().Set("quota-backend-bytes", strconv.Itoa(8<<30))
	e.ControlPlane.GetAPIServer().Configure().Set("etcd-compaction-interval", "30s").Set("request-timeout", "10m")
}

// atEnd is what is called when all tests of the package have ended.
var atEnd []func()

// AtEnd has something called when all tests of the package have ended, to remove what they share. It is not for several goroutines.
func AtEnd(end func()) { atEnd = append(atEnd, end) }

// Main is called by TestMain. It starts etcd and kube-apiserver, runs the tests in a process of their own,
// and ends them however the tests end: also where they panic, or take too long.
func Main(m *testing.M, changes ...Change) {
	if os.Getenv(kubeconfigVariable) != "" {
		log := zap.WriteTo(io.Discard)
		if os.Getenv(verboseVariable) != "" {
			log = zap.WriteTo(os.Stderr)
		}
		if err := await.SideBySide(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		ctrl.SetLogger(zap.New(log))
		code := m.Run()
		for _, end := range atEnd {
			end()
		}
		os.Exit(code)
	}
	code, err := serve(changes)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func serve(changes []Change) (code int, err error) {
	if os.Getenv(assetsVariable) == "" {
		return 0, fmt.Errorf("these tests need etcd and kube-apiserver in a directory that %s names; make test-unit sees to both", assetsVariable)
	}
	if err := errors.Join(collectLessGarbage(), Yield()); err != nil {
		return 0, err
	}
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	directory, err := os.MkdirTemp("", "users")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(directory)) }()
	known, environment := newUsers(), newEnvironment(root, changes)
	if err := known.register(environment, directory); err != nil {
		return 0, err
	}
	// A terminal's Ctrl-C goes to the tests as well; this process outlives them to clean up.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	defer func() { err = errors.Join(err, environment.Stop()) }()
	config, err := environment.Start()
	if err != nil {
		return 0, fmt.Errorf("start etcd and kube-apiserver: %w", err)
	}
	if err := addOperator(ctx, config, filepath.Join(root, "config", "rbac", "role.yaml")); err != nil {
		return 0, err
	}
	kubeconfig, err := known.kubeconfig(config)
	if err != nil {
		return 0, err
	}
	return runTests(ctx, kubeconfig)
}

// newEnvironment returns etcd and kube-apiserver as they will be started.
func newEnvironment(root string, changes []Change) *envtest.Environment {
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(root, "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		// Twenty seconds are too few for a machine that compiles beside, and so are ten for the CRDs.
		ControlPlaneStartTimeout: startPatience,
		ControlPlaneStopTimeout:  startPatience, // it waits for requests that go on
		CRDInstallOptions:        envtest.CRDInstallOptions{MaxTime: startPatience},
	}
	// The tests of a package share connections, and their watches reach the server's limit of 100 streams on one. There Go's client and
	// server count differently, and a request fails with PROTOCOL_ERROR: https://github.com/golang/go/issues/47635.
	environment.ControlPlane.GetAPIServer().Configure().Set("http2-max-streams-per-connection", "2000")
	for _, change := range changes {
		change(environment)
	}
	return environment
}

// collectLessGarbage has Go programs that are started from here on, which live for a minute and have little in memory, spend
// less on its garbage, unless somebody has said how much: with Go's default that is a third of what tests and API server compute, and with 400 %
// still a ninth. What a program takes for that is bounded.
func collectLessGarbage() error {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return nil
	}
	return errors.Join(os.Setenv("GOGC", "1000"), os.Setenv("GOMEMLIMIT", "2GiB"))
}

// runTests starts this very program again, with the same arguments.
func runTests(ctx context.Context, kubeconfig []byte) (code int, err error) {
	// What programs keep of an API server, by its port, would outlive it in the home directory, and be believed of the next one there.
	cache, err := os.MkdirTemp("", "kubecache")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(cache)) }()
	runtime.LockOSThread()                                      // the death of this thread, which Pdeathsig is about, is that of the process
	cmd := exec.CommandContext(ctx, os.Args[0], os.Args[1:]...) //nolint:gosec // It is this very program.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), kubeconfigVariable+"="+string(kubeconfig), "KUBECACHEDIR="+cache)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// addOperator makes a user with the rights of the operator's ClusterRole, so that a test fails where the
// operator would lack one.
func addOperator(ctx context.Context, config *rest.Config, rolePath string) error {
	text, err := os.ReadFile(rolePath)
	if err != nil {
		return err
	}
	role := &rbacv1.ClusterRole{}
	if err := yaml.UnmarshalStrict(text, role); err != nil {
		return fmt.Errorf("%s: %w", rolePath, err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: operator},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: operator}},
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	return errors.Join(c.Create(ctx, role), c.Create(ctx, binding))
}

// Config returns the way to the API server for somebody who may do everything.
func Config(t testing.TB) *rest.Config {
	t.Helper()
	text := os.Getenv(kubeconfigVariable)
	if text == "" {
		t.Fatal("there is no API server: TestMain has to call envtest.Main")
	}
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	return config
}

// Kubeconfig writes a kubeconfig for somebody who may do everything, and returns its path.
func Kubeconfig(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, []byte(os.Getenv(kubeconfigVariable)), 0o600); err != nil { //nolint:gosec // The path is the test's own.
		t.Fatal(err)
	}
	return path
}

// OperatorConfig returns the way to the API server for somebody with the operator's rights.
func OperatorConfig(t testing.TB) *rest.Config {
	t.Helper()
	config := Config(t)
	config.BearerToken = operatorToken(config.BearerToken)
	return config
}

// Scheme returns a scheme with the types that the operator works on. All tests of a package have the same: to make one takes longer than many a test.
func Scheme() *k8sruntime.Scheme { return theScheme() }

var theScheme = sync.OnceValue(NewScheme)

// NewScheme returns another one like it, for tests that add types.
func NewScheme() *k8sruntime.Scheme {
	scheme := k8sruntime.NewScheme()
	for _, add := range []func(*k8sruntime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}

// Mapper returns what is known of the kinds that the API server has. All users see the same kinds, so it is asked once.
func Mapper(t testing.TB) meta.RESTMapper {
	t.Helper()
	mapper, err := theMapper()
	if err != nil {
		t.Fatal(err)
	}
	return mapper
}

var theMapper = sync.OnceValues(func() (meta.RESTMapper, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(os.Getenv(kubeconfigVariable)))
	if err != nil {
		return nil, err
	}
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	return apiutil.NewDynamicRESTMapper(config, httpClient)
})

// Client returns a client that may do everything, and reads what the API server has.
func Client(t testing.TB) client.WithWatch {
	t.Helper()
	c, err := client.NewWithWatch(Config(t), client.Options{Scheme: Scheme(), Mapper: Mapper(t)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Namespace makes a namespace for a test. It admits no pods but those that the Pod Security Standard "restricted" does, so
// that a test fails in which the operator makes others.
func Namespace(t testing.TB, c client.Client) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := c.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	return namespace.Name
}

// moduleRoot returns the nearest directory above this one that has a go.mod.
func moduleRoot() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; directory = filepath.Dir(directory) {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return directory, nil
		}
		if directory == filepath.Dir(directory) {
			return "", errors.New("no go.mod above the working directory")
		}
	}
}
