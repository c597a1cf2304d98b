package report

import (
	"strings"
	"testing"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
)

// restoredExperiment is an experiment of which gp3's volume was made from a snapshot, whose first run was slow.
func restoredExperiment() *v1alpha1.StorageBenchmark {
	sb := experiment("restored", []int64{118, 2990, 3010}, nil)
	sb.Spec.Targets[0].DataSource = &v1alpha1.DataSource{APIGroup: new(v1alpha1.SnapshotGroup), Kind: v1alpha1.DataSourceSnapshot, Name: "db"}
	for i := range sb.Status.Runs {
		sb.Status.Runs[i].Warnings = []v1alpha1.Warning{{Reason: v1alpha1.WarningFirstAccess, Message: "blocks are loaded"}}
	}
	status := &sb.Status
	status.Comparisons = analysis.Compare(status.Runs, []string{"gp3"}, "gp3")
	status.Warnings = analysis.Summarize(status.Targets, status.Runs, status.Comparisons)
	return sb
}

// Whoever reads a report is told what a volume was made from, that its first run was another one, and what to do.
func TestVolumeOfASourceIsTold(t *testing.T) {
	const mixed = "the first of 3 runs had 118 IOPS, and the others 2990 to 3010"
	const storage = "EBS gp3 volume of 30Gi made from VolumeSnapshot db"
	sb := restoredExperiment()
	for name, test := range map[string]struct {
		write func(*strings.Builder) error
		words []string
	}{
		"table":         {func(w *strings.Builder) error { Table(w, sb, Style{}); return nil }, []string{"FirstAccess", mixed, "set repetitions: 1"}},
		"markdown":      {func(w *strings.Builder) error { return Markdown(w, sb) }, []string{"FirstAccess", mixed, "| " + storage + " |"}},
		"explain":       {func(w *strings.Builder) error { return Explain(w, sb, "", Style{}) }, []string{"on an " + storage, "FirstAccess: " + mixed}},
		"explain a run": {func(w *strings.Builder) error { return Explain(w, sb, "randwrite.bs-16k.gp3.1", Style{}) }, []string{"on an " + storage, "FirstAccess: blocks are loaded"}},
	} {
		var text strings.Builder
		if err := test.write(&text); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(text.String()), " ")
		for _, words := range test.words {
			if !strings.Contains(got, words) {
				t.Errorf("%s lacks %q:\n%s", name, words, text.String())
			}
		}
	}
}
