package plugin

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	apiduration "k8s.io/apimachinery/pkg/util/duration"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/html"
	"github.com/storagebench/storagebench/internal/series"
)

// index writes the page with all benchmarks and schedules, the newest first.
func (p *pages) index(w io.Writer, r *http.Request) (goesOn bool, err error) {
	found, err := p.from.all(r.Context())
	if err != nil {
		return false, err
	}
	x := &html.Index{Where: found.where, Group: found.groupedBy, Notes: found.notes}
	slices.SortStableFunc(found.benchmarks, func(a, b shelved[*v1alpha1.StorageBenchmark]) int {
		return b.object.CreationTimestamp.Compare(a.object.CreationTimestamp.Time)
	})
	for _, one := range found.benchmarks {
		x.Benchmarks = append(x.Benchmarks, p.rowOf(one))
		goesOn = goesOn || !one.object.Status.HasEnded()
	}
	for _, one := range found.schedules {
		scheduled := one.object.Status.Condition(v1alpha1.ConditionScheduled)
		regressed := one.object.Status.Condition(v1alpha1.ConditionRegressed)
		x.Schedules = append(x.Schedules, html.IndexRow{
			Link: linkTo("schedules", one.group, one.object.Name), Name: one.object.Name, Group: one.group, Status: one.object.Spec.Schedule,
			Summary: scheduled.Reason + " " + regressed.Reason,
		})
	}
	return goesOn, x.Write(w)
}

func linkTo(kind, group, name string) string {
	return "/" + kind + "/" + url.PathEscape(cmp.Or(group, "-")) + "/" + url.PathEscape(name)
}

func (p *pages) rowOf(one shelved[*v1alpha1.StorageBenchmark]) html.IndexRow {
	status := &one.object.Status
	row := html.IndexRow{
		Link: linkTo("benchmarks", one.group, one.object.Name), Name: one.object.Name, Group: one.group,
		Status: status.Condition(v1alpha1.ConditionSucceeded).Reason, Runs: status.Progress, Expected: status.Expected, Summary: status.Summary,
	}
	if status.WarningCount > 0 {
		row.Warnings = strconv.Itoa(int(status.WarningCount))
	}
	if status.StartTime != nil {
		end := p.now()
		if status.CompletionTime != nil {
			end = status.CompletionTime.Time
		}
		row.Duration = apiduration.HumanDuration(end.Sub(status.StartTime.Time).Round(time.Second))
	}
	return row
}

// benchmark writes the report of a benchmark.
func (p *pages) benchmark(w io.Writer, r *http.Request) (goesOn bool, err error) {
	from, err := p.from.open(r.PathValue("group"), r.PathValue("name"))
	if err != nil {
		return false, err
	}
	sb, err := from.benchmark(r.Context(), r.PathValue("name"))
	if err != nil {
		return false, err
	}
	ctx := r.Context()
	of := &reported{StorageBenchmark: sb, series: func(run *v1alpha1.Run) (*series.Series, error) {
		return from.series(ctx, sb.Namespace, run)
	}}
	over, _ := of.seriesOfRuns() // without the rights to read them, the page has the other figures
	return !sb.Status.HasEnded(), html.Write(w, sb, over)
}

// schedule writes the history of a schedule.
func (p *pages) schedule(w io.Writer, r *http.Request) (goesOn bool, err error) {
	from, err := p.from.open(r.PathValue("group"), r.PathValue("name"))
	if err != nil {
		return false, err
	}
	kept, err := from.history(r.Context(), r.PathValue("name"))
	if err != nil {
		return false, err
	}
	return false, historyPage(w, kept)
}
