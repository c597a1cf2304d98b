package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// What is in a cgroup is found and ended, and then the cgroup and those below can be removed.
func TestCgroup(t *testing.T) {
	if err := CheckControllers(); err != nil || os.Geteuid() != 0 {
		t.Skip("cgroups need root, and hierarchies of version 1: ", err)
	}
	all := NewCgroup(fmt.Sprintf("storagebench-test-%d", os.Getpid()))
	below := all.Child("host")
	for range 2 {
		if err := below.Ensure(); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { _ = all.Remove(t.Context(), time.Second) }()
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	for _, controller := range neededControllers {
		if err := os.WriteFile(filepath.Join(below.Dir(controller), "cgroup.procs"), []byte(strconv.Itoa(cmd.Process.Pid)), 0); err != nil {
			t.Errorf("%s takes no process: %v", controller, err)
		}
	}
	if found, err := all.Processes(); err != nil || len(found) != 1 || found[0].PID != cmd.Process.Pid {
		t.Errorf("it has %v, %v", found, err)
	}
	if err := all.Remove(t.Context(), 50*time.Millisecond); err == nil {
		t.Error("a cgroup was removed that has processes")
	}
	if err := all.KillAll(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if err := all.Remove(t.Context(), 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(cgroupMount + "/*" + all.Path()); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}
