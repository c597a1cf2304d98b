package plugin

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/storagebench/storagebench/test/await"
)

// process is the plugin as a process of its own, which measures for a minute on this machine.
type process struct {
	*exec.Cmd
	notes             bytes.Buffer
	directory, result string
	// scratch is the directory for temporary files, which is in fio's command line.
	scratch string
}

func startLocal(t *testing.T) *process {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{directory: t.TempDir(), result: filepath.Join(t.TempDir(), "result.yaml"), scratch: t.TempDir()}
	p.Cmd = exec.CommandContext(t.Context(), program, "run", "--local", "-f", "-",
		"--target", "disk="+p.directory, "--output-file", p.result)
	p.Env = append(os.Environ(), asProgram+"=1", "TMPDIR="+p.scratch, "KUBECONFIG=/dev/null")
	p.Stdin, p.Stderr = strings.NewReader(`apiVersion: storagebench.dev/v1alpha1
kind: StorageBenchmark
metadata: {name: interrupted}
spec:
  targets: [{name: disk, freeSpaceReserve: 1Mi}]
  workloads: [{name: write, fio: {rw: randwrite, size: 1M, runtimeSeconds: 60, timeBased: true}}]
`), &p.notes
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	await.Holds(t, func() error {
		if found, err := filepath.Glob(filepath.Join(p.directory, "storagebench-*", "*")); err != nil || len(found) == 0 {
			return errors.New("fio has made no file")
		}
		return nil
	})
	return p
}

// runsFio returns an error as long as a fio runs that the process has started.
func (p *process) runsFio() error {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, path := range lines {
		if line, err := os.ReadFile(path); err == nil && bytes.Contains(line, []byte(p.scratch)) {
			return errors.New(path + " runs")
		}
	}
	return nil
}

// testFiles returns the directories with test files.
func (p *process) testFiles(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(p.directory, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Ctrl-C, which a terminal sends to fio as well, ends fio, removes the test files and keeps what was measured. The exit
// code is that of an interrupt.
func TestInterruptedLocal(t *testing.T) {
	t.Parallel()
	p := startLocal(t)
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Errorf("it ended with %v, want exit code %d\n%s", err, exitInterrupted, &p.notes)
	}
	if text, err := os.ReadFile(p.result); err != nil || !strings.Contains(string(text), "reason: Interrupted") {
		t.Errorf("the file does not tell of the interrupt: %v\n%s", err, text)
	}
	if left := p.testFiles(t); len(left) > 0 {
		t.Errorf("test files are left: %v", left)
	}
	if err := p.runsFio(); err != nil {
		t.Error(err)
	}
}

// After a crash no fio goes on. The next benchmark in the directory tells which files are left, and leaves them.
func TestKilledLocal(t *testing.T) {
	t.Parallel()
	p := startLocal(t)
	if err := p.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err == nil {
		t.Error("it was not killed")
	}
	await.Holds(t, p.runsFio)
	left := p.testFiles(t)
	if len(left) != 1 {
		t.Fatalf("test files %v are left, want one directory", left)
	}
	got := execute(t, localManifest, "run", "--local", "-f", "-", "--target", "fast="+p.directory, "--target", "slow="+t.TempDir(),
		"--output-file", filepath.Join(t.TempDir(), "next.yaml"))
	if got.Failed {
		t.Fatalf("%+v", got)
	}
	contains(t, got.Err, "rm -r "+left[0])
	if again := p.testFiles(t); len(again) != 1 || again[0] != left[0] {
		t.Errorf("test files %v are left, want %v", again, left)
	}
}
