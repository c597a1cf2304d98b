// Package runner is what runs in the pods of a benchmark: it lays out test files, runs fio while it
// watches that fio gets on, reports what fio measured in the container's termination message, and removes
// test files. It knows nothing of Kubernetes but that message and its exit codes (package digest).
package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/fiodigest"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/steady"
)

// Options say what a runner works on.
type Options struct {
	// JobFile is the text that fio is given.
	JobFile string
	// LayoutFile is the text of the job file whose files Measure has laid out before it measures. "": they are there.
	LayoutFile string
	// laterFile is the text of the job file that fio runs after the one of JobFile, on the files that this lays out.
	laterFile string
	// Precondition is how the files that are laid out, or else the device, are written before. Nil: they are not.
	Precondition *fio.Precondition
	// ProbeFile is the text of the job file that Measure runs when it has measured. "": none.
	ProbeFile string
	// Until is until when fio does the same before Measure measures. Nil: it measures at once.
	Until *steady.Until
	// Pod is the UID of the pod that the runner is in, which its report names. "": it is in none.
	Pod string
	// ReadOnly has fio refuse to write, whatever the job file says.
	ReadOnly bool
	// Directory is made before fio runs, and removed by Clean. Empty for a raw block device.
	Directory string
	// OtherDirectories are the names, beside Directory, of the directories of the other clients, which run the same
	// jobs on the same file system at the same time.
	OtherDirectories []string
	// HoldDirectory puts a file into the directory, for storage where a directory is gone with the last file in it.
	// Clean removes it.
	HoldDirectory bool
	// OwnClaim reports that the claim was made for the benchmark, so that no other pod uses the volume.
	OwnClaim bool
	// FreeSpaceReserve is how many bytes of the volume's file system stay free. Nil: the larger of 10 % and 1 GiB
	// of a file system that others may use, and nothing of one that is the benchmark's own.
	FreeSpaceReserve *int64
	// KeepDirectory has Clean leave the directory itself, which is the root of a volume.
	KeepDirectory bool
	// ProgressDeadline is how long fio may complete no I/O before it is ended. 0: for ever.
	ProgressDeadline time.Duration
	// StartFile is a file that will hold the time at which Measure starts fio. Empty to start it at once.
	StartFile string
	// EBSMetricsURL is where aws-ebs-csi-driver has metrics of the node's volumes. Empty: nobody is asked.
	EBSMetricsURL string
	// VolumeID is what the driver calls the volume. Empty: it is not known.
	VolumeID string
	// StartDeadline is how long the file may hold no time. 0: for ever.
	StartDeadline time.Duration
	// Scratch is a directory for the job file and fio's output.
	Scratch string
	// TerminationMessage is the file that the report or the error is written to.
	TerminationMessage string
	// EndsWithRunner has fio end when the runner is killed, and keeps signals from it that a terminal sends to all of its
	// processes. In a pod, the container's end does the one, and nothing does the other.
	EndsWithRunner bool
	// Fio is the program to run.
	Fio string
	// Log gets what a person wants to read: fio's progress, its human-readable and its JSON output.
	Log io.Writer
}

// failure is an error that decides the runner's exit code.
type failure struct {
	code int
	text string
}

func (f *failure) Error() string { return f.text }

func failf(code int, format string, args ...any) error {
	return &failure{code: code, text: fmt.Sprintf(format, args...)}
}

// makeDirectoryInTime makes the directory, unless the storage does not answer for as long as fio may get no I/O done.
func (o Options) makeDirectoryInTime() error {
	made := make(chan error, 1)
	go func() { made <- o.makeDirectory() }()
	var expired <-chan time.Time
	if o.ProgressDeadline > 0 {
		expired = time.After(o.ProgressDeadline)
	}
	select {
	case err := <-made:
		return err
	case <-expired:
		return failf(digest.ExitNoProgress,
			"making the directory for test files took longer than %s: the storage does not answer", o.ProgressDeadline)
	}
}

// makeDirectory makes the directory if the files that fio makes in it leave enough free.
func (o Options) makeDirectory() error {
	if o.Directory == "" {
		return nil
	}
	if err := o.refuseToFill(o.JobFile, o.laterFile); err != nil {
		return err
	}
	err := os.MkdirAll(o.Directory, 0o770)
	if errors.Is(err, os.ErrPermission) {
		return failf(digest.ExitFailed, "make the directory for test files: %v: %s", err, adviseOnRoot(nearest(o.Directory), os.Getuid(), o.groups()))
	}
	if err == nil && o.HoldDirectory {
		err = holdDirectory(o.Directory)
	}
	if err != nil {
		return failf(digest.ExitFailed, "make the directory for test files: %v", err)
	}
	return nil
}

// holder is the file that holds a directory in an object store.
const holder = ".storagebench"

