package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report"
	"github.com/storagebench/storagebench/internal/report/html/internal/sample"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// Of repetitions of which the last one has a probe the page says what the table says.
func TestProbeOutweighs(t *testing.T) {
	sb := sample.GP3VsEFS()
	last := map[string]*v1alpha1.Run{}
	for i := range sb.Status.Runs {
		run := &sb.Status.Runs[i]
		run.LimitedBy = &v1alpha1.LimitedBy{Reason: v1alpha1.BoundLatency, Evidence: v1alpha1.EvidenceDocumentation}
		last[run.Target+wording.Parameters(run.Parameters)] = run
	}
	for _, run := range last {
		run.LimitedBy = &v1alpha1.LimitedBy{Reason: v1alpha1.BoundStorage, Evidence: v1alpha1.EvidenceProbe}
	}
	var out bytes.Buffer
	report.Table(&out, sb, report.Style{})
	rows := 0
	for line := range strings.Lines(out.String()) {
		if cells := strings.Fields(line); len(cells) > 0 && cells[0] == "randwrite" {
			rows++
			if cells[len(cells)-1] != v1alpha1.BoundStorage {
				t.Errorf("row %v", cells)
			}
		}
	}
	r := newResults(sb)
	page := r.comparisonTable("randwrite").Rows
	if rows != len(page) || rows == 0 {
		t.Errorf("%d rows in the table, %d in the page", rows, len(page))
	}
	for _, row := range page {
		if bound := row[len(row)-1]; bound.Text != wording.Upper(wording.Bound(v1alpha1.BoundStorage)) || bound.Sub != "" {
			t.Errorf("limited by %q (%s) in the page", bound.Text, bound.Sub)
		}
	}
	for _, c := range r.cards() {
		if c.Bound != "storage in 2 of 2 results" {
			t.Errorf("card of %s: %s", c.Target.Name, c.Bound)
		}
	}
}
