package controllers

import (
	"context"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/bounded"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/series"
)

const (
	// maxLog is the most bytes of a pod's log that are read. fio's output for the most sections that a job
	// file may have is about half of that.
	maxLog = 8 << 20
	// maxKept is the most bytes of a run's gzipped logs that are kept: a ConfigMap holds 1 MiB in all.
	maxKept = 256 << 10
	// maxClientLogs is the most clients of a run whose logs are kept, and of failed ones as many more: they are alike.
	maxClientLogs = 8
	// logsAtOnce is how many logs a pass reads and compresses at the same time, and how many of their last lines. With concurrentBenchmarks passes that
	// is all that the process has under way, 16 of less than 2 MiB each. Passes do not wait for each other's, as they would with
	// one pool for all: a node that does not answer holds up its own benchmark only.
	logsAtOnce = 4
	// maxLogs is the most ConfigMaps with logs that are kept for a benchmark: etcd holds a few GiB in all.
	maxLogs = 128
	// logPatience is how long a log may take to read. A node that does not answer must not hold up others.
	logPatience = 10 * time.Second
)

// LogReader reads the log of one of a pod's containers.
type LogReader func(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error)

// PodLogs returns a LogReader that asks the API server.
func PodLogs(clientset kubernetes.Interface) LogReader {
	return func(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions) (io.ReadCloser, error) {
		return clientset.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, options).Stream(ctx)
	}
}

// keepLogs copies the logs of an attempt into a ConfigMap, because the pods have to go before their volumes can; and of one that measured what the run did
// over its time, which it returns. The result does not depend on them, so an error is only logged.
func (p *pass) keepLogs(ctx context.Context, run *v1alpha1.Run, parts []part, measured bool) *series.Series {
	if keptLogs(p.sb.Status.Runs) >= maxLogs {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, logPatience)
	defer cancel()
	var zipping sync.WaitGroup
	var logs map[string][]byte
	var err error
	zipping.Go(func() {
		defer catch(ctx, &err)
		logs = p.zipLogs(ctx, run, parts)
	})
	var over *series.Series
	var kept []byte
	if measured {
		over, kept = p.readSeries(ctx, run, parts)
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
	name := child.Name(p.sb, run.Name, "log")
	if err := p.applyArtifact(ctx, run, name, logs); err != nil {
		ctrl.LoggerFrom(ctx).Info("Logs of a run are not kept", "run", run.Name, "why", err.Error())
		return over
	}
	run.LogConfigMap = name
	return over
}

// chooseLogs returns the clients whose logs are kept: of many the first, and those that have failed.
func chooseLogs(parts []part) []part {
	var chosen []part
	for i, one := range parts {
		if one.pod != nil && (i < maxClientLogs || (one.seen.Phase != attempt.Succeeded && len(chosen) < 2*maxClientLogs)) {
			chosen = append(chosen, one)
		}
	}
	return chosen
}

// zipLogs returns the logs of the clients by their keys.
func (p *pass) zipLogs(ctx context.Context, run *v1alpha1.Run, parts []part) map[string][]byte {
	chosen := chooseLogs(parts)
	zipped, errs := gather(ctx, logsAtOnce, chosen, func(one part) ([]byte, error) {
		return p.zipLog(ctx, one.pod, maxKept/len(chosen))
	})
	logs := map[string][]byte{}
	for i, one := range chosen {
		if errs[i] != nil {
			ctrl.LoggerFrom(ctx).Info("Log of a run is not kept", "run", run.Name, "pod", one.pod.Name, "why", errs[i].Error())
			continue
		}
		logs[child.LogKey(one.client)] = zipped[i]
	}
	return logs
}

// keptLogs returns of how many runs logs are kept.
func keptLogs(runs []v1alpha1.Run) int {
	kept := 0
	for i := range runs {
		if runs[i].LogConfigMap != "" {
			kept++
		}
	}
	return kept
}

// zipLog returns the log of a pod that has ended, in no more bytes than are given.
func (p *pass) zipLog(ctx context.Context, pod *corev1.Pod, most int) ([]byte, error) {
	options := &corev1.PodLogOptions{Container: attempt.EndedContainer(pod), LimitBytes: new(int64(maxLog))}
	return p.withLog(ctx, pod, options, func(log io.Reader) ([]byte, error) {
		return bounded.Zip(most, func(w io.Writer) error { return series.CopyWithout(w, log) })
	})
}

// withLog has a function read a log, and no more bytes of it than were asked for.
func (p *pass) withLog(ctx context.Context, pod *corev1.Pod, options *corev1.PodLogOptions, read func(io.Reader) ([]byte, error)) ([]byte, error) {
	log, err := p.Logs(ctx, pod, options)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return read(io.LimitReader(log, *options.LimitBytes))
}
