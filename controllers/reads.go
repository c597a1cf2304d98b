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
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/pager"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/child"
	"github.com/storagebench/storagebench/internal/ours"
)

// What a pass reads from the API server itself: what the cache does not have, or may have late.

// liveClaim returns a claim of the benchmark's namespace as the API server has it, an empty one if it is gone. An error begins with what was being done.
func (p *pass) liveClaim(ctx context.Context, name, doing string) (*corev1.PersistentVolumeClaim, error) {
	claim := &corev1.PersistentVolumeClaim{}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, claim)
	return claim, unlessGone(err, doing)
}

// liveVolume returns a volume as the API server has it, an empty one if it is gone. An error begins with what was being done.
func (p *pass) liveVolume(ctx context.Context, name, doing string) (*corev1.PersistentVolume, error) {
	if volume := p.found.volume(name); volume != nil {
		return volume, nil
	}
	return p.readVolume(ctx, name, doing)
}

// readVolume is liveVolume for whoever needs the newest version, also where a look has one.
func (p *pass) readVolume(ctx context.Context, name, doing string) (*corev1.PersistentVolume, error) {
	volume := &corev1.PersistentVolume{}
	if len(name) > maxName { // as a claim may have it: no volume has such a name, nor may a request
		return volume, nil
	}
	err := p.Live.Get(ctx, types.NamespacedName{Name: name}, volume)
	return volume, unlessGone(err, doing)
}

// own are the options by which the benchmark's Jobs and pods are listed.
func (p *pass) own(labels ...string) []client.ListOption {
	return []client.ListOption{client.InNamespace(p.sb.Namespace), client.MatchingLabels(child.Labels(p.sb, labels...))}
}

// listChildren returns the benchmark's Jobs and pods that have labels. It does not ask the cache, which may not have heard yet of a Job that the last pass has made.
func (p *pass) listChildren(ctx context.Context, having client.MatchingLabels) ([]*batchv1.Job, []*corev1.Pod, error) {
	if err := p.found.childrenErr; err != nil {
		return nil, nil, err
	}
	if p.found.children == nil {
		listed, err := p.readChildren(ctx)
		if err != nil {
			return nil, nil, err
		}
		p.found.children = &listed
	}
	listed := p.found.children
	stray, err := p.strayJobs(ctx, having)
	return append(withLabels(listed.jobs, having), stray...), withLabels(listed.pods, having), err
}

// readChildren lists the benchmark's Jobs, and then its pods: of a pod that is made in between, the Job is in the list.
func (p *pass) readChildren(ctx context.Context) (childLists, error) {
	var jobs batchv1.JobList
	isJob := func(j *batchv1.Job) bool { return ours.Job(p.sb, j) }
	if err := listLive(ctx, p.Live, &jobs, isJob, p.own()...); err != nil {
		return childLists{}, fmt.Errorf("list Jobs: %w", err)
	}
	var pods corev1.PodList
	if err := listLive(ctx, p.Live, &pods, mayBeOwnPod(p.sb, jobs.Items), p.own()...); err != nil {
		return childLists{}, fmt.Errorf("list pods: %w", err)
	}
	return childLists{jobs: pointers(jobs.Items), pods: pointers(pods.Items)}, nil
}

// mayBeOwnPod returns a function that reports whether a pod may have been made for a benchmark, which has the Jobs.
func mayBeOwnPod(sb *v1alpha1.StorageBenchmark, jobs []batchv1.Job) func(*corev1.Pod) bool {
	uids := sets.New[types.UID]()
	for i := range jobs {
		uids.Insert(jobs[i].UID)
	}
	return func(pod *corev1.Pod) bool {
		left, depends := ours.IsLeft(sb, pod, uids)
		return left || depends != nil || ours.Anchor(sb, pod)
	}
}

// listAnchors returns the pods of anchors. It lists no other pods: there may be many that have ended.
func (p *pass) listAnchors(ctx context.Context) ([]*corev1.Pod, error) {
	if err := p.found.childrenErr; err != nil {
		return nil, err
	}
	if listed := p.found.children; listed != nil {
		return withLabels(listed.pods, client.MatchingLabels{v1alpha1.LabelRole: v1alpha1.RoleAnchor}), nil
	}
	var pods corev1.PodList
	isAnchor := func(pod *corev1.Pod) bool { return ours.Anchor(p.sb, pod) }
	if err := listLive(ctx, p.Live, &pods, isAnchor, p.own(v1alpha1.LabelRole, v1alpha1.RoleAnchor)...); err != nil {
		return nil, fmt.Errorf("list anchors: %w", err)
	}
	return pointers(pods.Items), nil
}

// withLabels returns those of the objects that have labels.
func withLabels[O client.Object](objects []O, having client.MatchingLabels) []O {
	return slices.DeleteFunc(slices.Clone(objects), func(object O) bool { return len(ours.Lacking(object.GetLabels(), having)) > 0 })
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

// liveClaims returns the claims that have names which the benchmark gives, as the API server has them. It does not go by labels, which they may have lost.
func (p *pass) liveClaims(ctx context.Context) (claims []corev1.PersistentVolumeClaim, err error) {
	if asked := p.found.claims; asked != nil {
		if claims, err := asked.wait(); err == nil {
			return claims, nil
		}
	}
	return p.readClaims(ctx)
}

// readClaims is liveClaims for whoever needs what is there now.
func (p *pass) readClaims(ctx context.Context) (claims []corev1.PersistentVolumeClaim, err error) {
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

// liveJob returns a Job of the benchmark's namespace as the API server has it, an empty one if it is gone. An error begins with what was being done.
func (p *pass) liveJob(ctx context.Context, name, doing string) (*batchv1.Job, error) {
	j := &batchv1.Job{}
	err := p.Live.Get(ctx, types.NamespacedName{Namespace: p.sb.Namespace, Name: name}, j)
	return j, unlessGone(err, doing)
}

// liveAnchor does so for the pod of an anchor. It lists, because the operator needs that right anyway.
func (p *pass) liveAnchor(ctx context.Context, name, doing string) (*corev1.Pod, error) {
	var found corev1.PodList
	if err := p.Live.List(ctx, &found, client.InNamespace(p.sb.Namespace), client.MatchingFields{metav1.ObjectNameField: name}); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	if len(found.Items) == 0 {
		return &corev1.Pod{}, nil
	}
	return &found.Items[0], nil
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
