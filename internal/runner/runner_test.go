package runner

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/test/await"
)

// buffer is a log that several writers may write to.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// fixture is a runner with directories of its own.
type fixture struct {
	*testing.T
	Options
	log *buffer
}

// newFixture returns a runner for the job of the options, on files in a directory.
func newFixture(t *testing.T, job string) *fixture {
	t.Helper()
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Fatal("these tests run fio; make test-unit installs it")
	}
	log := &buffer{}
	directory := filepath.Join(temporary(t), "files")
	return &fixture{T: t, log: log, Options: Options{
		JobFile:            fmt.Sprintf("[global]\ndirectory=%s\nthread=0\n%s\n", directory, job),
		Directory:          directory,
		FreeSpaceReserve:   new(int64(0)), // tests run on disks that are nearly full as well
		ProgressDeadline:   time.Minute,
		Scratch:            t.TempDir(),
		TerminationMessage: filepath.Join(t.TempDir(), "message"),
		Fio:                fio,
		Log:                log,
	}}
}

// temporary returns a directory that is removed when the test ends, also if a runner that gave up makes one in it meanwhile,
// which t.TempDir takes for a failure.
func temporary(t *testing.T) string {
	t.Helper()
	directory, err := os.MkdirTemp("", "runner")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// Not the test's own context, which has ended.
		err := await.Wait{}.Until(context.Background(), func(context.Context) error { return os.RemoveAll(directory) })
		if err != nil {
			t.Error(err)
		}
	})
	return directory
}

func (f *fixture) message() string {
	f.Helper()
	text, err := os.ReadFile(f.TerminationMessage)
	if err != nil {
		f.Fatal(err)
	}
	if len(text) > digest.MaxBytes {
		f.Errorf("a termination message of %d bytes", len(text))
	}
	return string(text)
}

// wants checks exit code and words of the message.
func (f *fixture) wants(code, want int, words ...string) {
	f.Helper()
	message := f.message()
	if code != want {
		f.Errorf("exit code %d, want %d, with message %q", code, want, message)
	}
	for _, word := range words {
		if !strings.Contains(message, word) {
			f.Errorf("message %q lacks %q", message, word)
		}
	}
}

// noReport checks that the message is not a result.
func (f *fixture) noReport() {
	f.Helper()
	if _, err := digest.Decode(f.message()); err == nil {
		f.Error("the message is a report")
	}
}

func (f *fixture) report() *digest.Report {
	f.Helper()
	report, err := digest.Decode(f.message())
	if err != nil {
		f.Fatalf("%v, and the log is\n%s", err, f.log)
	}
	return report
}

func TestLayoutMeasureClean(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=randread\nsize=2M\nnumjobs=2\ngroup_reporting=1")

	f.wants(Layout(t.Context(), f.Options), 0)
	files, err := filepath.Glob(filepath.Join(f.Directory, "reads.*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, error %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() != 2<<20 {
			t.Errorf("%s: %v, error %v", file, info, err)
		}
	}
	if message := f.message(); message != "" {
		t.Errorf("laying out left the message %q", message)
	}

	f.Pod = "the-pod"
	f.wants(Measure(t.Context(), f.Options), 0)
	report := f.report()
	if report.Pod != "the-pod" {
		t.Errorf("the report is of pod %q", report.Pod)
	}
	if len(report.Groups) != 1 || report.Groups[0].Name != "reads" || !strings.HasPrefix(report.FioVersion, "fio-") {
		t.Fatalf("report is %+v", report)
	}
	read := report.Groups[0].Of(v1alpha1.OperationRead)
	if read == nil || read.Bytes != 4<<20 || read.Count != 1024 || report.Groups[0].Of(v1alpha1.OperationWrite) != nil {
		t.Errorf("reads are %+v", read)
	}
	if d := read.CompletionLatency; d == nil || read.Histogram.Count() != 1024 || d.P50Nanoseconds <= 0 || d.MinNanoseconds > d.MaxNanoseconds || read.Mean() <= 0 {
		t.Errorf("completion latency is %+v", d)
	}
	for _, want := range []string{`"jobname" : "reads"`, "reads: (groupid=0, jobs=2)", "IOPS="} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("log lacks %q:\n%s", want, f.log)
		}
	}

	f.wants(Clean(f.Options), 0)
	if _, err := os.Stat(f.Directory); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
	f.wants(Clean(f.Options), 0) // again, as when its pod is repeated
}

// A directory of an object store is held by a file while there are no test files, which pods make once and clean-up
// removes.
func TestDirectoryIsHeld(t *testing.T) {
	f := newFixture(t, "")
	f.HoldDirectory = true
	for range 2 {
		if err := f.makeDirectory(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(f.Directory, holder)); err != nil {
			t.Error(err)
		}
	}
	f.wants(Clean(f.Options), 0)
	if _, err := os.Stat(f.Directory); !os.IsNotExist(err) {
		t.Errorf("the directory is still there: %v", err)
	}
}

