package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
)

// pollChildren is how often it is looked whether something that was deleted is gone. Volumes are not
// watched: a cluster has many, and a benchmark waits for few and not for long.
const pollChildren = 250 * time.Millisecond

// pollFor is how often it is looked whether what is left is gone: the more there is, the more calls a look takes.
func pollFor(left []leftover) time.Duration {
	return pollChildren + time.Duration(5*len(left))*time.Millisecond
}

// leftover is something that is not gone yet, and how a person can see to it.
type leftover struct {
	what    string
	command string
	lost    bool // a pod that nobody will hear of again, or a Job that is kept after its deletion
	// abandoned is what is not tried any longer, so that it holds back nothing else.
	abandoned bool
	cost      cost
}

// cost says what it costs to leave something behind, 0 if nothing. What costs most is named first where not all can be named.
type cost int

const (
	// keepsVolume is a claim, with which its volume stays.
	keepsVolume cost = iota + 1
	// paid is a volume.
	paid
)

// withoutLost leaves out what need not be waited for, because nobody will hear of it again.
func withoutLost(left []leftover) []leftover {
	return slices.DeleteFunc(left, func(l leftover) bool { return l.lost })
}

// withoutAbandoned leaves out what is not tried any longer.
func withoutAbandoned(left []leftover) []leftover {
	return slices.DeleteFunc(slices.Clone(left), func(l leftover) bool { return l.abandoned })
}

// cleanUp removes volumes and test files. It waits until they are gone: a volume that stays costs money.
func cleanUp(ctx context.Context, p *pass) (outcome, error) {
	deleting := !p.sb.DeletionTimestamp.IsZero()
	// What was left or retained gets another chance when the benchmark is deleted; nothing comes after NothingLeft.
	if status := p.condition(v1alpha1.ConditionCleanedUp).Status; status == metav1.ConditionTrue || (status != "" && !deleting) {
		return goOn(), nil
	}
	if p.sb.Spec.CleanupPolicy == v1alpha1.CleanupRetain && !deleting {
		return p.retain(ctx)
	}
	left, out, err := p.awaitRemoval(p.untilNothingStrays(ctx, p.remove))
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
func (s *scope) awaitRemoval(left []leftover, err error) ([]leftover, outcome, error) {
	remaining := s.cleanUpRemaining()
	waitFor := withoutAbandoned(left)
	switch {
	case err != nil && remaining > 0:
		return nil, outcome{}, err
	case err != nil:
		return append(left, keptByServer(err)), goOn(), nil
	case remaining > 0 && len(waitFor) > 0:
		s.step(v1alpha1.ReasonCleaningUp, "waiting for the removal of "+describeLeftovers(waitFor))
		return nil, awaitGone(left, remaining), nil
	default:
		return left, goOn(), nil
	}
}

// setCleanedUp says that all is gone, or, where that cannot be seen, what of it is.
func (s *scope) setCleanedUp() {
	if unknown := s.volumesUnknown(); unknown != "" {
		s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonClaimsGone, unknown)
		return
	}
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionTrue, v1alpha1.ReasonNothingLeft, s.describeAllKept())
}

// keptByServer is what could not be removed, or looked for, because a call failed.
func keptByServer(err error) leftover {
	return leftover{what: "what the API server kept", command: "it answered: " + err.Error()}
}

func (s *scope) setLeftBehind(left []leftover) {
	s.setCondition(v1alpha1.ConditionCleanedUp, metav1.ConditionFalse, v1alpha1.ReasonLeftBehind, s.describeLeft(left))
}

// describeLeft says for how long something was not removed, which field says how long that may take, and what is left, with what a person can do.
func (s *scope) describeLeft(left []leftover) string {
	took := fmt.Sprintf("not removed within %d s", int(s.now.Sub(s.cleanUpBegan()).Seconds()))
	if tried := s.cleaningSince(); tried.Sub(s.cleanUpBegan()) >= s.cleanUpLimit() {
		took += fmt.Sprintf("; this operator has tried for %d s", int(s.now.Sub(tried).Seconds()))
	}
	return took + " (spec.deadlines.cleanUpSeconds): " + instructions(left)
}

// cleanUpBegan returns since when the benchmark is being cleaned up.
func (s *scope) cleanUpBegan() time.Time {
	if !s.sb.DeletionTimestamp.IsZero() {
		return s.sb.DeletionTimestamp.Time
	}
	return s.condition(v1alpha1.ConditionMeasured).LastTransitionTime.Time
}

const (
	// firstTry is how long the first operator that comes to clean-up may try at least, however long none was there.
	firstTry = 2 * time.Minute
	// nextTry is the same for one that comes after it. It is short: an operator that is started again and again comes to an end.
	nextTry = 30 * time.Second
)

