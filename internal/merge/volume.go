package merge

import "github.com/storagebench/storagebench/internal/digest"

// sumOfVolumes adds up what EBS counted of all clients' volumes; percentiles are the highest. It is nil unless EBS has
// answered all clients.
func sumOfVolumes(all []*digest.Environment) *digest.Volume {
	sum := &digest.Volume{}
	for _, e := range all {
		if e.Volume == nil {
			return nil
		}
		addAll(sum.Sums(), e.Volume.Sums())
		percentiles := e.Volume.Percentiles()
		for i, most := range sum.Percentiles() {
			*most = max(*most, *percentiles[i])
		}
	}
	return sum
}
