package fio

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/storagebench/storagebench/internal/fiooutput"
	"github.com/storagebench/storagebench/test/fiorun"
)

// measure validates a job file, runs it in a directory of the test's own and returns its parsed output.
func measure(t *testing.T, f *JobFile) *fiooutput.Output {
	t.Helper()
	if errs := Validate(field.NewPath("job"), f, corev1.PersistentVolumeFilesystem, false); len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	placed := f.On(Volume{Directory: t.TempDir()})
	run := fiorun.Run(t, placed.String(), "--output-format=normal,json+")
	output, err := fiooutput.Parse(run.Output)
	if err != nil {
		t.Fatalf("fio ended with %d: %v\n%s\n%s", run.Code, err, run.Stdout, run.Stderr)
	}
	return output
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
