package controllers

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// analyse says of a run that has a result what held it back, and what may mislead about it.
func (s *scope) analyse(run *v1alpha1.Run, planned *plan.Run, report *digest.Report, clockSpread time.Duration) {
	client := s.shareNodes(newClient(report), clientsOf(run))
	client.ClockSpread = clockSpread
	loads := s.loads(planned)
	// fio may report other groups than were planned; nothing is known of those beforehand.
	loads = append(loads, make([]analysis.Load, max(len(report.Groups)-len(loads), 0))...)
	known := s.known(run, planned.Target, len(report.Groups))
	var results []v1alpha1.Result
	if run.Result != nil {
		results = append(results, *run.Result)
		run.LimitedBy = new(analysis.Bound(run.Result, known[0], loads[0], client))
	}
	for i := range run.Sections {
		section := &run.Sections[i]
		results = append(results, section.Result)
		section.LimitedBy = new(analysis.Bound(&section.Result, known[i], loads[i], client))
	}
	run.Warnings = analysis.Warnings(results, known, loads, client)
}

// known returns what is known of the limits of a run's target, for each of so many results. The run, with its results
// and its end, is one of the status.
func (s *scope) known(run *v1alpha1.Run, t *v1alpha1.Target, results int) []analysis.Known {
	status := s.targetStatus(run.Target)
	volumes := analysis.Volumes{New: storage.HasCapacity(t), PerClient: !storage.IsShared(t)}
	history := analysis.FollowCredits(run.Target, status.Limits, s.sb.Status.Runs[runsBefore(status):], volumes)
	status.BurstCredits = history.Left()
	all := analysis.Known{Storage: status.Limits, Client: status.ClientLimits, Unlimited: storage.IsObjectStore(t), Nodes: int64(s.countNodes(clientsOf(run)))}
	if !s.areNodesAlike(clientsOf(run)) {
		all.Client = nil // what one of them can do says nothing of the others
	}
	if volumes.PerClient {
		all.Volumes = int64(clientsOf(run))
	}
	var known []analysis.Known
	for i := range results {
		known = append(known, all.With(history.Of(run.Name, i)))
	}
	return known
}

// loads returns what a run asks of the storage, by the groups of its results.
func (s *scope) loads(planned *plan.Run) []analysis.Load {
	raw := s.volumeModes().ModeOf(planned.Target) == corev1.PersistentVolumeBlock
	var loads []analysis.Load
	for _, l := range planned.Job.Loads() {
		load := analysis.Load{
			InFlight: l.InFlight, Jobs: l.Jobs, RateIOPS: l.RateIOPS, RateBytesPerSecond: l.RateBytesPerSecond,
			Buffered: l.Buffered, Reads: l.Reads, FileBytes: l.FileBytes, LatencyOff: l.LatencyOff,
			NewDevice: raw && storage.IsProvisioned(planned.Target),
		}
		if raw {
			load.FileBytes = 0 // there are none
		}
		loads = append(loads, load.Times(int64(planned.Clients)))
	}
	return loads
}

// newClient returns what a runner saw of its machine, or several of theirs.
func newClient(report *digest.Report) analysis.Client {
	e := report.Environment
	client := analysis.Client{
		CPUMillis: e.CPUMillis, MemoryBytes: e.MemoryBytes, ThrottledPercent: throttledPercent(report),
		Files: e.Files, SparseFiles: e.SparseFiles,
	}
	for i := range report.Groups {
		for _, d := range report.Groups[i].Directions() {
			client.ShortIOs += min(d.ShortIOs, math.MaxInt64-client.ShortIOs)
			client.DroppedIOs += min(d.DroppedIOs, math.MaxInt64-client.DroppedIOs)
		}
	}
	return client
}

// shareNodes corrects what clients have together that share nodes: each has told of all of its node, but for what its
// container is limited to.
func (s *scope) shareNodes(client analysis.Client, clients int32) analysis.Client {
	nodes := int64(s.countNodes(clients))
	limits := ptr.Deref(s.sb.Spec.Pod, v1alpha1.PodSettings{}).Resources.Limits
	if limits.Cpu().IsZero() {
		client.CPUMillis = client.CPUMillis / int64(clients) * nodes
	}
	if limits.Memory().IsZero() {
		client.MemoryBytes = client.MemoryBytes / int64(clients) * nodes
	}
	return client
}

// throttledPercent returns the share of scheduling periods in which the container was held back, nil if it has
// no limit or that is not known.
func throttledPercent(report *digest.Report) *int32 {
	e := report.Environment
	if e.Periods == 0 {
		return nil
	}
	return new(int32(float64(e.ThrottledPeriods) / float64(e.Periods) * 100))
}

// compare puts the targets beside each other, as far as the runs have results.
func (s *scope) compare() {
	status := &s.sb.Status
	if len(status.Targets) == 0 {
		return
	}
	var targets []string
	for i := range status.Targets {
		targets = append(targets, status.Targets[i].Name)
	}
	// The first target is the status's: the spec's order may change, and not what is compared with what.
	status.Comparisons = analysis.Compare(status.Runs, targets, ptr.Deref(s.sb.Spec.Baseline, targets[0]))
	analysis.WarnOfReplaced(status.Comparisons, status.Targets, status.Runs)
	status.Warnings = analysis.Summarize(status.Targets, status.Runs, status.Comparisons)
}
