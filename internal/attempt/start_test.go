package attempt

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

func TestDecideStart(t *testing.T) {
	ago := func(d time.Duration) time.Time { return noon.Add(-d) }
	const nodeLimit, volumeLimit, podLimit = time.Hour, 5 * time.Minute, 2 * time.Minute
	waiting := func(since time.Duration) NodeWait { return NodeWait{Since: ago(since)} }
	for _, test := range []struct {
		name  string
		facts StartFacts
		want  StartDecision
	}{
		{"has just begun", StartFacts{Began: noon}, StartDecision{For: AwaitedPod, Quiet: true, After: QuietStart}},
		{"has just begun, and has no volume", StartFacts{Began: noon, Unbound: true}, StartDecision{For: AwaitedVolume, Quiet: true, After: QuietStart}},
		{"for a moment", StartFacts{Began: ago(QuietStart - 1), HasPod: true}, StartDecision{For: AwaitedPod, Quiet: true, After: QuietStart}},
		{"no longer for a moment", StartFacts{Began: ago(QuietStart), HasPod: true}, StartDecision{For: AwaitedPod, After: pollStart}},

		{"a volume", StartFacts{Began: ago(time.Minute), HasPod: true, Unbound: true}, StartDecision{For: AwaitedVolume, After: pollStart}},
		{"a volume, for the last second", StartFacts{Began: ago(volumeLimit - time.Second), HasPod: true, Unbound: true}, StartDecision{For: AwaitedVolume, After: time.Second}},
		{"a volume, too long", StartFacts{Began: ago(volumeLimit), HasPod: true, Unbound: true}, StartDecision{For: AwaitedVolume, Expired: true}},
		{"a volume, and keeps others off a node", StartFacts{Began: ago(ReserveFor - time.Second), HasPod: true, Unbound: true, Reserves: true},
			StartDecision{For: AwaitedVolume, After: pollStart}},
		{"a volume that takes long, and keeps others off a node", StartFacts{Began: ago(ReserveFor), HasPod: true, Unbound: true, Reserves: true},
			StartDecision{For: AwaitedVolume, Release: true, After: pollStart}},
		{"a volume, of which who makes the pod knows more", StartFacts{Began: ago(time.Minute), Unbound: true}, StartDecision{For: AwaitedPod, After: pollStart}},
		{"a volume, and crowded by the pods of its own clients", StartFacts{Began: ago(podLimit), HasPod: true, Unbound: true, CrowdedOut: true},
			StartDecision{For: AwaitedPod, Expired: true}},

		{"its pod, for the last second", StartFacts{Began: ago(podLimit - time.Second)}, StartDecision{For: AwaitedPod, After: time.Second}},
		{"its pod, too long", StartFacts{Began: ago(podLimit)}, StartDecision{For: AwaitedPod, Expired: true}},
		{"its pod, since its volumes are there", StartFacts{Began: ago(podLimit), Ready: ago(podLimit - time.Second)}, StartDecision{For: AwaitedPod, After: time.Second}},
		{"its pod, whose volumes were there before", StartFacts{Began: ago(podLimit), Ready: ago(2 * podLimit)}, StartDecision{For: AwaitedPod, Expired: true}},

		{"a node, from now on", StartFacts{Began: ago(podLimit), Blocked: true, HasPod: true, CrowdedOut: true}, StartDecision{For: AwaitedNode, After: pollStart}},
		{"a node, for the last second", StartFacts{Blocked: true, Node: waiting(nodeLimit - time.Second)}, StartDecision{For: AwaitedNode, After: time.Second}},
		{"a node, too long", StartFacts{Blocked: true, Node: waiting(nodeLimit)}, StartDecision{For: AwaitedNode, Expired: true}},
		{"a node again, in all too long", StartFacts{Blocked: true, Node: NodeWait{Since: ago(nodeLimit), FreeSince: ago(time.Second)}},
			StartDecision{For: AwaitedNode, Expired: true}},
		{"a node, and an older benchmark for this one's", StartFacts{Blocked: true, Rival: true, Node: waiting(time.Minute)},
			StartDecision{For: AwaitedNode, Yield: true, After: pollStart}},

		{"its node is free", StartFacts{Began: ago(podLimit), HasPod: true, Placed: true, Node: waiting(time.Minute)},
			StartDecision{For: AwaitedPod, NodeFreed: true, Quiet: true, After: QuietStart}},
		{"its node is free, and it has no volume", StartFacts{Began: ago(volumeLimit), HasPod: true, Placed: true, Unbound: true, Node: waiting(time.Minute)},
			StartDecision{For: AwaitedVolume, NodeFreed: true, Quiet: true, After: QuietStart}},
		{"its node has been free since", StartFacts{Began: ago(podLimit), HasPod: true}, StartDecision{For: AwaitedPod, Expired: true}},
		{"its node is free, and it is not placed yet", StartFacts{Began: ago(podLimit), HasPod: true, Node: waiting(time.Minute)},
			StartDecision{For: AwaitedNode, IsFree: true, After: pollStart}},
		{"its node is free, and it has no pod yet", StartFacts{Began: ago(podLimit), Node: waiting(time.Minute)},
			StartDecision{For: AwaitedNode, IsFree: true, After: pollStart}},
		{"its node is free, and it has waited too long", StartFacts{Began: ago(podLimit), Node: waiting(nodeLimit)},
			StartDecision{For: AwaitedNode, IsFree: true, Expired: true}},
		{"its node is free, and others keep it off", StartFacts{Began: ago(podLimit), HasPod: true, CrowdedOut: true, Node: NodeWait{Since: ago(time.Minute), FreeSince: ago(settleFor)}},
			StartDecision{For: AwaitedPod, NodeFreed: true, Quiet: true, After: QuietStart}},
		{"an older benchmark, but nobody holds its node", StartFacts{Began: ago(time.Minute), HasPod: true, Rival: true}, StartDecision{For: AwaitedPod, After: pollStart}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.facts.Now = noon
			test.facts.NodeLimit, test.facts.VolumeLimit, test.facts.PodLimit = nodeLimit, volumeLimit, podLimit
			if diff := cmp.Diff(test.want, DecideStart(test.facts)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecideRefused(t *testing.T) {
	const podLimit = time.Minute
	for _, test := range []struct {
		name string
		ago  time.Duration
		want StartDecision
	}{
		{"at once", 0, StartDecision{For: AwaitedPod, After: pollStart}},
		{"for the last second", podLimit - time.Second, StartDecision{For: AwaitedPod, After: time.Second}},
		{"too long", podLimit, StartDecision{For: AwaitedPod, Expired: true}},
	} {
		facts := StartFacts{Now: noon, Began: noon.Add(-test.ago), Ready: noon, PodLimit: podLimit}
		if diff := cmp.Diff(test.want, DecideRefused(facts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Whoever waited for an older benchmark has all its time when it is its turn.
func TestDecideRefusedAfterAWaitForNodes(t *testing.T) {
	const podLimit = time.Minute
	long, short := noon.Add(-time.Hour), noon.Add(-podLimit)
	for _, test := range []struct {
		name string
		wait NodeWait
		want StartDecision
	}{
		{"it is its turn", NodeWait{Since: long}, StartDecision{For: AwaitedPod, NodeFreed: true, After: pollStart}},
		{"it has been its turn, too long", NodeWait{}, StartDecision{For: AwaitedPod, Expired: true}},
	} {
		facts := StartFacts{Now: noon, Began: short, PodLimit: podLimit, Node: test.wait}
		if diff := cmp.Diff(test.want, DecideRefused(facts)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A benchmark waits for nodes at the step of that name, since that began.
func TestNodeWaitOf(t *testing.T) {
	since, free := metav1.NewTime(noon), noon.Add(time.Minute)
	for step, want := range map[string]NodeWait{
		v1alpha1.ReasonWaitingForNode: {Since: noon, FreeSince: free},
		v1alpha1.ReasonPreparing:      {},
	} {
		status := &v1alpha1.StorageBenchmarkStatus{StepStartTime: &since, Conditions: []metav1.Condition{
			{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: step},
		}}
		if got := NodeWaitOf(status, free); got != want || got.Waits() != (step == v1alpha1.ReasonWaitingForNode) {
			t.Errorf("at step %s: %+v, want %+v", step, got, want)
		}
	}
}
