package merge

import "github.com/storagebench/storagebench/internal/digest"

// mergeMetadata returns what was measured of the operations on files of all clients that had some, nil if none had.
func mergeMetadata(groups []*digest.Group, coarsening int) *digest.Metadata {
	all := metadataOf(groups)
	if len(all) == 0 {
		return nil
	}
	completions := make([]*digest.Completion, len(all))
	for i, m := range all {
		completions[i] = m.Completion
	}
	count := func(m *digest.Metadata) int64 { return m.Count }
	return &digest.Metadata{
		Count:          sum(all, count),
		MilliPerSecond: sum(all, func(m *digest.Metadata) int64 { return m.MilliPerSecond }),
		Mean:           weightedMean(all, func(m *digest.Metadata) int64 { return m.Mean }, count),
		Completion:     mergeCompletions(completions, coarsening),
	}
}

// metadataOf returns the metadata of the clients that have some.
func metadataOf(groups []*digest.Group) []*digest.Metadata {
	var present []*digest.Metadata
	for _, g := range groups {
		if g.Metadata != nil {
			present = append(present, g.Metadata)
		}
	}
	return present
}

// metadataSpread returns how the clients' operations per second differ, nil if none had any.
func metadataSpread(groups []*digest.Group) *Spread {
	if len(metadataOf(groups)) == 0 {
		return nil
	}
	return spreadOf(groups, func(g *digest.Group) int64 {
		if g.Metadata == nil {
			return 0
		}
		return g.Metadata.MilliPerSecond
	})
}
