package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/job"
	"github.com/storagebench/storagebench/internal/ours"
)

// isCrowdedOut says whether a pod finds no node because others hold them. The scheduler's words for all kinds of
// anti-affinity end in the same.
func isCrowdedOut(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && strings.Contains(attempt.StartMessage(pod), "anti-affinity rules")
}

// otherHolders returns the pods by which others hold nodes, or wait for one. Their labels keep the benchmark off these nodes, whoever
// has set them.
func (p *pass) otherHolders(ctx context.Context) ([]corev1.Pod, error) {
	var pods corev1.PodList
	if err := p.Client.List(ctx, &pods, client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}); err != nil {
		return nil, fmt.Errorf("list pods that hold nodes: %w", err)
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool {
		mine := pod.Namespace == p.sb.Namespace && (ours.Anchor(p.sb, &pod) || ours.NamedPod(p.sb, &pod))
		return mine || attempt.HasEnded(&pod)
	}), nil
}

// benchmarkOfHolder returns the benchmark by which a pod holds a node, as far as it is known, nil for a pod that is none's.
func (p *pass) benchmarkOfHolder(ctx context.Context, pod *corev1.Pod) (*v1alpha1.StorageBenchmark, error) {
	var sb v1alpha1.StorageBenchmark
	name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1alpha1.LabelBenchmark]}
	err := p.Client.Get(ctx, name, &sb)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil // its pods go as well, or it is another operator's
	case err != nil:
		return nil, fmt.Errorf("get benchmark %s: %w", name, err)
	case !ours.Anchor(&sb, pod) && !ours.NamedPod(&sb, pod):
		return nil, nil
	}
	return &sb, nil
}

// olderInNeed returns an older benchmark that holds some nodes and waits for more, "" if there is none. Benchmarks of
// several clients can hold what each other waits for: of any two the younger one gives way.
func (p *pass) olderInNeed(ctx context.Context) (string, error) {
	others, err := p.otherHolders(ctx)
	if err != nil {
		return "", err
	}
	asked := map[types.NamespacedName]bool{}
	for i := range others {
		name := types.NamespacedName{Namespace: others[i].Namespace, Name: others[i].Labels[v1alpha1.LabelBenchmark]}
		if asked[name] || !isCrowdedOut(&others[i]) {
			continue
		}
		other, err := p.benchmarkOfHolder(ctx, &others[i])
		if err != nil {
			return "", err
		}
		if other == nil {
			continue
		}
		asked[name] = true
		if isOlder(other, p.sb) && isInNeed(other, others) {
			return p.nameOf(name), nil
		}
	}
	return "", nil
}

// isInNeed says whether a benchmark holds some nodes and waits for more. Only those of the pods count that its status knows of, which
// nobody but the operator writes: who may create pods can make others that look the same.
func isInNeed(sb *v1alpha1.StorageBenchmark, pods []corev1.Pod) bool {
	if !sb.DeletionTimestamp.IsZero() || meta.FindStatusCondition(sb.Status.Conditions, v1alpha1.ConditionMeasured) != nil {
		return false
	}
	known := sets.New[string]()
	for i := range sb.Status.Anchors {
		if a := &sb.Status.Anchors[i]; a.StartTime != nil { // else it was suspended
			known.Insert(job.AnchorName(sb, int32(i), a.Attempts))
		}
	}
	holds, waits := false, false
	for i := range pods {
		pod := &pods[i]
		if pod.Namespace != sb.Namespace || !known.Has(pod.Name) || !ours.Anchor(sb, pod) {
			continue
		}
		holds, waits = holds || pod.Spec.NodeName != "", waits || isCrowdedOut(pod)
	}
	return holds && waits
}

// nameOf returns what users are told of another benchmark: nothing of one of another namespace, which they may not know of.
func (s *scope) nameOf(other types.NamespacedName) string {
	if other.Namespace != s.sb.Namespace {
		return "a benchmark of another namespace"
	}
	return fmt.Sprintf("%s in namespace %s", other.Name, other.Namespace)
}

func isOlder(a, b *v1alpha1.StorageBenchmark) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.UID < b.UID
}

// yield lets the nodes of a benchmark go that an older one waits for, which in turn holds nodes that this one waits for.
func (s *scope) yield(older string) {
	for i := range s.sb.Status.Anchors {
		a := &s.sb.Status.Anchors[i]
		a.Pod, a.Node, a.InstanceType = "", "", ""
		a.Attempts++ // others than those that are being deleted
	}
	s.waitForNode()
	s.step(v1alpha1.ReasonWaitingForNode, describeOlder(older))
}

func describeOlder(older string) string {
	return "an older benchmark that needs nodes goes first: " + older
}

// awaitOlder holds back anchors as long as an older benchmark wants nodes that they could take.
func (p *pass) awaitOlder(ctx context.Context, st *podWait) (outcome, error) {
	older, err := p.olderInNeed(ctx)
	if err != nil || older == "" {
		return goOn(), err
	}
	if _, err := p.removeAnchors(ctx, p.anchorNames()...); err != nil {
		return outcome{}, err
	}
	decision := attempt.DecideStart(st.startFacts(nil, true, false))
	st.noteNodeWait(decision)
	return st.await(decision, v1alpha1.ReasonWaitingForNode, st.what, "nodes of its own", describeOlder(older), p.nodeLimit()), nil
}
