package result

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/test/builder"
)

// operations returns a report of operations on files, so many per second.
func operations(perSecond int64) digest.Report {
	report := builder.Report()
	f := builder.Figures(v1alpha1.OperationMetadata)
	f.MilliIOPS = 1000 * perSecond
	report.Groups[0].Figures = []digest.Figures{f}
	return report
}

// nothing returns a report without a figure.
func nothing() digest.Report {
	report := builder.Report()
	report.Groups[0].Figures = nil
	return report
}

// What a runner reports of operations on files becomes a result, of several clients with how they differ.
func TestMetadataResult(t *testing.T) {
	want := *builder.Result()
	want.Set(v1alpha1.OperationMetadata, &v1alpha1.Figures{Count: 1000, MilliIOPS: 40_000, Latency: want.Of(v1alpha1.OperationRead).Latency, CompletionLatency: want.Of(v1alpha1.OperationRead).CompletionLatency})
	want.Set(v1alpha1.OperationRead, nil)
	if diff := cmp.Diff(want, *measured(t, operations(40)).Result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	together := measured(t, operations(40), operations(60))
	got := together.Result.Of(v1alpha1.OperationMetadata)
	if got == nil || got.Count != 2000 || got.IOPS() != 100 || got.PerClient == nil || got.PerClient.MinMilliIOPS != 40_000 || got.PerClient.MaxMilliIOPS != 60_000 || got.CompletionLatency == nil {
		t.Fatalf("of two clients: %+v", got)
	}
	zipped, err := together.Records()
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
	for _, record := range records {
		if section := record.Sections[0]; len(section.Bins) != 1 || len(section.Bins[v1alpha1.OperationMetadata]) != 2 || section.Result.Of(v1alpha1.OperationMetadata).Count != 1000 {
			t.Errorf("record %+v", record)
		}
	}
}

// A result has metadata or data, whichever was planned: with both it could be larger than the status has room for.
func TestUnplannedMetadata(t *testing.T) {
	files := planned(t, builder.NewTarget("t"), builder.NewJobFile("w", "[a]\nioengine=filestat\nsize=64k\nnrfiles=16\n"), 1)
	data := planned(t, builder.NewTarget("t"), builder.NewWorkload("w"), 1)
	both := builder.Report()
	both.Groups[0].Figures = append(both.Groups[0].Figures, operations(40).Groups[0].Figures...)
	m, err := Read(partsOf(t, both), files)
	if err != nil || m.Result.Of(v1alpha1.OperationRead) != nil || m.Result.Of(v1alpha1.OperationMetadata) == nil {
		t.Errorf("files were planned: %+v, %v", m.Result, err)
	}
	m, err = Read(partsOf(t, both), data)
	if err != nil || m.Result.Of(v1alpha1.OperationRead) == nil || m.Result.Of(v1alpha1.OperationMetadata) != nil {
		t.Errorf("data was planned: %+v, %v", m.Result, err)
	}
	for name, forged := range map[string]struct {
		report  digest.Report
		planned *plan.Run
	}{
		"files were planned, and data is reported": {builder.Report(), files},
		"data was planned, and files are reported": {operations(40), data},
		"nothing is reported":                      {nothing(), nil},
	} {
		if m, err := Read(partsOf(t, forged.report), forged.planned); err == nil || m != nil || !strings.HasPrefix(err.Error(), "the report of pod pod-0 has no figures of job ") {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	facts := Facts{Planned: files}
	if diff := cmp.Diff([]analysis.Load{{Jobs: 1, InFlight: 1, Lookups: true, FileBytes: 64 << 10}}, facts.loads()); diff != "" {
		t.Errorf("load (-want +got):\n%s", diff)
	}
}
