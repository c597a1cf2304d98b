package cluster

import (
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// twoNodes returns a cluster of two nodes, and what tells of its processes.
func twoNodes(t *testing.T) *Cluster {
	t.Helper()
	c := newCluster(t, t.TempDir())
	enable(t, c, Options{Nodes: 2})
	if err := c.state.Prepare(); err != nil {
		t.Fatal(err)
	}
	return c
}

// pretend has a process stand for a component of the cluster.
func pretend(t *testing.T, c *Cluster, name string) process.Identity {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	identity, err := process.Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = identity.Signal(os.Kill) })
	if err := state.WriteJSON(c.state.Record(name), process.Record{Identity: identity}, 0o644); err != nil {
		t.Fatal(err)
	}
	return identity
}

func TestComponentsAreFoundByName(t *testing.T) {
	c := twoNodes(t)
	found, err := c.find([]string{"kubelet", "node-1-kubelet", "node-2-containerd"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"kubelet", "kubelet", "node-2-containerd"} {
		if found[i].name != want {
			t.Errorf("component %d is %s, want %s", i, found[i].name, want)
		}
	}
	if _, err := c.find([]string{"kubelte"}); err == nil || !strings.Contains(err.Error(), "kubelte") || !strings.Contains(err.Error(), "node-2-kubelet") {
		t.Errorf("error for a component that there is not: %v", err)
	}
	if _, err := c.node("node-3"); err == nil || !strings.Contains(err.Error(), "node-1, node-2") {
		t.Errorf("error for a node that there is not: %v", err)
	}
}

func TestStop(t *testing.T) {
	for name, now := range map[string]bool{"asked to": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			c := twoNodes(t)
			stopped, other := pretend(t, c, "node-2-kubelet"), pretend(t, c, "kubelet")
			if err := c.Pause(t.Context(), "node-2-kubelet"); err != nil {
				t.Fatal(err)
			}
			if err := c.Stop(t.Context(), now, "node-2-kubelet"); err != nil {
				t.Fatal(err)
			}
			if stopped.Alive() || !other.Alive() {
				t.Errorf("the component that was stopped runs: %t, the other one: %t", stopped.Alive(), other.Alive())
			}
			if err := c.Stop(t.Context(), now, "node-2-kubelet"); err != nil {
				t.Errorf("stop what does not run: %v", err)
			}
			if err := c.Resume(t.Context(), "node-2-kubelet"); err == nil || !strings.Contains(err.Error(), "does not run") {
				t.Errorf("resume what does not run: %v", err)
			}
		})
	}
}

func TestPauseAndResume(t *testing.T) {
	c := twoNodes(t)
	i := pretend(t, c, "etcd")
	for _, step := range []struct {
		do    func() error
		state string
	}{
		{func() error { return c.Pause(t.Context(), "etcd") }, "T"},
		{func() error { return c.Resume(t.Context(), "etcd") }, "S"},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		awaitState(t, i.PID, step.state)
	}
}

// awaitState waits until the kernel says that a process is stopped (T) or sleeps (S).
func awaitState(t *testing.T, pid int, want string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for last := ""; last != want; {
		out, err := exec.Command("ps", "-o", "s=", "-p", strconv.Itoa(pid)).Output()
		if last = strings.TrimSpace(string(out)); err != nil || time.Now().After(deadline) {
			t.Fatalf("process %d is in state %q, want %q (%v)", pid, last, want, err)
		}
	}
}

// A node that is lost loses all that is in its cgroup, and so nothing of another one.
func TestCgroupsOfNodes(t *testing.T) {
	c := twoNodes(t)
	enable(t, c, Options{Nodes: 2, S3: true})
	for _, n := range c.nodes {
		names := map[string]bool{}
		for _, comp := range c.components() {
			if comp.cgroup == n.cgroup {
				names[comp.name] = true
			}
		}
		want := map[string]bool{n.component("containerd"): true, n.component("kubelet"): true, n.component("s3-csi-node"): true}
		if !maps.Equal(names, want) {
			t.Errorf("in the cgroup of %s are %v, want %v", n.name, names, want)
		}
	}
}
