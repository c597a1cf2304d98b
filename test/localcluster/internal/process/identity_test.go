package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestIdentify(t *testing.T) {
	rest := func(threads string) string {
		return " 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 " + threads + " 21 4711 23" + strings.Repeat(" 0", 29)
	}
	tests := map[string]struct {
		content string
		want    uint64
		ended   bool
		fails   bool
	}{
		"running":                {content: "42 (etcd) S" + rest("9"), want: 4711},
		"parentheses and spaces": {content: "42 (a) Z 1 (b) R" + rest("1"), want: 4711},
		"zombie":                 {content: "42 (etcd) Z" + rest("1"), ended: true, fails: true},
		"first thread ended":     {content: "42 (etcd) Z" + rest("2"), want: 4711},
		"too short":              {content: "42 (etcd) S 1 2", fails: true},
		"no name":                {content: "42 etcd S", fails: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			proc := t.TempDir()
			if err := errors.Join(os.Mkdir(filepath.Join(proc, "42"), 0o755), os.WriteFile(filepath.Join(proc, "42", "stat"), []byte(test.content), 0o644)); err != nil {
				t.Fatal(err)
			}
			got, err := identify(proc, 42)
			if (err != nil) != test.fails || errors.Is(err, errGone) != test.ended {
				t.Fatalf("error %v, want one: %t, ended: %t", err, test.fails, test.ended)
			}
			if got.StartTicks != test.want {
				t.Errorf("got %+v, want start %d", got, test.want)
			}
		})
	}
}

func startSleep(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd
}

func TestIdentityIsNotThePID(t *testing.T) {
	cmd := startSleep(t)
	identity, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if !identity.Alive() {
		t.Error("a running process is not alive")
	}
	// What a record looks like after its pid was reused, or the machine restarted.
	for name, other := range map[string]Identity{
		"other start": {PID: identity.PID, StartTicks: identity.StartTicks - 1, BootID: identity.BootID},
		"other boot":  {PID: identity.PID, StartTicks: identity.StartTicks, BootID: "another"},
		"none":        {},
	} {
		if other.Alive() {
			t.Errorf("%s: taken for the recorded process", name)
		}
		if err := other.Signal(syscall.SIGKILL); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !identity.Alive() {
		t.Error("a signal for another process was delivered")
	}
}

func TestStopEndsTheProcess(t *testing.T) {
	cmd := startSleep(t)
	identity, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	// Nobody waits for the child meanwhile, so it is a zombie then: that is ended.
	if err := Stop(t.Context(), identity, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if identity.Alive() {
		t.Error("still alive")
	}
}

func TestKillEndsAProcessThatDoesNotListen(t *testing.T) {
	cmd := exec.Command("sh", "-c", `trap "" TERM; echo ready; while :; do sleep 0.1; done`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	identity, err := Identify(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := Stop(t.Context(), identity, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
}

func TestStartWritesARecordAndReportsTheEnd(t *testing.T) {
	dir := t.TempDir()
	exited, record := start(t, dir, "sh", "-c", "echo hello; sleep 0.3; exit 3")
	if record.PID == 0 || record.BootID == "" {
		t.Errorf("record without identity: %+v", record)
	}
	select {
	case err := <-exited:
		if err == nil || err.Error() != "process ended: exit status 3" {
			t.Errorf("got %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the end was not reported")
	}
	if log, err := os.ReadFile(dir + "/log"); err != nil || string(log) != "hello\n" {
		t.Errorf("log %q, %v", log, err)
	}
}
