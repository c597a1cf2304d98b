package v1alpha1

import "slices"

// Decisive leaves of what held repetitions back what rests on a probe, if something does: only the last repetition has one, and it outweighs
// what the others are judged by. A bound that is nil is not known.
func Decisive(bounds []*LimitedBy) []*LimitedBy {
	probed := slices.DeleteFunc(slices.Clone(bounds), func(b *LimitedBy) bool { return b == nil || b.Evidence != EvidenceProbe })
	if len(probed) > 0 {
		return probed
	}
	return bounds
}
