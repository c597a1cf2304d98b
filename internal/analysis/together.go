package analysis

import (
	"fmt"
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// maxSkewMilliseconds is how far apart clients may begin: a tenth of a second is a hundredth of the shortest run
	// that counts as long enough.
	maxSkewMilliseconds = 100
	// maxClockSpread is how far apart in time clients may hear of their start: the kubelet takes up to 0.7 s to tell
	// them. What is more is a difference of clocks.
	maxClockSpread = time.Second
	// minOverlapPercent is the share of the longest client's time in which all must measure, so that what some did
	// alone weighs little.
	minOverlapPercent = 90
)

// startSkew is about clients that did not begin together.
func startSkew(s seen) string {
	if skew := s.result.StartSkewMilliseconds; skew != nil && *skew > maxSkewMilliseconds {
		return fmt.Sprintf("%d clients began within %d ms of each other, more than %d ms", s.result.Clients, *skew, maxSkewMilliseconds)
	}
	return ""
}

// clockSpread is about clients that began together by clocks that differ.
func clockSpread(s seen) string {
	if s.client.ClockSpread <= maxClockSpread {
		return ""
	}
	return fmt.Sprintf("by their nodes' clocks the clients read their start up to %s apart; the clocks may differ, and the clients may not have begun together",
		s.client.ClockSpread.Round(time.Millisecond))
}

// shortOverlap is about clients of which some measured while others did not.
func shortOverlap(s seen) string {
	r := s.result
	if !overlapsLittle(r) {
		return ""
	}
	return fmt.Sprintf("all %d clients measured together for %d ms, %d %% of the longest one's %d ms: the sum of their rates is only right if each was steady",
		r.Clients, r.CommonMilliseconds, overlapPercent(r), r.ElapsedMilliseconds)
}

// overlapsLittle says whether some of several clients measured for long while others did not.
func overlapsLittle(r *v1alpha1.Result) bool {
	return r.Clients > 1 && r.ElapsedMilliseconds > 0 && overlapPercent(r) < minOverlapPercent
}

// overlapPercent is the share of the longest client's time in which all measured.
func overlapPercent(r *v1alpha1.Result) int32 {
	return percent(float64(r.CommonMilliseconds) / float64(r.ElapsedMilliseconds))
}
