package attempt

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// This file has what is written down of nodes.

// ReleaseNodes lets its nodes go. Anchors are looked for again by whoever needs them next.
func ReleaseNodes(status *v1alpha1.StorageBenchmarkStatus) {
	for i := range status.Anchors {
		a := &status.Anchors[i]
		a.StartTime, a.Pod, a.Node, a.InstanceType = nil, "", "", ""
	}
}

// RenewAnchors writes down that clients have another pod made, which holds their nodes, or which holds none while their claims
// are bound. That is no disruption.
func RenewAnchors(status *v1alpha1.StorageBenchmarkStatus, clients []int, now time.Time) {
	for _, i := range clients {
		status.Anchors[i].StartTime = nil
	}
	BeginAnchors(status, now)
}

// YieldNodes lets its nodes go to an older benchmark, which in turn holds nodes that this one waits for.
func YieldNodes(status *v1alpha1.StorageBenchmarkStatus) {
	for i := range status.Anchors {
		a := &status.Anchors[i]
		a.Pod, a.Node, a.InstanceType = "", "", ""
		a.Attempts++ // others than those that are being deleted
	}
}

// BeginAnchors writes down that attempts to hold nodes begin at a time, before their pods are made, and returns the first client whose attempt does, -1 if none does.
func BeginAnchors(status *v1alpha1.StorageBenchmarkStatus, at time.Time) int {
	first := -1
	for i := range status.Anchors {
		a := &status.Anchors[i]
		if a.StartTime != nil {
			continue
		}
		a.Attempts++
		a.StartTime = &metav1.Time{Time: at}
		a.Pod, a.Node, a.InstanceType = "", "", ""
		if first < 0 {
			first = i
		}
	}
	return first
}
