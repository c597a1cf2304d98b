// Package result says what the reports of runners mean: it checks and merges those of a run's clients, turns them into what the
// status says, and finds out what held the results back. It is pure.
package result

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/merge"
	"github.com/storagebench/storagebench/internal/plan"
)

// Part is what the pod of one client has left of an attempt.
type Part struct {
	// Client is the client's number, from 0.
	Client int32
	// Pod, UID and Node are the pod's name, its UID and the name of its node.
	Pod, UID, Node string
	// NamesPod says whether the report has to name the pod.
	NamesPod bool
	// Report is the message of the runner, which can be anything.
	Report string
	// Ended says why the pod's container ended while it probed, "" if it did not.
	Ended string
}

// PartOf returns the part of a client, of its pod, what that reports, and why it ended while it probed.
func PartOf(client int32, pod *corev1.Pod, report, ended string) Part {
	return Part{
		Client: client, Pod: pod.Name, UID: string(pod.UID), Node: pod.Spec.NodeName,
		NamesPod: job.IsNamedInReport(&pod.Spec), Report: report, Ended: ended,
	}
}

// Measured is what the clients of a run have measured together.
type Measured struct {
	// Result is that of a run with one, Sections are those of a run with several, of which Result is nil.
	Result   *v1alpha1.Result
	Sections []v1alpha1.SectionResult
	// Probe is what was measured after the result, nil if nothing was.
	Probe *v1alpha1.ProbeResult

	parts   []Part
	reports []*digest.Report // in the order of parts
	merged  *merge.Merged
	results []v1alpha1.Result // one or several
	// probeFailure is why the probe of a run has no result, "" if it has, or none was to come.
	probeFailure string
	// notSteady says what was seen of a rate that had to become steady and did not, "" if it did.
	notSteady string
}

// Read returns what the clients of a run have measured, at least one. Their reports come from pods, so they may be anything: the error
// says what is wrong with them. planned is nil if it is not known what they were to measure.
func Read(parts []Part, planned *plan.Run) (*Measured, error) {
	reports := make([]*digest.Report, len(parts))
	for i := range parts {
		report, err := digest.Decode(parts[i].Report)
		if err != nil {
			return nil, fmt.Errorf("the runner of pod %s left no result: %w", parts[i].Pod, err)
		}
		// Before the others are decoded: those of a forged size would be there all at once.
		if why := cmp.Or(wrongPod(&parts[i], report), wrongGroups(planned, report)); why != "" {
			return nil, fmt.Errorf("the report of pod %s is not of this run: %s", parts[i].Pod, why)
		}
		dropUnplanned(planned, report)
		if name, empty := withoutFigures(report); empty {
			return nil, fmt.Errorf("the report of pod %s has no figures of job %q that were to be measured", parts[i].Pod, name)
		}
		reports[i] = report
	}
	merged, err := merge.Reports(reports)
	if err != nil {
		return nil, fmt.Errorf("the clients do not report the same: %w", err)
	}
	m := newMeasured(parts, reports, merged)
	if m.Result != nil {
		m.Probe = newProbeResult(merged.Report.Probe, planned)
		m.probeFailure = probeFailure(&parts[0], reports[0], planned)
	}
	m.addSteadyState(planned)
	return m, nil
}

// wrongPod says of a report that another pod has left what is wrong with it: a pod is of one client in one attempt of a run. It
// is "" for the pod's own.
func wrongPod(part *Part, report *digest.Report) string {
	switch {
	case report.Pod == part.UID, report.Pod == "" && !part.NamesPod:
		return ""
	case report.Pod == "":
		return "it does not name its pod"
	default:
		return "it is that of pod " + report.Pod
	}
}

// wrongGroups says of a report that has not the results that were planned what is wrong with it: it is of another run, or
// forged, and with more results the status could become larger than can be written. It is "" for one that has.
func wrongGroups(planned *plan.Run, report *digest.Report) string {
	if planned == nil {
		return ""
	}
	if got, want := len(report.Groups), len(planned.Job.Groups()); got != want {
		return fmt.Sprintf("it has %s, and the run has %d", humanize.Plural(got, "result"), want)
	}
	return ""
}

// dropUnplanned takes syncs out of results whose jobs call none, and either metadata or data out of those of jobs that have the other:
// they are forged, and with them in all results the status could become larger than can be written.
func dropUnplanned(planned *plan.Run, report *digest.Report) {
	if planned == nil {
		return
	}
	for i, load := range planned.Job.Loads() {
		report.Groups[i].Drop(func(operation string) bool {
			switch operation {
			case v1alpha1.OperationSync:
				return !load.Syncs
			case v1alpha1.OperationMetadata:
				return !load.Metadata
			}
			return load.Metadata
		})
	}
}

// withoutFigures returns the name of the first result that has no figures of data or metadata, if there is one: a runner reports none.
func withoutFigures(report *digest.Report) (name string, empty bool) {
	for i := range report.Groups {
		if g := &report.Groups[i]; g.IsEmpty() {
			return g.Name, true
		}
	}
	return "", false
}

func newMeasured(parts []Part, reports []*digest.Report, merged *merge.Merged) *Measured {
	m := &Measured{parts: parts, reports: reports, merged: merged, results: resultsOf(merged, len(parts))}
	if len(m.results) == 1 {
		m.Result = &m.results[0]
		return m
	}
	for i := range m.results {
		m.Sections = append(m.Sections, v1alpha1.SectionResult{Name: merged.Report.Groups[i].Name, Result: m.results[i]})
	}
	return m
}
