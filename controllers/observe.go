package controllers

import (
	"context"
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/controllers/pvc"
	"github.com/storagebench/storagebench/controllers/workers"
	"github.com/storagebench/storagebench/controllers/world"
	"github.com/storagebench/storagebench/internal/children"
	"github.com/storagebench/storagebench/internal/owned"
)

// observe reads the benchmark's children from the cache, and those that the cache has no room for from the API server.
func observe(ctx context.Context, p *pass.Pass) (pass.Outcome, error) {
	var jobs batchv1.JobList
	var pods corev1.PodList
	var claims corev1.PersistentVolumeClaimList
	if err := observeKind(ctx, p, &jobs, isMadeJob(p.SB)); err != nil {
		return pass.Outcome{}, err
	}
	p.Children.SortChildren(jobs.Items, nil, nil)
	err := errors.Join(
		observeKind(ctx, p, &pods, isMadePod(&p.Children)),
		observeKind(ctx, p, &claims, pvc.IsNamedIn(p.Children.ClaimTargets)),
	)
	if err != nil {
		return pass.Outcome{}, err
	}
	p.Children.SortChildren(jobs.Items, pods.Items, claims.Items)
	p.Memory.NoteBound(p.Children.Claims, p.Now.Time)
	p.Memory.NoteAsked(p.Children.Claims, p.Now.Time)
	return pass.GoOn(), nil
}

// observeKind reads the benchmark's children of a kind. Where it asks the API server it keeps only the wanted ones:
// others may have forged thousands.
func observeKind[L any, O client.Object, List interface {
	*L
	client.ObjectList
}](ctx context.Context, p *pass.Pass, list List, wanted func(O) bool) error {
	var kind O
	var err error
	if p.World.Caches.LeavesOut(client.ObjectKeyFromObject(p.SB), kind) {
		_, err = world.ListLive(ctx, p.World.Live, list, wanted, workers.Own(p)...)
	} else {
		err = p.World.Client.List(ctx, list, workers.Own(p)...)
	}
	if err != nil {
		return fmt.Errorf("list children: %w", err)
	}
	return nil
}

// isMadeJob returns a function that reports whether a Job is one that the status says was made.
func isMadeJob(sb *v1alpha1.StorageBenchmark) func(*batchv1.Job) bool {
	var names sets.Set[string]
	return func(j *batchv1.Job) bool {
		if names == nil {
			names = sets.New[string]()
			for made := range owned.MadeJobs(sb) {
				names.Insert(made.Name)
			}
		}
		return names.Has(j.Name) && owned.Job(sb, j)
	}
}

// isMadePod returns a function that reports whether a pod is an anchor that the status knows of, or was made for a Job.
func isMadePod(c *children.Children) func(*corev1.Pod) bool {
	anchors := sets.New(owned.AnchorNames(c.Benchmark)...)
	return func(pod *corev1.Pod) bool { return anchors.Has(pod.Name) || children.IsOfJob(c, pod) }
}
