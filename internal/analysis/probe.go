package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// probeLess is what it does at least as a multiple of the run: below that something else has changed, such as burst credits.
	probeLess = 0.9
	// probeStays is by how much a probe with twice the I/Os in flight may do more than the run at a limit: two short runs of the same
	// differ by some percent.
	probeStays = 1.10
	// probeGrows is by how much it does more at least where latency held the run back. Were that all, it would do twice as much. A limit
	// that is near takes from that: at 80 % of one it is 1.25.
	probeGrows = 1.25
	// probeFills is how many times the run's I/Os in flight a probe must have had, of the twice that it asks for.
	probeFills = 1.5
	// unusual is by how much a run may differ from the median of its repetitions for its probe to be about all of them, as warning Spread has it.
	unusual = 0.1
)

// Judge says what held a result back, by its figures (Bound), by its probe, and by what EBS itself says, and what that rests on. usual is that of all repetitions
// of the same (Usual), which the probe of one of them is for; 0 if that is the only one.
func Judge(r *v1alpha1.Result, known Known, load Load, client Client, usual int64) v1alpha1.LimitedBy {
	bound := boundInSubmission(r, known, load, client)
	bound.Evidence = known.evidence(bound.Reason)
	bound = probed(bound, newProbed(r, known.Probe, load), load, client, usual)
	if r == nil || known.ofOthers(r, load) == "" { // else EBS speaks of what is not fio's
		bound = said(known.withoutCredits(bound, r, load), known.Exceeded)
	}
	bound = withOperations(withNode(bound, client), r, known, load)
	bound.Message = humanize.Cut(bound.Message, maxMessage, "...")
	return bound
}

// maxMessage is the most bytes of a message, of which the API has 512 characters.
const maxMessage = 512

// evidence returns what a reason rests on that follows from known limits: that one is reached, or of latency that none is.
func (k Known) evidence(reason string) v1alpha1.Evidence {
	var sources []string
	switch reason {
	case v1alpha1.BoundVolumeIOPS, v1alpha1.BoundVolumeThroughput, v1alpha1.BoundFileSystemIOPS, v1alpha1.BoundFileSystemThroughput,
		v1alpha1.BoundLatency, v1alpha1.BoundQueue:
		if k.Storage != nil {
			sources = append(sources, k.Storage.Source)
		}
	case v1alpha1.BoundClientIOPS, v1alpha1.BoundClientThroughput, v1alpha1.BoundInstanceIOPS, v1alpha1.BoundInstanceThroughput:
		for i := range k.Client {
			sources = append(sources, k.Client[i].Source)
		}
	}
	for _, source := range sources {
		if strings.HasPrefix(source, "spec.") {
			return v1alpha1.EvidenceSettings
		}
	}
	if len(sources) > 0 {
		return v1alpha1.EvidenceDocumentation
	}
	return ""
}

// probed returns what follows from a verdict and from a probe, which outweighs what is documented: it is of this storage, at
// this time. It says nothing of what the workload asks for, nor of the CPU that fio had.
func probed(bound v1alpha1.LimitedBy, p *probedResult, load Load, client Client, usual int64) v1alpha1.LimitedBy {
	if p == nil || bound.Reason == v1alpha1.BoundWorkloadRate || bound.Reason == v1alpha1.BoundClientCPU {
		return bound
	}
	if doubt := p.doubt(load, client, usual); doubt != "" {
		return noted(bound, doubt)
	}
	return grown(bound, p.growth, p.String(), "more jobs or a higher iodepth get more", load.InFlight)
}

// noted returns a verdict with more words.
func noted(bound v1alpha1.LimitedBy, words string) v1alpha1.LimitedBy {
	bound.Message = humanize.Cut(bound.Message, maxProbedMessage, "...") + "; " + words
	return bound
}

// grown returns what follows from a verdict and from what twice the I/Os in flight did, as a multiple of what so many did. It
// is the rule for probes and for matrices. seen says what was seen, and more what gets more where nothing limits it.
func grown(bound v1alpha1.LimitedBy, growth float64, seen, more string, inFlight int64) v1alpha1.LimitedBy {
	switch {
	case growth >= probeGrows && bound.Reason == v1alpha1.BoundQueue:
		return noted(bound, seen)
	case growth >= probeGrows:
		return v1alpha1.LimitedBy{
			Reason: v1alpha1.BoundLatency, Evidence: v1alpha1.EvidenceProbe, LimitInFlight: new(inFlight),
			Message: fmt.Sprintf("%s: the time that each I/O takes held the result back, and %s", seen, more),
		}
	case growth > probeStays:
		return noted(bound, seen+": latency holds it back in part, and a limit is near")
	case isLimit(bound.Reason):
		bound.Evidence = v1alpha1.EvidenceProbe
		return noted(bound, seen+", and this confirms it")
	}
	return atStorage(bound, seen)
}

