package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
)

// isCrowdedOut says whether a pod finds no node because others hold them. The scheduler's words for all kinds of
// anti-affinity end in the same.
func isCrowdedOut(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && strings.Contains(startMessage(pod), "anti-affinity rules")
}

// otherHolders returns the pods by which other benchmarks hold nodes, or wait for one.
func (s *scope) otherHolders(ctx context.Context) ([]corev1.Pod, error) {
	var pods corev1.PodList
	if err := s.Client.List(ctx, &pods, client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}); err != nil {
		return nil, fmt.Errorf("list pods that hold nodes: %w", err)
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool {
		mine := pod.Namespace == s.sb.Namespace && pod.Labels[v1alpha1.LabelBenchmark] == s.sb.Name
		return mine || hasEnded(&pod)
	}), nil
}

// elderInNeed returns an older benchmark that holds some nodes and waits for more, "" if there is none. Benchmarks of
// several clients can hold what each other waits for: of any two the younger one gives way.
func (s *scope) elderInNeed(ctx context.Context) (string, error) {
	others, err := s.otherHolders(ctx)
	if err != nil {
		return "", err
	}
	holding, waiting := map[types.NamespacedName]bool{}, map[types.NamespacedName]bool{}
	for i := range others {
		pod := &others[i]
		name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Labels[v1alpha1.LabelBenchmark]}
		holding[name] = holding[name] || pod.Spec.NodeName != ""
		waiting[name] = waiting[name] || isCrowdedOut(pod)
	}
	for name := range waiting {
		if !waiting[name] || !holding[name] {
			continue
		}
		var other v1alpha1.StorageBenchmark
		err := s.Client.Get(ctx, name, &other)
		if apierrors.IsNotFound(err) {
			continue // its pods go as well, or it is another operator's
		}
		if err != nil {
			return "", fmt.Errorf("get benchmark %s: %w", name, err)
		}
		if isOlder(&other, s.sb) {
			return fmt.Sprintf("%s in namespace %s", name.Name, name.Namespace), nil
		}
	}
	return "", nil
}

func isOlder(a, b *v1alpha1.StorageBenchmark) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	return a.UID < b.UID
}

// giveWay lets the nodes of a benchmark go that an older one waits for, which in turn holds nodes that this one waits
// for, and says whether it did.
func (s *scope) giveWay(ctx context.Context) (bool, error) {
	elder, err := s.elderInNeed(ctx)
	if err != nil || elder == "" {
		return false, err
	}
	for i := range s.sb.Status.Anchors {
		a := &s.sb.Status.Anchors[i]
		a.Pod, a.Node, a.InstanceType = "", "", ""
		a.Attempts++ // others than those that are being deleted
	}
	s.step(v1alpha1.ReasonWaitingForNode, describeElder(elder))
	return true, nil
}

func describeElder(elder string) string {
	return fmt.Sprintf("gives way to %s, which is older and wants nodes as well", elder)
}

// awaitElder holds back anchors as long as an older benchmark wants nodes that they could take.
func (s *scope) awaitElder(ctx context.Context, st *start) (outcome, error) {
	elder, err := s.elderInNeed(ctx)
	if err != nil || elder == "" {
		return goOn(), err
	}
	if _, err := s.removeAnchors(ctx, s.anchorNames()...); err != nil {
		return outcome{}, err
	}
	s.step(v1alpha1.ReasonWaitingForNode, describeElder(elder))
	return st.orNodeDeadline("nodes of its own", describeElder(elder)), nil
}