// The root of a volume is emptied, and stays.
func TestCleanKeepsTheRoot(t *testing.T) {
	f := newFixture(t, "")
	f.KeepDirectory = true
	for _, path := range []string{"a", "deep/er/b"} {
		file := filepath.Join(f.Directory, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f.wants(Clean(f.Options), 0)
	f.wants(Clean(f.Options), 0)
	if entries, err := os.ReadDir(f.Directory); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, error %v", entries, err)
	}
}

// Where every file is there already, no layout goes before.
func TestMeasureMakesTheDirectory(t *testing.T) {
	f := newFixture(t, "[writes]\nrw=write\nsize=1M")
	f.wants(Measure(t.Context(), f.Options), 0)
	if write := f.report().Groups[0].Of(v1alpha1.OperationWrite); write == nil || write.Bytes != 1<<20 {
		t.Errorf("writes are %+v", write)
	}
}

func TestSectionsAreReportedApart(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[first]\nrw=write\nsize=1M\n[second]\nstonewall\nrw=read\nsize=1M")
	f.wants(Layout(t.Context(), f.Options), 0)
	f.wants(Measure(t.Context(), f.Options), 0)
	groups := f.report().Groups
	if len(groups) != 2 || groups[0].Name != "first" || groups[0].Of(v1alpha1.OperationWrite) == nil || groups[1].Name != "second" || groups[1].Of(v1alpha1.OperationRead) == nil {
		t.Errorf("groups are %+v", groups)
	}
}

// The runner gets SIGTERM in the form of a context that ends. fio's report of what it did until then is valid, and is not a result.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[reads]\nrw=randread\nsize=1M\ntime_based=1\nruntime=600")
	f.wants(Layout(t.Context(), f.Options), 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		f.untilProcess()
		cancel()
	}()
	began := time.Now()
	f.wants(Measure(ctx, f.Options), digest.ExitInterrupted, "ended before fio had finished")
	f.noReport()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	f.noProcess()
}

func TestInterruptedLayout(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=read\nsize=1M")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.wants(Layout(ctx, f.Options), digest.ExitInterrupted)
}

// A fio whose jobs get nothing done is ended, however alive its main process looks.
func TestNoProgress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, options string }{
		{"thinks", "thinktime=1h\nthinktime_blocks=1"},
		{"stopped", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, "[reads]\nrw=randread\nsize=1M\ntime_based=1\nruntime=600\n"+test.options)
			f.wants(Layout(t.Context(), f.Options), 0)
			f.ProgressDeadline = 3 * time.Second
			if test.name == "stopped" {
				go f.stopJobs()
			}
			f.wants(Measure(t.Context(), f.Options), digest.ExitNoProgress, "fio completed no I/O for 3s and was ended", "raise spec.deadlines.ioProgressSeconds")
			f.noReport()
			f.killJobs()
		})
	}
}

// Laying out large files prints no progress line, and is progress.
func TestSlowLayoutIsProgress(t *testing.T) {
	f := newFixture(t, "[reads]\nrw=read\nsize=256M")
	f.ProgressDeadline = 2 * time.Second
	f.wants(Layout(t.Context(), f.Options), 0)
}

func TestFioErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		job   string
		words []string
	}{
		{"no such engine", "[a]\nrw=read\nsize=1M\nioengine=nosuch", []string{"fio failed", "nosuch"}},
		{"no such option", "[a]\nrw=read\nsize=1M\nnosuch=1", []string{"fio failed", "nosuch"}},
		{"block larger than the file", "[a]\nrw=read\nsize=1M\nbs=2M", []string{"fio"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, test.job)
			if err := os.MkdirAll(f.Directory, 0o700); err != nil {
				t.Fatal(err)
			}
			f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, test.words...)
			f.noReport()
			if !strings.Contains(f.log.String(), f.message()) {
				t.Errorf("the log lacks the message:\n%s", f.log)
			}
		})
	}
}

func TestNoSpace(t *testing.T) {
	f := newFixture(t, "[a]\nrw=write\nsize=1M\nfilename=/dev/full")
	f.JobFile = "[a]\nrw=write\nsize=1M\nfilename=/dev/full\n"
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "No space left on device")
	f.noReport()
}

func TestBadDirectory(t *testing.T) {
	f := newFixture(t, "[a]\nrw=read\nsize=1M")
	if err := os.WriteFile(f.Directory, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.wants(Layout(t.Context(), f.Options), digest.ExitFailed, "make the directory for test files", "not a directory")
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "make the directory for test files", "not a directory")

	f = newFixture(t, "[a]\nrw=read\nsize=1M")
	f.JobFile = strings.ReplaceAll(f.JobFile, f.Directory, f.Directory+"/other")
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "fio failed", f.Directory)
}

func TestFioIsKilled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[reads]\nrw=randread\nsize=1M\ntime_based=1\nruntime=600")
	f.wants(Layout(t.Context(), f.Options), 0)
	go func() {
		for _, pid := range f.untilProcess() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}()
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "was killed (SIGKILL)", "memory limit")
	f.noReport()
	f.killJobs()
}

