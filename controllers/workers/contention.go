package workers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/storagebench/storagebench/api/v1alpha1"
	"github.com/storagebench/storagebench/controllers/pass"
	"github.com/storagebench/storagebench/internal/attempt"
	"github.com/storagebench/storagebench/internal/owned"
)

// Rivals reads by which pods others hold nodes, or wait for one, and of the benchmarks that these are of.
func Rivals(ctx context.Context, p *pass.Pass) (attempt.Rivals, error) {
	var pods corev1.PodList
	holders := client.MatchingLabels{v1alpha1.LabelHoldsNode: "true"}
	// UnsafeDisableDeepCopy is safe here: the pods are only read.
	if err := p.World.Client.List(ctx, &pods, holders, client.UnsafeDisableDeepCopy); err != nil {
		return attempt.Rivals{}, fmt.Errorf("list pods that hold nodes: %w", err)
	}
	rivals := attempt.RivalsOf(p.SB, pods.Items)
	for i := range rivals.Pods {
		name := attempt.NameOf(&rivals.Pods[i])
		if rivals.Benchmarks[name] != nil {
			continue
		}
		sb := &v1alpha1.StorageBenchmark{}
		switch err := p.World.Client.Get(ctx, name, sb); {
		case err == nil:
			rivals.Benchmarks[name] = sb
		case !apierrors.IsNotFound(err):
			return rivals, fmt.Errorf("get benchmark %s: %w", name, err)
		}
	}
	return rivals, nil
}

// Yield lets the nodes of a benchmark go that an older one waits for, which in turn holds nodes that this one waits
// for.
func Yield(s *pass.Pass, older string) {
	attempt.YieldNodes(&s.SB.Status)
	s.Step(v1alpha1.ReasonWaitingForNode, describeOlder(older))
}

func describeOlder(older string) string {
	return "an older benchmark that needs nodes goes first: " + older
}

// AwaitOlder holds back anchors as long as an older benchmark wants nodes that they could take.
func AwaitOlder(ctx context.Context, p *pass.Pass, st *PodWait) (pass.Outcome, error) {
	rivals, err := Rivals(ctx, p)
	if err != nil {
		return pass.Outcome{}, err
	}
	older := rivals.NameOfOlder(p.SB)
	if older == "" {
		return pass.GoOn(), nil
	}
	if _, err := RemoveAnchors(ctx, p, owned.AnchorNames(p.SB)...); err != nil {
		return pass.Outcome{}, err
	}
	decision := attempt.DecideStart(st.StartFacts(nil, Competition{Held: older}))
	st.NoteNodeWait(decision)
	limit := attempt.NodeLimit(p.SB.Spec.Deadlines)
	why := describeOlder(older)
	return st.Await(decision, v1alpha1.ReasonWaitingForNode, st.What, "nodes of its own", why, limit), nil
}
