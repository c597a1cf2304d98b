package cluster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/test/localcluster/internal/process"
	"github.com/storagebench/storagebench/test/localcluster/internal/state"
)

// onMachine returns a cluster of its own directory on a machine that is a file of the test's.
func onMachine(t *testing.T, machine string) *Cluster {
	t.Helper()
	c := newCluster(t, t.TempDir())
	c.machinePath = machine
	if err := c.state.Prepare(); err != nil {
		t.Fatal(err)
	}
	return c
}

// recordThisProcess makes the test's own process a component that runs.
func recordThisProcess(t *testing.T, c *Cluster) {
	t.Helper()
	identity, err := process.Identify(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := state.WriteJSON(c.state.Record("kube-proxy"), process.Record{Identity: identity}, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestMachineHasOneCluster(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	first, second := onMachine(t, path), onMachine(t, path)
	if err := first.takeMachine(t.Context()); err != nil {
		t.Fatal(err)
	}
	recordThisProcess(t, first)
	err := second.takeMachine(t.Context())
	if err == nil || !strings.Contains(err.Error(), string(first.state)) || !strings.Contains(err.Error(), "its kube-proxy runs") {
		t.Errorf("a second cluster beside one that runs: %v", err)
	}
	if err := first.takeMachine(t.Context()); err != nil {
		t.Errorf("the first one again: %v", err)
	}
}

func TestKilledClusterIsTakenDown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	killed, next := onMachine(t, path), onMachine(t, path)
	if err := killed.takeMachine(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A process that ended: no other has its number and its time.
	gone := process.Record{Identity: process.Identity{PID: os.Getpid(), StartTicks: 1, BootID: "earlier"}}
	if err := state.WriteJSON(killed.state.Record("kube-proxy"), gone, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := next.takeMachine(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names, err := killed.recorded(); err != nil || len(names) > 0 {
		t.Errorf("the killed cluster still has records: %v %v", names, err)
	}
	var holder machine
	if err := state.ReadJSON(path, &holder); err != nil || holder.State != next.state {
		t.Errorf("the machine is of %q (%v), want %q", holder.State, err, next.state)
	}
	// Down of the one that is not on the machine any more leaves the other's mark.
	for _, test := range []struct {
		leave *Cluster
		kept  bool
	}{{killed, true}, {next, false}} {
		if err := test.leave.leaveMachine(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) == test.kept {
			t.Errorf("after one cluster left, the mark is %v, want it kept: %t", err, test.kept)
		}
	}
}

func TestDeletedClusterIsForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.json")
	deleted, next := onMachine(t, path), onMachine(t, path)
	if err := deleted.takeMachine(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(string(deleted.state)); err != nil {
		t.Fatal(err)
	}
	if err := next.takeMachine(t.Context()); err != nil {
		t.Error(err)
	}
}
