// Package children has the Jobs, pods and claims of a benchmark as they were read: which of them are its own, what they tell of what it waits for, and what they tell
// clean-up. It notes in the status of which targets there may be test files.
package children

import (
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/owned"
	"github.com/storagebench/storagebench/internal/storage"
)

// Children are a benchmark's own.
type Children struct {
	Benchmark *v1alpha1.StorageBenchmark
	// ClaimTargets are the targets of the claims that are made for the benchmark, by the names of the claims.
	ClaimTargets map[string]string
	// IsUnmade reports whether this operator knows that it has not made a claim of a name.
	IsUnmade func(name string) bool

	Jobs   map[string]*batchv1.Job
	Pods   map[string][]*corev1.Pod // by the name of their Job
	Claims owned.Claims
	// Anchors are the pods that hold nodes.
	Anchors map[string]*corev1.Pod
	// MayMeasure says whether a pod of a run has not ended, also one whose Job is gone.
	MayMeasure bool
}

// Of returns the children of a benchmark before any is read.
func Of(sb *v1alpha1.StorageBenchmark, isUnmade func(name string) bool) Children {
	return Children{Benchmark: sb, ClaimTargets: owned.ClaimTargets(sb), IsUnmade: isUnmade}
}

// SortChildren keeps those that are the benchmark's own, by what they are for.
func (c *Children) SortChildren(jobs []batchv1.Job, pods []corev1.Pod, claims []corev1.PersistentVolumeClaim) {
	c.Jobs, c.Claims = map[string]*batchv1.Job{}, owned.ClaimsOf(c.OwnClaims(claims))
	for i := range jobs {
		if owned.Job(c.Benchmark, &jobs[i]) {
			c.Jobs[jobs[i].Name] = &jobs[i]
		}
	}
	c.sortPods(pods)
}

func (c *Children) sortPods(pods []corev1.Pod) {
	c.Pods, c.Anchors, c.MayMeasure = map[string][]*corev1.Pod{}, map[string]*corev1.Pod{}, false
	for i := range pods {
		pod := &pods[i]
		of := c.jobOf(pod)
		switch {
		case owned.Anchor(c.Benchmark, pod):
			c.Anchors[pod.Name] = pod
		case of != nil:
			c.MayMeasure = c.MayMeasure || attempt.MayMeasure(pod)
			c.Pods[of.Name] = append(c.Pods[of.Name], pod)
		case owned.NamedPod(c.Benchmark, pod):
			c.MayMeasure = c.MayMeasure || attempt.MayMeasure(pod)
		}
	}
}

// IsOfJob reports whether a pod was made for one of the Jobs of a benchmark, or measures for one that is gone.
func IsOfJob(c *Children, pod *corev1.Pod) bool {
	return c.jobOf(pod) != nil || owned.NamedPod(c.Benchmark, pod) && attempt.MayMeasure(pod)
}

// jobOf returns the benchmark's Job that a pod was made for, nil if there is none.
func (c *Children) jobOf(pod *corev1.Pod) *batchv1.Job {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || c.Jobs[owner.Name] == nil || !owned.PodOf(c.Jobs[owner.Name], pod) {
		return nil
	}
	return c.Jobs[owner.Name]
}

// OwnClaims returns those claims that were made for the benchmark.
func (c *Children) OwnClaims(claims []corev1.PersistentVolumeClaim) (own []*corev1.PersistentVolumeClaim) {
	for i := range claims {
		if c.IsOwnClaim(&claims[i]) {
			own = append(own, &claims[i])
		}
	}
	return own
}

// IsOwnClaim reports whether a claim was made for the benchmark, as far as this operator knows. None was before the
// benchmark has started.
func (c *Children) IsOwnClaim(claim *corev1.PersistentVolumeClaim) bool {
	hasStarted := c.Benchmark.Status.StartTime != nil
	return hasStarted && owned.Claim(c.Benchmark, c.ClaimTargets, claim) && !isUnnoted(c, claim.Name)
}

// IsUnnotedClaim reports whether a claim is like one that was made for the benchmark, but this operator has not made it and
// no operator has recorded it in the status. A tenant may have forged it. A second operator may have made it: that one
// records it in its next pass.
func (c *Children) IsUnnotedClaim(claim *corev1.PersistentVolumeClaim) bool {
	return owned.Claim(c.Benchmark, c.ClaimTargets, claim) && isUnnoted(c, claim.Name)
}

// isUnnoted reports whether this operator has not made a claim of a name, and no operator has recorded one. Only
// operators can write the status.
func isUnnoted(c *Children, name string) bool {
	return c.IsUnmade(name) && c.Benchmark.Status.Target(c.ClaimTargets[name]).ClaimUID(name) == ""
}

// LacksClaim says whether one of the claims of these names is not there.
func (c *Children) LacksClaim(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return c.Claims[name] == nil })
}

// JobOf returns the Job of a client in a run's attempt, nil if it is not there.
func (c *Children) JobOf(run *v1alpha1.Run, client int32) *batchv1.Job {
	return c.Jobs[childmeta.RunName(c.Benchmark, run.Name, run.Attempts, client)]
}

// MissingJobs returns the clients whose Jobs of a run's attempt are not there.
func (c *Children) MissingJobs(run *v1alpha1.Run) []int32 {
	var missing []int32
	for client := range run.ClientCount() {
		if c.JobOf(run, client) == nil {
			missing = append(missing, client)
		}
	}
	return missing
}

// AnchorOf returns the pod of a client's anchor, nil if it is not there.
func (c *Children) AnchorOf(client int) *corev1.Pod {
	return c.Anchors[childmeta.AnchorName(c.Benchmark, int32(client), c.Benchmark.Status.Anchors[client].Attempts)]
}

// SeeAnchors returns how far the anchors are.
func (c *Children) SeeAnchors() []attempt.Anchor {
	anchors := make([]attempt.Anchor, len(c.Benchmark.Status.Anchors))
	for i, a := range c.Benchmark.Status.Anchors {
		anchors[i] = attempt.Anchor{Pod: c.AnchorOf(i), Seen: a.Pod != "", Node: a.Node, Bound: c.IsBound(int32(i))}
	}
	return anchors
}

// IsBound reports whether all claims that a client's anchor mounts have their volumes.
func (c *Children) IsBound(client int32) bool {
	return c.FirstUnbound(c.AnchorVolumes(client)) == nil
}

// MountsAsIs says whether a claim of the benchmark is of storage that is mounted as it is: its volume is removed by its name.
func (c *Children) MountsAsIs(claim *corev1.PersistentVolumeClaim) bool {
	name := c.ClaimTargets[claim.Name]
	return slices.ContainsFunc(c.Benchmark.Spec.Targets, func(t v1alpha1.Target) bool { return t.Name == name && storage.MakesVolume(&t) })
}

// Newest returns the youngest of the pods, or nil. A Job that replaces its pod has several for a moment.
func Newest(pods []*corev1.Pod) *corev1.Pod {
	if len(pods) == 0 {
		return nil
	}
	return slices.MaxFunc(pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
}