// isLimit reports whether a reason is a known limit of the storage or of the node.
func isLimit(reason string) bool {
	for _, names := range scopeNames {
		if reason == names.iops || reason == names.bytes {
			return true
		}
	}
	return false
}

// atStorage returns the verdict on a result at a limit that is not known, with what was known of limits before.
func atStorage(before v1alpha1.LimitedBy, seen string) v1alpha1.LimitedBy {
	message := seen + ": the storage, or the path to it, can do no more"
	if before.Reason == v1alpha1.BoundUnknown {
		message += "; it is uncertain which limit: " + before.Message
	}
	return v1alpha1.LimitedBy{Reason: v1alpha1.BoundStorage, Evidence: v1alpha1.EvidenceProbe, Message: message}
}

// maxProbedMessage leaves room for what a probe adds to a message, of which the API has 512 characters.
const maxProbedMessage = 320

// probedResult is a result beside its probe.
type probedResult struct {
	probe *v1alpha1.ProbeResult
	// rate is I/Os per second, mean their mean latency in nanoseconds, 0 if unknown, and inFlight how many there were to be, as they were measured.
	rate, mean float64
	inFlight   int64
	// growth is what the probe has done as a multiple of that.
	growth float64
}

// newProbed returns nil for a result that has no probe to be compared with.
func newProbed(r *v1alpha1.Result, probe *v1alpha1.ProbeResult, load Load) *probedResult {
	if r == nil || probe == nil || load.InFlight <= 0 {
		return nil
	}
	p := &probedResult{probe: probe, inFlight: load.InFlight}
	bytes := 0.0
	for _, io := range r.Directions() {
		p.rate += rateOf(io)
		bytes += float64(io.BytesPerSecond)
		if io.Latency != nil {
			p.mean += rateOf(io) * float64(io.Latency.MeanNanoseconds)
		}
	}
	if p.rate == 0 || bytes == 0 {
		return nil
	}
	p.mean /= p.rate
	p.growth = float64(probe.BytesPerSecond) / bytes
	return p
}

// doubt says why a probe tells nothing, "" if it does.
func (p *probedResult) doubt(load Load, client Client, usual int64) string {
	had := rateOf(&p.probe.Figures) * float64(p.probe.Mean()) / 1e9
	used := int64(p.probe.CPUPercent) * load.ProbeJobs
	switch {
	case usual > 0 && math.Abs(1000*p.rate-float64(usual)) > unusual*float64(usual):
		return fmt.Sprintf("the probe is inconclusive: its run had %s IOPS, and the median of all repetitions is %s", humanize.Significant(p.rate), perSecond(usual))
	case p.growth < probeLess:
		return fmt.Sprintf("the probe is inconclusive: it did less than the run, %d IOPS instead of %.0f", p.probe.IOPS(), p.rate)
	case p.growth < probeGrows && p.probe.CPUPercent >= busyPercent:
		return fmt.Sprintf("the probe is inconclusive: each of its jobs used %d %% of a CPU", p.probe.CPUPercent)
	case p.growth < probeGrows && client.CPUMillis > 0 && used*1000 >= busyPercent*client.CPUMillis:
		return fmt.Sprintf("the probe is inconclusive: it used %d %% of CPU, and its container may use %d %% (100 for each CPU)", used, client.CPUMillis/10)
	case p.growth < probeGrows && had < probeFills*float64(p.inFlight):
		return fmt.Sprintf("the probe is inconclusive: only %s of its %d I/Os were in flight", humanize.Significant(had), p.probe.InFlight)
	}
	return ""
}

// String is such as "the probe with 64 I/Os in flight instead of 32 did 3021 IOPS instead of 2998, each in 21.2 ms instead of 10.7 ms".
func (p *probedResult) String() string {
	text := fmt.Sprintf("the probe with %d I/Os in flight instead of %d did %d IOPS instead of %.0f", p.probe.InFlight, p.inFlight, p.probe.IOPS(), p.rate)
	if p.mean > 0 && p.probe.Mean() > 0 {
		text += fmt.Sprintf(", each in %s instead of %s", duration(float64(p.probe.Mean())), duration(p.mean))
	}
	return text
}
