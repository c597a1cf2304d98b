package controllers

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/ours"
	"github.com/storagebench/storagebench/internal/volumes"
)

// observe reads the benchmark's children from the cache.
func observe(ctx context.Context, p *pass) (outcome, error) {
	mine := []client.ListOption{client.InNamespace(p.sb.Namespace), client.MatchingLabels(child.Labels(p.sb))}
	var jobs batchv1.JobList
	var pods corev1.PodList
	var claims corev1.PersistentVolumeClaimList
	for _, list := range []client.ObjectList{&jobs, &pods, &claims} {
		if err := p.Client.List(ctx, list, mine...); err != nil {
			return outcome{}, fmt.Errorf("list children: %w", err)
		}
	}
	p.jobs = map[string]*batchv1.Job{}
	for i := range jobs.Items {
		if ours.Job(p.sb, &jobs.Items[i]) {
			p.jobs[jobs.Items[i].Name] = &jobs.Items[i]
		}
	}
	p.sortPods(pods.Items)
	p.claims = volumes.Claims{}
	for _, claim := range p.ownClaims(claims.Items) {
		p.claims[claim.Name] = claim
	}
	p.memory.noteBound(p.claims, p.now.Time)
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

// ownClaims returns those claims that were made for the benchmark: none before it has started.
func (s *scope) ownClaims(claims []corev1.PersistentVolumeClaim) []*corev1.PersistentVolumeClaim {
	s.claimTargets = ours.ClaimTargets(s.sb)
	var own []*corev1.PersistentVolumeClaim
	for i := range claims {
		if s.sb.Status.StartTime != nil && s.isOwnClaim(&claims[i]) {
			own = append(own, &claims[i])
		}
	}
	return own
}

// isOwnClaim says whether a claim was made for the benchmark, as far as this operator knows.
func (s *scope) isOwnClaim(claim *corev1.PersistentVolumeClaim) bool {
	return ours.Claim(s.sb, s.claimTargets, claim) && !s.memory.unmade.Has(claim.Name)
}
