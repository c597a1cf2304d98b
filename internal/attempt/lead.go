package attempt

import (
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// firstLead is how far ahead the first start is set, for which nothing is measured yet: three times what the
	// slowest pod took to hear of it in a local cluster (0.63 s). leadPerClient is for the calls that tell them.
	firstLead     = 2 * time.Second
	leadPerClient = 25 * time.Millisecond
	// minLead is the least, for a kubelet that is slower than it was before: of one and the same, on an idle node, it was
	// seen to take from 0.15 to 1.1 s.
	minLead = 2 * time.Second
	// maxLead is the most: clients that hear later are not waited for.
	maxLead = time.Minute
)

// StartLead returns how far ahead the start is set that the clients of a run share: twice what the slowest client of the runs before took to
// hear of theirs, in proportion to the number of clients, but no less than an attempt before that was too short wants.
func StartLead(runs []v1alpha1.Run, run *v1alpha1.Run) time.Duration {
	clients := int64(run.ClientCount())
	lead := firstLead.Milliseconds() + clients*leadPerClient.Milliseconds()
	if slowest, known := slowestClient(runs, clients); known {
		lead = max(minLead.Milliseconds(), 2*slowest)
	}
	return time.Duration(min(max(lead, run.StartLeadMilliseconds), maxLead.Milliseconds())) * time.Millisecond
}

// DoubleLead has the next attempt of a run have twice the time, because a client of this one heard of the start when it had passed.
func DoubleLead(run *v1alpha1.Run) {
	run.StartLeadMilliseconds = min(2*run.StartLeadMilliseconds, maxLead.Milliseconds())
}

// rememberedStarts is of how many runs before the slowest client counts: what slowed down one pod once need not hold back
// all runs after it.
const rememberedStarts = 3

// slowestClient returns how many milliseconds the slowest client of the last runs took to hear of its start, as it would
// be of so many clients, and whether that is known.
func slowestClient(runs []v1alpha1.Run, clients int64) (int64, bool) {
	slowest, seen := int64(0), 0
	for i := len(runs) - 1; i >= 0 && seen < rememberedStarts; i-- {
		run := &runs[i]
		if run.State != v1alpha1.RunSucceeded || run.AgreedStart == nil {
			continue
		}
		took := run.StartLeadMilliseconds - run.StartMarginMilliseconds
		slowest = max(slowest, took*clients/min(int64(run.ClientCount()), clients))
		seen++
	}
	return slowest, seen > 0
}