// cleaningSince returns since when this operator cleans up.
func (s *scope) cleaningSince() time.Time {
	if s.memory.cleaningSince.IsZero() {
		s.memory.cleaningSince, s.memory.cleaningFor = s.now.Time, firstTry
		if s.condition(v1alpha1.ConditionSucceeded).Reason == v1alpha1.ReasonCleaningUp { // an operator before this one was at it
			s.memory.cleaningFor = nextTry
		}
	}
	return s.memory.cleaningSince
}

// cleanUpLimit returns how long clean-up may take.
func (s *scope) cleanUpLimit() time.Duration { return seconds(s.sb.Spec.Deadlines.CleanUpSeconds) }

// cleanUpRemaining returns for how long clean-up may go on. Its time has passed as well while no operator was there, so each has some to try.
func (s *scope) cleanUpRemaining() time.Duration { return s.remainingOf(1) }

// isCleanUpHalfOver says whether half of the time for clean-up has passed, after which the rest is for the volumes.
func (s *scope) isCleanUpHalfOver() bool { return s.remainingOf(2) <= 0 }

// remainingOf returns what remains of a part of the time for clean-up, a half or all of it: of the benchmark's, or of this operator's.
func (s *scope) remainingOf(parts time.Duration) time.Duration {
	since := s.cleaningSince()
	own := since.Add(min(s.cleanUpLimit(), s.memory.cleaningFor) / parts)
	end := s.cleanUpBegan().Add(s.cleanUpLimit() / parts)
	return max(end.Sub(s.now.Time), own.Sub(s.now.Time))
}

// remove goes one step further in removing what was made, and returns what is not gone yet. Package cleanup has the order. What logs of pods hold is kept in
// ConfigMaps.
func (p *pass) remove(ctx context.Context) (left []leftover, err error) {
	var before []cleanup.Removal
	for {
		turn := cleanup.NextTurn(before, p.isCleanUpHalfOver(), p.cleanUpRemaining() <= 0)
		if turn.Kind == "" {
			return left, err
		}
		some, failure := p.removeKind(ctx, turn)
		before = append(before, cleanup.Removal{Kind: turn.Kind, Left: len(some) > 0, Failed: failure != nil})
		left, err = append(left, some...), errors.Join(err, failure)
	}
}

