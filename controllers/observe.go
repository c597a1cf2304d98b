package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observe reads the benchmark's children from the cache.
func observe(ctx context.Context, p *pass) (outcome, error) {
	var jobs batchv1.JobList
	var pods corev1.PodList
	var claims corev1.PersistentVolumeClaimList
	for _, list := range []client.ObjectList{&jobs, &pods, &claims} {
		if err := p.Client.List(ctx, list, p.own()...); err != nil {
			return outcome{}, fmt.Errorf("list children: %w", err)
		}
	}
	p.SortChildren(jobs.Items, pods.Items, claims.Items)
	p.memory.noteBound(p.Claims, p.now.Time)
	return goOn(), nil
}
