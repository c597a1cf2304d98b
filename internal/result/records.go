package result

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/sizelimit"
)

const (
	// maxRecords is the most bytes of a run's gzipped records of clients: a ConfigMap holds 1 MiB in all. 128 clients whose
	// reports fill their messages take 870 KiB.
	maxRecords = 1 << 20
	// maxRecordsText is the most bytes of them before. Those 128 clients take less than 9 MiB; forged reports, which say with a few
	// bytes that all buckets are occupied, 128 MiB and more.
	maxRecordsText = 16 << 20
)

// ClientRecord is what one client has measured. Names are those of the API; bins are latencies in nanoseconds with their
// counts, as fio's json+ output has them.
type ClientRecord struct {
	Client                  string          `json:"client"`
	Node                    string          `json:"node"`
	Pod                     string          `json:"pod"`
	StartMarginMilliseconds int64           `json:"startMarginMilliseconds"`
	Sections                []SectionRecord `json:"sections"`
}

// SectionRecord is what one client has measured with one of a run's results.
type SectionRecord struct {
	Name string `json:"name"`
	// JobStart is in milliseconds since 1970, 0 if unknown.
	JobStart int64           `json:"jobStart"`
	Result   v1alpha1.Result `json:"result"`
	// Coarsening says by how many bits the bins are coarser than fio's.
	Coarsening int64 `json:"coarsening,omitempty"`
	// Bins are those of each operation, by its name.
	Bins map[string]map[uint64]uint64 `json:"bins,omitempty"`
}

// Records returns what each client has measured as gzipped JSON, a list of ClientRecords. If that is more than is kept the error is
// a sizelimit.SizeError. Each record is made, written and dropped before the next one: their bins take hundreds of times the
// room of the messages that they come from.
func (m *Measured) Records() ([]byte, error) {
	return sizelimit.Zip(maxRecords, func(w io.Writer) error {
		w = sizelimit.Writer(w, maxRecordsText, fmt.Sprintf("it takes more than %d bytes, the most that is compressed", maxRecordsText))
		separator := "["
		for i := range m.parts {
			if _, err := io.WriteString(w, separator); err != nil {
				return err
			}
			if err := json.NewEncoder(w).Encode(newClientRecord(&m.parts[i], m.reports[i])); err != nil {
				return err
			}
			separator = ","
		}
		_, err := io.WriteString(w, "]\n")
		return err
	})
}

func newClientRecord(p *Part, report *digest.Report) ClientRecord {
	record := ClientRecord{
		Client: childmeta.Client(p.Client), Node: p.Node, Pod: p.Pod,
		StartMarginMilliseconds: report.Environment.StartMarginMilliseconds,
	}
	for i := range report.Groups {
		group := &report.Groups[i]
		section := SectionRecord{Name: group.Name, JobStart: group.JobStart, Result: newResult(report, group), Coarsening: report.Coarsening}
		section.Bins = binsOf(group)
		record.Sections = append(record.Sections, section)
	}
	return record
}

// binsOf returns the latency histogram of each operation that has one.
func binsOf(g *digest.Group) map[string]map[uint64]uint64 {
	bins := map[string]map[uint64]uint64{}
	for i := range g.Figures {
		if f := &g.Figures[i]; f.Histogram != nil {
			bins[f.Name] = f.Histogram.Bins()
		}
	}
	return bins
}
