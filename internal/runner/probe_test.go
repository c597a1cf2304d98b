package runner

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/histogram"
)

// writer calls itself with what is written.
type writer func([]byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// newProbedFixture returns a runner that measures random reads for a second, and probes.
func newProbedFixture(t *testing.T) *fixture {
	t.Helper()
	job := fio.FromParameters("reads", &v1alpha1.FioParameters{
		RW: "randread", Direct: new(true), Size: new("1M"), RuntimeSeconds: new(int32(1)), TimeBased: new(true), NumJobs: new(int32(2)), NrFiles: new(int32(2)),
	})
	probe, err := job.Probe()
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, "")
	on := fio.Volume{Directory: f.Directory}
	f.JobFile, f.LayoutFile, f.ProbeFile = job.On(on).String(), fio.LayoutFile(job).On(on).String(), probe.WithSeed(2).On(on).String()
	return f
}

// A probe reads the files that are there, and is no part of the result.
func TestProbe(t *testing.T) {
	t.Parallel()
	f := newProbedFixture(t)
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	if len(report.Groups) != 1 || report.Groups[0].Name != "reads" {
		t.Fatalf("report is %+v", report)
	}
	if report.Probe == nil || report.LacksProbe {
		t.Fatalf("report is %+v", report)
	}
	if p := &report.Probe.Figures; p.Count == 0 || p.MilliIOPS == 0 || p.BytesPerSecond < 4096 || p.Mean() == 0 {
		t.Fatalf("probe is %+v", p)
	}
	files, err := os.ReadDir(f.Directory)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name())
	}
	if want := []string{"reads.0.0", "reads.0.1", "reads.1.0", "reads.1.1"}; !slices.Equal(names, want) {
		t.Errorf("files are %q, want %q", names, want)
	}
	if e := report.Environment; e.Files != 4 || e.SparseFiles != 0 {
		t.Errorf("%d files were seen, %d of them sparse", e.Files, e.SparseFiles)
	}
	if n := strings.Count(f.log.String(), `"fio version"`); n != 1 {
		t.Errorf("the log has fio's output %d times, want that of the result:\n%s", n, f.log)
	}
}

// What was measured counts, whatever becomes of the probe.
func TestProbeFails(t *testing.T) {
	t.Parallel()
	f := newProbedFixture(t)
	f.ProbeFile = "[reads]\nrw=sideways\n"
	f.wants(Measure(t.Context(), f.Options), 0)
	if report := f.report(); report.Probe != nil || !report.LacksProbe || report.Groups[0].Of(v1alpha1.OperationRead) == nil {
		t.Errorf("report is %+v", report)
	}
	if !strings.Contains(f.log.String(), digest.ProbePrefix+"the probe has failed: ") {
		t.Errorf("the log does not tell:\n%s", f.log)
	}
	// The storage does not answer, and the runner is ended.
	f = newProbedFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	f.Log = io.MultiWriter(f.log, writer(func(text []byte) {
		if strings.Contains(string(text), "now probes") {
			cancel()
		}
	}))
	f.wants(Measure(ctx, f.Options), 0)
	if report := f.report(); report.Probe != nil || !report.LacksProbe || report.Groups[0].Of(v1alpha1.OperationRead) == nil {
		t.Errorf("report is %+v", report)
	}
	if left, err := filepath.Glob(filepath.Join(f.Directory, "*probe*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q, error %v", left, err)
	}
}

// When a probe begins, what was measured is in the message, whole, and says that only the probe is missing: a container that is killed then has it.
func TestMeasuredBeforeTheProbe(t *testing.T) {
	t.Parallel()
	f := newProbedFixture(t)
	f.Pod = "the-pod"
	before := ""
	f.Log = io.MultiWriter(f.log, writer(func(text []byte) {
		if strings.Contains(string(text), "now probes") {
			before = f.message()
		}
	}))
	f.wants(Measure(t.Context(), f.Options), 0)
	report, err := digest.Decode(before)
	if err != nil {
		t.Fatalf("message %q: %v", before, err)
	}
	if !digest.LacksProbe(before, f.Pod) || digest.LacksProbe(f.message(), f.Pod) {
		t.Errorf("before the probe the report is %+v, and after it %+v", report, f.report())
	}
	report.Probe, report.LacksProbe = f.report().Probe, false
	if diff := cmp.Diff(f.report(), report, blanks, cmp.Comparer((*histogram.Histogram).Equal)); diff != "" {
		t.Errorf("the probe has changed what was measured (-after +before):\n%s", diff)
	}
}

// blanks are fields without a name, which say how a struct is encoded.
var blanks = cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == "._" }, cmp.Ignore())

// A probe that takes longer than it may is ended, and has no result.
func TestProbeTakesTooLong(t *testing.T) {
	t.Parallel()
	f := newProbedFixture(t)
	f.wants(Measure(t.Context(), f.Options), 0) // the files are there
	f.ProbeFile = strings.ReplaceAll(f.ProbeFile, "runtime=1\n", "runtime=600\n")
	if !strings.Contains(f.ProbeFile, "runtime=600\n") {
		t.Fatalf("the probe is\n%s", f.ProbeFile)
	}
	const limit = 2 * time.Second // fio takes some tenths of a second to begin
	began := time.Now()
	if probe := f.probe(t.Context(), limit); probe != nil {
		t.Errorf("it has measured %+v", probe)
	}
	if took := time.Since(began); took < limit || took > limit+2*endGrace+10*time.Second {
		t.Errorf("it took %s", took)
	}
	if words := digest.ProbePrefix + "the probe has failed: "; !strings.Contains(f.log.String(), words) {
		t.Errorf("the log lacks %q:\n%s", words, f.log)
	}
	f.noProcess()
}

// A message takes the place of a longer one.
func TestMessageOverALongerOne(t *testing.T) {
	f := newFixture(t, "")
	for _, message := range []string{strings.Repeat("x", 100), "short", "longer than short", ""} {
		if code := f.finish(message, nil); code != 0 || strings.TrimSpace(f.message()) != message {
			t.Errorf("exit code %d, message %q, want %q", code, f.message(), message)
		}
	}
}
