package workers

import (
	"context"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/series"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

const (
	// MaxLog is the most bytes of a pod's log that are read. fio's output for the most sections that a job
	// file may have is about half of that.
	MaxLog = 8 << 20
	// MaxKept is the most bytes of a run's gzipped logs that are kept: a ConfigMap holds 1 MiB in all.
	MaxKept = 256 << 10
	// MaxClientLogs is the most clients of a run whose logs are kept, and of failed ones as many more: they are alike.
	MaxClientLogs = 8
	// LogsAtOnce is how many logs a pass reads and compresses at the same time, and how many of their last lines. With
	// concurrentBenchmarks passes that is all that the process has under way, 16 of less than 2 MiB each. Passes do not
	// wait for each other's, as they would with one pool for all: a node that does not answer holds up its own benchmark
	// only.
	LogsAtOnce = 4
	// maxLogs is the most ConfigMaps with logs that are kept for a benchmark: etcd holds a few GiB in all.
	maxLogs = 128
	// logPatience is how long a log may take to read. A node that does not answer must not hold up others.
	logPatience = 10 * time.Second
)

// keepLogs copies the logs of an attempt into a ConfigMap, because the pods have to go before their volumes can; and of
// one that measured what the run did over its time, which it returns. The result does not depend on them, so an error
// is only logged.
func keepLogs(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []Part, measured bool) *series.Series {
	if KeptLogs(p.SB.Status.Runs) >= maxLogs {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	var zipping sync.WaitGroup
	var logs map[string][]byte
	var err error
	zipping.Go(func() {
		defer world.Catch(ctx, &err)
		logs = ZipLogs(ctx, p, run, parts)
	})
	var over *series.Series
	var kept []byte
	if measured {
		over, kept = ReadSeries(ctx, p, run, parts)
	}
	zipping.Wait()
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("Logs of a run are not kept", "run", run.Name, "why", err.Error())
		logs = map[string][]byte{}
	}
	if over != nil {
		logs[series.Key] = kept
	}
	if len(logs) == 0 {
		return over
	}
	name := childmeta.Name(p.SB, run.Name, "log")
	if err := applyArtifact(ctx, p, run, name, logs); err != nil {
		ctrl.LoggerFrom(ctx).Info("Logs of a run are not kept", "run", run.Name, "why", err.Error())
		return over
	}
	run.LogConfigMap = name
	return over
}

// ChooseLogs returns the clients whose logs are kept: of many the first, and those that have failed.
func ChooseLogs(parts []Part) []Part {
	var chosen []Part
	for i, one := range parts {
		if one.Pod != nil && (i < MaxClientLogs || (one.Seen.Phase != attempt.Succeeded && len(chosen) < 2*MaxClientLogs)) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

// ZipLogs returns the logs of the clients by their keys.
func ZipLogs(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []Part) map[string][]byte {
	chosen := ChooseLogs(parts)
	zipped, errs := world.Gather(ctx, LogsAtOnce, chosen, func(one Part) ([]byte, error) {
		return ZipLog(ctx, p, one.Pod, MaxKept/len(chosen))
	})
	logs := map[string][]byte{}
	for i, one := range chosen {
		if errs[i] != nil {
			ctrl.LoggerFrom(ctx).Info("Log of a run is not kept", "run", run.Name, "pod", one.Pod.Name, "why", errs[i].Error())
			continue
		}
		logs[childmeta.LogKey(one.Client)] = zipped[i]
	}
	return logs
}

// KeptLogs returns of how many runs logs are kept.
func KeptLogs(runs []v1alpha1.Run) int {
	kept := 0
	for i := range runs {
		if runs[i].LogConfigMap != "" {
			kept++
		}
	}
	return kept
}

// ZipLog returns the log of a pod that has ended, in no more bytes than are given.
func ZipLog(ctx context.Context, p *pass.Pass, pod *corev1.Pod, most int) ([]byte, error) {
	options := &corev1.PodLogOptions{Container: attempt.EndedContainer(pod), LimitBytes: new(int64(MaxLog))}
	return WithLog(ctx, p, pod, options, func(log io.Reader) ([]byte, error) {
		return sizelimit.Zip(most, func(w io.Writer) error { return series.CopyWithout(w, log) })
	})
}

// WithLog has a function read a log, and no more bytes of it than were asked for.
func WithLog(
	ctx context.Context, p *pass.Pass, pod *corev1.Pod, options *corev1.PodLogOptions,
	read func(io.Reader) ([]byte, error),
) ([]byte, error) {
	log, err := p.World.Logs(ctx, pod, options)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return read(io.LimitReader(log, *options.LimitBytes))
}
