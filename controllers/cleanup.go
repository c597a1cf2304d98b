package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
)

// pollChildren is how often it is looked whether something that was deleted is gone. Volumes are not
// watched: a cluster has many, and a benchmark waits for few and not for long.
const pollChildren = 250 * time.Millisecond

// pollFor is how often it is looked whether what is left is gone: the more there is, the more calls a look takes.
func pollFor(left []cleanup.Leftover) time.Duration {
	return pollChildren + time.Duration(5*len(left))*time.Millisecond
}

// cleanUp removes volumes and test files. It waits until they are gone: a volume that stays costs money.
func cleanUp(ctx context.Context, p *pass) (outcome, error) {
	deleting := !p.sb.DeletionTimestamp.IsZero()
	// What was left or retained gets another chance when the benchmark is deleted; nothing comes after NothingLeft.
	if status := p.sb.Status.Condition(v1alpha1.ConditionCleanedUp).Status; status == metav1.ConditionTrue || (status != "" && !deleting) {
		return goOn(), nil
	}
	if p.sb.Spec.CleanupPolicy == v1alpha1.CleanupRetain && !deleting {
		return p.retain(ctx)
	}
	left, out, err := p.awaitRemoval(p.untilNothingIsLeft(ctx, p.remove))
	if err != nil || out.stop {
		return out, err
	}
	if len(left) > 0 {
		p.setLeftBehind(left)
	} else {
		p.setCleanedUp()
	}
	return goOn(), nil
}

// awaitRemoval waits until nothing is left, or until the deadline of clean-up has passed. Then it returns what is.
func (s *writer) awaitRemoval(left []cleanup.Leftover, err error) ([]cleanup.Leftover, outcome, error) {
	remaining := s.cleaning().Remaining()
	waitFor := cleanup.WithoutAbandoned(left)
	switch {
	case err != nil && remaining > 0:
		return nil, outcome{}, err
	case err != nil:
		return append(left, cleanup.LeftByError(err)), goOn(), nil
	case remaining > 0 && len(waitFor) > 0:
		s.step(v1alpha1.ReasonCleaningUp, "waiting for the removal of "+cleanup.Names(waitFor))
		return nil, awaitGone(left, remaining), nil
	default:
		return left, goOn(), nil
	}
}

// setCleanedUp reports that all is gone, or, where that cannot be seen, what of it is.
func (s *writer) setCleanedUp() {
	if unknown := s.namespaces.VolumesUnknown(s.sb); unknown != "" {
		s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonClaimsGone, unknown)
		return
	}
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, s.kept.Words(s.sb))
}

func (s *writer) setLeftBehind(left []cleanup.Leftover) {
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, s.cleaning().DescribeLeft(left))
}

// cleaning returns how long clean-up may take, and remembers that this operator is at it.
func (s *writer) cleaning() cleanup.Budget {
	budget := s.budget()
	s.memory.cleaningSince, s.memory.cleaningFor = budget.Tried, budget.Least
	return budget
}

// budget returns how long clean-up may take, if this operator begins with it now, or has begun.
func (s *scope) budget() cleanup.Budget {
	least := cmp.Or(s.memory.cleaningFor, cleanup.FirstTry)
	if s.memory.cleaningFor == 0 && s.sb.Status.Condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonCleaningUp { // an operator before this one was at it
		least = cleanup.NextTry
	}
	since := s.memory.cleaningSince
	if since.IsZero() {
		since = s.now.Time
	}
	return cleanup.Budget{Began: cleanup.Began(s.sb), Tried: since, Now: s.now.Time, Limit: attempt.CleanUpLimit(s.sb.Spec.Deadlines), Least: least}
}

// remove goes one step further in removing what was made, and returns what is not gone yet. Package cleanup has the
// order of the kinds. What logs of pods hold is kept in ConfigMaps.
func (p *pass) remove(ctx context.Context) (left []cleanup.Leftover, err error) {
	var before []cleanup.Removal
	for {
		turn := cleanup.NextTurn(before, p.cleaning().IsHalfOver(), p.cleaning().Remaining() <= 0)
		if turn.Kind == "" {
			return left, err
		}
		some, failure := p.removeKind(ctx, turn)
		before = append(before, cleanup.Removal{Kind: turn.Kind, Left: len(some) > 0, Failed: failure != nil})
		left, err = append(left, some...), errors.Join(err, failure)
	}
}

// removeKind does so for a kind, and returns what of it is not gone yet.
func (p *pass) removeKind(ctx context.Context, turn cleanup.Turn) ([]cleanup.Leftover, error) {
	switch turn.Kind {
	case cleanup.Runs:
		return p.removeJobs(ctx, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun})
	case cleanup.Anchors:
		return p.removeAnchors(ctx)
	case cleanup.Files:
		return p.removeFiles(ctx, len(turn.After) == 0)
	case cleanup.Volumes:
		return p.removeVolumes(ctx)
	case cleanup.Objects:
		return p.removeClusterObjects(ctx)
	default:
		return nil, fmt.Errorf("no way is known to remove %s", turn.Kind)
	}
}

