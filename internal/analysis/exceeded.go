package analysis

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

const (
	// exceededMost is the share of a run for which a volume has to say that a limit was exceeded for that limit to have held the result back: half
	// of it, so that a median of what was measured is of such time.
	exceededMost = 0.5
	// exceededSome is the share from which on it is worth a word: it is enough to make a p99.
	exceededSome = 0.005
	// maxSaidMessage leaves room for what EBS says beside a message, of which the API has 512 characters.
	maxSaidMessage = 360
)

// Exceeded is for how long EBS itself says that demand exceeded what a volume may do and what its instance may, of all volumes of a run together.
type Exceeded struct {
	VolumeIOPSMilliseconds, VolumeThroughputMilliseconds, InstanceIOPSMilliseconds, InstanceThroughputMilliseconds int64
	// RunMilliseconds is for how long they were measured, those of several volumes added up, and Volumes how many there are. 0 is one.
	RunMilliseconds, Volumes int64
}

// says is how the volumes' words begin.
func (e *Exceeded) says() string {
	if e.Volumes > 1 {
		return fmt.Sprintf("the %d volumes themselves say", e.Volumes)
	}
	return "the volume itself says"
}

// exceededLimit is what EBS says of one limit.
type exceededLimit struct {
	reason, name            string
	milliseconds, allOfThem int64
}

func (e *Exceeded) limits() []exceededLimit {
	return []exceededLimit{
		{v1alpha1.BoundVolumeIOPS, "the IOPS", e.VolumeIOPSMilliseconds, e.RunMilliseconds},
		{v1alpha1.BoundVolumeThroughput, "the throughput", e.VolumeThroughputMilliseconds, e.RunMilliseconds},
		{v1alpha1.BoundInstanceIOPS, "the instance's IOPS", e.InstanceIOPSMilliseconds, e.RunMilliseconds},
		{v1alpha1.BoundInstanceThroughput, "the instance's throughput", e.InstanceThroughputMilliseconds, e.RunMilliseconds},
	}
}

func (l exceededLimit) share() float64 { return float64(l.milliseconds) / float64(l.allOfThem) }

// String is such as "the IOPS limit was exceeded for 97 % of the time". Seconds would be those of all volumes together.
func (l exceededLimit) String() string {
	return fmt.Sprintf("%s limit was exceeded for %s of the time", l.name, percentText(min(l.share(), 1)))
}

// percentText prints a share as a whole percentage, without making 0 of a small one.
func percentText(share float64) string {
	if share < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%d %%", percent(share))
}

// longest is the limit that was exceeded for longest, the first of several alike.
func (e *Exceeded) longest() exceededLimit {
	all := e.limits()
	most := all[0]
	for _, l := range all[1:] {
		if l.milliseconds > most.milliseconds {
			most = l
		}
	}
	return most
}

// said is what follows from a verdict and from what EBS itself says, which outweighs what is documented, and what was found by a probe at another time.
func said(bound v1alpha1.LimitedBy, e *Exceeded) v1alpha1.LimitedBy {
	if e == nil || e.RunMilliseconds <= 0 {
		return bound
	}
	longest := e.longest()
	var words string
	says := e.says()
	named, isOfVolume := e.of(bound.Reason)
	switch share := longest.share(); {
	case named.share() >= exceededMost: // also where another one was exceeded for a little longer: the figures tell that this one was reached
		bound.Evidence = v1alpha1.EvidenceVolume
		words = fmt.Sprintf("%s so: %s", says, named)
		if longest != named {
			words += ", and " + longest.String()
		}
	case share >= exceededMost && bound.Reason != v1alpha1.BoundWorkloadRate: // more of a limit would change nothing of a rate that is kept
		return v1alpha1.LimitedBy{
			Reason: longest.reason, Evidence: v1alpha1.EvidenceVolume,
			Message: fmt.Sprintf("%s that %s; %s: %s", says, longest, otherwise(bound), strings.Replace(bound.Message, moreInFlight, "", 1)),
		}
	case share >= exceededSome && isOfVolume && named.share() < exceededSome:
		words = fmt.Sprintf("but %s that %s limit was not exceeded, and %s", says, named.name, longest)
	case share >= exceededSome:
		words = fmt.Sprintf("%s that %s", says, longest)
	case isOfVolume:
		words = fmt.Sprintf("but %s that no limit of a volume or of its instance was exceeded", says)
	default:
		words = fmt.Sprintf("%s that no limit of a volume or of its instance was exceeded", says)
	}
	bound.Message = humanize.Cut(bound.Message, maxSaidMessage, "...") + "; " + words
	return bound
}

// withoutCredits decides of a result at what remains without burst credits whether that has held it back, where by what is known of credits some may have been
// left: the volume says that this limit was exceeded, which it would not be below the burst.
func (k Known) withoutCredits(bound v1alpha1.LimitedBy, r *v1alpha1.Result, load Load) v1alpha1.LimitedBy {
	if bound.Reason != v1alpha1.BoundUnknown || k.Exceeded == nil || k.Exceeded.RunMilliseconds <= 0 {
		return bound
	}
	base, at := atBaseline(k.storageLimits(), r, load)
	if !at {
		return bound
	}
	base.owners, base.company = k.volumes(), k.Company
	decided := base.limitedBy()
	if named, ok := k.Exceeded.of(decided.Reason); !ok || named.share() < exceededMost {
		return bound
	}
	return decided
}

// of returns what EBS says of the limit that a reason names, and whether it is one of which EBS says something.
func (e *Exceeded) of(reason string) (exceededLimit, bool) {
	for _, l := range e.limits() {
		if l.reason == reason {
			return l, true
		}
	}
	return exceededLimit{allOfThem: e.RunMilliseconds}, false
}

// otherwise is what the verdict would be that EBS contradicts, and by what.
func otherwise(bound v1alpha1.LimitedBy) string {
	switch {
	case bound.Reason == v1alpha1.BoundUnknown:
		return "figures alone do not tell"
	case bound.Evidence == v1alpha1.EvidenceProbe:
		return "by the probe alone it would be " + bound.Reason
	}
	return "by figures alone it would be " + bound.Reason
}
