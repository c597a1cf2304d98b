package result

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/aws"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// Facts are what is known beside the reports when results are judged.
type Facts struct {
	// Planned is the run as it was planned, and Mode the mode of its target's volumes.
	Planned *plan.Run
	Mode    corev1.PersistentVolumeMode
	// Plan are all runs as they are planned.
	Plan []plan.Run
	// Target has the limits that were found.
	Target *v1alpha1.TargetStatus
	// Runs are those that were made on the volumes that are there now, in the order of time. The run is one of them, with
	// its results and its end.
	Runs []v1alpha1.Run
	// Anchors have the nodes of the clients, in the order of the clients. A benchmark of one run has none.
	Anchors []v1alpha1.Anchor
	// ContainerLimits are what the containers that measure are limited to.
	ContainerLimits corev1.ResourceList
}

// Findings are what results mean.
type Findings struct {
	// LimitedBy says of each result what held it back.
	LimitedBy []v1alpha1.LimitedBy
	// Warnings say what may mislead about the results.
	Warnings []v1alpha1.Warning
	// BurstCredits are what is left to the target, nil if that is not known.
	BurstCredits *v1alpha1.BurstCredits
	// Counters are what the kernel counted of the storage, nil if that is not known.
	Counters *v1alpha1.StorageCounters
	// Exceeded is what EBS itself says, nil if that is not known.
	Exceeded *v1alpha1.ExceededLimits
	// Volume is what EBS itself counted of operations, nil if that is not known.
	Volume *v1alpha1.VolumeStatistics
	// NodeLoad is how busy the node was, nil if that is not known.
	NodeLoad *v1alpha1.NodeLoad
}

// Analyse says of the results what held them back, and what may mislead about them.
func (m *Measured) Analyse(facts Facts) Findings {
	client := facts.shareNodes(newClient(&m.merged.Report), m.clients())
	client.ClockSpread, client.ProbeFailure, client.NotSteady = clockSpread(m.reports), m.probeFailure, m.notSteady
	client.Node = facts.nodeOf(&m.merged.Report)
	loads := facts.loads()
	for i, filled := range facts.filled(m.results) {
		loads[i].NewDevice = loads[i].NewDevice && !filled
		loads[i].Sourced = loads[i].Sourced && (!filled || !loads[i].Reads) // then it reads nothing of the source
	}
	known, left := facts.known(m.clients(), len(m.results))
	sections := facts.sections(m, loads)
	counters := facts.counters(&m.merged.Report, m.clients())
	for i := range known {
		known[i] = known[i].Beside(analysis.CompanyOf(sections, i))
		known[i].Probe = m.Probe
		if facts.isWholeRun(len(m.results)) {
			known[i].Counted, known[i].Exceeded = facts.counted(counters), m.exceeded(&m.results[i])
			known[i].Volume = volumeStatistics(&m.merged.Report)
		}
	}
	findings := Findings{
		Warnings: analysis.Warnings(m.results, known, loads, client), BurstCredits: left, Counters: counters,
		Exceeded: exceededLimits(&m.merged.Report), Volume: volumeStatistics(&m.merged.Report), NodeLoad: nodeLoad(&m.merged.Report),
	}
	for i := range m.results {
		findings.LimitedBy = append(findings.LimitedBy, analysis.Judge(&m.results[i], known[i], loads[i], client, facts.usual()))
	}
	return findings
}

func (m *Measured) clients() int32 { return int32(len(m.reports)) }

// clockSpread returns how far apart in time clients heard of a start that was told to all at once.
func clockSpread(reports []*digest.Report) time.Duration {
	least, most := reports[0].Environment.StartMarginMilliseconds, reports[0].Environment.StartMarginMilliseconds
	for _, r := range reports {
		least, most = min(least, r.Environment.StartMarginMilliseconds), max(most, r.Environment.StartMarginMilliseconds)
	}
	return time.Duration(most-least) * time.Millisecond
}

// known returns what is known of the limits of the target for each of so many results, and what burst credits are left.
func (f *Facts) known(clients int32, results int) ([]analysis.Known, *v1alpha1.BurstCredits) {
	target := f.Planned.Target
	volumes := analysis.Volumes{New: storage.IsNewVolume(target), PerClient: !storage.IsShared(target)}
	if p := plan.PreconditionOf(target); p != nil {
		found := plan.Volumes{target.Name: {Mode: f.Mode, Driver: f.Target.Driver}}
		volumes.WrittenBytes = plan.PreconditionBytes(f.Plan, found)[target.Name]
		volumes.BlockBytes = float64(p.BlockBytes())
	}
	history := analysis.FollowCredits(target.Name, f.Target.Limits, f.Runs, volumes, f.accessOf)
	all := analysis.Known{
		Storage: f.Target.Limits, Client: f.Target.ClientLimits, Nodes: f.countNodes(clients),
		Unlimited: storage.KindOf(target, f.Target.Driver).IsObjectStore(),
	}
	if !f.areNodesAlike(clients) {
		all.Client = nil // what one of them can do says nothing of the others
	}
	if volumes.PerClient {
		all.Volumes = int64(clients)
	}
	if storage.KindOf(target, f.Target.Driver) == storage.KindEFS {
		all.Slots = aws.NFSSlots * all.Nodes // clients of one node share its mount's session
	}
	var known []analysis.Known
	for i := range results {
		known = append(known, all.With(history.Of(f.Planned.Name, i)))
	}
	return known, history.Left()
}

