package controllers

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/series"
)

// maxOverTime is how many results of a benchmark can have overTime and a full steadyState: the status has no room for more. The series and the warnings
// cover all results.
const maxOverTime = 48

// readSeries returns what a run did over its time, and the same as it is kept: nil if it has no series, or its pods' logs cannot be read. Nothing else
// depends on it.
func (p *pass) readSeries(ctx context.Context, run *v1alpha1.Run, parts []part) (*series.Series, []byte) {
	messages, errs := gather(ctx, logsAtOnce, parts, func(one part) ([]byte, error) { return p.readSeriesOf(ctx, one.pod) })
	err := errors.Join(errs...)
	var read *series.Series
	var kept []byte
	if err == nil {
		read, kept, err = p.mergeSeries(messages)
	}
	if err != nil {
		ctrl.LoggerFrom(ctx).Info("A run has no series", "run", run.Name, "why", truncate(err.Error(), maxLastWords))
		return nil, nil
	}
	return read, kept
}

// readSeriesOf returns what the last lines of a pod's log have of it.
func (p *pass) readSeriesOf(ctx context.Context, pod *corev1.Pod) ([]byte, error) {
	log, err := p.Logs(ctx, pod, &corev1.PodLogOptions{
		Container: attempt.EndedContainer(pod), TailLines: new(int64(series.MessageLines)), LimitBytes: new(int64(series.MessageBytes)),
	})
	if err != nil {
		return nil, err
	}
	defer log.Close()
	return series.ReadMessage(log)
}

// mergeSeries returns what all clients did together. Histograms of one client after the other take some 10 MiB: one pass at a time has them.
func (p *pass) mergeSeries(messages [][]byte) (*series.Series, []byte, error) {
	p.merging.Lock()
	defer p.merging.Unlock()
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

// boundOverTime leaves out how the results of a run went, if the status has that of enough others.
func (s *scope) boundOverTime(run *v1alpha1.Run) {
	told := 0
	for i := range s.sb.Status.Runs {
		if other := &s.sb.Status.Runs[i]; other.Name != run.Name {
			told += len(overTimes(other))
		}
	}
	for _, result := range overTimes(run) {
		if told++; told > maxOverTime {
			result.OverTime, result.SteadyState = nil, briefly(result.SteadyState)
		}
	}
}

// briefly returns what has to be known of each result that waited until it was steady: whether it was, and after how long. Burst credits follow from that.
func briefly(s *v1alpha1.SteadyState) *v1alpha1.SteadyState {
	if s == nil || s.AfterSeconds == 0 {
		return nil
	}
	return &v1alpha1.SteadyState{Attained: s.Attained, AfterSeconds: s.AfterSeconds}
}

// saysHow says whether a result says how it went.
func saysHow(r *v1alpha1.Result) bool {
	return r.OverTime != nil || r.SteadyState != nil && *r.SteadyState != v1alpha1.SteadyState{Attained: r.SteadyState.Attained, AfterSeconds: r.SteadyState.AfterSeconds}
}

// overTimes returns those results of a run that say how they went.
func overTimes(run *v1alpha1.Run) []*v1alpha1.Result {
	var told []*v1alpha1.Result
	if run.Result != nil && saysHow(run.Result) {
		told = append(told, run.Result)
	}
	for i := range run.Sections {
		if saysHow(&run.Sections[i].Result) {
			told = append(told, &run.Sections[i].Result)
		}
	}
	return told
}
