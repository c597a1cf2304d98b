package fio

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fioRun is what a real fio did.
type fioRun struct {
	// output is the content of its --output file.
	output, stdout, stderr []byte
	code                   int
}

// runFio runs fio, which these tests require, on a job file in a directory of the test's own.
func runFio(t *testing.T, job string, arguments ...string) fioRun {
	t.Helper()
	_, wait := startFio(t, job, arguments...)
	return wait()
}

// startFio starts fio and returns the process, and a function that waits for its end.
func startFio(t *testing.T, job string, arguments ...string) (*os.Process, func() fioRun) {
	t.Helper()
	program, err := exec.LookPath("fio")
	if err != nil {
		t.Fatalf("these tests run fio: install package fio (%v)", err)
	}
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
	return command.Process, func() fioRun {
		err := command.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(output)
		return fioRun{output: data, stdout: []byte(stdout.String()), stderr: []byte(stderr.String()), code: command.ProcessState.ExitCode()}
	}
}

// measure validates a job file, runs it in a directory of the test's own and returns its parsed output.
func measure(t *testing.T, f *JobFile, arguments ...string) (*Output, fioRun) {
	t.Helper()
	if errs := Validate(field.NewPath("job"), f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	placed := f.On(Volume{Directory: t.TempDir()})
	run := runFio(t, placed.String(), append([]string{"--output-format=normal,json+"}, arguments...)...)
	output, err := ParseOutput(run.output)
	if err != nil {
		t.Fatalf("fio ended with %d: %v\n%s\n%s", run.code, err, run.stdout, run.stderr)
	}
	return output, run
}

// mustParse parses a job file that has no errors.
func mustParse(t testing.TB, text string) *JobFile {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