// accessOf returns of what kind the I/Os of a run are, by the groups of its results; nil if the run is not planned any more.
func (f *Facts) accessOf(run *v1alpha1.Run) []analysis.Load {
	planned, known := plan.Of(f.Plan, run)
	if !known {
		return nil
	}
	var loads []analysis.Load
	for _, l := range planned.Job.Loads() {
		loads = append(loads, analysis.Load{Sequential: l.Sequential, Buffered: l.Buffered, Gathered: l.Gathered})
	}
	return loads
}

// loads returns what the run asks of the storage, by the groups of its results.
func (f *Facts) loads() []analysis.Load {
	raw := f.Mode == corev1.PersistentVolumeBlock
	isNew, sourced := raw && storage.IsProvisioned(f.Planned.Target) && f.Planned.Target.Precondition == nil, f.Planned.Target.DataSource != nil
	var loads []analysis.Load
	for _, l := range f.Planned.Job.Loads() {
		load := analysis.Load{
			InFlight: l.InFlight, Jobs: l.Jobs, RateIOPS: l.RateIOPS, RateBytesPerSecond: l.RateBytesPerSecond, ThinkMilliIOPS: l.ThinkMilliIOPS,
			Buffered: l.Buffered, UnsyncedWrites: l.UnsyncedWrites, SyncedAtEnd: l.SyncedAtEnd, Gathered: l.Gathered, Reads: l.Reads, FileBytes: l.FileBytes, LatencyOff: l.LatencyOff, Staggered: l.Staggered, LatencyTarget: l.LatencyTarget,
			SteadyWindow: f.Planned.Until != nil && f.Planned.Until.Judged, Polls: l.Polls, Lookups: l.Lookups,
			Sequential: l.Sequential, IgnoredDepth: l.Traps.IgnoredDepth, BufferedAsync: l.Traps.BufferedAsync, AlikeData: l.Traps.AlikeData, InlineRate: l.Traps.InlineRate,
			OtherFilesSynced: l.Traps.OtherFilesSynced,
			NewDevice:        isNew && !sourced, Sourced: isNew && sourced, Used: isNew && f.isUsed(),
		}
		if f.Planned.Probe != nil {
			for _, probe := range f.Planned.Probe.Loads() {
				load.ProbeJobs += probe.Jobs
			}
		}
		if raw {
			load.FileBytes = 0 // there are none
		}
		loads = append(loads, load.Times(int64(f.Planned.Clients)))
	}
	return loads
}

// isUsed says whether a run before this one has used the volumes that are there now, or an earlier attempt of this one has.
func (f *Facts) isUsed() bool {
	for i := range f.Runs {
		run := &f.Runs[i]
		if run.Name == f.Planned.Name {
			return run.Attempts > 1
		}
		if run.Target == f.Planned.Target.Name && run.Attempts > 0 {
			return true
		}
	}
	return false
}

// maxBegin bounds when a section may say that it begins: what is more is no time that anybody waits.
const maxBegin = 10 * 365 * 24 * time.Hour

// sections returns the results as parts of one run, each with when it was measured.
func (f *Facts) sections(m *Measured, loads []analysis.Load) []analysis.Section {
	begins := f.Planned.Job.Begins()
	sections := make([]analysis.Section, len(m.results))
	for i := range m.results {
		sections[i] = analysis.Section{
			Name: m.merged.Report.Groups[i].Name, Result: &m.results[i], Load: loads[i], Stage: begins[i].Stage,
			After: time.Duration(min(begins[i].AfterMicroseconds, maxBegin.Microseconds())) * time.Microsecond,
		}
	}
	return sections
}

// newClient returns what a runner saw of its machine, or several of theirs.
func newClient(report *digest.Report) analysis.Client {
	e := report.Environment
	client := analysis.Client{
		CPUMillis: e.CPUMillis, MemoryBytes: e.MemoryBytes, ThrottledPercent: throttledPercent(report),
		Files: e.Files, SparseFiles: e.SparseFiles,
		StealPermille: e.StealPermille, UsedPermille: e.UsedPermille, UsedInodesPermille: e.UsedInodesPermille, BusiestJobPermille: e.BusiestJobPermille,
	}
	for i := range report.Groups {
		for _, f := range report.Groups[i].Figures {
			client.ShortIOs += min(f.ShortIOs, math.MaxInt64-client.ShortIOs)
			client.DroppedIOs += min(f.DroppedIOs, math.MaxInt64-client.DroppedIOs)
		}
	}
	return client
}

// shareNodes corrects what clients have together that share nodes: each has told of all of its node, but for what its
// container is limited to.
func (f *Facts) shareNodes(client analysis.Client, clients int32) analysis.Client {
	nodes := f.countNodes(clients)
	if f.ContainerLimits.Cpu().IsZero() {
		client.CPUMillis = client.CPUMillis / int64(clients) * nodes
	}
	if f.ContainerLimits.Memory().IsZero() {
		client.MemoryBytes = client.MemoryBytes / int64(clients) * nodes
	}
	return client
}

// countNodes returns the number of different nodes that so many clients measure from, at least 1.
func (f *Facts) countNodes(clients int32) int64 {
	different := sets.New[string]()
	for client := range int(clients) {
		node := "" // as it is without an anchor
		if client < len(f.Anchors) {
			node = f.Anchors[client].Node
		}
		different.Insert(node)
	}
	return int64(max(different.Len(), 1))
}

// areNodesAlike says whether the nodes of so many clients are of one type, so that what one of them can do all can.
func (f *Facts) areNodesAlike(clients int32) bool {
	anchors := f.Anchors[:min(int(clients), len(f.Anchors))]
	return !slices.ContainsFunc(anchors, func(a v1alpha1.Anchor) bool { return a.InstanceType != anchors[0].InstanceType })
}
