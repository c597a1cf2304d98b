package workers

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
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/childmeta"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
)

// The objects that a benchmark ends are read from the API server, because the cache may be behind. Jobs and pods are
// listed by their labels, which others may remove. A benchmark that measures misses such a Job and gives it its labels
// back (restore.go). One that ends or is suspended would not miss it. So it also reads each Job and anchor by its name
// that the status knows of and that the lists lack.

// UntilNothingIsLeft takes a step that ends what the benchmark has, and returns what is left. Passes before may have
// seen that objects are gone, which are not read again. One may have come since, by a call whose answer was lost. So
// all are read once more before the step reports that nothing is left.
func UntilNothingIsLeft(
	ctx context.Context, p *pass.Pass, step func(context.Context, *pass.Pass) ([]cleanup.Leftover, error),
) ([]cleanup.Leftover, error) {
	readsAll := p.Memory.ReadsAll || p.Memory.Gone.Len() == 0
	left, err := step(ctx, p)
	p.Memory.ReadsAll = readsAll && len(left) == 0
	if err != nil || len(left) > 0 || readsAll {
		return left, err
	}
	p.Owned, p.Memory.Gone = nil, nil
	left, err = step(ctx, p)
	p.Memory.ReadsAll = len(left) == 0 // if a call has failed, the next pass goes on where this one has ended
	return left, err
}

// MissesNothing reports whether the benchmark expects no Job or pod, so that it would not miss one that has lost its
// labels.
func MissesNothing(s *pass.Pass) bool {
	isSuspended := ptr.Deref(s.SB.Spec.Suspend, false)
	return s.SB.Status.HasMeasured() || !s.SB.DeletionTimestamp.IsZero() || isSuspended
}

// ListChildren returns the benchmark's Jobs and pods that have labels.
func ListChildren(
	ctx context.Context, p *pass.Pass, having client.MatchingLabels,
) ([]*batchv1.Job, []*corev1.Pod, error) {
	all, err := ReadOwned(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return withLabels(all.Jobs, having), withLabels(all.Pods, having), nil
}

// listAnchors returns the pods of anchors. A benchmark that goes on lists no other pods: many may have ended.
func listAnchors(ctx context.Context, p *pass.Pass) ([]*corev1.Pod, error) {
	if p.Owned == nil && !MissesNothing(p) {
		return listPods(ctx, p, nil, v1alpha1.LabelRole, v1alpha1.RoleAnchor)
	}
	_, pods, err := ListChildren(ctx, p, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleAnchor})
	return pods, err
}

// ReadOwned reads Jobs and pods, once in a pass. It reads Jobs before pods: their list has the Job of a pod that is
// made in between.
func ReadOwned(ctx context.Context, p *pass.Pass) (*pass.Owned, error) {
	if p.Owned != nil {
		return p.Owned, nil
	}
	jobs, err := listJobs(ctx, p)
	if err != nil {
		return nil, err
	}
	pods, err := listPods(ctx, p, jobs)
	if err != nil {
		return nil, err
	}
	if MissesNothing(p) {
		unlistedJobs, jobsErr := unlistedJobs(ctx, p, jobs)
		unlistedAnchors, anchorsErr := unlistedAnchors(ctx, p, pods)
		if err := errors.Join(jobsErr, anchorsErr); err != nil {
			return nil, err
		}
		jobs, pods = append(jobs, unlistedJobs...), append(pods, unlistedAnchors...)
	}
	p.Owned = &pass.Owned{Jobs: jobs, Pods: pods}
	return p.Owned, nil
}

// listJobs lists the benchmark's Jobs by their labels.
func listJobs(ctx context.Context, p *pass.Pass) ([]*batchv1.Job, error) {
	var jobs batchv1.JobList
	isJob := func(j *batchv1.Job) bool { return owned.Job(p.SB, j) }
	if _, err := world.ListLive(ctx, p.World.Live, &jobs, isJob, Own(p)...); err != nil {
		return nil, fmt.Errorf("list Jobs: %w", err)
	}
	return world.Pointers(jobs.Items), nil
}

