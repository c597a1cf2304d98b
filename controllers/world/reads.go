package world

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// This file reads from the API server itself what the cache does not have, or may have late.

// LiveClaim returns a claim of the benchmark's namespace as the API server has it, an empty one if it is gone. An error
// begins with what was being done.
func (w *World) LiveClaim(ctx context.Context, name, doing string) (*corev1.PersistentVolumeClaim, error) {
	claim := &corev1.PersistentVolumeClaim{}
	return claim, getLive(ctx, w.Live, types.NamespacedName{Namespace: w.Namespace, Name: name}, claim, doing)
}

// LiveVolume is liveClaim for a volume.
func (w *World) LiveVolume(ctx context.Context, name, doing string) (*corev1.PersistentVolume, error) {
	volume := &corev1.PersistentVolume{}
	if len(name) > MaxName { // as a claim may have it: no volume has such a name, nor may a request
		return volume, nil
	}
	return volume, getLive(ctx, w.Live, types.NamespacedName{Name: name}, volume, doing)
}

// LiveJob is liveClaim for a Job.
func (w *World) LiveJob(ctx context.Context, name, doing string) (*batchv1.Job, error) {
	j := &batchv1.Job{}
	return j, getLive(ctx, w.Live, types.NamespacedName{Namespace: w.Namespace, Name: name}, j, doing)
}

// LivePod is liveClaim for a pod.
func (w *World) LivePod(ctx context.Context, name, doing string) (*corev1.Pod, error) {
	pod := &corev1.Pod{}
	return pod, getLive(ctx, w.Live, types.NamespacedName{Namespace: w.Namespace, Name: name}, pod, doing)
}

// Pointers returns pointers to the elements.
func Pointers[T any](all []T) []*T {
	of := make([]*T, len(all))
	for i := range all {
		of[i] = &all[i]
	}
	return of
}

// LiveClass returns a StorageClass as the API server has it, an empty one if there is none. It lists, because the
// operator needs that right anyway.
func (w *World) LiveClass(ctx context.Context, name string) (*storagev1.StorageClass, error) {
	var classes storagev1.StorageClassList
	if err := w.Live.List(ctx, &classes); err != nil {
		return nil, fmt.Errorf("list StorageClasses: %w", err)
	}
	for i := range classes.Items {
		if classes.Items[i].Name == name {
			return &classes.Items[i], nil
		}
	}
	return &storagev1.StorageClass{}, nil
}

// EachVolume looks at all volumes of the cluster, page by page.
func (w *World) EachVolume(ctx context.Context, look func(*corev1.PersistentVolume)) error {
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page := &corev1.PersistentVolumeList{}
		return page, w.Live.List(ctx, page, client.Limit(options.Limit), client.Continue(options.Continue))
	})
	pages.PageBufferSize = 0 // one page in memory, and one on its way
	if err := pages.EachListItem(ctx, metav1.ListOptions{}, Typed(look)); err != nil {
		return fmt.Errorf("list PersistentVolumes: %w", err)
	}
	return nil
}

// NodeLabels returns the labels of a node, none of one that is gone or that a namespaced operator may not read.
func (w *World) NodeLabels(ctx context.Context, name string) (map[string]string, error) {
	if labels, known := w.nodes[name]; known || w.Namespaces.AreSet() {
		return labels, nil
	}
	var node corev1.Node
	if err := UnlessGone(w.Live.Get(ctx, types.NamespacedName{Name: name}, &node), "get node"); err != nil {
		return nil, err
	}
	if w.nodes == nil {
		w.nodes = map[string]map[string]string{}
	}
	w.nodes[name] = node.Labels
	return node.Labels, nil
}

// IsFresh reports whether a benchmark is the newest version. It asks for its metadata alone: a status may be large.
func (w *World) IsFresh(ctx context.Context, sb *v1alpha1.StorageBenchmark) (bool, error) {
	current := &metav1.PartialObjectMetadata{}
	current.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("StorageBenchmark"))
	if err := w.Live.Get(ctx, client.ObjectKeyFromObject(sb), current); err != nil {
		return false, UnlessGone(err, "get benchmark")
	}
	return current.ResourceVersion == sb.ResourceVersion, nil
}
