package controllers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/internal/child"
)

// What a pass reads from the API server itself: what the cache does not have, or may have late.

// liveClaim returns a claim of the benchmark's namespace as the API server has it, an empty one if it is gone. An error
// begins with what was being done.
func (p *pass) liveClaim(ctx context.Context, name, doing string) (*corev1.PersistentVolumeClaim, error) {
	claim := &corev1.PersistentVolumeClaim{}
	return claim, getLive(ctx, p.Live, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, claim, doing)
}

// liveVolume is liveClaim for a volume.
func (p *pass) liveVolume(ctx context.Context, name, doing string) (*corev1.PersistentVolume, error) {
	volume := &corev1.PersistentVolume{}
	if len(name) > maxName { // as a claim may have it: no volume has such a name, nor may a request
		return volume, nil
	}
	return volume, getLive(ctx, p.Live, types.NamespacedName{Name: name}, volume, doing)
}

// liveJob is liveClaim for a Job.
func (p *pass) liveJob(ctx context.Context, name, doing string) (*batchv1.Job, error) {
	j := &batchv1.Job{}
	return j, getLive(ctx, p.Live, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, j, doing)
}

// livePod is liveClaim for a pod.
func (p *pass) livePod(ctx context.Context, name, doing string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	return pod, getLive(ctx, p.Live, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, pod, doing)
}

// own are the options by which the benchmark's Jobs and pods are listed.
func (p *pass) own(labels ...string) []client.ListOption {
	return []client.ListOption{client.InNamespace(p.sb.Namespace), client.MatchingLabels(child.Labels(p.sb, labels...))}
}

// pointers returns pointers to the elements.
func pointers[T any](all []T) []*T {
	of := make([]*T, len(all))
	for i := range all {
		of[i] = &all[i]
	}
	return of
}

// fewClaims is up to how many claims are read by their names, one after the other. For more, all claims of the namespace are listed.
const fewClaims = 4

// liveClaims returns the claims that have names which the benchmark gives, as the API server has them. It does not go by
// labels, which they may have lost.
func (p *pass) liveClaims(ctx context.Context) (claims []corev1.PersistentVolumeClaim, err error) {
	if len(p.ClaimTargets) > fewClaims {
		var list corev1.PersistentVolumeClaimList
		err := listLive(ctx, p.Live, &list, isNamedIn(p.ClaimTargets), client.InNamespace(p.sb.Namespace))
		if err != nil {
			return nil, fmt.Errorf("list claims: %w", err)
		}
		return list.Items, nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.ClaimTargets)) {
		claim, err := p.liveClaim(ctx, name, "get claim "+name)
		if err != nil {
			return nil, err
		}
		if claim.Name != "" {
			trim(claim)
			claims = append(claims, *claim)
		}
	}
	return claims, nil
}

// isNamedIn returns a function that reports whether a claim has the name of one of the claims of the targets.
func isNamedIn(targets map[string]string) func(*corev1.PersistentVolumeClaim) bool {
	return func(claim *corev1.PersistentVolumeClaim) bool { return targets[claim.Name] != "" }
}

// liveClass returns a StorageClass as the API server has it, an empty one if there is none. It lists, because the operator needs that right anyway.
func (p *pass) liveClass(ctx context.Context, name string) (*storagev1.StorageClass, error) {
	var classes storagev1.StorageClassList
	if err := p.Live.List(ctx, &classes); err != nil {
		return nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].Name == name {
			return &classes.Items[i], nil
		}
	}
	return &storagev1.StorageClass{}, nil
}

// eachVolume looks at all volumes of the cluster, page by page.
func (p *pass) eachVolume(ctx context.Context, look func(*corev1.PersistentVolume)) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page := &corev1.PersistentVolumeList{}
		return page, p.Live.List(ctx, page, client.Limit(options.Limit), client.Continue(options.Continue))
	})
	pages.PageBufferSize = 0 // one page in memory, and one on its way
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, typed(look)); err != nil {
		return fmt.Errorf("list PersistentVolumes: %w", err)
	}
	return nil
}

// nodeLabels returns the labels of a node, none of one that is gone or that a namespaced operator may not read.
func (p *pass) nodeLabels(ctx context.Context, name string) (map[string]string, error) {
	if labels, known := p.nodes[name]; known || p.namespaces.AreSet() {
		return labels, nil
	}
	var node corev1.Node
	if err := unlessGone(p.Live.Get(ctx, types.NamespacedName{Name: name}, &node), "get node"); err != nil {
		return nil, err
	}
	if p.nodes == nil {
		p.nodes = map[string]map[string]string{}
	}
	p.nodes[name] = node.Labels
	return node.Labels, nil
}
