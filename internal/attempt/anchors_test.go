package attempt

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/test/builder"
)

// anchorPod returns the pod of an anchor whose container is in a state.
func anchorPod(state corev1.ContainerState, changes ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Status = corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: job.AnchorContainer, State: state}}}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

// A pod that was there and is gone comes first: what had its node may go on. Then all pods are made before one is given up, or its node counts.
func TestDecideAnchors(t *testing.T) {
	ended := func(phase corev1.PodPhase, reason, message string) *corev1.Pod {
		return anchorPod(corev1.ContainerState{}, func(pod *corev1.Pod) {
			pod.Status.Phase, pod.Status.Reason, pod.Status.Message = phase, reason, message
		})
	}
	running, starting, restarting := anchorPod(runs(noon)), anchorPod(waits("ContainerCreating", "")), anchorPod(waits("CrashLoopBackOff", ""))
	evicted := condition(corev1.DisruptionTarget, corev1.ConditionTrue, "EvictionByEvictionAPI", "drained")
	missing, lost := Anchor{}, Anchor{Seen: true, Node: "a"}
	holds, begins := Anchor{Pod: running, Seen: true, Node: "a"}, Anchor{Pod: starting, Seen: true}
	onlyBinds := func(pod *corev1.Pod) {
		binding := job.ForBinding(builder.OneRun("default", "sb").Build(), job.Image{}, job.Anchor{Attempt: 1})
		pod.Spec.Containers = []corev1.Container{{Name: *binding.Spec.Containers[0].Name}}
	}
	binder := anchorPod(waits("ContainerCreating", ""), onlyBinds)
	for _, test := range []struct {
		name    string
		anchors []Anchor
		want    AnchorDecision
	}{
		{"one has its claims bound", []Anchor{holds, {Pod: binder}}, AnchorDecision{Action: HoldNodes, Clients: []int{0}, Waiting: []int{1}}},
		{"the claims of one are bound", []Anchor{holds, {Pod: binder, Bound: true}}, AnchorDecision{Action: HoldNext, Clients: []int{1}}},
		{"the claims of one are bound, and one is not there yet", []Anchor{missing, {Pod: binder, Bound: true}}, AnchorDecision{Action: MakeAnchors, Clients: []int{0}}},
		{"one was evicted while its claims are bound", []Anchor{{Pod: anchorPod(runs(noon), evicted, onlyBinds)}},
			AnchorDecision{Action: LoseAnchor, Clients: []int{0}, Why: "EvictionByEvictionAPI: drained"}},
		{"none is there yet", []Anchor{missing, missing}, AnchorDecision{Action: MakeAnchors, Clients: []int{0, 1}}},
		{"one is not there yet", []Anchor{holds, missing}, AnchorDecision{Action: MakeAnchors, Clients: []int{1}}},
		{"one is not there yet, and one has ended", []Anchor{{Pod: ended(corev1.PodFailed, "", ""), Seen: true}, missing}, AnchorDecision{Action: MakeAnchors, Clients: []int{1}}},
		{"one was there", []Anchor{holds, lost}, AnchorDecision{Action: FindAnchor, Clients: []int{1}}},
		{"one was there, and one was never", []Anchor{missing, lost}, AnchorDecision{Action: FindAnchor, Clients: []int{1}}},
		{"two were there", []Anchor{lost, lost}, AnchorDecision{Action: FindAnchor, Clients: []int{0}}},

		{"one has ended", []Anchor{begins, {Pod: ended(corev1.PodSucceeded, "", ""), Seen: true}}, AnchorDecision{Action: LoseAnchor, Clients: []int{1}, Why: "its pod ended"}},
		{"one has failed", []Anchor{{Pod: ended(corev1.PodFailed, "OutOfcpu", "no room"), Node: "a"}}, AnchorDecision{Action: LoseAnchor, Clients: []int{0}, Why: "OutOfcpu: no room"}},
		{"one is evicted", []Anchor{{Pod: anchorPod(runs(noon), evicted)}}, AnchorDecision{Action: LoseAnchor, Clients: []int{0}, Why: "EvictionByEvictionAPI: drained"}},
		{"two are deleted", []Anchor{{Pod: anchorPod(runs(noon), deleted(noon))}, {Pod: anchorPod(runs(noon), deleted(noon))}},
			AnchorDecision{Action: LoseAnchor, Clients: []int{0}, Why: "its pod was deleted"}},

		{"one begins", []Anchor{begins}, AnchorDecision{Action: HoldNodes, Waiting: []int{0}}},
		{"one runs", []Anchor{{Pod: running}}, AnchorDecision{Action: HoldNodes, Clients: []int{0}}},
		{"some run", []Anchor{begins, {Pod: running}, begins, holds}, AnchorDecision{Action: HoldNodes, Clients: []int{1, 3}, Waiting: []int{0, 2}}},
		{"one is started again, and has its volumes", []Anchor{{Pod: restarting, Node: "a"}}, AnchorDecision{Action: HoldNodes, Clients: []int{0}}},
		{"one is started again before it had a node", []Anchor{{Pod: restarting}}, AnchorDecision{Action: HoldNodes, Waiting: []int{0}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, DecideAnchors(test.anchors)); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
		})
	}
}
