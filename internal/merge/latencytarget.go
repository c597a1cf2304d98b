package merge

import "github.com/storagebench/storagebench/internal/digest"

// leastLatencyTarget returns the least depth that clients found by themselves, which all can have; nil if none looked for one.
func leastLatencyTarget(groups []*digest.Group) *digest.LatencyTarget {
	var least *digest.LatencyTarget
	for _, g := range groups {
		if t := g.LatencyTarget; t != nil && (least == nil || t.Depth < least.Depth) {
			least = t
		}
	}
	return least
}
