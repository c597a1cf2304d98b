package workers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/series"
)

// ReadSeries returns what a run did over its time, and the same as it is kept: nil if it has no series, or its pods'
// logs cannot be read. Nothing else depends on it.
func ReadSeries(ctx context.Context, p *pass.Pass, run *v1alpha1.Run, parts []Part) (*series.Series, []byte) {
	readOne := func(one Part) ([]byte, error) { return readSeriesOf(ctx, p, one.Pod) }
	messages, errs := world.Gather(ctx, LogsAtOnce, parts, readOne)
	err := errors.Join(errs...)
	var read *series.Series
	var kept []byte
	if err == nil {
		read, kept, err = mergeSeries(p, messages)
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("A run has no series", "run", run.Name, "why", humanize.Fit(err.Error(), maxLastWords))
		return nil, nil
	}
	return read, kept
}

// readSeriesOf returns what the last lines of a pod's log have of it.
func readSeriesOf(ctx context.Context, p *pass.Pass, pod *corev1.Pod) ([]byte, error) {
	return WithLog(ctx, p, pod, &corev1.PodLogOptions{
		Container: attempt.EndedContainer(pod),
		TailLines: new(int64(series.MessageLines)), LimitBytes: new(int64(series.MessageBytes)),
	}, series.ReadMessage)
}

// mergeSeries returns what all clients did together. Histograms of one client after the other take some 10 MiB: one
// pass at a time has them.
func mergeSeries(p *pass.Pass, messages [][]byte) (*series.Series, []byte, error) {
	p.World.Merging.Lock()
	defer p.World.Merging.Unlock()
	if len(messages) == 1 {
		read, err := series.Decode(messages[0])
		return read, messages[0], err
	}
	var all *series.Recording
	for i, message := range messages {
		one, err := series.DecodePart(message)
		if err != nil {
			return nil, nil, fmt.Errorf("client %d: %w", i, err)
		}
		if all == nil {
			all = one
			continue
		}
		if all, err = series.Merge([]*series.Recording{all, one}); err != nil {
			return nil, nil, fmt.Errorf("client %d: %w", i, err)
		}
	}
	return all.Fit()
}
