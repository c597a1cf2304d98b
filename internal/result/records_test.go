package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/histogram"
	"github.com/storagebench/storagebench/internal/sizelimit"
	"github.com/storagebench/storagebench/test/builder"
)

// Each client's record has what it measured alone, with the names of the API.
func TestRecords(t *testing.T) {
	second := client(2, 130, 700)
	second.Coarsening = 1
	read := second.Groups[0].Of(v1alpha1.OperationRead)
	read.Histogram = read.Histogram.Coarsen(1)
	zipped, err := measured(t, client(1, 0, 900), second).Records()
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	var records []ClientRecord
	if err := json.NewDecoder(r).Decode(&records); err != nil {
		t.Fatal(err)
	}
	twice := *builder.Result()
	twice.Of(v1alpha1.OperationRead).MilliIOPS = 6_096_998
	record := func(name string, margin, start int64, result v1alpha1.Result, bins map[uint64]uint64, coarsening int64) ClientRecord {
		return ClientRecord{
			Client: "client-" + name, Node: "node-" + name, Pod: "pod-" + name, StartMarginMilliseconds: margin,
			Sections: []SectionRecord{{Name: "randread", JobStart: 1_700_000_000_000 + start, Result: result, Coarsening: coarsening, Bins: map[string]map[uint64]uint64{v1alpha1.OperationRead: bins}}},
		}
	}
	want := []ClientRecord{
		record("0", 900, 0, *builder.Result(), map[uint64]uint64{5013504: 900, 8978432: 100}, 0),
		record("1", 700, 130, twice, read.Histogram.Bins(), 1),
	}
	if diff := cmp.Diff(want, records); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// Reports whose histograms are full take few bytes in a message, and a MiB each in what is kept of clients.
func TestForgedReportsAreNotKept(t *testing.T) {
	full := &histogram.Histogram{}
	for i := range histogram.Buckets {
		full.Add(histogram.Value(i), 1)
	}
	var group digest.Group
	for _, operation := range v1alpha1.Operations()[:3] {
		f := builder.Figures(operation)
		f.SetHistogram(0, 1<<34, full)
		group.Figures = append(group.Figures, f)
	}
	forged := &digest.Report{}
	for range digest.MaxGroups {
		forged.Groups = append(forged.Groups, group)
	}
	m := &Measured{parts: make([]Part, 128), reports: make([]*digest.Report, 128)}
	for i := range m.parts {
		m.parts[i], m.reports[i] = Part{Client: int32(i)}, forged
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	zipped, err := m.Records()
	runtime.ReadMemStats(&after)
	if !errors.As(err, new(sizelimit.SizeError)) || !strings.Contains(err.Error(), "the most that is") {
		t.Errorf("%d bytes, error %v", len(zipped), err)
	}
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d MiB to refuse them", took>>20)
	if took > 384<<20 {
		t.Errorf("%d bytes are allocated", took)
	}
}
