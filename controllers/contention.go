package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
)

// rivals reads by which pods others hold nodes, or wait for one, and of the benchmarks that these are of.
func (p *pass) rivals(ctx context.Context) (attempt.Rivals, error) {
	var pods corev1.PodList
	if err := p.Client.List(ctx, &pods, client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}); err != nil {
		return attempt.Rivals{}, fmt.Errorf("list pods that hold nodes: %w", err)
	}
	rivals := attempt.RivalsOf(p.sb, pods.Items)
	for i := range rivals.Pods {
		name := attempt.NameOf(&rivals.Pods[i])
		if rivals.Benchmarks[name] != nil {
			continue
		}
		sb := &v1alpha1.StorageBenchmark{}
		switch err := p.Client.Get(ctx, name, sb); {
		case err == nil:
			rivals.Benchmarks[name] = sb
		case !apierrors.IsNotFound(err):
			return rivals, fmt.Errorf("get benchmark %s: %w", name, err)
		}
	}
	return rivals, nil
}

// nameOfOlder returns the name of an older benchmark that needs nodes and goes first, "" if there is none.
func (s *scope) nameOfOlder(rivals attempt.Rivals) string {
	if older := rivals.Older(s.sb); older != nil {
		return s.nameOf(client.ObjectKeyFromObject(older))
	}
	return ""
}

// describeHolders returns the nodes that others hold, with what holds them: a benchmark, if it is known, or a pod.
func (s *scope) describeHolders(rivals attempt.Rivals) []string {
	var holders []string
	for i := range rivals.Pods {
		pod := &rivals.Pods[i]
		if pod.Spec.NodeName != "" {
			holders = append(holders, fmt.Sprintf("node %s (%s)", pod.Spec.NodeName, s.describeHolder(pod, rivals.Of(pod))))
		}
	}
	return holders
}

// describeHolder says what holds a node: a pod, of a benchmark if it is known.
func (s *scope) describeHolder(pod *corev1.Pod, of *v1alpha1.StorageBenchmark) string {
	switch {
	case of != nil:
		return s.nameOf(client.ObjectKeyFromObject(of))
	case pod.Namespace != s.sb.Namespace:
		return fmt.Sprintf("a pod with label %s in another namespace, which belongs to no known benchmark", v1alpha1.LabelHoldsNode)
	default:
		return fmt.Sprintf("pod %s in namespace %s with label %s, which belongs to no known benchmark", pod.Name, pod.Namespace, v1alpha1.LabelHoldsNode)
	}
}

// nameOf returns what users are told of another benchmark: nothing of one of another namespace, which they may not know of.
func (s *scope) nameOf(other types.NamespacedName) string {
	if other.Namespace != s.sb.Namespace {
		return "a benchmark of another namespace"
	}
	return fmt.Sprintf("%s in namespace %s", other.Name, other.Namespace)
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
	rivals, err := p.rivals(ctx)
	if err != nil {
		return outcome{}, err
	}
	older := p.nameOfOlder(rivals)
	if older == "" {
		return goOn(), nil
	}
	if _, err := p.removeAnchors(ctx, p.anchorNames()...); err != nil {
		return outcome{}, err
	}
	decision := attempt.DecideStart(st.startFacts(nil, competition{held: older}))
	st.noteNodeWait(decision)
	return st.await(decision, v1alpha1.ReasonWaitingForNode, st.what, "nodes of its own", describeOlder(older), p.nodeLimit()), nil
}
