package digest

import (
	"errors"
	"fmt"
	"slices"
)

// wireMetadata is metadata, whose completion has its histogram beside it.
type wireMetadata struct {
	_              struct{} `cbor:",toarray"`
	Count          int64
	MilliPerSecond int64
	Mean           int64
	Completion     *Completion
	Histogram      []byte
}

// wireMetadataOf returns the metadata of a report, whose figures alone are in the other one.
func wireMetadataOf(full, figures *Report) ([]*wireMetadata, error) {
	if !slices.ContainsFunc(full.Groups, func(g Group) bool { return g.Metadata != nil }) {
		return nil, nil
	}
	all := make([]*wireMetadata, len(full.Groups))
	for i := range full.Groups {
		m := figures.Groups[i].Metadata
		if m == nil {
			continue
		}
		encoded, err := encodeHistogram(full.Groups[i].Metadata.Completion)
		if err != nil {
			return nil, err
		}
		all[i] = &wireMetadata{Count: m.Count, MilliPerSecond: m.MilliPerSecond, Mean: m.Mean, Completion: m.Completion, Histogram: encoded}
	}
	return all, nil
}

// restoreMetadata gives the groups, of which there are not too many, their metadata back.
func (w *wire) restoreMetadata() error {
	all := w.Beside.Metadata
	if len(all) == 0 {
		return nil
	}
	if len(all) != len(w.Report.Groups) {
		return fmt.Errorf("parse report: metadata of %d result groups of %d", len(all), len(w.Report.Groups))
	}
	for i, m := range all {
		if m == nil {
			continue
		}
		if err := m.Completion.restore(m.Histogram); err != nil {
			return err
		}
		w.Report.Groups[i].Metadata = &Metadata{Count: m.Count, MilliPerSecond: m.MilliPerSecond, Mean: m.Mean, Completion: m.Completion}
	}
	return nil
}

func checkMetadata(m *Metadata) error {
	switch {
	case m == nil:
		return nil
	case m.Count < 1:
		return fmt.Errorf("latency of %d operations on files", m.Count)
	case m.Mean < 0 || m.MilliPerSecond < 0:
		return errors.New("negative figure of operations on files")
	case m.Completion != nil:
		return checkCompletion(m.Completion)
	}
	return nil
}