// One of two jobs is killed. What the other one does is no result, so it is not waited for.
func TestOneJobIsKilled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "[reads]\nrw=randread\nsize=1M\ntime_based=1\nruntime=60\nnumjobs=2")
	f.wants(Layout(t.Context(), f.Options), 0)
	go func() {
		if pids := f.untilProcess(); len(pids) > 0 {
			_ = syscall.Kill(slices.Max(pids), syscall.SIGKILL)
		}
	}()
	began := time.Now()
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "was killed (SIGKILL)", "memory limit")
	f.noReport()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
	f.killJobs()
}

func TestNoFio(t *testing.T) {
	f := newFixture(t, "[a]\nrw=read\nsize=1M")
	f.Fio = filepath.Join(t.TempDir(), "nothing")
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "start fio")
}

// An output that an earlier start of the container has left is not this one's.
func TestOldOutput(t *testing.T) {
	f := newFixture(t, "[a]\nrw=write\nsize=1M")
	f.wants(Layout(t.Context(), f.Options), 0)
	f.wants(Measure(t.Context(), f.Options), 0)
	f.Fio = "true"
	f.wants(Measure(t.Context(), f.Options), digest.ExitFailed, "fio's output")
	f.noReport()
}

func TestLongErrorsAreCut(t *testing.T) {
	f := newFixture(t, "")
	text := strings.Repeat("ä", digest.MaxBytes)
	if code := f.finish("", failf(digest.ExitFailed, "x%s", text)); code != digest.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	if message := f.message(); !strings.HasPrefix(message, "xäää") || strings.ContainsRune(message, '�') {
		t.Errorf("message of %d bytes ends in %q", len(message), message[len(message)-8:])
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		line string
		want bool
	}{
		{"Jobs: 2 (f=2): [w(2)][75.0%][w=242MiB/s][w=61.9k IOPS][eta 00m:01s]", true},
		{"Jobs: 1 (f=1): [m(1)][50.0%][r=100KiB/s,w=0KiB/s][r=25,w=0 IOPS][eta 00m:01s]", true},
		{"Jobs: 1 (f=1): [r(1)][3.3%][r=0KiB/s][r=0 IOPS][eta 00m:58s]", false},
		{"Jobs: 1 (f=1): [r(1)][3.3%][eta 00m:58s]", false},
		{"Jobs: 1 (f=0): [F(1)][100.0%][eta 00m:00s]", false},
		{"Jobs: 1 (f=1): [d(1)][10.0%][t=8KiB/s][t=2 IOPS][eta 00m:09s]", true},
	} {
		e := &etaWriter{log: &buffer{}}
		fmt.Fprintf(e, "%s\r", test.line)
		if got := e.takeProgress(); got != test.want {
			t.Errorf("%s is progress: %v, want %v", test.line, got, test.want)
		}
		if e.takeProgress() {
			t.Errorf("%s counts twice", test.line)
		}
	}
}

// processes returns the fio processes that work on the fixture's job file, the main one first.
func (f *fixture) processes() []int {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil
	}
	var pids []int
	for _, p := range all {
		args, err := p.CmdLine()
		if err == nil && len(args) > 1 && args[len(args)-1] == filepath.Join(f.Scratch, "job.fio") {
			pids = append(pids, p.PID)
		}
	}
	return pids
}

// untilProcess waits until fio has started a job's process beside its own, and returns its processes.
func (f *fixture) untilProcess() []int {
	var pids []int
	running := f.eventually(await.Wait{}, func() error {
		pids = f.processes()
		if len(pids) < 2 || !strings.Contains(f.log.String(), "Jobs: ") {
			return fmt.Errorf("fio does not run: its processes are %v", pids)
		}
		return nil
	})
	if !running {
		return nil
	}
	return pids
}

// eventually waits until the check has nothing to say. It does not end the test, so that it is for other goroutines as well.
func (f *fixture) eventually(wait await.Wait, check func() error) bool {
	err := wait.Until(f.Context(), func(context.Context) error { return check() })
	if err != nil && f.Context().Err() == nil { // of a test that has ended nothing may be said
		f.Error(err)
	}
	return err == nil
}

// stopJobs stops fio's job processes, as storage that does not answer would. The main process goes on.
func (f *fixture) stopJobs() {
	for i, pid := range f.untilProcess() {
		if i > 0 {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
	}
}

// killJobs kills what is left of fio. In a pod it ends with the runner.
func (f *fixture) killJobs() {
	for _, pid := range f.processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	f.noProcess()
}

func (f *fixture) noProcess() {
	f.Helper()
	// Not more, because fio may also end by itself.
	f.eventually(await.Wait{Patience: 20 * time.Second}, func() error {
		if pids := f.processes(); len(pids) > 0 {
			return fmt.Errorf("processes %v are left", pids)
		}
		return nil
	})
}
