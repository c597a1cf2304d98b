package attempt

import (
	"time"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

const (
	// firstLead is how far ahead the first start is set: three times what the slowest pod took to hear of it in a local
	// cluster (0.63 s). One kubelet on an idle node took from 0.15 to 1.1 s. leadPerClient is for the calls that tell them.
	firstLead     = 2 * time.Second
	leadPerClient = 25 * time.Millisecond
	// maxLead is the most: clients that hear later are not waited for.
	maxLead = time.Minute
)

// StartLead returns how far ahead the start is set that the clients of a run share. It is twice as long after each
// attempt of the benchmark in which a client heard of the start too late.
func StartLead(abandoned []v1alpha1.AbandonedAttempt, clients int32) time.Duration {
	lead := firstLead + time.Duration(clients)*leadPerClient
	for i := range abandoned {
		if abandoned[i].Reason == v1alpha1.AbandonLate {
			lead = min(2*lead, maxLead)
		}
	}
	return lead
}
