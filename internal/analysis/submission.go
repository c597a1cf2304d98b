package analysis

import (
	"fmt"
	"strings"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// mostlySubmission is the share of its time from which on a job does nothing but submit. Those that read from S3 by
// Mountpoint in experiment E5 have 85 to 96 %: FUSE does what it is asked for within io_submit, one I/O after the
// other.
const mostlySubmission = 0.8

// submissionShare returns the share of their time that jobs spent in submission, 0 if it is not known.
func submissionShare(r *v1alpha1.Result, load Load) float64 {
	if r == nil || load.Jobs <= 0 {
		return 0
	}
	spent := 0.0
	for _, io := range r.Directions() {
		if io.Latency != nil {
			spent += rateOf(io) * float64(io.Latency.SubmissionNanoseconds) / 1e9
		}
	}
	return spent / float64(load.Jobs)
}

// boundInSubmission is Bound, also for jobs that wait in submission. Each of these has one I/O in flight, whatever its
// iodepth, and works on it for as long as it takes from one to the next: latencies of fio have in them how long I/Os
// that had ended waited until the job looked for them.
func boundInSubmission(r *v1alpha1.Result, known Known, load Load, client Client) v1alpha1.LimitedBy {
	share := submissionShare(r, load)
	if share < mostlySubmission || load.InFlight <= load.Jobs {
		return Bound(r, known, load, client)
	}
	one := load
	one.InFlight = load.Jobs
	bound := Bound(oneByOne(r, load.Jobs), known, one, client)
	if bound.Reason != v1alpha1.BoundLatency && bound.Reason != v1alpha1.BoundUnknown {
		return bound
	}
	const words = "%s; each job waits in submission (%.0f %% of its time, fio's slat), one I/O after the other, " +
		"so that iodepth is not reached: more jobs get more, a higher iodepth does not"
	bound.Message = fmt.Sprintf(words, strings.Replace(bound.Message, moreInFlight, "", 1), 100*min(share, 1))
	return bound
}

// oneByOne returns a result as it is of jobs that do one I/O after the other.
func oneByOne(r *v1alpha1.Result, jobs int64) *v1alpha1.Result {
	rate := 0.0
	for _, io := range r.Directions() {
		rate += rateOf(io)
	}
	changed := r.DeepCopy()
	for _, io := range changed.Directions() {
		if io.Latency != nil && rate > 0 {
			io.Latency.MeanNanoseconds = whole(1e9 * float64(jobs) / rate)
		}
	}
	return changed
}
