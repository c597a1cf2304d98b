package workers

import (
	"context"
	"errors"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/cleanup"
	"github.com/storagebench/storagebench/internal/owned"
)

// RemoveJobs deletes the benchmark's Jobs that have the labels, and returns what is left of them and their
// pods. The Jobs go before their pods, which spares these the second or two that a Job takes to count them.
func RemoveJobs(ctx context.Context, p *pass.Pass, having client.MatchingLabels) ([]cleanup.Leftover, error) {
	jobs, pods, err := ListChildren(ctx, p, having)
	if err != nil {
		return nil, err
	}
	var left []cleanup.Leftover
	var own []*batchv1.Job
	uids := sets.New[types.UID]()
	for _, j := range jobs {
		if owned.Job(p.SB, j) {
			own, left = append(own, j), append(left, cleanup.LeftJob(j, p.Now.Time))
			uids.Insert(j.UID)
		}
	}
	leftPods, err := EndJobs(ctx, p, own, pods, uids)
	return append(left, leftPods...), err
}

// EndJobs deletes Jobs, and pods of Jobs that are gone, and returns what is left of pods: of these, and of those of the
// Jobs that have the UIDs. Deleted pods take their findings with them, so nothing is deleted until these are saved.
func EndJobs(
	ctx context.Context, p *pass.Pass, jobs []*batchv1.Job, pods []*corev1.Pod, uids sets.Set[types.UID],
) ([]cleanup.Leftover, error) {
	left, orphans, err := leftPods(ctx, p, pods, uids)
	if err != nil || p.HasNewFiles() {
		return left, err
	}
	return left, errors.Join(deleteJobs(ctx, p, jobs), deletePods(ctx, p, orphans))
}

// leftPods returns what is left of the pods of Jobs. orphans are the pods among them whose Job was deleted without
// them, so that they go with no Job.
func leftPods(
	ctx context.Context, p *pass.Pass, pods []*corev1.Pod, jobs sets.Set[types.UID],
) (left []cleanup.Leftover, orphans []*corev1.Pod, err error) {
	owners, err := liveOwners(ctx, p, pods, jobs)
	if err != nil {
		return nil, nil, err
	}
	for _, pod := range pods {
		mine, owner := owned.IsLeft(p.SB, pod, jobs)
		if owner != nil {
			mine = owned.IsLeftOf(p.SB, owner, owners[owner.Name])
		}
		if !mine {
			continue
		}
		p.Children.NoteFilesOf(pod)
		left = append(left, cleanup.LeftPod(pod, p.Now.Time))
		if metav1.GetControllerOf(pod) == nil {
			orphans = append(orphans, pod)
		}
	}
	return left, orphans, nil
}

// liveOwners reads by their names the Jobs of pods on which it depends whether these are the benchmark's.
func liveOwners(
	ctx context.Context, p *pass.Pass, pods []*corev1.Pod, jobs sets.Set[types.UID],
) (map[string]*batchv1.Job, error) {
	names := sets.New[string]()
	for _, pod := range pods {
		if _, owner := owned.IsLeft(p.SB, pod, jobs); owner != nil {
			names.Insert(owner.Name)
		}
	}
	sorted := sets.List(names)
	read, errs := world.Gather(ctx, world.ParallelCalls, sorted, func(name string) (*batchv1.Job, error) {
		return p.World.LiveJob(ctx, name, "get Job "+name+", which has pods")
	})
	owners := map[string]*batchv1.Job{}
	for i, name := range sorted {
		owners[name] = read[i]
	}
	return owners, errors.Join(errs...)
}

// deleteJobs deletes Jobs, and has Kubernetes delete their pods.
func deleteJobs(ctx context.Context, p *pass.Pass, jobs []*batchv1.Job) error {
	return world.DeleteAll(ctx, p.World.Client, "Job ", jobs, client.PropagationPolicy(metav1.DeletePropagationBackground))
}

func deletePods(ctx context.Context, p *pass.Pass, pods []*corev1.Pod) error {
	return world.DeleteAll(ctx, p.World.Client, "pod ", pods)
}

// RemoveAnchors deletes the pods that hold nodes, but those that are wanted, and returns what is left of them.
func RemoveAnchors(ctx context.Context, p *pass.Pass, wanted ...string) ([]cleanup.Leftover, error) {
	pods, err := listAnchors(ctx, p)
	if err != nil {
		return nil, err
	}
	var left []cleanup.Leftover
	var unwanted []*corev1.Pod
	for _, pod := range pods {
		if owned.Anchor(p.SB, pod) && !slices.Contains(wanted, pod.Name) {
			unwanted, left = append(unwanted, pod), append(left, cleanup.LeftPod(pod, p.Now.Time))
		}
	}
	return left, deletePods(ctx, p, unwanted)
}

// EndAttempts ends whatever still runs of earlier attempts and returns what is left of them. Pods whose
// node does not answer are not waited for.
func EndAttempts(ctx context.Context, p *pass.Pass) ([]cleanup.Leftover, error) {
	left, err := RemoveJobs(ctx, p, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleRun})
	return cleanup.WithoutLost(left), err
}
