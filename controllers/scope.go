package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/legible"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/plan"
	"github.com/storagebench/storagebench/internal/report"
)

// retrySoon is how long a pass over an old version waits for the newer one.
const retrySoon = 100 * time.Millisecond

// scope is one pass over a benchmark: what was read, and the status as the phases change it.
type scope struct {
	*Reconciler
	// memory is what earlier passes over the benchmark have left for this one.
	memory *memory

	sb     *v1alpha1.StorageBenchmark
	before *v1alpha1.StorageBenchmark

	runs []plan.Run
	jobs map[string]*batchv1.Job
	pods map[string][]*corev1.Pod // by the name of their Job
	// measuring says whether a pod of a run has not ended, also one whose Job is gone.
	measuring bool
	claims    map[string]*corev1.PersistentVolumeClaim
	// claimTargets are the targets of the claims that are made for the benchmark, by the names of the claims.
	claimTargets map[string]string
	// anchors are the pods that hold nodes.
	anchors map[string]*corev1.Pod
	// kept are volumes that were not made for the benchmark, to which claims of it were bound.
	kept []string
	// awaitsEnd says whether this pass waits for pods to end.
	awaitsEnd bool
	// nodes are the labels of nodes that this pass has read, by their names.
	nodes map[string]map[string]string
}

// outcome says how a pass goes on after a phase.
type outcome struct {
	stop bool
	// saves says that the phase has found out something that has to be saved before anything is done about it.
	saves bool
	after time.Duration // when to make another pass if nothing changes before; 0: not at all
}

// goOn has the next phase follow.
func goOn() outcome { return outcome{} }

// saveFirst ends the pass, so that what it has found out is saved. That starts the next one.
func saveFirst() outcome { return outcome{stop: true, saves: true} }

// awaitChange ends the pass; a change of the benchmark or of a child starts the next one.
func awaitChange() outcome { return outcome{stop: true} }

// awaitFor ends the pass, and starts the next one after a time at the latest.
func awaitFor(after time.Duration) outcome {
	return outcome{stop: true, after: max(after, time.Millisecond)}
}

// saved is proof that all that a pass has found out is saved. Who ends or tells pods needs one: these may not tell a second time what the
// pass has found out, and a pass over an old version has found out what is not so.
type saved struct{ resourceVersion string }

// allSaved returns the proof, if it is true.
func (s *scope) allSaved() (saved, bool) {
	return saved{resourceVersion: s.before.ResourceVersion}, !s.changed()
}

type phase func(context.Context, *scope) (outcome, error)

// The phases of a benchmark, in order. Each finds out by itself, from the status and the children, whether
// it has something to do, so that a pass can end anywhere and the next one goes on from there.
var (
	phases         = []phase{expire, admit, observe, suspend, validate, nudge, noteFiles, provision, anchor, measure, conclude, cleanUp, sweep, finish}
	deletionPhases = []phase{observe, nudge, noteFiles, abandon, cleanUp, sweep, release}
)

func (s *scope) pass(ctx context.Context) (ctrl.Result, error) {
	list := phases
	if !s.sb.DeletionTimestamp.IsZero() {
		list = deletionPhases
	}
	for _, phase := range list {
		out, err := phase(ctx, s)
		if err != nil {
			return ctrl.Result{}, err
		}
		if out.saves && !s.changed() {
			return ctrl.Result{}, errors.New("a phase waits for a write of the status, and there is nothing to write")
		}
		if out.stop {
			return ctrl.Result{RequeueAfter: out.after}, nil
		}
	}
	return ctrl.Result{}, nil
}

// observe reads the benchmark's children from the cache.
func observe(ctx context.Context, s *scope) (outcome, error) {
	mine := []client.ListOption{client.InNamespace(s.sb.Namespace), client.MatchingLabels(child.Labels(s.sb))}
	var jobs batchv1.JobList
	var pods corev1.PodList
	var claims corev1.PersistentVolumeClaimList
	for _, list := range []client.ObjectList{&jobs, &pods, &claims} {
		if err := s.Client.List(ctx, list, mine...); err != nil {
			return outcome{}, fmt.Errorf("list children: %w", err)
		}
	}
	s.jobs = map[string]*batchv1.Job{}
	for i := range jobs.Items {
		if ours.Job(s.sb, &jobs.Items[i]) {
			s.jobs[jobs.Items[i].Name] = &jobs.Items[i]
		}
	}
	s.sortPods(pods.Items)
	s.claims = map[string]*corev1.PersistentVolumeClaim{}
	for _, claim := range s.ownClaims(claims.Items) {
		s.claims[claim.Name] = claim
	}
	return goOn(), nil
}

