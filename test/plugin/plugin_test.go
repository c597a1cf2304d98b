// Package plugin runs the kubectl plugin as users do, piped and in a terminal, against a real API server. The tests do
// what the operator would.
package plugin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/test/await"
	"github.com/storagebench/storagebench/test/envtest"
)

func TestMain(m *testing.M) { envtest.Main(m) }

// build builds the plugin once for all tests.
var build = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "plugin")
	if err != nil {
		return "", err
	}
	envtest.AtEnd(func() { _ = os.RemoveAll(directory) })
	path := filepath.Join(directory, "kubectl-storagebench")
	output, err := exec.Command("go", "build", "-o", path, "../../cmd/kubectl-storagebench").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the plugin: %w\n%s", err, output)
	}
	return path, nil
})

// user is somebody with the plugin, a kubeconfig and a namespace.
type user struct {
	client.WithWatch

	namespace, program, kubeconfig string
}

func newUser(t *testing.T) *user {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	c := envtest.Client(t)
	for _, class := range []string{"gp2", "gp3", "efs-sc", "fake"} {
		object := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "example.com/none"}
		if err := c.Create(t.Context(), object); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	return &user{WithWatch: c, namespace: envtest.Namespace(t, c), program: program, kubeconfig: envtest.Kubeconfig(t)}
}

// args returns the arguments of the plugin after those that say the cluster and the namespace.
func (u *user) args(args ...string) []string {
	return append([]string{"--kubeconfig", u.kubeconfig, "--namespace", u.namespace}, args...)
}

// execution is a plugin that runs, or has run.
type execution struct {
	*exec.Cmd

	out, notes output
}

// output is what a program has printed by now.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start starts the plugin, which ends with the test.
func (u *user) start(t *testing.T, args ...string) *execution {
	t.Helper()
	e := &execution{Cmd: exec.CommandContext(t.Context(), u.program, u.args(args...)...)}
	e.Stdout, e.Stderr = &e.out, &e.notes
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the plugin with %q has printed:\n%s%s", args, &e.out, &e.notes)
		}
	})
	return e
}

// end waits for the plugin's end and returns its exit code.
func (e *execution) end(t *testing.T) int {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- e.Wait() }()
	select {
	case err := <-ended:
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode()
		}
		if err != nil {
			t.Fatal(err)
		}
		return 0
	case <-time.After(await.Patience):
		t.Fatalf("the plugin goes on; it has printed:\n%s%s", &e.out, &e.notes)
		return -1
	}
}

// run runs the plugin to its end.
func (u *user) run(t *testing.T, args ...string) (code int, out, notes string) {
	t.Helper()
	e := u.start(t, args...)
	code = e.end(t)
	return code, e.out.String(), e.notes.String()
}

// runWith runs the plugin to its end with a standard input.
func (u *user) runWith(t *testing.T, in *os.File, args ...string) (code int, notes string) {
	t.Helper()
	e := &execution{Cmd: exec.CommandContext(t.Context(), u.program, u.args(args...)...)}
	e.Stdin, e.Stderr = in, &e.notes
	if err := e.Start(); err != nil {
		t.Fatal(err)
	}
	return e.end(t), e.notes.String()
}

// only waits until the namespace has one benchmark, and returns it.
func (u *user) only(t *testing.T) *v1alpha1.StorageBenchmark {
	t.Helper()
	var all v1alpha1.StorageBenchmarkList
	await.Holds(t, func() error {
		if err := u.List(t.Context(), &all, client.InNamespace(u.namespace)); err != nil {
			return err
		}
		if len(all.Items) != 1 {
			return fmt.Errorf("there are %d benchmarks", len(all.Items))
		}
		return nil
	})
	return &all.Items[0]
}

// set changes the status of a benchmark, as the operator does.
func (u *user) set(t *testing.T, sb *v1alpha1.StorageBenchmark, reason, message string, changes ...func(*v1alpha1.StorageBenchmarkStatus)) {
	t.Helper()
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := u.Get(t.Context(), client.ObjectKeyFromObject(sb), sb); err != nil {
			return err
		}
		outcome := metav1.ConditionUnknown
		switch reason {
		case v1alpha1.ReasonCompleted:
			outcome = metav1.ConditionTrue
		case v1alpha1.ReasonRunFailed, v1alpha1.ReasonInvalidSpec, v1alpha1.ReasonCancelled:
			outcome = metav1.ConditionFalse
		}
		sb.Status.ObservedGeneration = sb.Generation
		meta.SetStatusCondition(&sb.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: outcome, Reason: reason, Message: message})
		for _, change := range changes {
			change(&sb.Status)
		}
		return u.Status().Update(t.Context(), sb)
	})
	if err != nil {
		t.Fatal(err)
	}
}
