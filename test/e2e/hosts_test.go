//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/procfs"
	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/internal/job"
)

// localClusterDirectory returns the directory of the local cluster, which is that of its kubeconfig.
func localClusterDirectory(t *testing.T) string {
	t.Helper()
	path := os.Getenv("KUBECONFIG")
	if _, err := ctrl.GetConfig(); err != nil || !filepath.IsAbs(path) {
		t.Fatalf("KUBECONFIG is %q (%v), and not the absolute path of the local cluster's", path, err)
	}
	return filepath.Dir(path)
}

// readJSON reads a file of the local cluster.
func readJSON(t *testing.T, value any, elem ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{localClusterDirectory(t)}, elem...)...))
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		t.Fatalf("read a file of the local cluster: %v", err)
	}
}

// hostProcess returns the number of a process of the local cluster.
func hostProcess(t *testing.T, name string) int {
	t.Helper()
	var record struct {
		PID int `json:"pid"`
	}
	readJSON(t, &record, "run", name+".json")
	if record.PID <= 1 {
		t.Fatalf("process %s has the number %d", name, record.PID)
	}
	return record.PID
}

// nodeDirectory returns where the local cluster keeps what is of a node.
func nodeDirectory(t *testing.T, name string) string {
	t.Helper()
	var nodes []struct{ Name, Dir string }
	readJSON(t, &nodes, "nodes.json")
	for _, node := range nodes {
		if node.Name == name {
			return node.Dir
		}
	}
	t.Fatalf("the local cluster has no node %q", name)
	return ""
}

// terminationMessage returns the file in which the kubelet finds the termination message of the pod's container that
// measures.
func terminationMessage(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	pattern := filepath.Join(nodeDirectory(t, pod.Spec.NodeName), "kubelet", "pods", string(pod.UID), "containers", job.MeasureContainer, "*")
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("termination messages of pod %s: %v (%v)", pod.Name, files, err)
	}
	return files[0]
}

// measurers are the processes of a pod's container that measures.
type measurers struct {
	// runner is the entrypoint, fio its child, and jobs are those of fio.
	runner, fio int
	jobs        []int
}

// processesOf returns the processes of the pod's container that measures, as soon as all of fio's jobs run.
func processesOf(t *testing.T, pod *corev1.Pod, jobs int) measurers {
	t.Helper()
	container := containerID(t, pod)
	var found measurers
	eventually(t.Context(), t, "the processes of pod "+pod.Name, func(context.Context) (bool, error) {
		found = measurers{}
		parents := map[int]int{}
		processes, err := procfs.AllProcs()
		if err != nil {
			return false, err
		}
		for _, p := range processes {
			// A process may end while it is looked at.
			if stat, err := p.Stat(); err == nil && isIn(p, container) {
				parents[p.PID] = stat.PPID
			}
		}
		for pid, parent := range parents {
			if _, known := parents[parent]; !known {
				found.runner = pid
			}
		}
		for pid, parent := range parents {
			if parent == found.runner {
				found.fio = pid
			}
		}
		for pid, parent := range parents {
			if parent == found.fio {
				found.jobs = append(found.jobs, pid)
			}
		}
		return found.runner > 1 && found.fio > 1 && len(found.jobs) == jobs, nil
	})
	return found
}

func containerID(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	for _, status := range pod.Status.ContainerStatuses {
		if _, id, ok := strings.Cut(status.ContainerID, "://"); ok && status.Name == job.MeasureContainer {
			return id
		}
	}
	t.Fatalf("pod %s has no container %s", pod.Name, job.MeasureContainer)
	return ""
}

// isIn says whether a process is in the cgroups of a container.
func isIn(p procfs.Proc, container string) bool {
	cgroups, err := p.Cgroups()
	if err != nil {
		return false
	}
	for _, cgroup := range cgroups {
		if strings.HasSuffix(cgroup.Path, "/"+container) {
			return true
		}
	}
	return false
}

// sendSignal sends a signal to a process.
func sendSignal(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, signal); err != nil {
		t.Fatalf("send %v to process %d: %v", signal, pid, err)
	}
}

func isAlive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// hasWritten says whether each of the processes has written so many bytes.
func hasWritten(pids []int, bytes uint64) bool {
	for _, pid := range pids {
		p, err := procfs.NewProc(pid)
		if err != nil {
			return false
		}
		if io, err := p.IO(); err != nil || io.WChar < bytes {
			return false
		}
	}
	return true
}
