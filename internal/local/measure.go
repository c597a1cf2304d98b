package local

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/evaluation"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/result"
	"github.com/storagebench/storagebench/internal/runner"
)

// measure makes one run. A run that is interrupted is as it was before, and has no result.
func (s *Session) measure(ctx context.Context, run *v1alpha1.Run) {
	planned, known := plan.Of(s.runs, run)
	if !known {
		attempt.FailRun(run, "the run is not planned", s.now())
		return
	}
	if why := s.whyChanged(run.Target); why != "" {
		attempt.FailRun(run, why+"; nothing was measured", s.now())
		return
	}
	attempt.BeginRun(run, s.config.Clock.Now())
	s.sb.Status.Target(run.Target).TestFiles = v1alpha1.TestFilesPresent
	s.step(v1alpha1.ReasonPreparing, attempt.DescribeRun(&s.sb.Status, run))
	limit := attempt.RunLimit(s.sb, plan.RunDeadlineSeconds(s.runs))
	limited, cancel := context.WithTimeout(ctx, limit.Duration()+planned.ProbeTime())
	defer cancel()
	left := s.execute(limited, run, planned)
	switch {
	case left.err == nil && left.code == 0:
		s.record(run, planned, left)
	case ctx.Err() != nil:
		run.State, run.Message = v1alpha1.RunPending, "interrupted"
	case limited.Err() != nil:
		message := fmt.Sprintf("run %s %s: raise runCompletionSeconds, or lower runtimeSeconds or size",
			run.Name, limit.Waited("its end"))
		attempt.FailRun(run, message, s.now())
		s.set(v1alpha1.ConditionMeasured, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded, message)
	case left.err != nil:
		attempt.FailRun(run, left.err.Error(), s.now())
	default:
		attempt.FailRun(run, left.message, s.now())
	}
	s.keep(run, left)
}

// left is what the runner has left of a run.
type left struct {
	code    int
	message string
	log     *runLog
	err     error
}

// execute has the runner make a run, in a directory for what it writes beside the storage.
func (s *Session) execute(ctx context.Context, run *v1alpha1.Run, planned *plan.Run) left {
	scratch, err := os.MkdirTemp("", "storagebench-")
	if err != nil {
		return left{err: fmt.Errorf("make a directory for fio's output: %w", err)}
	}
	defer os.RemoveAll(scratch)
	l := left{log: &runLog{line: s.follow(run)}}
	options := s.options(run, planned)
	options.Scratch, options.TerminationMessage, options.Log = scratch, filepath.Join(scratch, "message"), l.log
	l.code = runner.Measure(ctx, options)
	message, err := os.ReadFile(options.TerminationMessage)
	l.message, l.err = strings.TrimSpace(string(message)), err
	return l
}

// options returns what the runner works on: what the Job of the run would have it do in a pod.
func (s *Session) options(run *v1alpha1.Run, planned *plan.Run) runner.Options {
	spec := job.Spec{StorageBenchmark: s.sb, Plan: s.runs, MountPaths: s.directories}
	described := spec.ForRun(run, planned, 0, spec.Shares(planned), true)
	progressSeconds := ptr.Deref(s.sb.Spec.Deadlines.IOProgressSeconds, 0)
	return runner.Options{
		JobFile: described.JobFile, LayoutFile: described.LayoutFile, ProbeFile: described.ProbeFile, Until: described.Until,
		Directory:        job.Directory(s.sb, described.Volume),
		HoldDirectory:    described.Volume.Objects,
		FreeSpaceReserve: described.Volume.FreeSpaceReserve,
		ProgressDeadline: time.Duration(progressSeconds) * time.Second,
		Fio:              s.config.Fio,
		EndsWithRunner:   true,
	}
}

// testDirectory returns the directory of a target's test files.
func (s *Session) testDirectory(target string) string {
	return filepath.Join(s.directories[target], childmeta.Directory(s.sb))
}

// follow returns what sees each line that a run logs.
func (s *Session) follow(run *v1alpha1.Run) func(string) {
	return func(line string) {
		if strings.HasPrefix(line, "fio was started at ") { // and not to lay out files
			s.step(v1alpha1.ReasonMeasuring, attempt.DescribeRun(&s.sb.Status, run))
		}
		if s.config.Line != nil && !strings.HasPrefix(line, digest.LayoutPrefix) {
			s.config.Line(line)
		}
	}
}

// record takes what a run has measured into the status.
func (s *Session) record(run *v1alpha1.Run, planned *plan.Run, l left) {
	measured, err := result.Read([]result.Part{{Pod: "of this machine", Report: l.message}}, planned)
	if err == nil {
		over, _ := l.log.series()
		measured.AddSeries(over)
		err = evaluation.Record(s.sb, run, s.runs, measured, new(s.now()))
	}
	if err != nil {
		attempt.FailRun(run, err.Error(), s.now())
	}
}
