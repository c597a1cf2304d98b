package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/ours"
)

// What a benchmark ends is read from the API server, because the cache may be behind. Jobs and pods are listed by their
// labels, which others may remove. A benchmark that measures misses such a Job and gives it its labels back (restore.go).
// One that ends or is suspended would not miss it. So it also reads each Job and anchor by its name that the status knows
// of and that the lists lack.

// owned are the Jobs and pods of a benchmark.
type owned struct {
	jobs []*batchv1.Job
	pods []*corev1.Pod
}

// untilNothingIsLeft takes a step that ends what the benchmark has, and returns what is left. Passes before may have seen
// that objects are gone, which are not read again. One may have come since, by a call whose answer was lost. So all are
// read once more before the step reports that nothing is left.
func (p *pass) untilNothingIsLeft(
	ctx context.Context, step func(context.Context) ([]cleanup.Leftover, error),
) ([]cleanup.Leftover, error) {
	knew := p.memory.gone.Len() > 0
	left, err := step(ctx)
	if err != nil || len(left) > 0 || !knew {
		return left, err
	}
	p.owned, p.memory.gone = nil, nil
	return step(ctx)
}

// missesNothing reports whether the benchmark expects no Job or pod, so that it would not miss one that has lost its labels.
func (s *scope) missesNothing() bool {
	isSuspended := ptr.Deref(s.sb.Spec.Suspend, false)
	return s.sb.Status.HasMeasured() || !s.sb.DeletionTimestamp.IsZero() || isSuspended
}

// listChildren returns the benchmark's Jobs and pods that have labels.
func (p *pass) listChildren(
	ctx context.Context, having client.MatchingLabels,
) ([]*batchv1.Job, []*corev1.Pod, error) {
	all, err := p.readOwned(ctx)
	if err != nil {
		return nil, nil, err
	}
	return withLabels(all.jobs, having), withLabels(all.pods, having), nil
}

// listAnchors returns the pods of anchors. A benchmark that goes on lists no other pods: many may have ended.
func (p *pass) listAnchors(ctx context.Context) ([]*corev1.Pod, error) {
	if p.owned == nil && !p.missesNothing() {
		return p.listPods(ctx, nil, v1alpha1.LabelRole, v1alpha1.RoleAnchor)
	}
	_, pods, err := p.listChildren(ctx, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleAnchor})
	return pods, err
}

// readOwned reads Jobs and pods, once in a pass. It tries twice: it makes many calls and needs the answer of each.
func (p *pass) readOwned(ctx context.Context) (_ *owned, err error) {
	for range 2 {
		if p.owned != nil {
			break
		}
		p.owned, err = p.tryReadOwned(ctx)
	}
	return p.owned, err
}

// tryReadOwned is a try of readOwned. It reads Jobs before pods: their list has the Job of a pod that is made in between.
func (p *pass) tryReadOwned(ctx context.Context) (*owned, error) {
	jobs, err := p.listJobs(ctx)
	if err != nil {
		return nil, err
	}
	pods, err := p.listPods(ctx, jobs)
	if err != nil {
		return nil, err
	}
	if p.missesNothing() {
		unlistedJobs, jobsErr := p.unlistedJobs(ctx, jobs)
		unlistedAnchors, anchorsErr := p.unlistedAnchors(ctx, pods)
		if err := errors.Join(jobsErr, anchorsErr); err != nil {
			return nil, err
		}
		jobs, pods = append(jobs, unlistedJobs...), append(pods, unlistedAnchors...)
	}
	return &owned{jobs: jobs, pods: pods}, nil
}

// listJobs lists the benchmark's Jobs by their labels.
func (p *pass) listJobs(ctx context.Context) ([]*batchv1.Job, error) {
	var jobs batchv1.JobList
	isJob := func(j *batchv1.Job) bool { return ours.Job(p.sb, j) }
	if err := listLive(ctx, p.Live, &jobs, isJob, p.own()...); err != nil {
		return nil, fmt.Errorf("list Jobs: %w", err)
	}
	return pointers(jobs.Items), nil
}

// listPods lists by their labels the benchmark's anchors and the pods of its Jobs.
func (p *pass) listPods(ctx context.Context, jobs []*batchv1.Job, labels ...string) ([]*corev1.Pod, error) {
	var pods corev1.PodList
	if err := listLive(ctx, p.Live, &pods, mayBeOwnPod(p.sb, jobs), p.own(labels...)...); err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	return pointers(pods.Items), nil
}

// mayBeOwnPod returns a function that reports whether a pod may have been made for a benchmark, which has the Jobs.
func mayBeOwnPod(sb *v1alpha1.StorageBenchmark, jobs []*batchv1.Job) func(*corev1.Pod) bool {
	uids := sets.New[types.UID]()
	for _, j := range jobs {
		uids.Insert(j.UID)
	}
	return func(pod *corev1.Pod) bool {
		left, depends := ours.IsLeft(sb, pod, uids)
		return left || depends != nil || ours.Anchor(sb, pod)
	}
}

// unlistedJobs reads by their names the Jobs that a list by labels lacks. It returns them with the labels and annotations
// that they were made with.
func (p *pass) unlistedJobs(ctx context.Context, listed []*batchv1.Job) ([]*batchv1.Job, error) {
	made := map[string]ours.MadeJob{}
	for one := range ours.MadeJobs(p.sb) {
		made[one.Name] = one
	}
	jobs, err := readUnlisted(ctx, p, listed, sets.KeySet(made), p.liveJob)
	for _, j := range jobs {
		j.Labels, j.Annotations = made[j.Name].Labels, made[j.Name].Annotations
	}
	return jobs, err
}

// unlistedAnchors is unlistedJobs for anchors.
func (p *pass) unlistedAnchors(ctx context.Context, listed []*corev1.Pod) ([]*corev1.Pod, error) {
	names := ours.AnchorNames(p.sb)
	pods, err := readUnlisted(ctx, p, listed, sets.New(names...), p.livePod)
	for _, pod := range pods {
		which := slices.Index(names, pod.Name)
		pod.Labels = child.Labels(p.sb, v1alpha1.LabelRole, v1alpha1.RoleAnchor,
			v1alpha1.LabelAttempt, strconv.Itoa(int(p.sb.Status.Anchors[which].Attempts)),
			v1alpha1.LabelClient, strconv.Itoa(which))
	}
	return pods, err
}

// readUnlisted reads the objects that have names and that a list lacks. It returns those that the benchmark owns. Those
// that are gone are noted also where other calls fail, so that the next pass makes fewer.
func readUnlisted[O client.Object](
	ctx context.Context, p *pass, listed []O, names sets.Set[string], get func(_ context.Context, name, doing string) (O, error),
) ([]O, error) {
	for _, object := range listed {
		names.Delete(object.GetName())
	}
	unlisted := sets.List(names.Difference(p.memory.gone))
	read, errs := gather(ctx, parallelCalls, unlisted, func(name string) (O, error) {
		return get(ctx, name, "get "+name+", which may have lost its labels")
	})
	var found []O
	for i, object := range read {
		switch {
		case errs[i] != nil:
		case object.GetName() == "":
			p.memory.gone = p.memory.gone.Union(sets.New(unlisted[i]))
		case ours.Owned(p.sb, object):
			trim(object)
			found = append(found, object)
		}
	}
	return found, errors.Join(errs...)
}

// withLabels returns those of the objects that have labels.
func withLabels[O client.Object](objects []O, having client.MatchingLabels) []O {
	lacks := func(object O) bool { return len(ours.Lacking(object.GetLabels(), having)) > 0 }
	return slices.DeleteFunc(slices.Clone(objects), lacks)
}
