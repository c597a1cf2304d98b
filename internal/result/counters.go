package result

import (
	"math"
	"slices"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/analysis"
	"github.com/storagebench/storagebench/internal/digest"
	"github.com/storagebench/storagebench/internal/fio"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/storage"
)

// counters returns what the kernels of so many clients counted of the storage. It is nil if that is not known of one of them, and where some are
// on one node and share the storage: its kernel has told each of them of all.
func (f *Facts) counters(report *digest.Report, clients int32) *v1alpha1.StorageCounters {
	c := report.Environment.Counters
	if c == nil || storage.IsShared(f.Planned.Target) && f.countNodes(clients) < int64(clients) {
		return nil
	}
	source := v1alpha1.CountersOfBlockDevice
	if c.NFS {
		source = v1alpha1.CountersOfNFS
	}
	return &v1alpha1.StorageCounters{
		Source: source, Reads: c.Reads, ReadBytes: c.ReadBytes, Writes: c.Writes, WriteBytes: c.WriteBytes, Others: c.Others, Merges: c.Merges,
		BusyMilliseconds: c.BusyMilliseconds, QueueMilliseconds: c.QueueMilliseconds, Retransmissions: c.Retransmissions,
	}
}

// isWholeRun says whether what was counted during the run was measured as one of so many results: there is one, and fio measured for all of its time, and read nothing before.
func (f *Facts) isWholeRun(results int) bool {
	return results == 1 && f.Planned.Job.Begins()[0].AfterMicroseconds == 0 && !f.Planned.Job.ReadsBefore()
}

// counted returns counters as limits are held against them, nil of none.
func (f *Facts) counted(c *v1alpha1.StorageCounters) *analysis.Counted {
	if c == nil {
		return nil
	}
	return &analysis.Counted{
		LeftBytes: f.leftInMemory(), Reads: c.Reads, ReadBytes: c.ReadBytes, Writes: c.Writes, WriteBytes: c.WriteBytes, NFS: c.Source == v1alpha1.CountersOfNFS,
	}
}

// leftInMemory is how much of what the last run on the same storage wrote may not have reached that when it ended: nothing has these writes reach it, and
// the kernel counts them when they do.
func (f *Facts) leftInMemory() int64 {
	left := int64(0)
	for i := range f.Runs {
		run := &f.Runs[i]
		if run.Name == f.Planned.Name {
			break
		}
		if run.Target == f.Planned.Target.Name && run.Attempts > 0 {
			left = f.leftBy(run)
		}
	}
	return left
}

// leftBy is how much a run may have left in memory, 0 where that is not known.
func (f *Facts) leftBy(run *v1alpha1.Run) int64 {
	planned, known := plan.Of(f.Plan, run)
	if !known || run.Counters == nil || !slices.ContainsFunc(planned.Job.Loads(), func(l fio.Load) bool { return l.UnsyncedWrites }) {
		return 0
	}
	written := int64(0)
	for _, r := range run.Results() {
		if r.Of(v1alpha1.OperationWrite) != nil {
			written += min(max(r.Of(v1alpha1.OperationWrite).Bytes, 0), math.MaxInt64-written)
		}
	}
	return max(written-run.Counters.WriteBytes, 0)
}

// exceededLimits returns what EBS itself says of a run, nil if it says nothing.
func exceededLimits(report *digest.Report) *v1alpha1.ExceededLimits {
	e := report.Environment.Exceeded
	if e == nil {
		return nil
	}
	return &v1alpha1.ExceededLimits{
		VolumeIOPSMilliseconds: e.VolumeIOPS / 1000, VolumeThroughputMilliseconds: e.VolumeThroughput / 1000,
		InstanceIOPSMilliseconds: e.InstanceIOPS / 1000, InstanceThroughputMilliseconds: e.InstanceThroughput / 1000,
	}
}

// exceeded returns what EBS says of the only result of a run, nil if it says nothing.
func (m *Measured) exceeded(result *v1alpha1.Result) *analysis.Exceeded {
	e := exceededLimits(&m.merged.Report)
	if e == nil {
		return nil
	}
	return &analysis.Exceeded{
		VolumeIOPSMilliseconds: e.VolumeIOPSMilliseconds, VolumeThroughputMilliseconds: e.VolumeThroughputMilliseconds,
		InstanceIOPSMilliseconds: e.InstanceIOPSMilliseconds, InstanceThroughputMilliseconds: e.InstanceThroughputMilliseconds,
		Volumes:         int64(m.clients()),
		RunMilliseconds: min(result.ElapsedMilliseconds, math.MaxInt64/int64(m.clients())) * int64(m.clients()),
	}
}