// removeKind does so for a kind, and returns what of it is not gone yet.
func (p *pass) removeKind(ctx context.Context, turn cleanup.Turn) ([]leftover, error) {
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
func (p *pass) removeJobs(ctx context.Context, having client.MatchingLabels) ([]leftover, error) {
	of, err := p.listChildren(ctx, having)
	if err != nil {
		return nil, err
	}
	var left []leftover
	var own []*batchv1.Job
	uids := sets.New[types.UID]()
	for i := range of.jobs {
		if j := &of.jobs[i]; ours.Job(p.sb, j) {
			own, left = append(own, j), append(left, leftoverJob(j, p.now.Time))
			uids.Insert(j.UID)
		}
	}
	leftPods, orphans, err := p.leftPods(ctx, of.pods, uids)
	if left = append(left, leftPods...); err != nil || p.hasNewFiles() {
		return left, err // what pods tell goes with them, so it has to be saved first
	}
	return left, errors.Join(p.deleteJobs(ctx, own), p.deletePods(ctx, orphans))
}

// children are Jobs and pods of the benchmark.
type children struct {
	jobs []batchv1.Job
	pods []corev1.Pod
}

// listChildren lists those that have labels. Not from the cache, which may not have heard yet of a Job that the last pass has made.
func (p *pass) listChildren(ctx context.Context, having client.MatchingLabels) (children, error) {
	var jobs batchv1.JobList
	var pods corev1.PodList
	here, mine := client.InNamespace(p.sb.Namespace), client.MatchingLabels(child.Labels(p.sb))
	if err := listLive(ctx, p.Live, &jobs, here, mine, having); err != nil {
		return children{}, fmt.Errorf("list Jobs: %w", err)
	}
	if err := listLive(ctx, p.Live, &pods, here, mine, having); err != nil {
		return children{}, fmt.Errorf("list pods: %w", err)
	}
	stray, err := p.strayJobs(ctx, having)
	return children{jobs: append(jobs.Items, stray...), pods: pods.Items}, err
}

// leftPods returns what is left of the pods of Jobs, and of those that are gone, and which go with no Job: theirs was deleted without them.
func (p *pass) leftPods(ctx context.Context, pods []corev1.Pod, jobs sets.Set[types.UID]) (left []leftover, orphans []*corev1.Pod, err error) {
	for i := range pods {
		pod := &pods[i]
		mine, err := p.isLeft(ctx, pod, jobs)
		if err != nil {
			return nil, nil, err
		}
		if !mine {
			continue
		}
		p.noteFilesOf(pod)
		left = append(left, leftoverPod(pod, p.now.Time))
		if metav1.GetControllerOf(pod) == nil {
			orphans = append(orphans, pod)
		}
	}
	return left, orphans, nil
}

// isLeft says whether a pod is left of one of the Jobs, or of one of the benchmark's that is gone.
func (p *pass) isLeft(ctx context.Context, pod *corev1.Pod, jobs sets.Set[types.UID]) (bool, error) {
	left, owner := ours.LeftPod(p.sb, pod, jobs)
	if owner == nil {
		return left, nil
	}
	theirs, err := p.liveJob(ctx, owner.Name, "get Job of pod "+pod.Name)
	return ours.LeftOf(p.sb, owner, theirs), err
}

// deleteJobs deletes Jobs, and has Kubernetes delete their pods.
func (p *pass) deleteJobs(ctx context.Context, jobs []*batchv1.Job) error {
	return errors.Join(inParallel(ctx, jobs, func(j *batchv1.Job) error {
		return p.deleteObject(ctx, "Job ", j, client.PropagationPolicy(metav1.DeletePropagationBackground))
	})...)
}

func (p *pass) deletePods(ctx context.Context, pods []*corev1.Pod) error {
	return errors.Join(inParallel(ctx, pods, func(pod *corev1.Pod) error { return p.deleteObject(ctx, "pod ", pod) })...)
}

// deleteObject deletes an object, unless that is under way.
func (p *pass) deleteObject(ctx context.Context, kind string, object client.Object, options ...client.DeleteOption) error {
	if !object.GetDeletionTimestamp().IsZero() {
		return nil
	}
	err := p.Client.Delete(ctx, object, append(options, client.Preconditions{UID: new(object.GetUID())})...)
	return unlessGone(err, "delete "+kind+object.GetName())
}

// removeAnchors deletes the pods that hold nodes, but those that are wanted, and returns what is left of them.
func (p *pass) removeAnchors(ctx context.Context, wanted ...string) ([]leftover, error) {
	var pods corev1.PodList
	anchors := client.MatchingLabels(child.Labels(p.sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor))
	// Not from the cache, which may not have heard yet of a pod that the last pass has made.
	if err := listLive(ctx, p.Live, &pods, client.InNamespace(p.sb.Namespace), anchors); err != nil {
		return nil, fmt.Errorf("list anchors: %w", err)
	}
	stray, err := p.strayAnchors(ctx)
	if err != nil {
		return nil, err
	}
	pods.Items = append(pods.Items, stray...)
	var left []leftover
	var unwanted []*corev1.Pod
	for i := range pods.Items {
		if pod := &pods.Items[i]; ours.Anchor(p.sb, pod) && !slices.Contains(wanted, pod.Name) {
			unwanted, left = append(unwanted, pod), append(left, leftoverPod(pod, p.now.Time))
		}
	}
	return left, p.deletePods(ctx, unwanted)
}

// leftoverJob says how to be rid of a Job. One that a finalizer of somebody's keeps measures nothing: its pods are looked at by themselves.
func leftoverJob(j *batchv1.Job, now time.Time) leftover {
	return leftover{what: "Job " + j.Name, command: fmt.Sprintf("kubectl delete job -n %s %s", j.Namespace, j.Name), lost: attempt.IsLost(j, now)}
}

// leftoverPod says how to be rid of a pod. Of one that its kubelet cannot end, that removes no more than the object: what
// hangs in the kernel ends when its storage answers, or with the node.
func leftoverPod(pod *corev1.Pod, now time.Time) leftover {
	left := leftover{what: "pod " + pod.Name, command: fmt.Sprintf("kubectl delete pod --force -n %s %s", pod.Namespace, pod.Name), lost: attempt.IsLost(pod, now)}
	if node := pod.Spec.NodeName; node != "" && !attempt.HasEnded(pod) && !pod.DeletionTimestamp.IsZero() && now.After(pod.DeletionTimestamp.Time) {
		left.what += " on node " + node
		left.command += "; where its storage does not answer, its processes and mounts stay on the node until the storage answers or the node restarts"
	}
	return left
}

// maxNamed is how many things that are waited for are named: many clients leave many.
const maxNamed = 16

func describeLeftovers(left []leftover) string {
	texts := each(left[:min(len(left), maxNamed)], func(l leftover) string { return l.what })
	if more := len(left) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(texts, ", ")
}

// instructions names what is left, with what a person can do. Of more than an event can tell, what costs money comes first.
func instructions(left []leftover) string {
	text := instructionsInOrder(left)
	if len(text) <= maxInstructions {
		return text
	}
	return instructionsInOrder(slices.SortedStableFunc(slices.Values(left), func(a, b leftover) int { return cmp.Compare(b.cost, a.cost) }))
}

// maxInstructions is the most bytes of instructions that are not cut in an event, beside the words before them.
const maxInstructions = maxNote - 128

func instructionsInOrder(left []leftover) string {
	return strings.Join(each(left, func(l leftover) string { return fmt.Sprintf("%s (%s)", l.what, l.command) }), "; ")
}
