package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// rungFills is how many times the I/Os in flight of a case another one has to ask for to be its probe.
const rungFills = 2

// Rung is a case of a matrix on one target, which its other cases are probes of.
type Rung struct {
	// Axis is the parameter that it differs in, and Value what that is: numjobs, iodepth or clients.
	Axis  string
	Value int64
	// InFlight is how many I/Os it asks for, by all clients together.
	InFlight int64
	// Results are those of its repetitions, and Bounds the verdicts on them.
	Results []*v1alpha1.Result
	Bounds  []*v1alpha1.LimitedBy
}

// Climb judges the results of cases that differ in nothing but one parameter, in the order of its values: the next case with
// at least twice the I/Os in flight is the probe of each, by the rule for probes. If that does no more, the storage or the
// path to it has a limit, and the larger case is at it as well.
//
// More clients that do more say nothing of latency: each may have been at a limit of its own.
func Climb(rungs []*Rung) {
	grows := map[*Rung]bool{}
	steps := stepsOf(rungs)
	for _, s := range steps {
		s.judgeLow()
		grows[s.low] = s.growth >= probeGrows
	}
	for _, s := range steps {
		switch {
		case s.growth <= probeStays && !grows[s.high]:
			s.judgeHigh()
		case s.low.Axis == AxisClients && s.growth > probeStays:
			s.noteShared()
		}
	}
}

func stepsOf(rungs []*Rung) []step {
	var steps []step
	for i, low := range rungs {
		for _, high := range rungs[i+1:] {
			if low.InFlight <= 0 || high.InFlight < rungFills*low.InFlight {
				continue
			}
			if s, ok := newStep(low, high); ok {
				steps = append(steps, s)
			}
			break
		}
	}
	return steps
}

// step is a case beside its probe.
type step struct {
	low, high *Rung
	growth    float64
}

// newStep returns false where the cases cannot be compared.
func newStep(low, high *Rung) (step, bool) {
	s := step{low: low, high: high, growth: high.bytes() / low.bytes()}
	switch {
	case !low.isComparable() || !high.isComparable(), low.bytes() <= 0, s.growth < probeLess:
		return s, false
	case low.had() > 0 && high.had() > 0 && high.had() < probeFills*low.had() && s.growth < probeGrows:
		return s, false // it did not have them in flight
	case high.ranWithoutCredits() != low.ranWithoutCredits():
		return s, false
	}
	return s, true
}

// judgeLow judges the case with fewer I/Os in flight.
func (s step) judgeLow() {
	words := s.words(s.high, s.low, "")
	for i, bound := range s.low.Bounds {
		switch {
		case !s.low.mayJudge(i):
		case s.low.Axis == AxisClients && s.growth > probeStays:
			*bound = noted(*bound, words)
		default:
			*bound = grown(*bound, s.growth, words, getsMore[s.low.Axis], s.low.InFlight)
		}
		bound.Message = humanize.Cut(bound.Message, maxMessage, "...")
	}
}

// judgeHigh judges the case with more I/Os in flight, which does no more than the other.
func (s step) judgeHigh() {
	for i, bound := range s.high.Bounds {
		if !s.high.mayJudge(i) || isLimit(bound.Reason) {
			continue
		}
		*bound = atStorage(*bound, s.words(s.low, s.high, "already "))
		bound.Message = humanize.Cut(bound.Message, maxMessage, "...")
	}
}

// noteShared tells of clients of which each does less than one alone did with the same load.
func (s step) noteShared() {
	share := s.growth * float64(s.low.Value) / float64(s.high.Value)
	if share >= probeLess {
		return
	}
	for i, bound := range s.high.Bounds {
		if bound.Reason == v1alpha1.BoundQueue && s.high.mayJudge(i) {
			*bound = noted(*bound, fmt.Sprintf("each of the clients does %.0f %% of what each of clients=%d did: what holds them back is shared",
				100*share, s.low.Value))
		}
	}
}

// words is such as "numjobs=40 did 2000 IOPS with 40 I/Os in flight, each in 20ms, where this did 1500 IOPS with 20, each in
// 13.3ms".
func (s step) words(other, own *Rung, already string) string {
	return fmt.Sprintf("%s=%d %sdid %s with %d I/Os in flight%s, where this did %s with %d%s",
		other.Axis, other.Value, already, other.rate(), other.InFlight, other.each(), own.rate(), own.InFlight, own.each())
}

// The parameters that change nothing but how many I/Os are in flight.
const (
	AxisJobs    = "numjobs"
	AxisDepth   = "iodepth"
	AxisClients = "clients"
)

// getsMore is what gets more of a result that latency holds back.
var getsMore = map[string]string{AxisJobs: "more jobs get more", AxisDepth: "a higher iodepth gets more", AxisClients: "more clients get more"}

// isComparable reports whether the repetitions are of one kind: all measured I/O, and none was held back by something
// that more I/Os in flight change.
func (r *Rung) isComparable() bool {
	for i, bound := range r.Bounds {
		switch reason := bound.Reason; {
		case r.Results[i].Of(v1alpha1.OperationMetadata) != nil, r.Results[i].Total() == nil:
			return false
		case !isLimit(reason) && reason != v1alpha1.BoundLatency && reason != v1alpha1.BoundQueue &&
			reason != v1alpha1.BoundUnknown && reason != v1alpha1.BoundStorage:
			return false
		case cpuOfJob(r.Results[i]) >= busyPercent:
			return false
		}
	}
	return len(r.Bounds) > 0
}

// mayJudge reports whether the matrix has something to say of a repetition: it did what is usual, and no better evidence
// speaks of it.
func (r *Rung) mayJudge(i int) bool {
	own, usual := perSecondOf(r.Results[i]), r.bytes()
	return math.Abs(own-usual) <= unusual*usual &&
		r.Bounds[i].Evidence != v1alpha1.EvidenceVolume && r.Bounds[i].Evidence != v1alpha1.EvidenceProbe
}

// bytes is the median of the repetitions, in bytes per second.
func (r *Rung) bytes() float64 {
	return r.median(perSecondOf)
}

// had is how many I/Os were in flight, 0 if that is not known.
func (r *Rung) had() float64 {
	return r.median(func(result *v1alpha1.Result) float64 {
		f, ok := flightOf(result)
		if !ok {
			return 0
		}
		return f.inFlight
	})
}

func (r *Rung) median(of func(*v1alpha1.Result) float64) float64 {
	var all []int64
	for _, result := range r.Results {
		all = append(all, whole(1000*of(result)))
	}
	return float64(StatisticOf(all).Median) / 1000
}

// each is such as ", each in 20ms", "" if fio did not measure it.
func (r *Rung) each() string {
	mean := r.median(func(result *v1alpha1.Result) float64 {
		if f, ok := flightOf(result); ok && f.rate > 0 {
			return f.mean()
		}
		return 0
	})
	if mean <= 0 {
		return ""
	}
	return ", each in " + duration(mean)
}

// rate is the median for people.
func (r *Rung) rate() string {
	iops := r.median(func(result *v1alpha1.Result) float64 { return float64(sum(result, milliIOPSOf)) / 1000 })
	if r.bytes() >= splitBytes*iops {
		return size(whole(r.bytes())) + "/s"
	}
	return humanize.Significant(iops) + " IOPS"
}

func (r *Rung) ranWithoutCredits() bool {
	for _, bound := range r.Bounds {
		if strings.Contains(bound.Message, "burst credits") {
			return true
		}
	}
	return false
}

func perSecondOf(r *v1alpha1.Result) float64 { return float64(sum(r, bytesOf)) }
