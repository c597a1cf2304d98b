//go:build e2e

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// uring has the benchmark's workload use io_uring.
func uring(sb *v1alpha1.StorageBenchmark) {
	fio := sb.Spec.Workloads[0].Fio
	fio.IOEngine, fio.IODepth = new("io_uring"), new(int32(8))
}

// TestUring has io_uring work under the Pod Security Standard "restricted" where the node's seccomp profile allows it, and
// the user told what it needs where that does not, as with the profile RuntimeDefault of containerd 2.0. fio itself says nothing.
func TestUring(t *testing.T) {
	sideBySide(t, load(2))
	confine := func(profile string) func(*v1alpha1.StorageBenchmark) {
		return func(sb *v1alpha1.StorageBenchmark) {
			sb.Spec.Pod = &v1alpha1.PodSettings{SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot: new(true), RunAsUser: new(int64(65532)), RunAsGroup: new(int64(65532)), FSGroup: new(int64(65532)),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &profile},
			}}
		}
	}
	const calls = `{"names": ["io_uring_setup", "io_uring_enter", "io_uring_register"], "action": "SCMP_ACT_ERRNO", "errnoRet": 1}`
	allowing := seccompProfile(t, "allows-uring", `{"defaultAction": "SCMP_ACT_ALLOW"}`)
	forbidding := seccompProfile(t, "forbids-uring", `{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [`+calls+`]}`)
	t.Run("allowed", func(t *testing.T) {
		t.Parallel()
		sb := benchmark(t, "uring-allowed", uring, confine(allowing))
		create(t, sb)
		done := completes(t, sb)
		checkFigures(t, done.Status.Runs[0].Result, done.Status.Runs[0].Result.Of(v1alpha1.OperationWrite))
	})
	t.Run("forbidden", func(t *testing.T) {
		t.Parallel()
		sb := benchmark(t, "uring-forbidden", uring, confine(forbidding))
		create(t, sb)
		fails(t, sb, v1alpha1.ReasonRunFailed, "the container's seccomp profile forbids io_uring", "use ioengine libaio",
			"spec.pod.securityContext.seccompProfile (type Localhost, which Pod Security \"restricted\" admits")
	})
}

// seccompProfile puts a profile on all nodes until the test ends, and returns its name there.
func seccompProfile(t *testing.T, name, text string) string {
	t.Helper()
	name = "storagebench-e2e-" + name + ".json"
	for _, node := range nodeNames {
		directory := filepath.Join(nodeDirectory(t, node), "kubelet", "seccomp")
		if err := os.MkdirAll(directory, 0o755); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(path) })
	}
	return name
}

// TestDeviceOfRoot has a node give devices to root alone, as containerd does by default: the user is told which setting of
// the node lets other users open them.
func TestDeviceOfRoot(t *testing.T) {
	ownNode(t, shares(healthyNodes))
	node := nodesOf(t)[0]
	giveDevicesToRoot(t, node)
	sb := benchmark(t, "device-of-root", func(sb *v1alpha1.StorageBenchmark) {
		sb.Spec.Targets[0].VolumeMode = new(corev1.PersistentVolumeBlock)
		sb.Spec.Workloads[0].Fio.Size = new("16M")
		sb.Spec.Placement.NodeSelector = map[string]string{corev1.LabelHostname: node}
	})
	create(t, sb)
	fails(t, sb, v1alpha1.ReasonRunFailed, "(of user 0 and group", "fio runs as user 65532", "device_ownership_from_security_context = true",
		"NodeConfig for AL2023", "settings.kubernetes.device-ownership-from-security-context for Bottlerocket")
}

// giveDevicesToRoot has a node's container runtime give devices to root alone until the test ends.
func giveDevicesToRoot(t *testing.T, node string) {
	t.Helper()
	const setting = "device_ownership_from_security_context = "
	path := filepath.Join(nodeDirectory(t, node), "containerd.toml")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	after := strings.Replace(string(before), setting+"true", setting+"false", 1)
	if after == string(before) {
		t.Fatalf("%s gives devices to no user but root", path)
	}
	restart := func(ctx context.Context, config string) {
		if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		localCluster(ctx, t, "stop", componentOf(node, "containerd"))
		localCluster(ctx, t, "start", componentOf(node, "containerd"))
		awaitHealthy(ctx, t)
	}
	t.Cleanup(func() { restart(context.WithoutCancel(t.Context()), string(before)) })
	restart(t.Context(), after)
}
