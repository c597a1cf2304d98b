package html

import (
	"fmt"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/report/wording"
)

// runsTable returns all runs in their order, with what each measured.
func (r *results) runsTable() table {
	t := table{Caption: "All runs", Columns: []column{
		{Name: "#", Number: true}, {Name: "Run"}, {Name: "State"}, {Name: "Read IOPS", Number: true}, {Name: "Write IOPS", Number: true}, {Name: "Trim IOPS", Number: true}, {Name: "Sync P99", Number: true}, {Name: "Metadata IOPS", Number: true},
		{Name: "Reads at the storage", Number: true}, {Name: "Writes at the storage", Number: true},
		{Name: "Began"}, {Name: "Took", Number: true}, {Name: "Attempts", Number: true}, {Name: "Limited by"},
	}}
	for i := range r.sb.Status.Runs {
		run := &r.sb.Status.Runs[i]
		own := row{whole(int64(i + 1)), heading(run.Name), stateCell(run.State)}
		for _, d := range directions {
			own = append(own, sumCell(run, d))
		}
		own = append(own, syncCell(run), sumCell(run, operations), countedCell(run, readsCounted), countedCell(run, writesCounted), text(wording.Minute(run.StartTime)), number(wording.Took(run.StartTime, run.CompletionTime)), attemptsCell(run.Attempts), boundOf(run))
		t.Rows = append(t.Rows, own)
	}
	return t.omitEmpty()
}

// stateCell is a cell with a run's state.
func stateCell(s v1alpha1.RunState) cell {
	c := cell{Text: string(s), Class: "short"}
	if s == v1alpha1.RunFailed {
		c.Class = "slower"
	}
	return c
}

// sumCell is a cell with a run's IOPS of one operation. Sections of a job file are one after the other, so that they
// have no sum: theirs are in the comparison.
func sumCell(run *v1alpha1.Run, d direction) cell {
	if run.Result == nil || run.Result.Of(d.name) == nil {
		return cell{Number: true}
	}
	return number(wording.IOPS(run.Result.Of(d.name).MilliIOPS))
}

// syncCell is a cell with the 99th percentile of a run's syncs.
func syncCell(run *v1alpha1.Run) cell {
	if run.Result == nil || distributionOf(run.Result, syncs) == nil {
		return cell{Number: true}
	}
	return number(wording.Percentile(distributionOf(run.Result, syncs).P99Nanoseconds))
}

// countedCell is a cell with the I/Os that the kernel counted of the storage in a direction.
func countedCell(run *v1alpha1.Run, of func(*v1alpha1.StorageCounters) int64) cell {
	if run.Counters == nil {
		return cell{Number: true}
	}
	return whole(of(run.Counters))
}

// attemptsCell is a cell with the number of attempts, if there were several.
func attemptsCell(n int32) cell {
	if n < 2 {
		return cell{Number: true}
	}
	return whole(int64(n))
}

// boundOf is a cell with what held a run back, in one sentence beside its name.
func boundOf(run *v1alpha1.Run) cell {
	if run.LimitedBy == nil {
		return cell{}
	}
	return cell{Text: wording.Upper(wording.Bound(run.LimitedBy.Reason)), Sub: run.LimitedBy.Message}
}

// failuresTable returns the runs without a result and why.
func (r *results) failuresTable() table {
	t := table{Caption: "Runs that failed", Columns: []column{{Name: "Run"}, {Name: "Target"}, {Name: "Attempts", Number: true}, {Name: "Why"}}}
	for i := range r.sb.Status.Runs {
		run := &r.sb.Status.Runs[i]
		if run.State == v1alpha1.RunFailed {
			name := r.target(run.Target)
			t.Rows = append(t.Rows, row{heading(run.Name), {Text: name.Name, Target: &name}, whole(int64(run.Attempts)), text(run.Message)})
		}
	}
	return t
}

// abandonedTable returns the attempts that were ended without a result and repeated.
func (r *results) abandonedTable() table {
	t := table{Caption: "Attempts that were given up", Columns: []column{{Name: "Run"}, {Name: "Attempt", Number: true}, {Name: "Reason"}, {Name: "Node"}, {Name: "Began"}, {Name: "After", Number: true}, {Name: "Message"}}}
	for i := range r.sb.Status.AbandonedAttempts {
		a := &r.sb.Status.AbandonedAttempts[i]
		t.Rows = append(t.Rows, row{
			heading(a.Run), number(fmt.Sprint(a.Attempt)), text(string(a.Reason)), text(a.Node),
			text(wording.Minute(a.StartTime)), number(wording.Took(a.StartTime, a.CompletionTime)), text(a.Message),
		})
	}
	return t.omitEmpty()
}

func readsCounted(c *v1alpha1.StorageCounters) int64  { return c.Reads }
func writesCounted(c *v1alpha1.StorageCounters) int64 { return c.Writes }
