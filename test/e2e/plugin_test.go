//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// plugin builds the kubectl plugin and returns its directory, which goes at the end of all tests.
var plugin = sync.OnceValues(func() (string, error) {
	directory, err := os.MkdirTemp("", "storagebench-e2e-plugin-")
	if err != nil {
		return "", err
	}
	atEnd(func(context.Context) error { return os.RemoveAll(directory) })
	build := exec.Command("go", "build", "-o", directory, "./cmd/kubectl-storagebench")
	build.Dir = repositoryRoot
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the plugin: %w\n%s", err, output)
	}
	// Under this name it runs without kubectl.
	return directory, os.Symlink("kubectl-storagebench", filepath.Join(directory, "storagebench"))
})

// buildPlugin returns the directory of the kubectl plugin.
func buildPlugin(t *testing.T) string {
	t.Helper()
	directory, err := plugin()
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// newPlugin returns what runs "kubectl storagebench" with arguments in the tests' namespace.
func newPlugin(t *testing.T) func(args ...string) (out, notes string, err error) {
	t.Helper()
	directory := buildPlugin(t)
	return func(args ...string) (string, string, error) {
		cmd := exec.CommandContext(bounded(t), "kubectl", append([]string{"storagebench", "--namespace", namespaceOf(t)}, args...)...)
		cmd.Env = append(os.Environ(), "PATH="+directory+":"+os.Getenv("PATH"))
		var out, notes bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &notes
		err := cmd.Run()
		return out.String(), notes.String(), err
	}
}

// removeAtEnd removes a benchmark that a plugin makes, if it is still there at the end of the test.
func removeAtEnd(t *testing.T, name string) {
	t.Helper()
	t.Cleanup(func() {
		remove(t, &v1alpha1.StorageBenchmark{ObjectMeta: metav1.ObjectMeta{Namespace: namespaceOf(t), Name: name}})
	})
}

// A user of kubestr finds out which of two StorageClasses is better by one command, and looks closer by others.
func TestPluginComparesClasses(t *testing.T) {
	ownNode(t)
	plugin := newPlugin(t)
	removeAtEnd(t, "plugin")
	out, notes, err := plugin("run", "--name", "plugin", "--class", "loop-gp3,loop", "--rw", "randwrite", "--iodepth", "4", "--size", "16M", "--runtime", "2s", "--capacity", "256Mi")
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, notes)
	}
	for _, want := range []string{"plugin created\n", "ok     randwrite.loop-gp3  write ", "ok     randwrite.loop  ", "Completed"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q was not told:\n%s", want, notes)
		}
	}
	if !strings.Contains(out, "randwrite  loop-gp3  write") {
		t.Errorf("results:\n%s", out)
	}
	if out, _, err := plugin("list"); err != nil || !strings.Contains(out, "plugin") || !strings.Contains(out, "2/2") {
		t.Errorf("list: %v\n%s", err, out)
	}
	if out, _, err := plugin("logs", "plugin", "randwrite.loop-gp3"); err != nil || !strings.Contains(out, `"fio version" : "fio-3.39"`) {
		t.Errorf("logs: %v\n%s", err, out)
	}
	checkArtifacts(t, plugin)
}

// checkArtifacts compares fio's own JSON with the status.
func checkArtifacts(t *testing.T, plugin func(...string) (string, string, error)) {
	t.Helper()
	directory := t.TempDir()
	if _, notes, err := plugin("artifacts", "plugin", "-d", directory); err != nil {
		t.Fatalf("artifacts: %v\n%s", err, notes)
	}
	var sb v1alpha1.StorageBenchmark
	if err := k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: "plugin"}, &sb); err != nil {
		t.Fatal(err)
	}
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		text, err := os.ReadFile(filepath.Join(directory, run.Name, "fio.json"))
		if err != nil {
			t.Error(err)
			continue
		}
		var output struct {
			Jobs []struct {
				Write struct {
					Total int64 `json:"total_ios"`
				} `json:"write"`
			} `json:"jobs"`
		}
		if err := json.Unmarshal(text, &output); err != nil {
			t.Errorf("%s: %v", run.Name, err)
			continue
		}
		if got := output.Jobs[0].Write.Total; got != run.Result.Of(v1alpha1.OperationWrite).Count || got == 0 {
			t.Errorf("%s: fio's JSON has %d writes, the status %d", run.Name, got, run.Result.Of(v1alpha1.OperationWrite).Count)
		}
	}
}

// --rm leaves nothing, and a run that fails has the plugin fail.
func TestPluginRemovesWhatFails(t *testing.T) {
	ownNode(t)
	plugin := newPlugin(t)
	removeAtEnd(t, "plugin-fails")
	out, notes, err := plugin("run", "--name", "plugin-fails", "--class", "loop", "--rw", "randwrite", "--size", "16M", "--runtime", "1s", "--capacity", "256Mi",
		"--ioengine", "psync", "--bs", "1", "--rm") // direct I/O needs whole sectors
	if err == nil {
		t.Errorf("it ended well:\n%s%s", out, notes)
	}
	for _, want := range []string{"FAILED randwrite.loop", "plugin-fails deleted\n", "Error: plugin-fails: RunFailed"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q was not told:\n%s", want, notes)
		}
	}
	err = k8s.Get(t.Context(), client.ObjectKey{Namespace: namespaceOf(t), Name: "plugin-fails"}, &v1alpha1.StorageBenchmark{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// What fio prints can be followed while it does.
func TestPluginFollowsLogs(t *testing.T) {
	sideBySide(t)
	plugin := newPlugin(t)
	sb := benchmark(t, "plugin-logs", lasting(8))
	create(t, sb)
	eventually(t.Context(), t, "fio to measure", func(ctx context.Context) (bool, error) {
		var pods corev1.PodList
		err := k8s.List(ctx, &pods, client.InNamespace(sb.Namespace), client.MatchingLabels{v1alpha1.LabelBenchmark: sb.Name})
		return len(pods.Items) > 0 && pods.Items[0].Status.Phase == corev1.PodRunning, err
	})
	out, notes, err := plugin("logs", sb.Name, "--follow")
	if err != nil || !strings.Contains(out, "fio was started at") || !strings.Contains(out, `"fio version"`) {
		t.Errorf("%v\n%s%s", err, out, notes)
	}
	out, notes, err = plugin("watch", sb.Name)
	if want := fmt.Sprintf("ok     %s", "randwrite.volume"); err != nil || !strings.Contains(notes, want) {
		t.Errorf("watch: %v\n%s%s", err, out, notes)
	}
}
