package report

import (
	"cmp"
	"io"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	apiduration "k8s.io/apimachinery/pkg/util/duration"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
)

// List prints a row for each benchmark: how far it is, how long it took or has taken by now, and its results in one
// line. Namespaces are printed if the benchmarks are of several. Rows that are wider than the terminal are cut.
func List(w io.Writer, benchmarks []v1alpha1.StorageBenchmark, namespaces bool, now time.Time, style Style) {
	t := newTable(w, []column{
		{"NAMESPACE", text.AlignLeft}, {"NAME", text.AlignLeft}, {"STATUS", text.AlignLeft}, {"RUNS", text.AlignRight},
		{"EXPECTED", text.AlignLeft}, {"WARN", text.AlignRight},
		{"DURATION", text.AlignRight}, {"AGE", text.AlignRight}, {"SUMMARY", text.AlignLeft},
	})
	for i := range benchmarks {
		sb := &benchmarks[i]
		namespace := ""
		if namespaces {
			namespace = sb.Namespace
		}
		t.AppendRow([]any{
			namespace, sb.Name, cmp.Or(sb.Status.Condition(v1alpha1.ConditionSucceeded).Reason, "-"), sb.Status.Progress,
			cmp.Or(humanize.Line(sb.Status.Expected), "-"), warned(&sb.Status),
			durationOf(&sb.Status, now), apiduration.HumanDuration(now.Sub(sb.CreationTimestamp.Time)), humanize.Line(sb.Status.Summary),
		})
	}
	t.Style().Size.WidthMax = style.Width
	t.Render()
}

// warned prints how many warnings there are.
func warned(status *v1alpha1.StorageBenchmarkStatus) string {
	if status.WarningCount == 0 {
		return "-"
	}
	return strconv.Itoa(int(status.WarningCount))
}

// durationOf prints how long a benchmark took, or has taken by now.
func durationOf(status *v1alpha1.StorageBenchmarkStatus, now time.Time) string {
	if status.StartTime == nil {
		return ""
	}
	end := now
	if status.CompletionTime != nil {
		end = status.CompletionTime.Time
	}
	return apiduration.HumanDuration(end.Sub(status.StartTime.Time))
}