// sortPods keeps the benchmark's own pods, by what they are for.
func (s *scope) sortPods(pods []corev1.Pod) {
	s.pods, s.anchors, s.measuring = map[string][]*corev1.Pod{}, map[string]*corev1.Pod{}, false
	for i := range pods {
		pod := &pods[i]
		of := s.jobOf(pod)
		switch {
		case ours.Anchor(s.sb, pod):
			s.anchors[pod.Name] = pod
		case of != nil:
			s.measuring = s.measuring || attempt.MayMeasure(pod)
			s.pods[of.Name] = append(s.pods[of.Name], pod)
		case ours.NamedPod(s.sb, pod):
			s.measuring = s.measuring || attempt.MayMeasure(pod)
		}
	}
}

// jobOf returns the benchmark's Job that a pod was made for, nil if there is none.
func (s *scope) jobOf(pod *corev1.Pod) *batchv1.Job {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || s.jobs[owner.Name] == nil || !ours.PodOf(s.jobs[owner.Name], pod) {
		return nil
	}
	return s.jobs[owner.Name]
}

// ownClaims returns those claims that were made for the benchmark.
func (s *scope) ownClaims(claims []corev1.PersistentVolumeClaim) []*corev1.PersistentVolumeClaim {
	s.claimTargets = ours.ClaimTargets(s.sb)
	var own []*corev1.PersistentVolumeClaim
	for i := range claims {
		if ours.Claim(s.sb, s.claimTargets, &claims[i]) {
			own = append(own, &claims[i])
		}
	}
	return own
}

// isFresh says whether this pass has read the newest version of the benchmark.
func (s *scope) isFresh(ctx context.Context) (bool, error) {
	var current v1alpha1.StorageBenchmark
	if err := s.Live.Get(ctx, client.ObjectKeyFromObject(s.sb), &current); err != nil {
		return false, unlessGone(err, "get benchmark")
	}
	return current.ResourceVersion == s.sb.ResourceVersion, nil
}

// changed says whether this pass has found out something that is not saved yet.
func (s *scope) changed() bool {
	return !equality.Semantic.DeepEqual(s.before.Status, s.sb.Status)
}

func (s *scope) now() metav1.Time { return metav1.NewTime(s.Clock.Now()) }

// condition returns the condition of the type, or one without a status if it is not set.
func (s *scope) condition(kind string) metav1.Condition {
	if c := meta.FindStatusCondition(s.sb.Status.Conditions, kind); c != nil {
		return *c
	}
	return metav1.Condition{Type: kind}
}

func (s *scope) setCondition(kind string, status metav1.ConditionStatus, reason, message string) {
	existing := s.condition(kind)
	condition := metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: truncate(message, maxConditionMessage),
		ObservedGeneration: s.sb.Generation,
		LastTransitionTime: s.now(),
	}
	if existing.Status == status {
		condition.LastTransitionTime = existing.LastTransitionTime
	}
	meta.SetStatusCondition(&s.sb.Status.Conditions, condition)
}

// step tells users which step the benchmark is at.
func (s *scope) step(reason, message string) {
	s.setCondition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason, message)
}

// concluded says whether the runs have ended, well or not, and only clean-up remains.
func (s *scope) concluded() bool {
	return s.condition(v1alpha1.ConditionMeasured).Status != ""
}

// finished says whether the benchmark has ended, clean-up included.
func (s *scope) finished() bool { return hasEnded(s.sb) }

// fail ends measuring. Runs that have not ended stay as they are; results are kept.
func (s *scope) fail(reason, message string) {
	s.setCondition(v1alpha1.ConditionMeasured, metav1.ConditionFalse, reason, message)
}

// summarize derives the figures and lines that people read from the runs.
func (s *scope) summarize() {
	status := &s.sb.Status
	if finished := int32(s.ended()); finished != status.FinishedRuns {
		status.FinishedRuns = finished
		s.compare()
	}
	status.Progress = ""
	if status.PlannedRuns > 0 {
		status.Progress = fmt.Sprintf("%d/%d", status.FinishedRuns, status.PlannedRuns)
	}
	status.Best, status.Summary = report.Best(status), report.Summary(status)
}

// targetStatus returns the status of the target, which validate has added.
func (s *scope) targetStatus(name string) *v1alpha1.TargetStatus {
	for i := range s.sb.Status.Targets {
		if s.sb.Status.Targets[i].Name == name {
			return &s.sb.Status.Targets[i]
		}
	}
	return &v1alpha1.TargetStatus{Name: name}
}

// unlessGone wraps an error, and drops one that says that the object is gone: then somebody else was faster.
func unlessGone(err error, doing string) error {
	if err = client.IgnoreNotFound(err); err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// The most bytes of a message that an anchor, a run, and that a condition keeps.
const (
	maxAnchorMessage    = 256
	maxRunMessage       = 1024
	maxConditionMessage = 4096
)

// truncate makes a text fit to be shown, and shortens it to at most n bytes, without cutting a character in two, and shows
// that it did. Texts come from pods, drivers and events: what is no UTF-8 could not be written, and escapes would reach
// the terminal of whoever reads them.
func truncate(text string, n int) string { return legible.Cut(legible.Printable(text), n, "…") }