// holdDirectory makes the file that holds a directory, unless another pod has made it: no file can be written twice.
func holdDirectory(directory string) error {
	file, err := os.OpenFile(filepath.Join(directory, holder), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("This file holds the directory of a benchmark's test files, and goes with it.\n")
	return errors.Join(err, file.Close())
}

// groups returns the groups of the process, as far as they are known.
func (o Options) groups() []int {
	groups, err := os.Getgroups()
	if err != nil {
		fmt.Fprintf(o.Log, "groups: %v\n", err)
	}
	return groups
}

// Measure lays out files where it has to, makes the directory, which is new where nothing had to be laid out, waits for the start if it shares
// one, runs fio and reports its result and what was seen of the machine. The context's end, as by SIGTERM, ends fio and makes the run one
// that was interrupted, whatever fio printed. It returns the runner's exit code.
func Measure(ctx context.Context, o Options) int {
	if o.LayoutFile != "" || o.Precondition != nil && o.Directory == "" {
		if code := o.layOutFirst(ctx); code != 0 {
			return code
		}
	}
	return o.withLiveness(func(o Options) int {
		o, over := o.withSeries()
		message, err := o.measure(ctx, over)
		code := o.finish(message, err)
		if code == 0 {
			over.print(o.Log, message) // when the report is there, whatever becomes of this
		}
		return code
	})
}

func (o Options) measure(ctx context.Context, over *seriesLogs) (string, error) {
	seen, err := o.begin(ctx)
	if err != nil {
		return "", err
	}
	report, err := o.measureWhenSteady(ctx, over, seen)
	if err != nil {
		return "", err
	}
	report.Pod, report.LacksProbe = o.Pod, o.ProbeFile != ""
	message, err := digest.Encode(*report)
	if err != nil || o.ProbeFile == "" {
		return message, err
	}
	// Should the container end in the probe, what was measured is there, and says that only the probe was to come.
	if code := o.finish(message, nil); code != 0 {
		return message, nil
	}
	report.Probe = o.probe(ctx, probeLimit)
	report.LacksProbe = report.Probe == nil
	return digest.Encode(*report)
}

// measureOnce runs fio on the job file, and returns what that and the machine report. observed begins to look at the machine.
func (o Options) measureOnce(ctx context.Context, call invocation, seen func() digest.Environment) (*digest.Report, error) {
	call.jobs = &jobsSeen{}
	before := thisMachine().nodeTimes()
	output, err := o.runFio(ctx, call)
	if err != nil {
		return nil, err
	}
	after := thisMachine().nodeTimes()
	report, err := fiodigest.New(output)
	if err != nil {
		return nil, err
	}
	report.Environment = seen()
	report.Environment.BusiestJobPermille = call.jobs.busiestPermille(o.JobFile)
	report.Environment.Node = after.since(before, call.jobs.used, call.jobs.waitedPermille())
	return report, nil
}

// begun is what is known when fio may start.
type begun struct {
	// observe begins to look at the machine. What it returns says what was seen.
	observe func() func() digest.Environment
	// seen is what was begun to be looked at before fio may start.
	seen func() digest.Environment
	// at is the start that clients share, zero of a client alone.
	at time.Time
}

// begin returns when fio may start.
func (o Options) begin(ctx context.Context) (*begun, error) {
	if o.StartFile != "" {
		return o.beginTogether(ctx)
	}
	if err := o.makeDirectoryInTime(); err != nil {
		return nil, err
	}
	files := o.lookAtFiles(ctx)
	if files.answer != nil {
		files.volume = <-files.answer // it comes within askTime
	}
	observed := func() func() digest.Environment { return observe(ctx, thisMachine(), files) }
	return &begun{observe: observed, seen: observed()}, nil
}

// Clean removes the directory with all test files. It returns the runner's exit code.
func Clean(o Options) int {
	return o.withLiveness(func(o Options) int {
		if err := o.clean(); err != nil {
			return o.finish("", failf(digest.ExitFailed, "remove test files: %v", err))
		}
		return o.finish("", nil)
	})
}

func (o Options) clean() error {
	if !o.KeepDirectory {
		return os.RemoveAll(o.Directory)
	}
	entries, err := os.ReadDir(o.Directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(o.Directory, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the termination message and turns the outcome into an exit code.
func (o Options) finish(report string, err error) int {
	message, code := report, 0
	if err != nil {
		message, code = err.Error(), exitCode(err)
		message = humanize.Cut(strings.ToValidUTF8(message, ""), digest.MaxBytes, "")
		fmt.Fprintln(o.Log, message)
	}
	if err := o.writeMessage(message); err != nil {
		fmt.Fprintf(o.Log, "write the termination message: %v\n", err)
		return digest.ExitFailed
	}
	return code
}

// writeMessage writes the termination message over the one that is there, all in one call. Should the runner be killed meanwhile, one of both is there,
// which it would not be if the file were emptied before.
func (o Options) writeMessage(message string) error {
	file, err := os.OpenFile(o.TerminationMessage, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil {
		// Blanks cover what a longer one had more. Nobody reads them.
		longer := int(min(info.Size(), digest.MaxBytes)) - len(message)
		_, err = file.WriteString(message + strings.Repeat(" ", max(longer, 0)))
	}
	return errors.Join(err, file.Close())
}

func exitCode(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	return digest.ExitFailed
}

// write puts the job file where fio can read it.
func (o Options) write() (jobFile, output string, err error) {
	jobFile, output = filepath.Join(o.Scratch, "job.fio"), filepath.Join(o.Scratch, "output.json")
	if err := os.WriteFile(jobFile, []byte(o.JobFile), 0o600); err != nil {
		return "", "", fmt.Errorf("write the job file: %w", err)
	}
	// An output of an earlier start of this container must not pass for this one's.
	if err := os.Remove(output); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", "", fmt.Errorf("remove an old output: %w", err)
	}
	return jobFile, output, nil
}
