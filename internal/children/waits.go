package children

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/storage"
)

// Waits tells what a benchmark waits for, and since when.
type Waits struct {
	Children
	Now time.Time
	// BoundSince is since when claims are seen to have their volumes, by their UIDs.
	BoundSince map[types.UID]time.Time
}

// Need is a volume that a pod needs to start, by its target and its claim.
type Need struct{ Target, Claim string }

// VolumesFor returns the volumes that a client uses, of one target, or of all if that is "".
func (c *Children) VolumesFor(client int32, only string) []Need {
	var needs []Need
	for i := range c.Benchmark.Spec.Targets {
		if target := &c.Benchmark.Spec.Targets[i]; only == "" || target.Name == only {
			needs = append(needs, Need{Target: target.Name, Claim: storage.ClaimName(c.Benchmark, target, client)})
		}
	}
	return needs
}

// AnchorVolumes returns the volumes that a client's anchor mounts. Those that only one pod may have are left to the runs.
func (c *Children) AnchorVolumes(client int32) []Need {
	return slices.DeleteFunc(c.VolumesFor(client, ""), func(needed Need) bool {
		return c.Benchmark.Status.Target(needed.Target).IsForOnePod()
	})
}

// FirstUnbound returns the first claim of those needed that has no volume yet, or nil.
func (c *Children) FirstUnbound(needs []Need) *corev1.PersistentVolumeClaim {
	for _, needed := range needs {
		if claim := c.Claims[needed.Claim]; claim != nil && claim.Status.Phase != corev1.ClaimBound {
			return claim
		}
	}
	return nil
}

// Patience returns from when on, and for how long, errors may go on that began at a time, and what is waited for by that. A wait has its own deadline, which
// the errors may keep from being looked at: they neither shorten it nor make it longer.
func (w *Waits) Patience(since time.Time) (from time.Time, limit attempt.Limit, what string) {
	deadlines := w.Benchmark.Spec.Deadlines
	if since := w.Benchmark.Status.StepSince(v1alpha1.ReasonWaitingForNode); since != nil {
		return since.Time, attempt.NodeLimit(deadlines), "a node"
	}
	if began := w.provisioningSince(); began != nil {
		return began.Time, attempt.VolumeLimit(deadlines), "a volume"
	}
	if began := w.startingSince(); began != nil {
		return *began, attempt.StartLimit(deadlines), "a pod to start"
	}
	return since, attempt.StartLimit(deadlines), "errors to end"
}

// startingSince returns since when a pod has time to start, of an anchor or of a run, that the benchmark waits for. It is nil if it does not.
func (w *Waits) startingSince() *time.Time {
	if run := w.Benchmark.Status.RunningRun(); run != nil {
		for client := range run.ClientCount() {
			if w.awaitsPod(run, client) {
				return new(w.ReadySince(AwaitedSince(run.StartTime, MadeAt(w.JobOf(run, client))), w.VolumesFor(client, run.Target)))
			}
		}
		return nil
	}
	if i := w.awaitedAnchor(); i >= 0 {
		began := AwaitedSince(w.Benchmark.Status.Anchors[i].StartTime, AnchorMadeAt(w.AnchorOf(i)))
		return new(w.ReadySince(began, w.AnchorVolumes(int32(i))))
	}
	return nil
}

// awaitedAnchor returns the first client whose anchor has begun and holds no node yet, -1 if there is none.
func (w *Waits) awaitedAnchor() int {
	return slices.IndexFunc(w.Benchmark.Status.Anchors, func(a v1alpha1.Anchor) bool { return a.StartTime != nil && a.Node == "" })
}

// awaitsPod says whether a client's pod in a run's attempt has not started, as far as that can be told without a call. A Job or a pod that was
// there and is not found may have lost its labels, and measure.
func (w *Waits) awaitsPod(run *v1alpha1.Run, client int32) bool {
	existing := w.JobOf(run, client)
	if existing == nil {
		return run.Job == ""
	}
	pod := Newest(w.Pods[existing.Name])
	return (pod != nil || existing.Status.Active == 0) && attempt.Observe(existing, pod, w.Now).Phase == attempt.Starting
}

// provisioningSince returns since when the benchmark waits for volumes: to be admitted, or to be made for a pod. It is nil if it does not.
func (w *Waits) provisioningSince() *metav1.Time {
	status := &w.Benchmark.Status
	if run := status.RunningRun(); run != nil {
		if w.lacksVolume(run.Target) {
			return run.StartTime
		}
		return nil
	}
	if len(status.Anchors) == 0 {
		return status.StepSince(v1alpha1.ReasonProvisioning)
	}
	if i := w.awaitedAnchor(); i >= 0 && w.anchorsLackVolume() {
		return status.Anchors[i].StartTime
	}
	return nil
}

// lacksVolume says whether a claim of a target is there, and has no volume yet.
func (w *Waits) lacksVolume(target string) bool {
	for name, claim := range w.Claims {
		if w.ClaimTargets[name] == target && claim.Status.Phase != corev1.ClaimBound {
			return true
		}
	}
	return false
}

// anchorsLackVolume says the same of the targets whose volumes anchors mount.
func (w *Waits) anchorsLackVolume() bool {
	return slices.ContainsFunc(w.Benchmark.Spec.Targets, func(t v1alpha1.Target) bool {
		return !w.Benchmark.Status.Target(t.Name).IsForOnePod() && w.lacksVolume(t.Name)
	})
}

// ReadySince returns when all volumes were there that a pod needs, or when the wait for it began if that was later. From then on it has
// time to start.
func (w *Waits) ReadySince(began time.Time, needs []Need) time.Time {
	since := began
	for _, needed := range needs {
		if bound := w.boundAt(began, needed); bound.After(since) {
			since = bound
		}
	}
	return since
}

// boundAt returns since when the claim of a volume is seen to have it, zero if that is not known. An operator that was started anew may see it
// late: the volume came in the time that it had.
func (w *Waits) boundAt(began time.Time, needed Need) time.Time {
	claim := w.Claims[needed.Claim]
	if claim == nil {
		return time.Time{}
	}
	seen, latest := w.BoundSince[claim.UID], began.Add(attempt.VolumeLimit(w.Benchmark.Spec.Deadlines).Duration())
	if seen.After(latest) {
		return latest
	}
	return seen
}

// AwaitedSince returns since when a pod is waited for: not before it was made, or the Job that makes it. Between the beginning of an attempt, which
// is written down first, and that, the operator may have been away.
func AwaitedSince(began *metav1.Time, made metav1.Time) time.Time {
	if began.Before(&made) {
		return made.Time
	}
	return began.Time
}

// AnchorMadeAt returns when the pod of an anchor was made, zero if it is not there. One that only has claims
// bound goes on with the wait of a pod that was released, and counts as made as long before.
func AnchorMadeAt(pod *corev1.Pod) metav1.Time {
	made := MadeAt(pod)
	if pod != nil && job.OnlyBinds(pod) {
		made.Time = made.Add(-attempt.ReserveFor)
	}
	return made
}

// MadeAt returns when an object was made, zero if it is not there.
func MadeAt[T any, Object interface {
	*T
	metav1.Object
}](object Object) (at metav1.Time) {
	if object != nil {
		at = object.GetCreationTimestamp()
	}
	return at
}
