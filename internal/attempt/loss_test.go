package attempt

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// A lost node ends the attempt under way, unless that has ended by itself or has not begun, and is looked for again, but not for ever.
func TestDecideLoss(t *testing.T) {
	const why = "the benchmark lost node a: its pod was deleted"
	begun, not := &v1alpha1.Run{Job: "j"}, &v1alpha1.Run{}
	for name, test := range map[string]struct {
		loss Loss
		want LossDecision
	}{
		"no run":                           {Loss{Node: "a", Before: 1}, LossDecision{Action: LeaveRun, Message: why}},
		"a run":                            {Loss{Node: "a", Run: begun}, LossDecision{Action: RepeatRun, Message: why}},
		"a run that has not begun":         {Loss{Node: "a", Run: not}, LossDecision{Action: AwaitNode, Message: why}},
		"a run that has ended":             {Loss{Node: "a", Run: begun, Collected: true}, LossDecision{Action: LeaveRun, Message: why}},
		"a run that ended before its time": {Loss{Node: "a", Run: not, Collected: true}, LossDecision{Action: LeaveRun, Message: why}},
		"before there was a node":          {Loss{Run: not}, LossDecision{Action: AwaitNode, Message: "the benchmark lost node (none yet): its pod was deleted"}},
		"the last one that may be lost":    {Loss{Node: "a", Run: begun, Before: MaxLostNodes - 1}, LossDecision{Action: RepeatRun, Message: why}},
		"once too often": {Loss{Node: "a", Run: begun, Before: MaxLostNodes},
			LossDecision{Action: RepeatRun, Message: why, Fails: "9 nodes were lost, the last one because " + why}},
	} {
		test.loss.Why = "its pod was deleted"
		if diff := cmp.Diff(test.want, DecideLoss(test.loss)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", name, diff)
		}
	}
}
