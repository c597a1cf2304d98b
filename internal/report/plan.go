package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/humanize"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// PlannedRun is a run before it is made.
type PlannedRun struct {
	v1alpha1.Run

	// RuntimeSeconds is for how long fio runs; 0 if the size of what it does decides.
	RuntimeSeconds int64
	// EndsByFiles says whether fio is through when it has created, looked up or deleted all files, which may be before that.
	EndsByFiles bool
	// AtMost says whether a search may have its answer before, and not make the run.
	AtMost bool
}

// Plan prints a row for each run in their order, and how much that is. How many clients make a run is told where one has
// several.
func Plan(w io.Writer, runs []PlannedRun) {
	t := newTable(w, []column{
		{"NUMBER", text.AlignRight}, {"RUN", text.AlignLeft}, {"WORKLOAD", text.AlignLeft}, {"PARAMETERS", text.AlignLeft}, {"TARGET", text.AlignLeft},
		{"CLIENTS", text.AlignRight}, {"REPETITION", text.AlignRight}, {"RUNTIME", text.AlignRight},
	})
	together := slices.ContainsFunc(runs, func(run PlannedRun) bool { return run.Clients > 1 })
	targets := map[string]bool{}
	var total int64
	for i := range runs {
		run := &runs[i]
		clients := ""
		if together {
			clients = strconv.Itoa(int(max(run.Clients, 1)))
		}
		t.AppendRow([]any{strconv.Itoa(i + 1), run.Name, run.Workload, wording.Parameters(run.Parameters), run.Target, clients, strconv.Itoa(int(run.Repetition)), run.runtime()})
		targets[run.Target] = true
		if !run.EndsByFiles {
			total += min(run.RuntimeSeconds, maxSeconds)
		}
	}
	t.Render()
	most, bound := "", "at least"
	if slices.ContainsFunc(runs, func(run PlannedRun) bool { return run.AtMost }) {
		most, bound = "At most ", "at most"
	}
	fmt.Fprintf(w, "\n%s%s on %s", most, humanize.Plural(len(runs), "run"), humanize.Plural(len(targets), "target"))
	if total > 0 {
		fmt.Fprintf(w, ", %s %s of measuring", bound, duration(total))
	}
	fmt.Fprintln(w)
}

// runtime says for how long fio runs, or what decides it.
func (r *PlannedRun) runtime() string {
	switch {
	case r.RuntimeSeconds > 0 && r.EndsByFiles:
		return "up to " + duration(r.RuntimeSeconds)
	case r.RuntimeSeconds > 0:
		return duration(r.RuntimeSeconds)
	case r.EndsByFiles:
		return "by files"
	default:
		return "by size"
	}
}

// maxSeconds is the longest time that is told from longer ones: 292 years.
const maxSeconds = int64(math.MaxInt64 / time.Second)

// duration prints seconds, such as 1m30s.
func duration(seconds int64) string {
	return (time.Duration(min(seconds, maxSeconds)) * time.Second).String()
}
