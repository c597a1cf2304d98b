package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/ours"
)

// rivals reads by which pods others hold nodes, or wait for one, and of the benchmarks that these are of.
func (p *pass) rivals(ctx context.Context) (attempt.Rivals, error) {
	var pods corev1.PodList
	holders := client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}
	if err := p.Client.List(ctx, &pods, holders, client.UnsafeDisableDeepCopy); err != nil { // they are only looked at
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

// yield lets the nodes of a benchmark go that an older one waits for, which in turn holds nodes that this one waits for.
func (s *writer) yield(older string) {
	attempt.YieldNodes(&s.sb.Status, s.now)
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
	older := rivals.NameOfOlder(p.sb)
	if older == "" {
		return goOn(), nil
	}
	if _, err := p.removeAnchors(ctx, ours.AnchorNames(p.sb)...); err != nil {
		return outcome{}, err
	}
	decision := attempt.DecideStart(st.startFacts(nil, competition{held: older}))
	st.noteNodeWait(decision)
	return st.await(decision, v1alpha1.ReasonWaitingForNode, st.what, "nodes of its own", describeOlder(older), attempt.NodeLimit(p.sb.Spec.Deadlines)), nil
}
