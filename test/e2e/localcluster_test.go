//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/test/await"
)

// localClusterVariable names the program that runs the local cluster. "make test-e2e" sets it.
const localClusterVariable = "STORAGEBENCH_LOCALCLUSTER"

// clusterPatience is longer than each wait of the program, which says what it waited for.
const clusterPatience = 5 * time.Minute

// localCluster runs a command on the local cluster, such as stop or start of a component.
func localCluster(ctx context.Context, t *testing.T, args ...string) {
	t.Helper()
	program := os.Getenv(localClusterVariable)
	if program == "" {
		t.Fatalf("the test interferes with the local cluster, and %s does not say by what program: run it with make test-e2e", localClusterVariable)
	}
	ctx, cancel := context.WithTimeout(ctx, clusterPatience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) } // so that it says what it waits for
	command.WaitDelay = patience
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("localcluster %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// makeImage makes a tarball of an image, for which no cluster is needed.
func makeImage(t *testing.T, args ...string) {
	t.Helper()
	localCluster(t.Context(), t, append([]string{"image"}, args...)...)
}

// interfere runs a command on the local cluster. Another one undoes it when the test ends, if the test has not
// done so, and then the cluster is waited for.
func interfere(t *testing.T, do, undo []string) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		localCluster(ctx, t, undo...)
		awaitHealthy(ctx, t)
	})
	localCluster(t.Context(), t, do...)
}

// awaitHealthy waits until the test's nodes are ready and the operator is available.
func awaitHealthy(ctx context.Context, t *testing.T) {
	t.Helper()
	bound, cancel := bind(ctx, t)
	defer cancel()
	nodes := await.Wait{For: "the nodes to be ready", Patience: clusterPatience, Interval: pollInterval}
	if err := nodes.Until(bound, nodesReady(nodesOf(t))); err != nil {
		t.Fatal(err)
	}
	awaitOperator(ctx, t)
}

// nodesReady says what keeps nodes from being ready.
func nodesReady(names []string) func(context.Context) error {
	return func(ctx context.Context) error {
		var errs []error
		for _, name := range names {
			node := &corev1.Node{}
			// The API server may just have come back, so an error is no more than "not yet".
			if err := k8s.Get(ctx, clientKey(name), node); err != nil {
				errs = append(errs, err)
			} else if !isReady(node) || len(node.Spec.Taints) > 0 {
				errs = append(errs, fmt.Errorf("node %s is not ready: %+v, taints %+v", name, node.Status.Conditions, node.Spec.Taints))
			}
		}
		return errors.Join(errs...)
	}
}

func isReady(node *corev1.Node) bool {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// componentOf returns the name of a node's kubelet or containerd.
func componentOf(node, program string) string { return node + "-" + program }

// operatorPod returns the operator's pod, which must be one.
func operatorPod(ctx context.Context, t *testing.T) *corev1.Pod {
	t.Helper()
	d := operator(ctx, t)
	var pods corev1.PodList
	if err := k8s.List(ctx, &pods, client.InNamespace(d.Namespace), client.MatchingLabels(d.Spec.Selector.MatchLabels)); err != nil || len(pods.Items) != 1 {
		t.Fatalf("pods of the operator: %d (%v)", len(pods.Items), err)
	}
	return &pods.Items[0]
}

// killOperator kills the process of an operator's pod, which has no time to end anything in order, and waits until the kubelet has
// started it again. A kubelet does so at once the first time, and then the later the oftener the container ended: no test kills a
// pod that another one has killed.
func killOperator(t *testing.T, before *corev1.Pod) {
	t.Helper()
	pid := pidOf(t, before.Status.ContainerStatuses[0].ContainerID)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill process %d: %v", pid, err)
	}
	eventually(t.Context(), t, "the kubelet to start the operator again", func(ctx context.Context) (bool, error) {
		pod := &corev1.Pod{}
		err := k8s.Get(ctx, client.ObjectKeyFromObject(before), pod)
		return err == nil && pod.Status.ContainerStatuses[0].RestartCount > before.Status.ContainerStatuses[0].RestartCount, err
	})
}

// pidOf returns the process of a container that has one, from the cgroups of this machine's processes.
func pidOf(t *testing.T, containerID string) int {
	t.Helper()
	_, id, _ := strings.Cut(containerID, "://")
	files, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil || id == "" || !strings.Contains(string(content), "/"+id+"\n") {
			continue // ended since, or another one
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		return pid
	}
	t.Fatalf("container %s has no process on this machine: the test needs the local cluster", containerID)
	return 0
}

// keepAway lets a time pass in which something stays away. That is what the test is about, and not a wait for anything.
func keepAway(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-bounded(t).Done():
	case <-time.After(d):
	}
}