// listPods lists by their labels the benchmark's anchors and the pods of its Jobs.
func listPods(ctx context.Context, p *pass.Pass, jobs []*batchv1.Job, labels ...string) ([]*corev1.Pod, error) {
	var pods corev1.PodList
	if _, err := world.ListLive(ctx, p.World.Live, &pods, mayBeOwnPod(p.SB, jobs), Own(p, labels...)...); err != nil {
		return nil, fmt.Errorf("list pods: %w", err)
	}
	return world.Pointers(pods.Items), nil
}

// mayBeOwnPod returns a function that reports whether a pod may have been made for a benchmark, which has the Jobs.
func mayBeOwnPod(sb *v1alpha1.StorageBenchmark, jobs []*batchv1.Job) func(*corev1.Pod) bool {
	uids := sets.New[types.UID]()
	for _, j := range jobs {
		uids.Insert(j.UID)
	}
	return func(pod *corev1.Pod) bool {
		left, depends := owned.IsLeft(sb, pod, uids)
		return left || depends != nil || owned.Anchor(sb, pod)
	}
}

// unlistedJobs reads by their names the Jobs that a list by labels lacks. It returns them with the labels and
// annotations that they were made with.
func unlistedJobs(ctx context.Context, p *pass.Pass, listed []*batchv1.Job) ([]*batchv1.Job, error) {
	made := map[string]owned.MadeJob{}
	for one := range owned.MadeJobs(p.SB) {
		made[one.Name] = one
	}
	jobs, err := readUnlisted(ctx, p, listed, sets.KeySet(made), p.World.LiveJob)
	for _, j := range jobs {
		j.Labels, j.Annotations = made[j.Name].Labels, made[j.Name].Annotations
	}
	return jobs, err
}

// unlistedAnchors is unlistedJobs for anchors.
func unlistedAnchors(ctx context.Context, p *pass.Pass, listed []*corev1.Pod) ([]*corev1.Pod, error) {
	names := owned.AnchorNames(p.SB)
	pods, err := readUnlisted(ctx, p, listed, sets.New(names...), p.World.LivePod)
	for _, pod := range pods {
		which := slices.Index(names, pod.Name)
		pod.Labels = childmeta.Labels(p.SB, v1alpha1.LabelRole, v1alpha1.RoleAnchor,
			v1alpha1.LabelAttempt, strconv.Itoa(int(p.SB.Status.Anchors[which].Attempts)),
			v1alpha1.LabelClient, strconv.Itoa(which))
	}
	return pods, err
}

// readUnlisted reads the objects that have names and that a list lacks. It returns those that the benchmark owns. Those
// that are gone are noted also where other calls fail, so that the next pass makes fewer.
func readUnlisted[O client.Object](
	ctx context.Context, p *pass.Pass, listed []O, names sets.Set[string],
	get func(_ context.Context, name, doing string) (O, error),
) ([]O, error) {
	for _, object := range listed {
		names.Delete(object.GetName())
	}
	unlisted := sets.List(names.Difference(p.Memory.Gone))
	read, errs := world.Gather(ctx, world.ParallelCalls, unlisted, func(name string) (O, error) {
		return get(ctx, name, "get "+name+", which may have lost its labels")
	})
	var found []O
	for i, object := range read {
		switch {
		case errs[i] != nil:
		case object.GetName() == "":
			p.Memory.Gone = p.Memory.Gone.Union(sets.New(unlisted[i]))
		case owned.Owned(p.SB, object):
			world.Trim(object)
			found = append(found, object)
		}
	}
	return found, errors.Join(errs...)
}

// withLabels returns those of the objects that have labels.
func withLabels[O client.Object](objects []O, having client.MatchingLabels) []O {
	lacks := func(object O) bool { return len(owned.Lacking(object.GetLabels(), having)) > 0 }
	return slices.DeleteFunc(slices.Clone(objects), lacks)
}

// Own are the options by which the benchmark's Jobs and pods are listed.
func Own(p *pass.Pass, labels ...string) []client.ListOption {
	own := client.MatchingLabels(childmeta.Labels(p.SB, labels...))
	return []client.ListOption{client.InNamespace(p.SB.Namespace), own}
}