// removeJobs deletes the benchmark's Jobs that have the labels, and returns what is left of them and their
// pods. The Jobs go before their pods, which spares these the second or two that a Job takes to count them.
func (p *pass) removeJobs(ctx context.Context, having client.MatchingLabels) ([]cleanup.Leftover, error) {
	jobs, pods, err := p.listChildren(ctx, having)
	if err != nil {
		return nil, err
	}
	var left []cleanup.Leftover
	var own []*batchv1.Job
	uids := sets.New[types.UID]()
	for _, j := range jobs {
		if ours.Job(p.sb, j) {
			own, left = append(own, j), append(left, cleanup.LeftJob(j, p.now.Time))
			uids.Insert(j.UID)
		}
	}
	leftPods, err := p.endJobs(ctx, own, pods, uids)
	return append(left, leftPods...), err
}

// endJobs deletes Jobs, and pods of Jobs that are gone, and returns what is left of pods: of these, and of those of the Jobs that have the UIDs. What pods tell goes
// with them, so that nothing is deleted until it is saved.
func (p *pass) endJobs(ctx context.Context, jobs []*batchv1.Job, pods []*corev1.Pod, uids sets.Set[types.UID]) ([]cleanup.Leftover, error) {
	left, orphans, err := p.leftPods(ctx, pods, uids)
	if err != nil || p.hasNewFiles() {
		return left, err
	}
	return left, errors.Join(p.deleteJobs(ctx, jobs), p.deletePods(ctx, orphans))
}

// leftPods returns what is left of the pods of Jobs, and of those that are gone, and which go with no Job: theirs was deleted without them.
func (p *pass) leftPods(ctx context.Context, pods []*corev1.Pod, jobs sets.Set[types.UID]) (left []cleanup.Leftover, orphans []*corev1.Pod, err error) {
	for _, pod := range pods {
		mine, err := p.isLeft(ctx, pod, jobs)
		if err != nil {
			return nil, nil, err
		}
		if !mine {
			continue
		}
		p.NoteFilesOf(pod)
		left = append(left, cleanup.LeftPod(pod, p.now.Time))
		if metav1.GetControllerOf(pod) == nil {
			orphans = append(orphans, pod)
		}
	}
	return left, orphans, nil
}

// isLeft says whether a pod is left of one of the Jobs, or of one of the benchmark's that is gone.
func (p *pass) isLeft(ctx context.Context, pod *corev1.Pod, jobs sets.Set[types.UID]) (bool, error) {
	left, owner := ours.IsLeft(p.sb, pod, jobs)
	if owner == nil {
		return left, nil
	}
	theirs, err := p.liveJob(ctx, owner.Name, "get Job of pod "+pod.Name)
	return ours.IsLeftOf(p.sb, owner, theirs), err
}

// deleteJobs deletes Jobs, and has Kubernetes delete their pods.
func (p *pass) deleteJobs(ctx context.Context, jobs []*batchv1.Job) error {
	return deleteAll(ctx, p, "Job ", jobs, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

func (p *pass) deletePods(ctx context.Context, pods []*corev1.Pod) error {
	return deleteAll(ctx, p, "pod ", pods)
}

// removeAnchors deletes the pods that hold nodes, but those that are wanted, and returns what is left of them.
func (p *pass) removeAnchors(ctx context.Context, wanted ...string) ([]cleanup.Leftover, error) {
	pods, err := p.listAnchors(ctx)
	if err != nil {
		return nil, err
	}
	var left []cleanup.Leftover
	var unwanted []*corev1.Pod
	for _, pod := range pods {
		if ours.Anchor(p.sb, pod) && !slices.Contains(wanted, pod.Name) {
			unwanted, left = append(unwanted, pod), append(left, cleanup.LeftPod(pod, p.now.Time))
		}
	}
	return left, p.deletePods(ctx, unwanted)
}

// deleteAll deletes objects. kind is what an error calls them by, before their names.
func deleteAll[O client.Object](ctx context.Context, p *pass, kind string, objects []O, options ...client.DeleteOption) error {
	return errors.Join(inParallel(ctx, objects, func(object O) error {
		return deleteObject(ctx, p.Client, kind, object, options...)
	})...)
}

// deleteObject deletes an object, unless that is under way.
func deleteObject(ctx context.Context, c client.Writer, kind string, object client.Object, options ...client.DeleteOption) error {
	if !object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	options = append([]client.DeleteOption{client.Preconditions{UID: new(object.GetUID())}}, options...)
	return unlessGone(c.Delete(ctx, object, options...), "delete "+kind+object.GetName())
}
