// Package fiorun runs a real fio for tests. It knows nothing of ours, so that the tests of every package can use it.
package fiorun

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Result is what a real fio did.
type Result struct {
	// Output is the content of its --output file.
	Output, Stdout, Stderr []byte
	Code                   int
}

// Run runs fio, which the test requires, on a job file in a directory of the test's own.
func Run(t *testing.T, job string, arguments ...string) Result {
	t.Helper()
	_, wait := Start(t, job, arguments...)
	return wait()
}

// newerVariable holds the path of a fio of at least 3.39, the runner's: hack/newer-fio.sh.
const newerVariable = "STORAGEBENCH_NEWER_FIO"

// Newer returns the path of a fio that is as new as the runner's, without which it skips the test.
func Newer(t *testing.T) string {
	t.Helper()
	program := os.Getenv(newerVariable)
	if program == "" {
		t.Skipf("%s is not set: make test-unit sets it", newerVariable)
	}
	return program
}

// RunNewer is Run with a fio that is as new as the runner's.
func RunNewer(t *testing.T, job string, arguments ...string) Result {
	t.Helper()
	_, wait := start(t, Newer(t), job, arguments...)
	return wait()
}

// Start starts fio and returns the process, and a function that waits for its end.
func Start(t *testing.T, job string, arguments ...string) (*os.Process, func() Result) {
	t.Helper()
	program, err := exec.LookPath("fio")
	if err != nil {
		t.Fatalf("this test runs fio: install package fio (%v)", err)
	}
	return start(t, program, job, arguments...)
}

func start(t *testing.T, program, job string, arguments ...string) (*os.Process, func() Result) {
	t.Helper()
	directory := t.TempDir()
	jobFile, output := filepath.Join(directory, "job.fio"), filepath.Join(directory, "output")
	if err := os.WriteFile(jobFile, []byte(job), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, program, append(arguments, "--output="+output, jobFile)...)
	command.Dir = directory
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command.Process, func() Result {
		err := command.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(output)
		return Result{Output: data, Stdout: []byte(stdout.String()), Stderr: []byte(stderr.String()), Code: command.ProcessState.ExitCode()}
	}
}
